import { holds, isScope, type Scope, scopesOfRoles } from '../../../caller.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { findRoles } from '../../../directory/users/find-roles.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import type { UserRef } from '../../sign-in/visit.ts'

/** Scopes of OpenID Connect: they are no scopes of our API. */
export const IDENTITY_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const
/** What every user may do. */
const walletScopes: readonly Scope[] = ['wallet:read', 'wallet:write']

/**
 * Returns the scopes of a token: those requested, or all allowed ones by default.
 *
 * @param allowed Scopes of the client or the user. `tenant:admin` includes the tenant's other scopes.
 * @throws Fault `scope.invalid` if more are requested, or none is left.
 * @see [RFC 6749, 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)
 */
export function grantScopes(requested: string | undefined, allowed: readonly Scope[]): Scope[] {
  const named =
    requested === undefined || requested === '' ? [...allowed] : requested.split(' ').filter((one) => one !== '')
  const granted = [...new Set(named)].filter(isScope).filter((one) => holds({ scopes: new Set(allowed) }, one))
  if (granted.length < new Set(named).size) {
    throw new Fault('scope.invalid', { detail: `The allowed scopes are: ${allowed.join(' ')}.` })
  }
  if (granted.length === 0) throw new Fault('scope.invalid', { detail: 'The client has no scopes.' })
  return granted
}

/**
 * Returns which of the requested scopes a user may grant to a client: those of OpenID Connect and of the wallet, and
 * those of the user's roles that the client is registered for. Others are left out. null: the user or the tenant is
 * unknown or disabled.
 *
 * @see [RFC 7591, 2](https://www.rfc-editor.org/rfc/rfc7591#section-2): `scope` bounds what a client requests
 * @see [OpenID Connect Core 1.0, 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest): unknown
 *   scopes are ignored
 */
export async function userScopes(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  { tenantId, userId }: UserRef,
  client: Pick<Client, 'scopes'>,
  requested: readonly string[],
): Promise<string[] | null> {
  const roles = await needs.store.single(tenantId, (tx) => findRoles(tx, userId))
  if (roles === null || (await findTenantOf(needs, tenantId)) === null) return null
  const ofUser = { scopes: new Set([...walletScopes, ...scopesOfRoles(roles)]) }
  const ofClient = { scopes: new Set([...walletScopes, ...client.scopes]) }
  return requested.filter((one) => isIdentityScope(one) || (isScope(one) && holds(ofUser, one) && holds(ofClient, one)))
}

function isIdentityScope(text: string): boolean {
  return IDENTITY_SCOPES.some((one) => one === text)
}
