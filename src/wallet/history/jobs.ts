import { allTenantIds } from '../../directory/tenants/find-tenant.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { deleteOldHistory } from './old-history-store.ts'

const DAY_SECONDS = 86_400
const ROWS_EACH = 1000
const TIMEOUT_SECONDS = 600

/** Deletes what is older than HISTORY_RETENTION_DAYS, tenant by tenant and in pieces. */
export const historySchedules: readonly Schedule[] = [
  every(
    DAY_SECONDS,
    'wallet.delete-old-history',
    async (platform, signal) => {
      const { store, clock, config } = platform
      const before = new Date(clock.now().getTime() - config.historyRetentionDays * DAY_SECONDS * 1000)
      for (const tenantId of await allTenantIds(platform)) {
        let removed = ROWS_EACH
        while (removed >= ROWS_EACH && !signal.aborted)
          removed = await store.inTenant(tenantId, (tx) => deleteOldHistory(tx, before, ROWS_EACH))
      }
    },
    { timeoutSeconds: TIMEOUT_SECONDS },
  ),
]
