import type { Caller } from '../caller.ts'
import { newId } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import type { Operation } from '../http/operation.ts'
import type { Platform } from '../platform.ts'
import {
  type Attempted,
  type DeliveryAsk,
  getDeliveryRow,
  LEASE_MS,
  planDelivery,
  runDelivery,
  senderOf,
} from './deliver.ts'
import type { Parcel } from './delivery.ts'
import { type SealedDelivery, takeOverDelivery } from './delivery-store.ts'
import { sealParcel } from './sealed-delivery.ts'

/** What an organisation wants delivered, as it asks. */
export type OrganisationAsk = Pick<DeliveryAsk, 'recipient' | 'pointer' | 'parcel'>

/**
 * Delivers an offer or a presentation request to a user of the caller's tenant. There is a record of it from before anything is consumed;
 * what fails is told by the same code as to a holder, with the record in `meta.deliveryId`.
 *
 * @param operation A repetition finds its record, and goes on where the earlier attempt ended.
 * @throws Fault `resource.unknown`, `state.invalid`, and whatever the wallet of the user would refuse it with
 */
export async function deliver(
  platform: Platform,
  caller: Caller,
  ask: OrganisationAsk,
  operation: Operation,
): Promise<SealedDelivery> {
  const id = operation.newId()
  const presentationId = 'presentationRequest' in ask.parcel ? operation.newId() : null
  const earlier = operation.isRepeated ? await goOn(platform, caller, id, ask.parcel) : null
  const { delivery, fault } =
    earlier ?? (await begin(platform, caller, { ...ask, id, presentationId, issuanceId: null }))
  if (fault === null) return delivery
  const { code, detail, violations, meta, links, notes } = fault
  throw new Fault(code, {
    ...(detail !== undefined && { detail }),
    ...(violations !== undefined && { violations }),
    ...(links !== undefined && { links }),
    ...(notes !== undefined && { notes }),
    meta: { ...meta, deliveryId: id },
    cause: fault,
  })
}

/**
 * Goes on with a delivery whose request is repeated: whoever was at work on it is taken for dead.
 *
 * @param parcel What it brings, to try once more what has failed; null: what has failed stays so.
 * @returns null if it was never begun.
 */
export async function goOn(
  platform: Platform,
  caller: Caller,
  id: string,
  parcel: Parcel | null,
): Promise<Attempted | null> {
  const { store, sealing, clock } = platform
  const { tenantId } = caller
  const now = clock.now()
  const sealed = parcel === null ? null : await sealParcel(sealing, tenantId, id, parcel)
  const claim = { id, claim: newId(), leaseUntil: new Date(now.getTime() + LEASE_MS) }
  const claimed = await store.single(tenantId, (tx) => takeOverDelivery(tx, claim, sealed, now))
  if (claimed !== null) return runDelivery(platform, senderOf(caller), claimed)
  try {
    return { delivery: await getDeliveryRow(platform, tenantId, id), fault: null }
  } catch (error) {
    if (error instanceof Fault && error.code === 'resource.unknown') return null
    throw error
  }
}

async function begin(platform: Platform, caller: Caller, ask: DeliveryAsk): Promise<Attempted> {
  const { claimed, insert } = await planDelivery(platform, caller, ask)
  await platform.store.single(caller.tenantId, insert)
  return runDelivery(platform, senderOf(caller), claimed)
}
