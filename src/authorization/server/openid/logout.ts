import { Fault } from '../../../fault.ts'
import type { EndpointResponse } from '../../../http/routes/endpoint.ts'
import type { Platform } from '../../../platform.ts'
import { type Parameters, presentParameters } from '../../../protocols/oauth2/authorization-request.ts'
import { withParameters } from '../../../protocols/oauth2/redirect-uri.ts'
import { clearCookie } from '../../sign-in/cookies.ts'
import { endSession, findSession } from '../../sign-in/session.ts'
import type { IdTokenHint, ServerInstance } from '../instance.ts'
import { steps } from '../steps.ts'

/** A request of a browser at the logout endpoint. */
type LogoutAsk = {
  readonly platform: Platform
  readonly instance: ServerInstance
  readonly query: Parameters
  readonly cookie: string | undefined
  readonly ip: string
  readonly requestId: string
}
type Read = LogoutAsk & { readonly parameters: Parameters; readonly hint: IdTokenHint | null }

/** The logout endpoint. Errors are shown as a page: nothing is sent to an address that is not trusted. */
export const logoutSteps = steps<LogoutAsk>()
  .step('each parameter is of a bounded length', ({ query }) => ({ parameters: presentParameters(query) }))
  .step('id_token_hint is an ID token of ours, expired or not (RP-Initiated Logout 2)', readHint)
  .step('client_id is the client of the id_token_hint (RP-Initiated Logout 2)', checkClient)
  .step('post_logout_redirect_uri is registered for the client (RP-Initiated Logout 3)', findTarget)
  .step('the session of the browser', async ({ platform, cookie }) => ({
    session: await findSession(platform, cookie),
  }))

/**
 * Ends the session of the browser and deletes its cookie: at once if the ID token of the client is of this session,
 * else after the user has confirmed it on the page of the sign-out, which returns here.
 *
 * @throws Fault `request.invalid`
 * @see [OpenID Connect RP-Initiated Logout 1.0, 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
 */
export async function logOut(ask: LogoutAsk): Promise<EndpointResponse> {
  const { platform, parameters, hint, target, session, ip, requestId } = await logoutSteps.run(ask)
  // RP-Initiated Logout 2: without proof that the request is of a client of this session, the user is asked
  if (session !== null && hint?.sessionId !== session.sessionId)
    return redirect(questionFor(ask, parameters, hint, target))
  if (session !== null) {
    const { userId } = session
    await endSession(platform, session, { actor: { kind: 'user', id: userId }, actingClientId: null, ip, requestId })
  }
  const location = target === null ? '/sign-out' : withParameters(target, { state: parameters.state })
  return redirect(location, clearCookie(platform, 'session'))
}

/**
 * Returns the page that asks. Another site cannot answer for the user, since its form carries a token of the session.
 */
function questionFor(
  { instance }: LogoutAsk,
  { state, client_id }: Parameters,
  hint: IdTokenHint | null,
  target: string | null,
): string {
  if (target === null) return '/sign-out'
  const back = { client_id: hint?.clientId ?? client_id, post_logout_redirect_uri: target, state }
  const { pathname } = new URL(`${instance.issuer}/logout`)
  return `/sign-out?${new URLSearchParams({ continue: withParameters(pathname, back) })}`
}

function redirect(location: string, cookie?: string): EndpointResponse {
  const headers = { location, 'cache-control': 'no-store', ...(cookie !== undefined && { 'set-cookie': cookie }) }
  return { status: 303, headers }
}

async function readHint({ platform, instance, parameters }: Pick<Read, 'platform' | 'instance' | 'parameters'>) {
  const { id_token_hint: text } = parameters
  const hint = text === undefined ? null : ((await instance.users?.readHint?.(platform, text)) ?? null)
  if (text === undefined || hint !== null) return { hint }
  throw new Fault('request.invalid', { detail: 'The id_token_hint is not an ID token of this server.' })
}

function checkClient({ parameters, hint }: Read): object {
  if (hint === null || parameters.client_id === undefined || parameters.client_id === hint.clientId) return {}
  throw new Fault('request.invalid', { detail: 'client_id names another client than the id_token_hint.' })
}

async function findTarget({ instance, parameters, hint }: Read): Promise<{ readonly target: string | null }> {
  const { post_logout_redirect_uri: target } = parameters
  if (target === undefined) return { target: null }
  const clientId = hint?.clientId ?? parameters.client_id
  const client = clientId === undefined ? null : await instance.clients.find(clientId)
  if (client?.postLogoutRedirectUris.includes(target)) return { target }
  throw new Fault('request.invalid', { detail: 'The post_logout_redirect_uri is not registered for the client.' })
}
