import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { mailOfferJob, settle } from './mail-offer.ts'
import { listOldMails, listTenantsWithOldMails } from './offer-mail-store.ts'

/** Mails of offers. */
export const offerMailJobs: readonly Job<never>[] = [mailOfferJob]

/** Gives up the mails whose job died at its last attempt, so that their addresses are erased. */
export const offerMailSchedules: readonly Schedule[] = [
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
