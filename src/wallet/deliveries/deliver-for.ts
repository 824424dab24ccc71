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

/** The delivery that an organisation requests. */
type OrganisationDelivery = Pick<DeliveryInput, 'recipient' | 'pointer' | 'payload'>

/**
 * Delivers an offer or a presentation request to a user of the caller's tenant. The record is inserted before anything
 * is consumed; a failure has the code that the holder would get, with the record in `meta.deliveryId`.
 *
 * @param operation A repetition finds its record, and resumes it.
 * @throws Fault `resource.unknown`, `state.invalid`, and what the wallet of the user refuses it with
 */
export async function deliver(
  platform: Platform,
  caller: Caller,
  input: OrganisationDelivery,
  operation: Operation,
): Promise<SealedDelivery> {
  const id = operation.newId()
  const presentationId = 'presentationRequest' in input.payload ? operation.newId() : null
  const earlier = operation.isRepeated
    ? await resumeDelivery(platform, senderOfDelivery(caller), id, input.payload)
    : null
  const { delivery, fault } =
    earlier ?? (await begin(platform, caller, { ...input, id, presentationId, issuanceId: null }))
  if (fault === null) return delivery
  const { code, detail, violations, meta, links, notes } = fault
  throw new Fault(code, { detail, violations, links, notes, meta: { ...meta, deliveryId: id }, cause: fault })
}

async function begin(platform: Platform, caller: Caller, input: DeliveryInput): Promise<AttemptedDelivery> {
  const { claimed, insert } = await planDelivery(platform, senderOfDelivery(caller), input)
  await platform.store.single(caller.tenantId, insert)
  return runDelivery(platform, senderOfDelivery(caller), claimed)
}
