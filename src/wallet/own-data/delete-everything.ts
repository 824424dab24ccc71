import type { Caller } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { holderOf } from '../credentials/holder.ts'
import { listNotified } from '../credentials/notification-store.ts'
import { enqueueNotification } from '../credentials/notify-issuer.ts'
import { deliveryErrorOf } from '../delivery-records/delivery.ts'
import { settleOrder } from '../delivery-records/settle-delivery.ts'
import { deleteWallet } from './everything-store.ts'

/**
 * Deletes everything in the caller's wallet, in one transaction; issuers that requested it are notified. The audit
 * entry of the organisation stays, without claims. The account is not deleted.
 *
 * @throws Fault `holder.missing`
 */
export async function deleteEverything({ store, clock }: Platform, caller: Caller): Promise<void> {
  const userId = holderOf(caller)
  const now = clock.now()
  await store.inTenant(caller.tenantId, async (tx) => {
    const { credentialIds, orders } = await deleteWallet(tx, userId)
    const error = deliveryErrorOf(new Fault('offer.unusable', { detail: 'The holder deleted the wallet.' }))
    for (const one of orders) await settleOrder(tx, one, { credentialIds: [], error }, caller, now)
    for (const id of await listNotified(tx, credentialIds)) await enqueueNotification(tx, id, now)
    const detail = { credentials: credentialIds.length }
    await record(tx, { action: 'user.wallet_emptied', subject: { kind: 'user', id: userId }, by: caller, detail }, now)
  })
}
