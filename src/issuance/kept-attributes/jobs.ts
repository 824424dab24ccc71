import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { deleteAttributes, listTenantsWithAttributes } from './kept-attributes-store.ts'

const SECONDS = 300
const ROWS_EACH = 1000

/** The sweep that erases what was kept by an organisation that no longer keeps it. */
export const keptAttributesSchedules: readonly Schedule[] = [
  every(SECONDS, 'issuance.erase-attributes', async (platform, signal) => {
    const { store } = platform
    for (const tenantId of await store.across('tenants with kept attributes', listTenantsWithAttributes)) {
      if ((await findPolicyOf(platform, tenantId)).issuing.keepsAttributes) continue
      let erased = ROWS_EACH
      while (erased === ROWS_EACH && !signal.aborted)
        erased = await store.single(tenantId, (tx) => deleteAttributes(tx, ROWS_EACH))
    }
  }),
]
