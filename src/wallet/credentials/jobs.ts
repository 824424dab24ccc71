import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { sweepTenants } from '../../jobs/sweep-tenants.ts'
import type { Platform } from '../../platform.ts'
import { deleteDueNotifications, listTenantsWithDueNotifications } from './notification-store.ts'
import { notifyIssuerJob } from './notify-issuer.ts'
import { refreshStandings } from './refresh-status.ts'

/** Work on credentials that outlives a request. */
export const credentialJobs: readonly Job<never>[] = [notifyIssuerJob]

/** Sweeps of credentials. */
export const credentialSchedules: readonly Schedule[] = [
  every(300, 'wallet.refresh-standings', refreshStandings),
  every(3600, 'wallet.delete-notifications', deleteLateNotifications),
]

/** Deletes notifications that were never sent, with the access tokens of their issuers. */
function deleteLateNotifications(platform: Platform, signal: AbortSignal): Promise<void> {
  const reason = 'tenants with notifications to delete'
  return sweepTenants(platform, signal, reason, listTenantsWithDueNotifications, deleteDueNotifications)
}
