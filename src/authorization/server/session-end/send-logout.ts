import { Type } from 'typebox'
import { signCompact } from '../../../crypto/jws.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { findClient } from '../../../directory/clients/find-client.ts'
import { Fault } from '../../../fault.ts'
import { job } from '../../../jobs/job.ts'
import type { Platform } from '../../../platform.ts'
import { newId } from '../../../store/row-id.ts'
import { idTokenKey } from '../openid/id-token-keys.ts'

const TOKEN_TTL_SECONDS = 120
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

type Logout = { readonly sessionId: string; readonly userId: string; readonly clientId: string }

/**
 * Tells one client that a session ended, if it registered an address for that. Retried by the queue while the client is
 * away.
 */
export const sendLogoutJob = job({
  name: 'authorization.send-logout',
  payload: Type.Object({
    tenantId: Type.String(),
    sessionId: Type.String(),
    userId: Type.String(),
    clientId: Type.String(),
  }),
  attemptsMax: 8,
  timeoutSeconds: 30,
  run: sendLogout,
})

/** @see [OpenID Connect Back-Channel Logout 1.0, 2.5](https://openid.net/specs/openid-connect-backchannel-1_0.html#BCRequest) */
async function sendLogout(platform: Platform, logout: Logout): Promise<void> {
  const client = await findClient(platform, logout.clientId)
  if (client === null || client.backchannelLogoutUri === null) return
  const body = new URLSearchParams({ logout_token: await signLogoutToken(platform, client, logout) }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const request = { method: 'POST', headers, body, accept: [], bytesMax: 65_536 } as const
  const { status } = await platform.fetch(client.tenantId, client.backchannelLogoutUri, request)
  // OpenID Connect Back-Channel Logout 1.0, 2.8: 200 or 204; with 400 the client says that a repetition is of no use
  if (status === 200 || status === 204) return
  platform.log.warn({ clientId: logout.clientId, status }, 'a client refused a logout token')
  if (status !== 400) throw new Fault('upstream.answer', { notes: `the client answered ${status}` })
}

/**
 * Signed by the algorithm of the client's ID tokens (OpenID Connect Back-Channel Logout 1.0, 2.6).
 *
 * @see [OpenID Connect Back-Channel Logout 1.0, 2.4](https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken)
 */
async function signLogoutToken(
  { keys, clock, urls }: Platform,
  client: Client,
  { sessionId, userId, clientId }: Logout,
): Promise<string> {
  const key = await idTokenKey(keys, client)
  const iat = Math.floor(clock.now().getTime() / 1000)
  const claims = {
    iss: urls.auth,
    sub: userId,
    aud: clientId,
    iat,
    exp: iat + TOKEN_TTL_SECONDS,
    jti: newId(),
    sid: sessionId,
    events: { [EVENT]: {} },
  }
  return signCompact({ typ: 'logout+jwt', kid: key.kid }, claims, key)
}
