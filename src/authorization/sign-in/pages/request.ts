import { parseJson } from '../../../crypto/json.ts'
import { findTenant } from '../../../directory/tenants/find-tenant.ts'
import { Fault } from '../../../fault.ts'
import type { PageAnswer, PageContext } from '../../../pages/page-endpoint.ts'
import { PAGES_CLIENT_ID } from '../../../pages/session/pages-client.ts'
import type { Browser, SignedIn } from '../complete-sign-in.ts'
import { CONTINUE_CHARS_MAX, isAuthorizePath, isWalletCallback } from '../continue-path.ts'
import { findSession, type Session } from '../session.ts'
import type { Visit } from '../visit.ts'

/** What a page adds to the address of an authorization request that the person declined (RFC 6749 4.1.2.1). */
export const DENIED = 'consent=denied'

/** Members of the address that stay with a person until they have signed in. */
const KEPT = ['continue', 'again', 'tenant', 'suggested', 'hint', 'claims', 'login'] as const

/** Where a person whose sign-in is not fresh signs in once more, and comes back to the account. */
export const AGAIN = '/sign-in?again=1&continue=%2Faccount'

/** Returns a path of the sign-in with the members of the request that stay. */
export function keeping(path: string, context: Pick<PageContext, 'query'>): string {
  const members = new URLSearchParams(keptOf(context).map(([name, value]) => [name, value]))
  return members.size === 0 ? path : `${path}?${members}`
}

/** Returns the members of the request that stay. */
export function keptOf({ query }: Pick<PageContext, 'query'>): (readonly [name: string, value: string])[] {
  return KEPT.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]] as const]))
}

/**
 * Returns where a person continues after the sign-in: at the authorization endpoint, at the callback of a wallet, or at
 * the account. No other address is followed.
 */
export function continueTo({ query }: Pick<PageContext, 'query'>): string {
  const path = query.continue ?? ''
  return isAuthorizePath(path) || isWalletCallback(path) ? path : '/account'
}

/**
 * Returns where a person continues after the sign-out: at the authorization server, which leads to the client that
 * asked for it; else null.
 */
export function continueAfterSignOut({ query }: Pick<PageContext, 'query'>): string | null {
  const path = query.continue ?? ''
  return /^\/auth\/logout\?[!-~]*$/.test(path) && path.length <= CONTINUE_CHARS_MAX ? path : null
}

/**
 * Returns where a person who does not sign in goes: back to the application, by the authorization endpoint, which tells
 * it `access_denied`; null where no application waits, or a page of this server.
 */
export function declineTo(context: Pick<PageContext, 'query'>): string | null {
  const path = continueTo(context)
  if (!isAuthorizePath(path)) return null
  const client = new URLSearchParams(path.slice(path.indexOf('?'))).get('client_id')
  return client === PAGES_CLIENT_ID ? null : `${path}&${DENIED}`
}

/**
 * The answer to a completed sign-in. The authorization endpoint may lead to the client, hence to another origin.
 *
 * @param home Where a person goes whom nothing else waits for.
 */
export function signedIn(context: PageContext, { cookies }: Pick<SignedIn, 'cookies'>, home = '/account'): PageAnswer {
  const to = continueTo(context)
  const common = { cookies, endsVisit: true }
  return to === '/account' ? { ...common, to: home } : { ...common, leaveFor: to }
}

/** The request as the use cases of the sign-in want it. */
export function visitOf({ ip, headers, requestId }: PageContext): Visit {
  return { ip, requestId, userAgent: headers['user-agent'] ?? '' }
}

/** The browser as the use cases of the sign-in want it. */
export function browserOf(context: PageContext): Browser {
  return { visit: visitOf(context), cookieHeader: context.headers.cookie }
}

/** Returns the slug and name of the organisation that the request names; nulls without one, or for an unknown one. */
export async function organisationOf({ platform, query }: PageContext) {
  const tenant = query.tenant === undefined ? null : await findTenant(platform, query.tenant)
  return { slug: tenant?.slug ?? null, name: tenant?.name ?? null }
}

/** The session of the request; null if it has none. */
export function sessionOf({ platform, headers }: PageContext): Promise<Session | null> {
  return findSession(platform, headers.cookie)
}

/** The first value of a member of the form, `''` without one. */
export function posted({ fields }: Pick<PageContext, 'fields'>, name: string): string {
  return fields.get(name)?.[0] ?? ''
}

/**
 * What the browser answered for a passkey. null: not JSON, which the use cases refuse as they do other wrong answers.
 */
export function postedPasskey(context: PageContext): { readonly state: string; readonly response: unknown } {
  const state = posted(context, 'state')
  try {
    return { state, response: parseJson(posted(context, 'passkey')) }
  } catch (error) {
    if (!(error instanceof Fault) && !(error instanceof SyntaxError)) throw error
    return { state, response: null }
  }
}
