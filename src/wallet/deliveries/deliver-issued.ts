import { recipientRefusals } from '../../directory/users/find-recipient.ts'
import { Fault } from '../../fault.ts'
import type { DeliverySender, IssuedOffer, WalletPort } from '../../issuance/issuances/wallet-port.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { openFormats } from '../credentials/wallet-format.ts'
import { type AttemptedDelivery, planDelivery, resumeDelivery, runDelivery } from './deliver.ts'
import { enqueueDelivery } from './resume-delivery.ts'
import { showDelivery } from './show-delivery.ts'

/** Delivers offers of our own issuer to the wallets of the tenant's users, through the protocol. */
export const walletDeliveries: WalletPort = {
  plan: async (platform, sender, offer) => {
    const closed = await closedFormat(platform, sender, offer)
    if (closed !== null) throw closed
    const { id, issuanceId, recipient, pointer, offerUri, txCode } = offer
    const payload = { credentialOffer: offerUri, ...(txCode !== null && { txCode }) }
    const input = { id, issuanceId, recipient, pointer, payload, presentationId: null }
    const { claimed, insert } = await planDelivery(platform, sender, input)
    const leave = async (tx: TenantTx) => {
      await insert(tx)
      await enqueueDelivery(tx, claimed, platform.clock.now())
    }
    return {
      userId: claimed.userId,
      insert,
      enqueue: leave,
      run: async () => reportOf(platform, sender, await runDelivery(platform, sender, claimed)),
    }
  },
  refusals: async (platform, { tenantId }, { format, recipients, pointer }) => {
    const closed = await closedFormat(platform, { tenantId }, { format })
    if (closed !== null) return recipients.map(() => closed)
    return platform.store.inTenant(tenantId, (tx) => recipientRefusals(tx, recipients, pointer))
  },
  resume: async (platform, sender, id) => {
    const attempted = await resumeDelivery(platform, sender, id, null)
    return attempted === null ? null : reportOf(platform, sender, attempted)
  },
}

async function closedFormat(
  platform: Platform,
  { tenantId }: Pick<DeliverySender, 'tenantId'>,
  { format }: Pick<IssuedOffer, 'format'>,
): Promise<Fault | null> {
  const wire = format === 'mdoc' ? 'mso_mdoc' : 'dc+sd-jwt'
  const isOpen = (await openFormats(platform, tenantId)).includes(wire)
  return isOpen ? null : new Fault('offer.format', { meta: { formats: [wire] } })
}

function reportOf(platform: Platform, { tenantId }: DeliverySender, { delivery }: AttemptedDelivery) {
  return showDelivery(platform, tenantId, delivery)
}
