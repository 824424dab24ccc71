import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import type { Endpoint } from '../../../http/routes/endpoint.ts'
import { readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { Page } from '../../../pages/document.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../../../pages/page-endpoint.ts'
import { keepNewcomerLink } from '../../../pages/session/newcomer-link.ts'
import type { SignedIn } from '../complete-sign-in.ts'
import { findLink, type OpenLink } from '../links/one-time-link.ts'
import { redeemWithPassword } from '../links/redeem-link.ts'
import { beginLinkPasskey, redeemWithPasskey } from '../links/redeem-with-passkey.ts'
import { requestReset } from '../links/request-reset.ts'
import { browserName } from '../screens/browser-name.ts'
import { textsOf } from '../screens/frame.ts'
import { newPasswordScreen, resetScreen, resetSentScreen, welcomeScreen } from '../screens/links.ts'
import { linkMail } from '../screens/mails.ts'
import type { PasswordProblem } from '../screens/new-password.ts'
import { problemScreen } from '../screens/states.ts'
import { withKnownOrganisation } from './known-organisation.ts'
import { browserOf, keeping, organisationOf, posted, postedPasskey, signedIn, visitOf } from './request.ts'

type Wrong = { readonly password?: PasswordProblem; readonly problem?: string }

/** The page of a one-time link: a first sign-in, or a new password. */
async function linkPage(context: PageContext, link: OpenLink | null, wrong: Wrong = {}): Promise<PageAnswer> {
  const token = context.query.token ?? ''
  const passkey = link === null || link.purpose === 'reset' ? null : await beginLinkPasskey(context.platform, token)
  // RFC 9110 15.5.11
  if (link === null) return deadLinkPage(context, token)
  const { offer } = context.query
  const address = (path: string) => `${path}?${new URLSearchParams({ token, ...(offer !== undefined && { offer }) })}`
  const { username } = link.user
  const common = { action: address('/sign-in/link'), username, organisation: link.tenant.name }
  const password = wrong.password ?? null
  const page: Page =
    passkey === null
      ? newPasswordScreen(context, { ...common, password })
      : welcomeScreen(context, {
          ...common,
          password,
          problem: wrong.problem,
          passkey: { action: address('/sign-in/link/passkey'), offer: passkey },
        })
  return { page, status: password === null && wrong.problem === undefined ? 200 : 400 }
}

/** The organisation stays known: a link has it in its token. */
async function deadLinkPage(context: PageContext, token: string): Promise<PageAnswer> {
  const { platform } = context
  const secret = readBearerSecret(token)
  const tenant = secret === null ? null : await findTenantOf(platform, secret.tenantId)
  const at = (path: string) => keeping(path, { query: tenant === null ? {} : { tenant: tenant.slug } })
  return { status: 410, page: problemScreen(context, 'link', at('/sign-in'), at('/reset')) }
}

function openLink({ platform, query }: PageContext): Promise<OpenLink | null> {
  return findLink(platform, query.token ?? '')
}

/** Where a person continues whose wallet was made for an offer; undefined where no offer waits. */
function offerOf({ platform, query }: PageContext): string | undefined {
  const offer = query.offer ?? ''
  if (!/^[\w-]{1,64}\/[\w-]{43}$/.test(offer)) return undefined
  return `/open?${new URLSearchParams({ u: `${platform.urls.publicUrl}/offer/${offer}` })}`
}

/**
 * Leads a person who signed in by a link on: to the console if the link made them an owner, to the offer for which
 * their wallet was made.
 */
function enter(context: PageContext, link: OpenLink | null, outcome: Pick<SignedIn, 'cookies'>): PageAnswer {
  if (link?.purpose !== 'owner') return signedIn(context, outcome, offerOf(context))
  keepNewcomerLink(context.platform, null)
  return signedIn(context, outcome, '/console')
}

const showLink = pageEndpoint({
  method: 'GET',
  path: '/sign-in/link',
  summary: 'Opens a one-time link: a first sign-in, or a new password.',
  handle: async (context) => linkPage(context, await openLink(context)),
})

const setPassword = pageEndpoint({
  method: 'POST',
  path: '/sign-in/link',
  summary: 'Sets a password by a one-time link, and signs the person in.',
  handle: async (context) => {
    const password = posted(context, 'password')
    if (password !== posted(context, 'repeated'))
      return linkPage(context, await openLink(context), { password: 'repeat' })
    const token = context.query.token ?? ''
    const link = await openLink(context)
    const outcome = await redeemWithPassword(context.platform, { token, password }, browserOf(context))
    if (outcome.kind === 'signed-in') return enter(context, link, outcome)
    if (outcome.kind === 'weak') return linkPage(context, await openLink(context), { password: outcome.finding })
    return linkPage(context, null)
  },
})

const addPasskey = pageEndpoint({
  method: 'POST',
  path: '/sign-in/link/passkey',
  summary: 'Registers a passkey by a one-time link, and signs the person in.',
  handle: async (context) => {
    const { platform, query, headers } = context
    const name = browserName(headers['user-agent'] ?? '') ?? ''
    const created = { ...postedPasskey(context), token: query.token ?? '', name }
    const link = await openLink(context)
    const outcome = await redeemWithPasskey(platform, created, browserOf(context))
    if (outcome.kind === 'signed-in') return enter(context, link, outcome)
    return linkPage(context, await openLink(context), { problem: textsOf(context).passkeyAddFailed })
  },
})

async function resetPage(context: PageContext, isMissing = false): Promise<PageAnswer> {
  const { name } = await organisationOf(context)
  const isPossible = context.platform.config.smtpUrl !== null
  const action = keeping('/reset', context)
  const username = posted(context, 'username') || (context.query.hint ?? '')
  const signInHref = keeping('/sign-in', context)
  const page = resetScreen(context, { action, organisation: name, isPossible, signInHref, username, isMissing })
  return { page, status: isMissing ? 400 : 200 }
}

const showReset = pageEndpoint({
  method: 'GET',
  path: '/reset',
  summary: 'Asks for whom a new password shall be set.',
  handle: async (context) => resetPage(await withKnownOrganisation(context)),
})

const sendReset = pageEndpoint({
  method: 'POST',
  path: '/reset',
  summary: 'Mails a link to set a new password; the answer is the same for every name.',
  handle: async (request) => {
    const context = await withKnownOrganisation(request)
    const name = posted(context, 'username').trim()
    if (name === '') return resetPage(context, true)
    const { name: organisation } = await organisationOf(context)
    const tenantSlug = context.query.tenant ?? null
    const mail = linkMail(context.language, 'reset')
    await requestReset(context.platform, { name, tenantSlug, mail }, visitOf(context))
    return { page: resetSentScreen(context, organisation, keeping('/sign-in', context)) }
  },
})

/** What one-time links open, and how to ask for one. */
export const linkPages: readonly Endpoint[] = [showLink, setPassword, addPasskey, showReset, sendReset]
