import type { Caller } from '../../caller.ts'
import type { CreateIssuanceBody, IssuanceView } from '../../contract/issuance/issuances.ts'
import type { RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import { type Operation, once } from '../../http/routes/operation.ts'
import type { Platform } from '../../platform.ts'
import { createIssuance } from './create-issuance.ts'
import { getIssuance } from './get-issuance.ts'
import type { PlannedReplacement } from './replacement-port.ts'
import { rereadIssuance } from './reread-issuance.ts'
import type { DeliveryReport, IssuanceDelivery, WalletPort } from './wallet-port.ts'

/** What is issued to whom. `plan` finds what it replaces. */
type DeliveredAsk = CreateIssuanceBody & {
  readonly recipient: RecipientIdentifier
  readonly plan: () => Promise<PlannedReplacement | null>
}
/** An issuance with the report of its delivery. */
type DeliveredIssuance = { readonly issuance: IssuanceView; readonly delivery: DeliveryReport | null }

/**
 * Creates an issuance and delivers its credential to the wallet of a user. Issuance and delivery are inserted in one
 * transaction; if the process dies after that, a job delivers. An offer that could not be delivered stays open, and may
 * be shown to the user.
 *
 * @param operation A repetition finds both and resumes the delivery.
 * @throws Fault as {@link createIssuance} and `WalletPort.plan`; then nothing was inserted
 */
export async function createAndDeliver(
  platform: Platform,
  deliveries: WalletPort,
  caller: Caller,
  { recipient, plan: planReplacement, ...ask }: DeliveredAsk,
  operation: Operation,
): Promise<DeliveredIssuance> {
  const sender = { tenantId: caller.tenantId, tenantSlug: caller.tenantSlug, by: caller }
  const deliveryId = operation.newId()
  const planned: IssuanceDelivery[] = []
  const created = await once(
    operation,
    (id) => rereadIssuance(platform, caller, id),
    async (id) =>
      createIssuance(platform, caller, ask, id, {
        replacement: await planReplacement(),
        delivery: async (offer) => {
          const to = { id: deliveryId, recipient, pointer: '/recipient/value' }
          const plan = await deliveries.plan(platform, sender, { ...offer, ...to })
          planned.splice(0, 1, plan)
          return plan
        },
      }),
  )
  const delivery = (await planned[0]?.run()) ?? (await deliveries.resume(platform, sender, deliveryId))
  const issuance = await getIssuance(platform, caller, created.id)
  // A delivery uses the transaction code up.
  const isOpen = issuance.status === 'offered' && created.txCode !== undefined
  return { issuance: { ...issuance, ...(isOpen && { txCode: created.txCode }) }, delivery }
}
