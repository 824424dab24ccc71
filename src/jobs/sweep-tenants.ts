import type { TenantId } from '../caller.ts'
import type { Platform } from '../platform.ts'
import type { AcrossTx } from '../store/store.ts'

/** What a sweep reaches, and the signal that ends it. */
export type SweepRun = Pick<Platform, 'store'> & { readonly signal: AbortSignal }

/**
 * Sweeps one tenant after another, until all are done or the time of the schedule is over.
 *
 * @param reason Why tenants are listed across the wall between them.
 */
export async function sweepTenants(
  { store, signal }: SweepRun,
  reason: string,
  list: (tx: AcrossTx) => Promise<readonly TenantId[]>,
  sweep: (tenantId: TenantId) => Promise<void>,
): Promise<void> {
  for (const tenantId of await store.across(reason, list)) {
    if (signal.aborted) return
    await sweep(tenantId)
  }
}
