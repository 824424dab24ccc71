import type { Caller } from '../../caller.ts'
import type { RecipientAsk } from '../../directory/users/find-recipient.ts'
import { type Operation, once } from '../../http/routes/operation.ts'
import type { Platform } from '../../platform.ts'
import { openIssuance } from './create-issuance.ts'
import { getIssuance } from './get-issuance.ts'
import { rereadIssuance } from './reread-issuance.ts'
import type { IssuanceView, OpenIssuanceBody } from './schemas.ts'
import type { Deliveries, DeliveryReport, PlannedDelivery } from './wallet-port.ts'

/** An issuance with what became of its delivery. */
export type Delivered = { readonly issuance: IssuanceView; readonly delivery: DeliveryReport | null }

/**
 * Opens an issuance and puts its credential straight into the wallet of a user. Issuance and delivery are written in one transaction; if the
 * process dies after that, a job delivers. An offer that could not be delivered stays open, and may be shown to the user.
 *
 * @param operation A repetition finds both again, and goes on with the delivery.
 * @throws Fault as `openIssuance` and `Deliveries.plan`; then nothing was made
 */
export async function openAndDeliver(
  platform: Platform,
  deliveries: Deliveries,
  caller: Caller,
  { recipient, ...ask }: OpenIssuanceBody & { readonly recipient: RecipientAsk },
  operation: Operation,
): Promise<Delivered> {
  const sender = { tenantId: caller.tenantId, tenantSlug: caller.tenantSlug, by: caller }
  const deliveryId = operation.newId()
  const planned: PlannedDelivery[] = []
  const opened = await once(
    operation,
    (id) => rereadIssuance(platform, caller, id),
    (id) =>
      openIssuance(platform, caller, ask, id, async (offer) => {
        const to = { id: deliveryId, recipient, pointer: '/recipient/value' }
        const plan = await deliveries.plan(platform, sender, { ...offer, ...to })
        planned.splice(0, 1, plan)
        return plan.insert
      }),
  )
  const delivery = (await planned[0]?.run()) ?? (await deliveries.goOn(platform, sender, deliveryId))
  const issuance = await getIssuance(platform, caller, opened.id)
  // the code was used up by the delivery, unless there was none
  const isOpen = issuance.status === 'offered' && opened.txCode !== undefined
  return { issuance: { ...issuance, ...(isOpen && { txCode: opened.txCode }) }, delivery }
}
