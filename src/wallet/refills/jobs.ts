import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import { deleteDueRefills, listTenantsWithDueRefills } from '../credentials/refill-store.ts'
import { refillCopiesJob } from './refill-copies.ts'

/** Work on copies that outlives a request. */
export const refillJobs: readonly Job<never>[] = [refillCopiesJob]

/** Deletes the tokens of refills whose time is over. */
export const deleteLateRefills = tenantSweep(
  'tenants with refills whose time is over',
  listTenantsWithDueRefills,
  deleteDueRefills,
)

/** Sweeps of refills. */
export const refillSchedules: readonly Schedule[] = [every(3600, 'wallet.delete-refills', deleteLateRefills)]
