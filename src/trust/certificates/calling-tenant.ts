import type { Caller } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'

/** Returns the tenant of a caller. @throws Fault `resource.unknown` if it was just disabled */
export async function callingTenant(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  caller: Caller,
): Promise<Tenant> {
  const tenant = await findTenantOf(needs, caller.tenantId)
  if (tenant === null) throw new Fault('resource.unknown')
  return tenant
}
