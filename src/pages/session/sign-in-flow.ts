import { sha256Base64url } from '../../crypto/digest.ts'
import { parseJsonObject, readOwnJson } from '../../crypto/json.ts'
import { randomToken } from '../../crypto/random.ts'
import type { SealedPlace } from '../../keys/sealing.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { cookieNamed, hostName, writeCookie } from '../cookies.ts'
import { startPageSession } from './page-session.ts'
import { CALLBACK_PATH, PAGES_CLIENT_ID } from './pages-client.ts'
import { PAGES_SCOPE, postAsClient, requestTokens } from './tokens.ts'

/** What the browser keeps, sealed, until it returns from the authorization server. */
type Started = { readonly state: string; readonly nonce: string; readonly verifier: string; readonly to: string }

/** A sign-in that confirms one thing. The ID token of the session that it starts has the nonce. `loginHint`: whom the page expects. */
type SignInAgain = { readonly nonce: string; readonly loginHint: string | null }
/** `again`: the person authenticates again, also with a session. `tenantHint`: slug of the tenant whose sign-in is shown first. */
type Wanted = { readonly again?: SignInAgain; readonly tenantHint?: string | null }

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'urls' | 'dispatch' | 'config'>

const COOKIE = 'sign-in-'
const SLUG = /^[a-z0-9-]{1,63}$/
/** As long as the authorization server keeps the pushed request. */
const STARTED_SECONDS = 1800
/** OpenID Connect Core 3.1.2.1: who authenticated earlier does it again, as after 30 idle minutes of the pages. */
const AUTHENTICATED_SECONDS_MAX = 1800

/**
 * Starts a sign-in: a pushed authorization request with PKCE. Returns the address at the authorization server, and the cookie that binds the
 * answer to this browser. Sign-ins in several tabs do not disturb each other.
 *
 * @param to Path that the browser is led to afterwards: see {@link localPath}.
 * @see [RFC 9126, 2](https://www.rfc-editor.org/rfc/rfc9126#section-2), [RFC 9700, 2.1](https://www.rfc-editor.org/rfc/rfc9700#section-2.1)
 */
export async function startSignIn(needs: Needs, to: string, ip: string, { again, tenantHint }: Wanted = {}) {
  const nonce = again?.nonce ?? randomToken()
  const started: Started = { state: randomToken(), nonce, verifier: randomToken(), to }
  const parameters = {
    ...{ client_id: PAGES_CLIENT_ID, response_type: 'code', redirect_uri: needs.urls.publicUrl + CALLBACK_PATH },
    ...{ scope: PAGES_SCOPE, state: started.state, nonce: started.nonce },
    ...{ code_challenge: sha256Base64url(started.verifier), code_challenge_method: 'S256' },
    max_age: String(AUTHENTICATED_SECONDS_MAX),
    ...(again !== undefined && { prompt: 'login' }),
    ...(again?.loginHint != null && { login_hint: again.loginHint }),
    ...(tenantHint != null && SLUG.test(tenantHint) && { tenant_hint: tenantHint }),
  }
  const { status, body } = await postAsClient(needs, '/par', parameters, ip)
  if (status !== 201 || typeof body.request_uri !== 'string')
    throw new Error(`the pushed request was refused: ${status}`)
  const sealed = await needs.sealing.seal(placeOf(started.state), JSON.stringify(started))
  const query = new URLSearchParams({ client_id: PAGES_CLIENT_ID, request_uri: body.request_uri })
  return {
    leaveFor: `${needs.urls.auth}/authorize?${query}`,
    cookie: writeCookie(needs, nameOf(started.state), sealed.toString('base64url'), STARTED_SECONDS),
  }
}

/** The answer of the authorization server, as the browser brings it. */
type Returned = Readonly<Record<string, string | undefined>>

/**
 * Completes a sign-in. Returns where the browser goes, with its cookies; null if the answer is not for this browser, was used, or is a refusal.
 *
 * @see [RFC 9207, 2.4](https://www.rfc-editor.org/rfc/rfc9207#section-2.4), [OpenID Connect Core, 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
 */
export async function completeSignIn(
  needs: Needs,
  { state, code, iss }: Returned,
  cookieHeader: string | undefined,
  ip: string,
): Promise<{ readonly to: string; readonly cookies: readonly string[] } | null> {
  const started = await readStarted(needs, state, cookieHeader)
  if (started === null || code === undefined || iss !== needs.urls.auth) return null
  const form = {
    ...{ grant_type: 'authorization_code', code, code_verifier: started.verifier },
    redirect_uri: needs.urls.publicUrl + CALLBACK_PATH,
  }
  const granted = await requestTokens(needs, form, ip)
  const sessionId = granted?.idToken == null ? null : checkedSession(needs, granted.idToken, started.nonce)
  if (granted?.idToken == null || sessionId === null) return null
  const tokens = { ...granted, idToken: granted.idToken, signInSessionId: sessionId }
  const session = await startPageSession(needs, tokens, cookieHeader)
  const spent = writeCookie(needs, nameOf(started.state), '', 0)
  return session === null ? null : { to: started.to, cookies: [session.cookie, spent] }
}

/** Returns a path of the pages that a query names, or the one given instead. Nothing that a browser could read as another origin. */
export function localPath(text: string | undefined, otherwise: string): string {
  return text !== undefined && /^\/(?![/\\])[!-[\]-~]{0,2047}$/.test(text) ? text : otherwise
}

async function readStarted(needs: Needs, state = '', cookieHeader: string | undefined): Promise<Started | null> {
  if (!/^[\w-]{43}$/.test(state)) return null
  const sealed = cookieNamed(hostName(needs, nameOf(state)), cookieHeader)
  if (sealed === null) return null
  try {
    // Sealed by this server.
    return readOwnJson(await needs.sealing.open(placeOf(state), Buffer.from(sealed, 'base64url'))) as Started
  } catch {
    return null
  }
}

/**
 * Returns the session that an ID token names. Its signature needs no check, since it came from the token endpoint (OpenID Connect Core 3.1.3.7, 6).
 * null: it is for another client or another request.
 */
function checkedSession({ urls }: Needs, idToken: string, nonce: string): string | null {
  const claims = parseJsonObject(Buffer.from(idToken.split('.')[1] ?? '', 'base64url'))
  const isOurs = claims.iss === urls.auth && claims.aud === PAGES_CLIENT_ID && claims.nonce === nonce
  return isOurs && typeof claims.sid === 'string' ? claims.sid : null
}

function nameOf(state: string): string {
  return COOKIE + state.slice(0, 8)
}

/** The state in the place binds the sealed value to its request. */
function placeOf(state: string): SealedPlace {
  return { tenantId: platformTenantId, table: 'cookie', column: 'sign-in', row: state }
}
