import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import { expirePresentations, listTenantsWithDuePresentations } from './presentation-store.ts'

/** Ends the presentations that were not answered in time, and deletes what was needed to answer them. */
export const expireDue = tenantSweep(
  'tenants with presentations to expire',
  listTenantsWithDuePresentations,
  expirePresentations,
)

/** Sweeps of presentations. */
export const presentationSchedules: readonly Schedule[] = [every(60, 'wallet.expire-presentations', expireDue)]
