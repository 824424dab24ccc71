import { every, type Schedule } from '../../jobs/schedule.ts'
import { sweepTenants } from '../../jobs/sweep-tenants.ts'
import type { Platform } from '../../platform.ts'
import { expirePresentations, listTenantsWithDuePresentations } from './presentation-store.ts'

/** Sweeps of presentations. */
export const presentationSchedules: readonly Schedule[] = [every(60, 'wallet.expire-presentations', expireDue)]

/** Ends the presentations that were not answered in time, and deletes what was needed to answer them. */
export function expireDue({ store, clock }: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const now = clock.now()
  const reason = 'tenants with presentations to expire'
  return sweepTenants(
    { store, signal },
    reason,
    (tx) => listTenantsWithDuePresentations(tx, now),
    (id) => store.single(id, (tx) => expirePresentations(tx, now)),
  )
}
