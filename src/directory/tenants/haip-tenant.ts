import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { findTenantOf } from './find-tenant.ts'
import { isHaip } from './haip.ts'

/** Whether the tenant with an id issues and verifies by HAIP 1.0 alone; up to 5 s old. */
export async function isHaipTenant(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  tenantId: TenantId,
): Promise<boolean> {
  const tenant = await findTenantOf(needs, tenantId)
  return tenant !== null && isHaip(tenant)
}
