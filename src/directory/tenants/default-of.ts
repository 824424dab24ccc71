import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { findTenantOf } from './find-tenant.ts'

/** Settings that are defaults of what a tenant creates. */
type DefaultName = 'requestTtlSeconds' | 'resultRetentionSeconds'

/** Returns the default of a tenant, up to 5 s old, or else that of the server. In seconds. */
export async function defaultOf(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  tenantId: TenantId,
  name: DefaultName,
  ofServer: number,
): Promise<number> {
  const setting = (await findTenantOf(needs, tenantId))?.settings[name]
  return typeof setting === 'number' ? setting : ofServer
}
