import type { TenantId } from '../caller.ts'
import type { Config } from '../config.ts'
import type { Platform } from '../platform.ts'
import type { AcrossTx, TenantTx } from '../store/store.ts'
import { every, type Schedule } from './schedule.ts'

type RetentionDays = 'offerRetentionDays' | 'requestRetentionDays' | 'deliveryRetentionDays'

/** Rows that a sweep deletes in one transaction, so that it stays far below a second. */
const ROWS_MAX = 1000
const HOUR_MS = 3_600_000

/** Deletes what ended longer ago than a setting says, tenant by tenant and in pieces. */
export type Retention = {
  readonly name: string
  readonly setting: RetentionDays & keyof Config
  /** Tenants that have such rows; at most 500, the next sweep finds the others. */
  readonly tenants: (tx: AcrossTx, before: Date) => Promise<readonly TenantId[]>
  /** @returns how many rows were deleted, at most `limit` */
  readonly remove: (tx: TenantTx, before: Date, limit: number) => Promise<number>
}

/** Returns the schedule of a retention: every hour. */
export function retentionSchedule({ name, setting, tenants, remove }: Retention): Schedule {
  return every(HOUR_MS / 1000, name, async ({ store, clock, config }: Platform, signal) => {
    const before = new Date(clock.now().getTime() - config[setting] * 24 * HOUR_MS)
    for (const tenantId of await store.across(`tenants with rows of ${name}`, (tx) => tenants(tx, before))) {
      let removed = ROWS_MAX
      while (removed === ROWS_MAX && !signal.aborted) {
        removed = await store.inTenant(tenantId, (tx) => remove(tx, before, ROWS_MAX))
      }
    }
  })
}
