import type { TenantId } from '../caller.ts'
import type { Platform } from '../platform.ts'
import type { AcrossTx, TenantTx } from '../store/store.ts'

/** Rows of one transaction of a sweep, so that it stays far below a second. */
const ROWS_MAX = 1000

/**
 * Returns a sweep of one tenant after another, until all are done or the time of the schedule is over.
 *
 * @param reason Why tenants are listed across the wall between them.
 * @param sweep Runs in a transaction of the tenant. If it returns `limit`, the number of rows that it may work on, it
 *   is repeated: what it has worked on must not be found again.
 */
export function tenantSweep(
  reason: string,
  list: (tx: AcrossTx, now: Date) => Promise<readonly TenantId[]>,
  sweep: (tx: TenantTx, now: Date, limit: number) => Promise<unknown>,
): (platform: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal) => Promise<void> {
  return async ({ store, clock }, signal) => {
    const now = clock.now()
    for (const tenantId of await store.across(reason, (tx) => list(tx, now))) {
      let found: unknown = ROWS_MAX
      while (found === ROWS_MAX) {
        if (signal.aborted) return
        found = await store.inTenant(tenantId, (tx) => sweep(tx, now, ROWS_MAX))
      }
    }
  }
}
