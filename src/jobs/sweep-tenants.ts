import type { TenantId } from '../caller.ts'
import type { Platform } from '../platform.ts'
import type { AcrossTx, TenantTx } from '../store/store.ts'

/**
 * Returns a sweep of one tenant after another, until all are done or the time of the schedule is over.
 *
 * @param reason Why tenants are listed across the wall between them.
 * @param sweep Runs in a transaction of the tenant.
 */
export function tenantSweep(
  reason: string,
  list: (tx: AcrossTx, now: Date) => Promise<readonly TenantId[]>,
  sweep: (tx: TenantTx, now: Date) => Promise<void>,
): (platform: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal) => Promise<void> {
  return async ({ store, clock }, signal) => {
    const now = clock.now()
    for (const tenantId of await store.across(reason, (tx) => list(tx, now))) {
      if (signal.aborted) return
      await store.inTenant(tenantId, (tx) => sweep(tx, now))
    }
  }
}
