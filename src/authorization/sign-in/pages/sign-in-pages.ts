import type { Endpoint } from '../../../http/routes/endpoint.ts'
import { html } from '../../../pages/html.ts'
import { duration } from '../../../pages/moment.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../../../pages/page-endpoint.ts'
import { clearCookie } from '../cookies.ts'
import { beginPasskeySignIn, signInByPasskey } from '../passkeys/sign-in-by-passkey.ts'
import { chooseOrganisation, type Organisation, signInByPassword } from '../passwords/sign-in-by-password.ts'
import { listSignInProviders } from '../providers/sign-in-by-provider.ts'
import { textsOf } from '../screens/frame.ts'
import { type SignInProps, signInScreen } from '../screens/sign-in.ts'
import { chooseScreen, problemScreen, signedOutScreen, signOutScreen } from '../screens/states.ts'
import { endSession } from '../session.ts'
import { actorOf } from '../visit.ts'
import { withKnownOrganisation } from './known-organisation.ts'
import {
  browserOf,
  continueAfterSignOut,
  continueTo,
  declineTo,
  keeping,
  keptOf,
  organisationOf,
  posted,
  postedPasskey,
  sessionOf,
  signedIn,
  visitOf,
} from './request.ts'

type Refused = Pick<SignInProps, 'missing' | 'problem'> & {
  readonly status: number
  readonly retryAfterSeconds?: number
}

/** The page of the sign-in, empty or with what was refused. */
async function signInPage(request: PageContext, refused?: Refused): Promise<PageAnswer> {
  const { slug, name } = await organisationOf(request)
  const { tenant, ...others } = request.query
  const { suggested, ...unsuggested } = others
  const isSuggested = suggested === '1'
  // An organisation that does not exist is said to be unknown, once; one that was only suggested is not mentioned.
  const context = slug === null ? { ...request, query: others } : request
  const { platform, query } = context
  const { status = 200, retryAfterSeconds, ...wrong } = refused ?? {}
  const page = signInScreen(context, {
    action: keeping('/sign-in', context),
    resetHref: keeping('/reset', context),
    passkey: { action: keeping('/sign-in/passkey', context), offer: await beginPasskeySignIn(platform) },
    providers: (slug === null ? [] : await listSignInProviders(platform, slug)).map((one) => ({
      name: one.displayName,
      action: keeping(`/sign-in/provider/${encodeURIComponent(one.name)}`, context),
    })),
    organisation: name,
    kept: keptOf(context).filter(([one]) => one !== 'tenant' && one !== 'suggested'),
    otherHref: isSuggested && slug !== null ? keeping('/sign-in', { query: unsuggested }) : null,
    declineHref: declineTo(context),
    username: posted(context, 'username') || (query.hint ?? ''),
    isAgain: query.again === '1',
    unknownOrganisation: slug === null && tenant !== '' && !isSuggested ? tenant : undefined,
    ...wrong,
  })
  return {
    page,
    status,
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  }
}

const showSignIn = pageEndpoint({
  method: 'GET',
  path: '/sign-in',
  summary: 'Asks a person to sign in; leads a signed-in person on.',
  handle: async (request) => {
    const context = await withKnownOrganisation(request)
    const session = context.query.again === '1' ? null : await sessionOf(context)
    const { slug } = await organisationOf(context)
    const isFree = slug === null || context.query.suggested === '1'
    if (session !== null && (isFree || slug === session.tenantSlug)) return { to: continueTo(context) }
    return signInPage(context)
  },
})

const signIn = pageEndpoint({
  method: 'POST',
  path: '/sign-in',
  summary: 'Signs a person in by username or e-mail address, and password.',
  handle: async (request) => {
    const context = await withKnownOrganisation(request)
    const [name, password] = [posted(context, 'username').trim(), posted(context, 'password')]
    const missing = [...(name === '' ? ['username' as const] : []), ...(password === '' ? ['password' as const] : [])]
    if (missing.length > 0) return signInPage(context, { status: 400, missing })
    const tenantSlug = context.query.tenant ?? null
    const outcome = await signInByPassword(context.platform, { name, password, tenantSlug }, browserOf(context))
    if (outcome.kind === 'signed-in') return signedIn(context, outcome)
    if (outcome.kind === 'choose') return choosePage(context, outcome.choice, outcome.organisations)
    const { wrong } = textsOf(context)
    if (outcome.kind === 'refused')
      return signInPage(context, {
        status: 403,
        problem: tenantSlug === null ? wrong.credentialsAnywhere : wrong.credentials,
      })
    const { retryAfterSeconds } = outcome
    const problem = wrong.locked(duration(retryAfterSeconds, context.language))
    return signInPage(context, { status: 429, problem, retryAfterSeconds })
  },
})

function choosePage(context: PageContext, choice: string, organisations: readonly Organisation[]): PageAnswer {
  const state = html`<input type="hidden" name="choice" value="${choice}">`
  const action = keeping('/choose-organisation', context)
  return { page: chooseScreen(context, action, organisations, keeping('/sign-in', context), state) }
}

const choose = pageEndpoint({
  method: 'POST',
  path: '/choose-organisation',
  summary: 'Signs a person of several organisations in to one of them.',
  handle: async (context) => {
    const chosen = { choice: posted(context, 'choice'), tenantSlug: posted(context, 'organisation') }
    const outcome = await chooseOrganisation(context.platform, chosen, browserOf(context))
    if (outcome.kind === 'signed-in') return signedIn(context, outcome)
    return { status: 403, page: problemScreen(context, 'interrupted', keeping('/sign-in', context)) }
  },
})

const signInWithPasskey = pageEndpoint({
  method: 'POST',
  path: '/sign-in/passkey',
  summary: 'Signs a person in with a passkey.',
  handle: async (request) => {
    const context = await withKnownOrganisation(request)
    const answer = { ...postedPasskey(context), tenantSlug: context.query.tenant ?? null }
    const outcome = await signInByPasskey(context.platform, answer, browserOf(context))
    if (outcome.kind === 'signed-in') return signedIn(context, outcome)
    const { wrong } = textsOf(context)
    return signInPage(context, {
      status: 403,
      problem: outcome.kind === 'stale' ? wrong.passkeyAgain : wrong.passkey,
    })
  },
})

const showSignOut = pageEndpoint({
  method: 'GET',
  path: '/sign-out',
  summary: 'Asks a signed-in person whether to sign out.',
  handle: async (context) => {
    const continued = continueAfterSignOut(context)
    const action = continued === null ? '/sign-out' : `/sign-out?${new URLSearchParams({ continue: continued })}`
    if ((await sessionOf(context)) !== null) return { page: signOutScreen(context, action) }
    // What the browser keeps of the pages of the person; its cookies stay, since it is still a known device.
    return { page: signedOutScreen(context, '/sign-in'), headers: { 'clear-site-data': '"cache", "storage"' } }
  },
})

const signOut = pageEndpoint({
  method: 'POST',
  path: '/sign-out',
  summary: 'Ends the session of the browser.',
  handle: async (context) => {
    const session = await sessionOf(context)
    if (session !== null) await endSession(context.platform, session, actorOf(session.userId, visitOf(context)))
    const ended = { cookies: [clearCookie(context.platform, 'session')], endsVisit: true }
    const continued = continueAfterSignOut(context)
    return continued === null ? { ...ended, to: '/sign-out' } : { ...ended, leaveFor: continued }
  },
})

/** The sign-in and the sign-out. */
export const signInPages: readonly Endpoint[] = [showSignIn, signIn, choose, signInWithPasskey, showSignOut, signOut]
