import type { Caller, TenantId } from '../../caller.ts'
import { getRecipient, type RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import { Fault } from '../../fault.ts'
import type { DeliverySender } from '../../issuance/issuances/wallet-port.ts'
import { reinstateOffer } from '../../issuance/offers/reinstate-offer.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { isUniqueViolation } from '../../store/unique-violation.ts'
import { isTransientFault } from '../credentials/upstream.ts'
import { type DeliveryPayload, deliveryErrorOf } from '../delivery-records/delivery.ts'
import {
  type ClaimedWalletDelivery,
  failDelivery,
  findDelivery,
  insertDelivery,
  releaseDelivery,
  type SealedDelivery,
  takeOverDelivery,
} from '../delivery-records/delivery-store.ts'
import { openPayload, sealPayload, sealRecipient } from '../delivery-records/sealed-delivery.ts'
import { failureOf } from '../delivery-records/settle-delivery.ts'
import { receiveOffer } from '../offers/accept-offer.ts'
import { receiveRequest } from '../presentations/prepare-presentation.ts'

/** The caller as the sender of a delivery. */
export function senderOfDelivery(caller: Caller): DeliverySender {
  return { tenantId: caller.tenantId, tenantSlug: caller.tenantSlug, by: caller }
}

/** What is to be delivered to whom. `pointer`: where in the request the user is named. */
export type DeliveryInput = {
  readonly id: string
  readonly recipient: RecipientIdentifier
  readonly pointer: string
  readonly parcel: DeliveryPayload
  /** Of a presentation, the id that it will have. */
  readonly presentationId: string | null
  readonly issuanceId: string | null
}

/** A delivery that only needs to be written: `insert` it, then run `claimed`. */
export type PlannedDelivery = {
  readonly claimed: Pick<
    ClaimedWalletDelivery,
    'id' | 'claim' | 'userId' | 'kind' | 'presentationId' | 'issuanceId' | 'sealedParcel'
  >
  readonly insert: (tx: TenantTx) => Promise<void>
}

/** What came of an attempt. `fault`: why it failed, if it did in this attempt. */
export type AttemptedDelivery = { readonly delivery: SealedDelivery; readonly fault: Fault | null }

/** Longer than the slowest issuer or verifier can take until there is an order or a presentation. */
export const LEASE_MS = 120_000

/**
 * Finds the recipient and seals what is to be delivered. Writes nothing.
 *
 * @throws Fault `resource.unknown`, `state.invalid` for a disabled user
 */
export async function planDelivery(
  platform: Platform,
  sender: DeliverySender,
  ask: DeliveryInput,
): Promise<PlannedDelivery> {
  const { store, sealing, clock } = platform
  const { tenantId, by } = sender
  const { id, issuanceId, presentationId, recipient } = ask
  const { id: userId } = await store.single(tenantId, (tx) => getRecipient(tx, recipient, ask.pointer))
  const now = clock.now()
  const kind = presentationId === null ? ('credential' as const) : ('presentation' as const)
  const made = {
    ...{ id, userId, kind, issuanceId, presentationId, identifierType: recipient.identifierType },
    ...{ claim: newId(), leaseUntil: new Date(now.getTime() + LEASE_MS) },
    sealedRecipient: await sealRecipient(sealing, tenantId, id, recipient.value),
    sealedParcel: await sealPayload(sealing, tenantId, id, ask.parcel),
  }
  const detail = { kind, userId, ...(issuanceId !== null && { issuanceId }) }
  const entry = { action: 'wallet_delivery.created', subject: { kind: 'wallet_delivery', id }, by, detail } as const
  return { claimed: made, insert: (tx) => insertDelivery(tx, made, entry, now) }
}

/**
 * Does what a claimed delivery is about, as the wallet of its user would: through the protocol. What is refused ends it as failed; trouble
 * of our own leaves it to a job.
 */
export async function runDelivery(
  platform: Platform,
  sender: DeliverySender,
  claimed: PlannedDelivery['claimed'],
): Promise<AttemptedDelivery> {
  const { store, clock } = platform
  const { tenantId, by } = sender
  const { id, claim, issuanceId } = claimed
  try {
    await executeDelivery(platform, sender, claimed)
    return { delivery: await getDeliveryRow(platform, tenantId, id), fault: null }
  } catch (error) {
    // another attempt, taken for dead, has brought the presentation after all
    if (isUniqueViolation(error)) return { delivery: await getDeliveryRow(platform, tenantId, id), fault: null }
    if (!(error instanceof Fault)) throw error
    // what our own issuer could not answer may have spent the code; a job takes the lost token back and goes through it again
    if (issuanceId !== null && isTransientFault(error)) {
      await store.single(tenantId, (tx) => releaseDelivery(tx, { id, claim, leaseUntil: clock.now() }))
      return { delivery: await getDeliveryRow(platform, tenantId, id), fault: null }
    }
    const reason = deliveryErrorOf(error)
    const entry = failureOf(id, reason, by)
    await store.single(tenantId, (tx) => failDelivery(tx, { id, claim }, reason, entry, clock.now()))
    const delivery = await getDeliveryRow(platform, tenantId, id)
    // what was ordered by then goes on by itself
    return { delivery, fault: delivery.status === 'failed' ? error : null }
  }
}

/**
 * Goes on with a delivery whose request is repeated: whoever was at work on it is taken for dead.
 *
 * @param parcel What it brings, to try once more what has failed; null: what has failed stays so.
 * @returns null if it was never begun.
 */
export async function resumeDelivery(
  platform: Platform,
  sender: DeliverySender,
  id: string,
  parcel: DeliveryPayload | null,
): Promise<AttemptedDelivery | null> {
  const { store, sealing, clock } = platform
  const { tenantId } = sender
  const now = clock.now()
  const sealed = parcel === null ? null : await sealPayload(sealing, tenantId, id, parcel)
  const claim = { id, claim: newId(), leaseUntil: new Date(now.getTime() + LEASE_MS) }
  const claimed = await store.single(tenantId, (tx) => takeOverDelivery(tx, claim, sealed, now))
  if (claimed !== null) {
    await reinstateDeliveredOffer(platform, sender, claimed)
    return runDelivery(platform, sender, claimed)
  }
  try {
    return { delivery: await getDeliveryRow(platform, tenantId, id), fault: null }
  } catch (error) {
    if (error instanceof Fault && error.code === 'resource.unknown') return null
    throw error
  }
}

/** One delivery of the tenant. @throws Fault `resource.unknown` */
export async function getDeliveryRow(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  id: string,
): Promise<SealedDelivery> {
  const found = await store.single(tenantId, (tx) => findDelivery(tx, id))
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/** Before an attempt after one that died: what that one redeemed at our own issuer, and did not order, can be redeemed again. */
export async function reinstateDeliveredOffer(
  platform: Platform,
  { tenantId, by }: DeliverySender,
  { issuanceId }: Pick<ClaimedWalletDelivery, 'issuanceId'>,
): Promise<void> {
  if (issuanceId !== null) await reinstateOffer(platform, tenantId, issuanceId, by)
}

/** As {@link runDelivery}, but nothing is done about what is refused. @throws what the wallet refuses it with */
export async function executeDelivery(
  platform: Platform,
  sender: DeliverySender,
  claimed: PlannedDelivery['claimed'],
): Promise<void> {
  const { id, userId, presentationId, sealedParcel } = claimed
  const parcel = await openPayload(platform.sealing, sender.tenantId, id, sealedParcel)
  const holder = { ...sender, userId, deliveryId: id }
  if ('credentialOffer' in parcel) await receiveOffer(platform, holder, parcel)
  else await receiveRequest(platform, holder, parcel.presentationRequest, presentationId ?? newId())
}
