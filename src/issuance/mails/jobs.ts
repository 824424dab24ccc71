import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import { lateMailsDropAt, mailOfferJob, requeueMails, settle } from './mail-offer.ts'
import { listOldMails, listTenantsWithOldMails } from './offer-mail-store.ts'

/** Mails of offers. */
export const offerMailJobs: readonly Job<never>[] = [mailOfferJob]

/** Enqueues the lost jobs of mails. */
export const resumeMails = tenantSweep(
  'tenants with mails whose job may be lost',
  (tx, now) => listTenantsWithOldMails(tx, lateMailsDropAt(now)),
  requeueMails,
)

/**
 * Sweeps of mails. The second one gives up those whose job died at its last attempt, so that their addresses are
 * erased.
 */
export const offerMailSchedules: readonly Schedule[] = [
  every(600, 'issuance.resume-mails', resumeMails),
  every(600, 'issuance.drop-mails', async (platform, signal) => {
    const { store, clock } = platform
    const now = clock.now()
    const old = await store.across('tenants with old mails', (tx) => listTenantsWithOldMails(tx, now))
    for (const tenantId of old) {
      for (const queued of await store.single(tenantId, (tx) => listOldMails(tx, now))) {
        if (signal.aborted) return
        await settle(platform, { id: tenantId }, queued, 'unreachable')
      }
    }
  }),
]
