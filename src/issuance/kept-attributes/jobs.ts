import type { TenantId } from '../../caller.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { deleteAttributes, nextTenantWithAttributes } from './kept-attributes-store.ts'

const SECONDS = 3600
const ROWS_EACH = 1000

/** The sweep that erases what was kept by an organisation that no longer keeps it. */
export const keptAttributesSchedules: readonly Schedule[] = [
  every(SECONDS, 'issuance.erase-attributes', async (platform, signal) => {
    // The platform itself has the lowest id, and issues nothing.
    let tenantId = await nextTenant(platform, platformTenantId)
    while (tenantId !== null && !signal.aborted) {
      const { issuing } = await findPolicyOf(platform, tenantId)
      if (!issuing.keepsAttributes) await eraseAttributes(platform, tenantId, signal)
      tenantId = await nextTenant(platform, tenantId)
    }
  }),
]

function nextTenant({ store }: Pick<Platform, 'store'>, after: TenantId): Promise<TenantId | null> {
  return store.across('tenants with kept attributes', (tx) => nextTenantWithAttributes(tx, after))
}

async function eraseAttributes({ store }: Pick<Platform, 'store'>, tenantId: TenantId, signal: AbortSignal) {
  let erased = ROWS_EACH
  while (erased === ROWS_EACH && !signal.aborted)
    erased = await store.single(tenantId, (tx) => deleteAttributes(tx, ROWS_EACH))
}
