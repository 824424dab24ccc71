import type { Role, Scope, TenantId, UserId } from '../../caller.ts'
import { scopes } from '../../caller.ts'
import type { Language } from '../../contract/languages.ts'
import { parseJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { PAGES_CLIENT_ID, pagesClientSecret } from './pages-client.ts'

/** The signed-in person, as the API describes the caller. */
export type Me = {
  readonly id: UserId
  readonly name: string | null
  readonly email: string | null
  readonly organisation: {
    readonly id: TenantId
    readonly slug: string
    readonly name: string
    readonly accentColor: string | null
    /** Absent in a session that began before this member was added, as the next one. */
    readonly languages?: readonly Language[]
    readonly logoUri?: string | null
    readonly timeZone: string
    readonly privacyUri: string | null
    readonly supportAddress: string | null
    /** Whether this server sends mail. */
    readonly sendsMail?: boolean
  }
  readonly roles: readonly Role[]
  readonly scopes: readonly Scope[]
}

/** What a session holds, sealed. */
export type Tokens = {
  readonly accessToken: string
  readonly refreshToken: string
  readonly idToken: string
  readonly me: Me
}

/** An answer of the token endpoint, with the person that the access token stands for. */
type Granted = Omit<Tokens, 'idToken'> & { readonly idToken: string | null; readonly until: Date }

type Needs = Pick<Platform, 'dispatch' | 'sealing' | 'clock' | 'urls' | 'config'>

const MS_MAX = 8000
/** Everything that a person may do by a role; the server grants what the roles give. */
// Object.keys loses the type of the keys.
export const PAGES_SCOPES = (Object.keys(scopes) as Scope[]).filter(
  (one) => one !== 'users:impersonate' && one !== 'platform:admin',
)
/** What the pages request at the authorization server. */
export const PAGES_SCOPE = ['openid', 'profile', 'offline_access', ...PAGES_SCOPES].join(' ')

/**
 * Calls the token endpoint as the confidential client that the pages are, and asks the API whom the token stands for.
 *
 * @returns null if the server refuses the code or the refresh token
 * @throws Fault `upstream.timeout`, or that of a server that fails
 */
export async function requestTokens(
  needs: Needs,
  form: Readonly<Record<string, string>>,
  ip: string,
): Promise<Granted | null> {
  const answer = await postAsClient(needs, '/token', form, ip)
  if (answer.status !== 200) return refusedOrFailed(answer.status)
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken, expires_in: seconds } = answer.body
  if (typeof accessToken !== 'string' || typeof refreshToken !== 'string' || typeof seconds !== 'number')
    throw new Error('the token endpoint left out a token')
  const until = new Date(needs.clock.now().getTime() + seconds * 1000)
  const me = await readMe(needs, accessToken, ip)
  if (me === null) return null
  return { accessToken, refreshToken, idToken: typeof idToken === 'string' ? idToken : null, until, me }
}

/** Posts a form to an endpoint of the authorization server as the client that the pages are. */
export async function postAsClient(
  needs: Needs,
  endpoint: '/token' | '/par',
  form: Readonly<Record<string, string>>,
  ip: string,
) {
  const secret = await pagesClientSecret(needs)
  const work = needs.dispatch({
    method: 'POST',
    path: new URL(`${needs.urls.auth}${endpoint}`).pathname,
    headers: {
      host: new URL(needs.urls.publicUrl).host,
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${PAGES_CLIENT_ID}:${secret}`).toString('base64')}`,
    },
    body: new URLSearchParams(form).toString(),
    ip,
  })
  const { status, body } = await withTimeLimit(work, MS_MAX, () => new Fault('upstream.timeout'))
  return { status, body: parseJsonObject(body) }
}

/** Asks the API whom a token stands for; null: the token is not valid any more. */
export async function readMe(needs: Needs, accessToken: string, ip: string): Promise<Me | null> {
  const base = new URL(needs.config.onboardingBaseUrl)
  const work = needs.dispatch({
    method: 'GET',
    path: `${base.pathname}/me`,
    headers: { host: base.host, authorization: `Bearer ${accessToken}` },
    ip,
  })
  const { status, body } = await withTimeLimit(work, MS_MAX, () => new Fault('upstream.timeout'))
  if (status !== 200) return refusedOrFailed(status)
  // The shape that the route promises.
  return parseJsonObject(body).data as unknown as Me
}

function refusedOrFailed(status: number): null {
  if (status < 500 && status !== 429) return null
  throw new Fault(status === 429 ? 'request.rate_limited' : 'database.unavailable')
}
