import type { DeliverySender } from '../../issuance/issuances/wallet-port.ts'
import { reinstateOffer } from '../../issuance/offers/reinstate-offer.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { ClaimedWalletDelivery } from '../delivery-records/delivery-store.ts'
import { openPayload } from '../delivery-records/sealed-delivery.ts'
import { receiveOffer } from '../offers/accept-offer.ts'
import { receiveRequest } from '../presentations/prepare-presentation.ts'

/** A leased delivery, as far as an attempt needs it. */
export type LeasedDelivery = Pick<
  ClaimedWalletDelivery,
  'id' | 'claim' | 'userId' | 'kind' | 'presentationId' | 'issuanceId' | 'sealedPayload'
>

/**
 * The lease of an attempt. Longer than the slowest issuer or verifier can take until there is an order or a
 * presentation.
 */
export const LEASE_MS = 120_000

/**
 * Receives the offer or request of a leased delivery in the wallet of its user, through the protocol.
 *
 * @throws what the wallet refuses it with
 */
export async function executeDelivery(
  platform: Platform,
  sender: DeliverySender,
  { id, userId, presentationId, sealedPayload }: LeasedDelivery,
): Promise<void> {
  const payload = await openPayload(platform.sealing, sender.tenantId, id, sealedPayload)
  const holder = { ...sender, userId, deliveryId: id }
  if ('credentialOffer' in payload) await receiveOffer(platform, holder, payload)
  else await receiveRequest(platform, holder, payload.presentationRequest, presentationId ?? newId())
}

/**
 * As {@link executeDelivery}, after an attempt that did not end: an offer of our own issuer that it redeemed, and did
 * not order, is reinstated first.
 */
export async function repeatDelivery(
  platform: Platform,
  sender: DeliverySender,
  attempt: LeasedDelivery,
): Promise<void> {
  const { tenantId, by } = sender
  if (attempt.issuanceId !== null) await reinstateOffer(platform, tenantId, attempt.issuanceId, by)
  await executeDelivery(platform, sender, attempt)
}
