import type { Caller, Role, Scope } from '../../caller.ts'
import { findClient } from '../../directory/clients/find-client.ts'
import { faceOf } from '../../directory/tenants/face-of.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { describeCaller } from '../../directory/users/describe-caller.ts'
import { findRoles } from '../../directory/users/find-roles.ts'
import type { Platform } from '../../platform.ts'

/** Returns the caller, with its roles as they are now; its scopes are those of the token. */
export async function describeMe(needs: Pick<Platform, 'store' | 'clock' | 'memory' | 'config'>, caller: Caller) {
  const { tenantId, tenantSlug, actor, userId, actingClientId } = caller
  const client = userId === null ? await findClient(needs, actor.id) : null
  const { name, email } = await describeCaller(needs, caller)
  const tenant = await findTenantOf(needs, tenantId)
  const roles: readonly Role[] =
    userId === null
      ? (client?.roles ?? [])
      : ((await needs.store.single(tenantId, (tx) => findRoles(tx, userId))) ?? [])
  const known = { id: tenantId, slug: tenantSlug, name: tenant?.name ?? '' }
  return {
    kind: actor.kind,
    id: actor.id,
    name: client?.name ?? name,
    email,
    actingClientId,
    organisation: { ...known, ...faceOf(tenant), sendsMail: needs.config.smtpUrl !== null },
    roles: [...roles],
    scopes: [...caller.scopes].toSorted() as Scope[],
  }
}
