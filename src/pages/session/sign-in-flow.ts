import type { UserId } from '../../caller.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import { parseJsonObject } from '../../crypto/json.ts'
import { randomToken } from '../../crypto/random.ts'
import type { Platform } from '../../platform.ts'
import { formerPerson, type KnownPerson, startPageSession } from './page-session.ts'
import { CALLBACK_PATH, PAGES_CLIENT_ID } from './pages-client.ts'
import { endStarted, readStarted, type StartedSignIn, writeStarted } from './started-sign-in.ts'
import { PAGES_SCOPE, postAsClient, requestTokens } from './tokens.ts'

/** A sign-in of the same person that confirms one thing. The ID token of the session that it starts has the nonce. */
type SignInAgain = KnownPerson & { readonly nonce: string; readonly userId: UserId }
/**
 * `again`: the person authenticates again, also with a session. `tenantHint`: slug of the tenant whose sign-in is shown
 * first. `isRepeated`: after a lost answer.
 */
type Wanted = { readonly again?: SignInAgain; readonly tenantHint?: string | null; readonly isRepeated?: boolean }

/** The browser of the person: its address, and its Cookie header. */
type Browser = { readonly ip: string; readonly cookieHeader: string | undefined }
/** The browser goes to the authorization server, with cookies. */
type Leaving = { readonly leaveFor: string; readonly cookies: readonly string[] }

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'urls' | 'dispatch' | 'config' | 'rateLimiter'>

/** Of a path in the query of another. */
const PATH_CHARS_MAX = 2048
const SLUG = /^[a-z0-9-]{1,63}$/
/** OpenID Connect Core 3.1.2.1: who authenticated earlier does it again, as after 30 idle minutes of the pages. */
const AUTHENTICATED_SECONDS_MAX = 1800

/**
 * Starts a sign-in: a pushed authorization request with PKCE. Returns the address at the authorization server, and the
 * cookies that bind the answer to this browser. Sign-ins in several tabs do not disturb each other.
 *
 * @param to Path that the browser is led to afterwards: see {@link localPath}.
 * @see [RFC 9126, 2](https://www.rfc-editor.org/rfc/rfc9126#section-2), [RFC 9700, 2.1](https://www.rfc-editor.org/rfc/rfc9700#section-2.1)
 */
export async function startSignIn(
  needs: Needs,
  to: string,
  { ip, cookieHeader }: Browser,
  { again, tenantHint, isRepeated = false }: Wanted = {},
): Promise<Leaving> {
  const nonce = again?.nonce ?? randomToken()
  const person = again ?? (await formerPerson(needs, cookieHeader))
  const started: StartedSignIn = {
    state: randomToken(),
    nonce,
    verifier: randomToken(),
    to,
    ...(again !== undefined && { userId: again.userId }),
    ...(isRepeated && { isAgain: true }),
  }
  const parameters = {
    client_id: PAGES_CLIENT_ID,
    response_type: 'code',
    redirect_uri: needs.urls.publicUrl + CALLBACK_PATH,
    scope: PAGES_SCOPE,
    state: started.state,
    nonce: started.nonce,
    code_challenge: sha256Base64url(started.verifier),
    code_challenge_method: 'S256',
    max_age: String(AUTHENTICATED_SECONDS_MAX),
    ...(again !== undefined && { prompt: 'login' }),
    ...hintsOf(person, tenantHint ?? null),
  }
  const { status, body } = await postAsClient(needs, '/par', parameters, ip)
  if (status !== 201 || typeof body.request_uri !== 'string')
    throw new Error(`the pushed request was refused: ${status}`)
  const query = new URLSearchParams({ client_id: PAGES_CLIENT_ID, request_uri: body.request_uri })
  return {
    leaveFor: `${needs.urls.auth}/authorize?${query}`,
    cookies: await writeStarted(needs, started, { ip, cookieHeader }),
  }
}

/**
 * The hints of who signs in. The person is the one of the browser's own session, never one that an address names, and
 * is named only to their own organisation.
 */
function hintsOf(person: KnownPerson | null, wanted: string | null): Readonly<Record<string, string>> {
  const tenant = wanted !== null && SLUG.test(wanted) ? wanted : person?.tenantSlug
  const loginHint = person?.tenantSlug === tenant ? person?.loginHint : null
  return { ...(tenant !== undefined && { tenant_hint: tenant }), ...(loginHint != null && { login_hint: loginHint }) }
}

/** The answer of the authorization server, as the browser brings it. */
type Returned = Readonly<Record<string, string | undefined>>

/** How a sign-in ended. `to` of a failure: where the person wanted to go, if that is known and short. */
type Completed =
  | { readonly to: string; readonly cookies: readonly string[] }
  | Leaving
  | { readonly problem: 'failed' | 'other-person'; readonly to: string | null }

/**
 * Completes a sign-in. It fails if the answer is not for this browser or is a refusal. A code that was used is not
 * enough to fail: the answer that set the cookie of the session may have been lost, so the sign-in starts once more,
 * which the session at the authorization server answers without the person.
 *
 * @see [RFC 9207, 2.4](https://www.rfc-editor.org/rfc/rfc9207#section-2.4), [OpenID Connect Core, 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
 */
export async function completePagesSignIn(
  needs: Needs,
  { state, code, iss }: Returned,
  browser: Browser,
): Promise<Completed> {
  const { ip, cookieHeader } = browser
  const started = await readStarted(needs, state, cookieHeader)
  const to = started === null ? null : started.to
  if (started === null || code === undefined || iss !== needs.urls.auth) return { problem: 'failed', to }
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: started.verifier,
    redirect_uri: needs.urls.publicUrl + CALLBACK_PATH,
  }
  const granted = await requestTokens(needs, form, ip)
  const sessionId = granted?.idToken == null ? null : checkedSession(needs, granted.idToken, started.nonce)
  const spent = endStarted(needs, started)
  if (granted?.idToken == null || sessionId === null) {
    if (started.isAgain === true) return { problem: 'failed', to }
    const { leaveFor, cookies } = await startSignIn(needs, started.to, browser, { isRepeated: true })
    return { leaveFor, cookies: [...cookies, spent] }
  }
  // What was confirmed concerns one person, who may not be the one at this device.
  if (started.userId !== undefined && started.userId !== granted.me.id) return { problem: 'other-person', to }
  const tokens = { ...granted, idToken: granted.idToken, signInSessionId: sessionId }
  const session = await startPageSession(needs, tokens, cookieHeader)
  return session === null ? { problem: 'failed', to } : { to: started.to, cookies: [session.cookie, spent] }
}

/**
 * Returns a path of the pages that a query names, or the one given instead. Nothing that a browser could read as
 * another origin.
 */
export function localPath(text: string | undefined, otherwise: string, charsMax = PATH_CHARS_MAX): string {
  const isLocal = text !== undefined && text.length <= charsMax && /^\/(?![/\\])[!-[\]-~]*$/.test(text)
  return isLocal ? text : otherwise
}

/**
 * Returns the session that an ID token names. Its signature needs no check, since it came from the token endpoint
 * (OpenID Connect Core 3.1.3.7, 6). null: it is for another client or another request.
 */
function checkedSession({ urls }: Needs, idToken: string, nonce: string): string | null {
  const claims = parseJsonObject(Buffer.from(idToken.split('.')[1] ?? '', 'base64url'))
  const isOurs = claims.iss === urls.auth && claims.aud === PAGES_CLIENT_ID && claims.nonce === nonce
  return isOurs && typeof claims.sid === 'string' ? claims.sid : null
}
