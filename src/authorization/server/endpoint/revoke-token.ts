import { Fault } from '../../../fault.ts'
import type { EndpointResponse } from '../../../http/routes/endpoint.ts'
import { readBearerSecret } from '../../../keys/bearer-secret.ts'
import { revokeFamily } from '../grants/family-store.ts'
import { steps } from '../steps.ts'
import { findCaller, type InstanceRequest } from './client-request.ts'

/** The revocation endpoint of every instance. */
export const revokeSteps = steps<InstanceRequest>()
  .step('the client authenticates, or names itself (RFC 7009 2.1)', findCaller)
  .step('the request names a token (RFC 7009 2.1)', ({ form }) => {
    if (form.token) return { token: form.token }
    throw new Fault('request.invalid', { detail: 'token is missing.' })
  })
  .step(
    'access tokens live for minutes and are not revoked (RFC 7009 2.2.1)',
    async ({ platform, instance, token }) => {
      if ((await instance.readToken(platform, token)) === null) return {}
      throw new Fault('token_type.unsupported', {
        detail: 'Access tokens cannot be revoked; they expire within minutes.',
      })
    },
  )

/**
 * Revokes a refresh token of the client, with all that rotated from it. An unknown token, or one of another client, is
 * answered as a revoked one.
 *
 * @throws Fault `client.unauthenticated`, `request.invalid`, `token_type.unsupported`
 * @see [RFC 7009, 2](https://www.rfc-editor.org/rfc/rfc7009#section-2)
 */
export async function answerRevocation(request: InstanceRequest): Promise<EndpointResponse> {
  const { platform, instance, client, token, ip, requestId } = await revokeSteps.run(request)
  const { clientId } = client
  const secret = readBearerSecret(token)
  if (secret !== null) {
    const by = { kind: 'client', id: clientId, ip, requestId } as const
    const entry = { action: 'user.grant_revoked', subject: { kind: 'user', id: null }, by } as const
    const revoked = { ...secret, clientId, issuer: instance.issuer }
    await platform.store.inTenant(secret.tenantId, (tx) => revokeFamily(tx, revoked, entry, platform.clock.now()))
  }
  return { status: 200, headers: { 'cache-control': 'no-store' } }
}
