import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import {
  deleteDueNotifications,
  listTenantsWithDueNotifications,
  listTenantsWithLateNotifications,
} from './notification-store.ts'
import { lateBefore, notifyIssuerJob, requeueNotifications } from './notify-issuer.ts'
import { refreshStandings } from './refresh-status.ts'
import { remindHolders } from './remind-holders.ts'

/** Work on credentials that outlives a request. */
export const credentialJobs: readonly Job<never>[] = [notifyIssuerJob]

/** Deletes notifications that were never sent, with the access tokens of their issuers. */
const deleteLateNotifications = tenantSweep(
  'tenants with notifications to delete',
  listTenantsWithDueNotifications,
  deleteDueNotifications,
)

/** Enqueues the lost jobs of notifications. */
export const resumeNotifications = tenantSweep(
  'tenants with notifications whose job may be lost',
  (tx, now) => listTenantsWithLateNotifications(tx, lateBefore(now)),
  requeueNotifications,
)

/** Sweeps of credentials. */
export const credentialSchedules: readonly Schedule[] = [
  every(300, 'wallet.refresh-standings', refreshStandings),
  every(300, 'wallet.remind-holders', remindHolders),
  every(3600, 'wallet.resume-notifications', resumeNotifications),
  every(3600, 'wallet.delete-notifications', deleteLateNotifications),
]
