import { readCookie } from '../cookies.ts'
import { form } from '../form.ts'
import { html } from '../html.ts'
import { pageEndpoint } from '../page-endpoint.ts'
import { button, buttonLink, message } from '../parts.ts'
import { endPageSession, findPageSession } from './page-session.ts'
import { PAGES_CLIENT_ID, SIGNED_OUT_PATH } from './pages-client.ts'
import { completePagesSignIn, localPath, startSignIn } from './sign-in-flow.ts'

const HOME = '/'

const start = pageEndpoint({
  method: 'GET',
  path: '/session/start',
  summary: 'Leads a person to the sign-in and back to a page.',
  handle: ({ platform, query, headers, ip }) =>
    startSignIn(
      platform,
      localPath(query.to, HOME),
      { ip, cookieHeader: headers.cookie },
      { tenantHint: query.tenant ?? null },
    ),
})

const callback = pageEndpoint({
  method: 'GET',
  path: '/session/callback',
  summary: 'Takes the answer of the authorization server.',
  handle: async ({ platform, query, headers, ip, texts }) => {
    const done = await completePagesSignIn(platform, query, { ip, cookieHeader: headers.cookie })
    if (!('problem' in done)) return done
    if (done.problem === 'other-person') {
      const { title, advice, leave } = texts.otherPerson
      const main = html`${message('bad', advice)}<p>${buttonLink(leave, '/sign-out')}</p>`
      return { status: 403, page: { title, main, hasErrors: true } }
    }
    const { title, advice, again } = texts.notSignedIn
    const to = localPath(done.to ?? undefined, HOME)
    const retry = buttonLink(again, `/session/start?${new URLSearchParams({ to })}`)
    const main = html`${message('bad', advice)}<p>${retry}</p>`
    return { status: 400, page: { title, main, hasErrors: true } }
  },
})

const showEnd = pageEndpoint({
  method: 'GET',
  path: '/session/end',
  summary: 'Asks a person whether to sign out.',
  handle: (frame) => {
    const { title, advice, sign } = frame.texts.signOut
    const back = buttonLink(frame.texts.cancel, '/')
    const buttons = html`<div class="buttons">${button(sign, { look: 'main' })}${back}</div>`
    return {
      page: { title, main: html`<p>${advice}</p>${form(frame, '/session/end', buttons)}` },
    }
  },
})

const end = pageEndpoint({
  method: 'POST',
  path: '/session/end',
  summary: 'Ends the session of the pages and, at the authorization server, that of the browser.',
  handle: async ({ platform, headers, ip }) => {
    const session = await findPageSession(platform, headers.cookie, ip)
    const back = `${platform.urls.publicUrl}${SIGNED_OUT_PATH}`
    if (session === null)
      return { to: readCookie(platform, 'session', headers.cookie) === null ? SIGNED_OUT_PATH : '/sign-out' }
    const query = new URLSearchParams({
      client_id: PAGES_CLIENT_ID,
      id_token_hint: session.idToken,
      post_logout_redirect_uri: back,
    })
    const cookies = [await endPageSession(platform, session)]
    return {
      leaveFor: `${platform.urls.auth}/logout?${query}`,
      cookies,
      headers: { 'clear-site-data': '"cache", "storage"' },
    }
  },
})

/** Sign-in and sign-out of the pages. */
export const sessionEndpoints = [start, callback, showEnd, end] as const
