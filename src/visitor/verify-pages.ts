import type { Language } from '../contract/languages.ts'
import { type Endpoint, endpoint } from '../http/routes/endpoint.ts'
import { readCookie, writeCookie } from '../pages/cookies.ts'
import type { Page } from '../pages/document.ts'
import { renderFault } from '../pages/fault-page.ts'
import { form } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { accentStyle } from '../pages/look/accent.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../pages/page-endpoint.ts'
import { button, buttonLink, card, message } from '../pages/parts.ts'
import {
  type About,
  callBeginVisit,
  callRecordReturn,
  type Refusal,
  readAbout,
  readState,
  sharingTime,
  type VisitState,
} from './call-api.ts'
import { checkPath } from './link-frame.ts'
import { linkTexts } from './link-texts.ts'
import { logoOf } from './logo.ts'
import { visitorTexts } from './texts.ts'
import {
  footnote,
  headingOf,
  introduction,
  refused,
  refusedMessage,
  verdict,
  visitorName,
  visitorShell,
  waiting,
  ways,
} from './views.ts'

/** The request that this browser began. */
const COOKIE = 'chirograph-visitor'
const COOKIE_SECONDS = 7200
const RELOAD_SECONDS = 4
const noStore = { 'cache-control': 'no-store' }

type Context = PageContext<{ readonly page: string }>
type Visit = { readonly request: string; readonly secret: string }

/** Returns the request that this browser began on the page; null if it has none. */
function visitOf({ platform, headers, params }: Pick<Context, 'platform' | 'headers' | 'params'>): Visit | null {
  const parts = readCookie(platform, COOKIE, headers.cookie)?.split('.') ?? []
  const [page, request = '', secret = ''] = parts
  return parts.length === 3 && page === params.page.toLowerCase() ? { request, secret } : null
}

const show = pageEndpoint({
  method: 'GET',
  path: '/verify/{page}',
  summary: 'A page of an organisation on which visitors show credentials.',
  handle: async (context): Promise<PageAnswer> => {
    const asking = sharingTime(context)
    const about = await readAbout(asking, context.params.page, context.language)
    if (about.refusal !== null) return refusedPage(context, about.refusal, null)
    const visit = visitOf(context)
    const state = visit === null ? null : await readState(asking, context.params.page, visit)
    if (state === null || state.refusal?.kind === 'unknown') return beginning(context, about.data)
    if (state.refusal !== null) return refusedPage(context, state.refusal, about.data)
    return isOpen(state.data)
      ? waitingPage(context, about.data, state.data, state.etag)
      : end(context, about.data, state.data)
  },
})

function isOpen({ status }: VisitState): boolean {
  return status === 'requested'
}

const begin = pageEndpoint({
  method: 'POST',
  path: '/verify/{page}',
  summary: 'Begins a request for a visitor.',
  handle: async (context): Promise<PageAnswer> => {
    const { params, platform } = context
    const asking = sharingTime(context)
    const begun = await callBeginVisit(asking, params.page)
    if (begun.refusal !== null) {
      const about = await readAbout(asking, params.page, context.language)
      return refusedPage(context, begun.refusal, about.refusal === null ? about.data : null)
    }
    const { id, secret = '' } = begun.data
    const kept = `${params.page.toLowerCase()}.${id}.${secret}`
    return { to: pathOf(params.page), cookies: [writeCookie(platform, COOKIE, kept, COOKIE_SECONDS)] }
  },
})

/** Waits for the end of the request. The script loads the page again when it is led elsewhere. */
const follow = endpoint({
  method: 'GET',
  path: '/verify/{page}/state',
  summary: 'Answers when the request of this browser has ended.',
  tag: 'Pages',
  hidden: true,
  accepts: 'none',
  faultsAs: renderFault,
  handle: async (context) => {
    const { params, headers } = context
    const visit = visitOf(context)
    const known = String(headers['x-state'] ?? '')
    const state = visit === null ? null : await readState(context, params.page, visit, known)
    const isSame = state !== null && state.refusal === null && (!state.isChanged || isOpen(state.data))
    if (isSame) return { status: 204, headers: noStore }
    if (state !== null && state.refusal !== null && state.refusal.kind !== 'unknown')
      return { status: state.refusal.status, headers: noStore }
    return { status: 303, headers: { ...noStore, location: `${pathOf(params.page)}/about` } }
  },
})

/** Where wallets lead the browser. The one that began the request is known by its cookie. */
const comeBack = pageEndpoint({
  method: 'GET',
  path: '/verify/{page}/return',
  summary: 'Where a wallet leads the browser after its answer.',
  handle: async (context): Promise<PageAnswer> => {
    const visit = visitOf(context)
    // A code that is not that of the request changes nothing: the page says what it waits for.
    if (visit !== null) {
      await callRecordReturn(context, context.params.page, visit, context.query.response_code ?? '-')
      return { to: pathOf(context.params.page) }
    }
    const about = await readAbout(context, context.params.page, context.language)
    if (about.refusal !== null) return refusedPage(context, about.refusal, null)
    const [title, text] = visitorTexts[context.language].returned
    return framed(context, about.data, { title, main: message('note', text) })
  },
})

function pathOf(page: string): string {
  return `/verify/${encodeURIComponent(page)}`
}

function beginning(context: Context, about: About): PageAnswer {
  const { language } = context
  if (!about.isOpen) return refusedPage(context, { kind: 'closed', status: 410, retryAfterSeconds: null }, about)
  const how = beginForm(context, visitorTexts[language].begin)
  const given = html`<p>${linkTexts[language].given} ${fileCheck(about, language)}</p>`
  const main = html`${introduction(about, language, how)}${given}`
  return framed(context, about, { title: headingOf(about, language), main })
}

/** The way for those who were given a card as a link or a file. */
function fileCheck({ organisation }: About, language: Language) {
  return html`<a href="${checkPath(organisation.slug)}">${linkTexts[language].toCheckGiven}</a>`
}

function beginForm(context: Context, text: string, look: 'main' | 'plain' = 'main') {
  return form(context, pathOf(context.params.page), html`<div class="buttons">${button(text, { look })}</div>`)
}

function waitingPage(context: Context, about: About, state: VisitState, etag: string): PageAnswer {
  const { language, params } = context
  const now = context.platform.clock.now()
  const content = html`<live-region src="${pathOf(params.page)}/state" state="${etag}" pause="500">
    ${waiting(state, language, now)}
  </live-region>
  ${ways(state, language, false)}
  <noscript><p class="hint">${visitorTexts[language].reload}</p></noscript>`
  const main = card(content)
  return framed(context, about, {
    title: headingOf(about, language),
    main,
    reloadSeconds: RELOAD_SECONDS,
    modules: ['fragments', 'request-credential'],
  })
}

/**
 * The end of the request, or the way to the site that asked; the request is forgotten then, so that the way back leads
 * to a new one.
 */
function end(context: Context, about: About, state: VisitState): PageAnswer {
  const { language, platform } = context
  const { redirectUri, status, awaitsReturn } = state
  if (awaitsReturn) return awaitingReturn(context, about)
  const isDone = status === 'verified' || status === 'answered'
  const t = visitorTexts[language]
  if (redirectUri !== undefined && isDone)
    return { leaveFor: redirectUri, cookies: [writeCookie(platform, COOKIE, '', 0)] }
  const back = redirectUri !== undefined && buttonLink(t.back(new URL(redirectUri).host), redirectUri)
  // Also after a success: the next visitor may use the same device.
  const again = about.isOpen && beginForm(context, t.again, isDone ? 'plain' : 'main')
  const main = html`${verdict(state, language)}${again}${back && html`<p class="buttons">${back}</p>`}`
  return framed(context, about, { title: headingOf(about, language), main })
}

/** The wallet has answered, in whatever browser; this one is told the outcome when the wallet leads it back. */
function awaitingReturn(context: Context, about: About): PageAnswer {
  const { language } = context
  const [title, text] = visitorTexts[language].awaitsReturn
  const again = about.isOpen && beginForm(context, visitorTexts[language].again, 'plain')
  const main = html`${message('note', `${title}. ${text}`)}${again}`
  return framed(context, about, { title: headingOf(about, language), main })
}

function refusedPage(context: Context, refusal: Refusal, about: About | null): PageAnswer {
  const { language, params } = context
  const { title } = refused(refusal, language)
  const way =
    refusal.kind === 'unknown'
      ? buttonLink(context.texts.toStart, '/')
      : buttonLink(visitorTexts[language].tryAgain, pathOf(params.page))
  const main = html`${refusedMessage(refusal, language)}<p class="buttons">${way}</p>`
  const { retryAfterSeconds: seconds, status } = refusal
  const headers = seconds === null ? {} : { 'retry-after': String(seconds) }
  if (about === null) return { page: { title, main, hasErrors: true, shell: visitorShell() }, status, headers }
  return framed(context, about, { title, main, hasErrors: true }, { status, headers })
}

type Framing = Pick<Context, 'language' | 'platform'>
type More = { readonly status?: number; readonly headers?: Readonly<Record<string, string>> }

/** Puts content into a page of the organisation: name, logo, colour, where it explains itself. */
function framed({ language, platform }: Framing, about: About, page: Page, more: More = {}): PageAnswer {
  const { organisation } = about
  const name = visitorName(organisation)
  const logo = logoOf(organisation.logoUri, platform.urls.publicUrl)
  const image = logo && html`<img src="${logo.src}" alt="" referrerpolicy="no-referrer">`
  const style = accentStyle(organisation.accentColor)
  return {
    ...more,
    page: {
      ...page,
      organisation: name,
      main: html`${page.main}${footnote(about, language)}`,
      shell: visitorShell(name, image),
      ...(style !== '' && { style }),
    },
    ...(logo?.source != null && { imageSource: logo.source }),
  }
}

/** The pages for visitors that are opened by themselves. */
export const verifyPages: readonly Endpoint[] = [show, begin, follow, comeBack]
