import type { Platform } from '../../platform.ts'
import { recordForUser } from '../push/record-for-user.ts'
import { listTenantsWithDueReminders, takeDueReminders } from './reminder-store.ts'

/** Credentials of one tenant in one transaction. */
const PER_TRANSACTION = 50
/** Transactions of one tenant in one sweep, so that those of the others come too. */
const TRANSACTIONS_MAX = 10

/**
 * Tells holders that a credential ends soon, once for each: as an event of the organisation, and by a message to the
 * browsers that take them. May run concurrently.
 */
export async function remindHolders({ store, clock }: Platform, signal: AbortSignal): Promise<void> {
  const now = clock.now()
  const due = await store.across('tenants with holders to remind', (tx) => listTenantsWithDueReminders(tx, now))
  for (const tenantId of due) {
    for (let turn = 0; turn < TRANSACTIONS_MAX && !signal.aborted; turn += 1) {
      const count = await store.inTenant(tenantId, async (tx) => {
        const { count, told } = await takeDueReminders(tx, now, PER_TRANSACTION)
        for (const { id, userId, expiresAt } of told) {
          const subject = { kind: 'wallet_credential', id } as const
          const detail = { kind: 'ending', userId, credentialIds: [id], endsAt: expiresAt.toISOString() }
          await recordForUser(tx, { action: 'user.notification', subject, by: 'system', detail }, userId, now)
        }
        return count
      })
      if (count < PER_TRANSACTION) break
    }
  }
}
