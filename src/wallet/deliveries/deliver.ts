import type { Caller, TenantId } from '../../caller.ts'
import { getRecipient, type RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import { Fault } from '../../fault.ts'
import type { DeliverySender } from '../../issuance/issuances/wallet-port.ts'
import type { Platform } from '../../platform.ts'
import { newLease } from '../../store/lease.ts'
import type { TenantTx } from '../../store/store.ts'
import { isUniqueViolation } from '../../store/unique-violation.ts'
import { isTransientFault } from '../credentials/upstream.ts'
import type { DeliveryPayload } from '../delivery-records/delivery.ts'
import {
  findDelivery,
  insertDelivery,
  type SealedDelivery,
  takeOverDelivery,
} from '../delivery-records/delivery-store.ts'
import { sealPayload, sealRecipient } from '../delivery-records/sealed-delivery.ts'
import { endFailed } from '../delivery-records/settle-delivery.ts'
import { executeDelivery, LEASE_MS, type LeasedDelivery, repeatDelivery } from './execute-delivery.ts'
import { enqueueDelivery } from './resume-delivery.ts'

/** Returns the caller as the sender of a delivery. */
export function senderOfDelivery(caller: Caller): DeliverySender {
  return { tenantId: caller.tenantId, tenantSlug: caller.tenantSlug, by: caller }
}

/** A delivery as requested. `pointer`: where in the request the user is named. */
export type DeliveryInput = {
  readonly id: string
  readonly recipient: RecipientIdentifier
  readonly pointer: string
  readonly payload: DeliveryPayload
  /** The id that the presentation will have; null for credentials. */
  readonly presentationId: string | null
  readonly issuanceId: string | null
}

/** A delivery that is ready to be inserted: `insert` it, then run `claimed`. */
export type PlannedDelivery = {
  readonly claimed: LeasedDelivery
  readonly insert: (tx: TenantTx) => Promise<void>
}

/** The outcome of an attempt. `fault`: why it failed, if it did in this attempt. */
export type AttemptedDelivery = { readonly delivery: SealedDelivery; readonly fault: Fault | null }

/**
 * Finds the recipient and seals the payload. Writes nothing.
 *
 * @throws Fault `resource.unknown`, `state.invalid` for a disabled user
 */
export async function planDelivery(
  platform: Platform,
  sender: DeliverySender,
  input: DeliveryInput,
): Promise<PlannedDelivery> {
  const { store, sealing, clock } = platform
  const { tenantId, by } = sender
  const { id, issuanceId, presentationId, recipient } = input
  const { id: userId } = await store.single(tenantId, (tx) => getRecipient(tx, recipient, input.pointer))
  const now = clock.now()
  const kind = presentationId === null ? ('credential' as const) : ('presentation' as const)
  const made = {
    id,
    userId,
    kind,
    issuanceId,
    presentationId,
    identifierType: recipient.identifierType,
    ...newLease(now, LEASE_MS),
    sealedRecipient: await sealRecipient(sealing, tenantId, id, recipient.value),
    sealedPayload: await sealPayload(sealing, tenantId, id, input.payload),
  }
  const detail = { kind, userId, ...(issuanceId !== null && { issuanceId }) }
  const entry = { action: 'wallet_delivery.created', subject: { kind: 'wallet_delivery', id }, by, detail } as const
  return { claimed: made, insert: (tx) => insertDelivery(tx, made, entry, now) }
}

/** Runs a leased delivery. A refusal ends it as failed; where our own issuer is out of reach a job resumes it. */
export async function runDelivery(
  platform: Platform,
  sender: DeliverySender,
  claimed: LeasedDelivery,
): Promise<AttemptedDelivery> {
  return attempt(platform, sender, claimed, () => executeDelivery(platform, sender, claimed))
}

/**
 * Resumes a delivery for a repetition of its request, and takes over the lease of an attempt that may still run.
 *
 * @param payload Restarts a delivery that has failed; null: a failed one stays failed.
 * @returns null if there is no such delivery.
 */
export async function resumeDelivery(
  platform: Platform,
  sender: DeliverySender,
  id: string,
  payload: DeliveryPayload | null,
): Promise<AttemptedDelivery | null> {
  const { store, sealing, clock } = platform
  const { tenantId } = sender
  const now = clock.now()
  const sealed = payload === null ? null : await sealPayload(sealing, tenantId, id, payload)
  const claimed = await store.single(tenantId, (tx) => takeOverDelivery(tx, id, newLease(now, LEASE_MS), sealed, now))
  if (claimed !== null) return attempt(platform, sender, claimed, () => repeatDelivery(platform, sender, claimed))
  const delivery = await store.single(tenantId, (tx) => findDelivery(tx, id))
  return delivery === null ? null : { delivery, fault: null }
}

/** Returns one delivery of the tenant. @throws Fault `resource.unknown` */
export async function getDeliveryRow(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  id: string,
): Promise<SealedDelivery> {
  const found = await store.single(tenantId, (tx) => findDelivery(tx, id))
  if (found === null) throw new Fault('resource.unknown')
  return found
}

async function attempt(
  platform: Platform,
  { tenantId, by }: DeliverySender,
  claimed: LeasedDelivery,
  run: () => Promise<void>,
): Promise<AttemptedDelivery> {
  const { store, clock } = platform
  const { id, issuanceId } = claimed
  let fault: Fault | null = null
  try {
    await run()
  } catch (error) {
    // the presentation exists: an attempt whose lease was taken over has inserted it
    if (!(error instanceof Fault) && !isUniqueViolation(error)) throw error
    fault = error instanceof Fault ? error : null
  }
  if (fault !== null && issuanceId !== null && isTransientFault(fault)) {
    // our own issuer may have redeemed the code; the job reinstates the offer
    await store.inTenant(tenantId, (tx) => enqueueDelivery(tx, claimed, clock.now()))
    fault = null
  } else if (fault !== null) {
    const refusal = fault
    await store.inTenant(tenantId, (tx) => endFailed(tx, claimed, refusal, by, clock.now()))
  }
  const delivery = await getDeliveryRow(platform, tenantId, id)
  // what was ordered before the refusal is resumed by its own job
  return { delivery, fault: delivery.status === 'failed' ? fault : null }
}
