import { type Caller, holds, isScope, type Scope, scopesOfRoles } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { bearerToken } from '../../http/routes/bearer-token.ts'
import type { EndpointContext } from '../../http/routes/endpoint.ts'
import { readBearerSecret } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { findTenantOf } from '../tenants/find-tenant.ts'
import { useClientToken } from './client-token-store.ts'

type Request = Pick<EndpointContext, 'headers' | 'requestId' | 'ip' | 'authenticate'>

/**
 * Returns the caller of the provisioning surface: by a provisioning token, or by an access token of our API.
 *
 * @throws Fault `token.missing`, `token.invalid`, `scope.missing`
 */
export async function provisioningCaller(
  platform: Pick<Platform, 'store' | 'clock' | 'memory'>,
  { headers, requestId, ip, authenticate }: Request,
  needed: Scope,
): Promise<Caller> {
  const isBearer = /^Bearer /i.test(headers.authorization ?? '')
  const secret = isBearer ? readBearerSecret(bearerToken(headers.authorization)) : null
  const caller = secret === null ? await authenticate() : { ...(await clientOf(platform, secret)), requestId, ip }
  if (!holds(caller, needed)) {
    throw new Fault('scope.missing', {
      detail: `The token lacks the scope ${needed}.`,
      meta: { requiredScope: needed },
    })
  }
  return caller
}

type Secret = NonNullable<ReturnType<typeof readBearerSecret>>

async function clientOf(platform: Pick<Platform, 'store' | 'clock' | 'memory'>, secret: Secret) {
  const { tenantId } = secret
  const tenant = await findTenantOf(platform, tenantId)
  const found =
    tenant === null
      ? null
      : await platform.store.single(tenantId, (tx) => useClientToken(tx, secret, platform.clock.now()))
  if (tenant === null || found === null)
    throw new Fault('token.invalid', { detail: 'The token is unknown, expired or revoked.' })
  const { clientId, scopes, roles } = found
  return {
    tenantId,
    tenantSlug: tenant.slug,
    actor: { kind: 'client', id: clientId } as const,
    userId: null,
    clientId,
    actingClientId: null,
    scopes: new Set([...scopes.filter(isScope), ...scopesOfRoles(roles)]),
  }
}
