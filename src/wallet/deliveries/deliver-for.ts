import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Operation } from '../../http/routes/operation.ts'
import type { Platform } from '../../platform.ts'
import type { SealedDelivery } from '../delivery-records/delivery-store.ts'
import {
  type AttemptedDelivery,
  type DeliveryInput,
  planDelivery,
  resumeDelivery,
  runDelivery,
  senderOfDelivery,
} from './deliver.ts'

/** What an organisation wants delivered, as it asks. */
export type OrganisationDelivery = Pick<DeliveryInput, 'recipient' | 'pointer' | 'parcel'>

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
  ask: OrganisationDelivery,
  operation: Operation,
): Promise<SealedDelivery> {
  const id = operation.newId()
  const presentationId = 'presentationRequest' in ask.parcel ? operation.newId() : null
  const earlier = operation.isRepeated ? await resumeDelivery(platform, senderOfDelivery(caller), id, ask.parcel) : null
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

async function begin(platform: Platform, caller: Caller, ask: DeliveryInput): Promise<AttemptedDelivery> {
  const { claimed, insert } = await planDelivery(platform, senderOfDelivery(caller), ask)
  await platform.store.single(caller.tenantId, insert)
  return runDelivery(platform, senderOfDelivery(caller), claimed)
}
