import { every, type Schedule } from '../../jobs/schedule.ts'
import { deleteOldVisits, listTenantsWithOldVisits } from './visit-store.ts'

const DAY_MS = 86_400_000
const VISITS_PER_TURN = 500

/** The schedule that deletes visits a day after they began, with the requests that no wallet answered. */
export const verificationPageSchedules: readonly Schedule[] = [
  every(3600, 'verification.delete-old-visits', async ({ store, clock }, signal) => {
    const before = new Date(clock.now().getTime() - DAY_MS)
    for (const tenantId of await store.across('tenants with old visits', (tx) =>
      listTenantsWithOldVisits(tx, before),
    )) {
      let deleted = VISITS_PER_TURN
      while (deleted >= VISITS_PER_TURN && !signal.aborted)
        deleted = await store.inTenant(tenantId, (tx) => deleteOldVisits(tx, before, VISITS_PER_TURN))
    }
  }),
]
