import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { knownId } from '../../uuid.ts'
import { findEvent } from '../stream/event-store.ts'
import {
  enqueueDeliveryAgain,
  getWebhookDeliveryRow,
  listWebhookDeliveryRows,
  type WebhookDelivery,
  type WebhookDeliveryFilter,
} from './delivery-store.ts'
import { RETRY_DAYS } from './retry-plan.ts'
import { webhookBody } from './send-delivery.ts'
import { getWebhookEndpoint } from './webhook-endpoint-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/**
 * Returns one page of the deliveries to an endpoint, and one row more if there is a next page.
 *
 * @throws Fault `resource.unknown`
 */
export async function listWebhookDeliveries(
  { store }: Needs,
  { tenantId }: Caller,
  endpointId: string,
  list: ListRequest,
  filter: WebhookDeliveryFilter,
): Promise<WebhookDelivery[]> {
  return store.inTenant(tenantId, async (tx) => {
    await getWebhookEndpoint(tx, knownId(endpointId))
    return listWebhookDeliveryRows(tx, endpointId, list, filter)
  })
}

/**
 * Returns a delivery with its body, byte for byte as every attempt sends it; null if the event is gone.
 *
 * @throws Fault `resource.unknown`
 */
export async function readWebhookDelivery(
  { store }: Needs,
  { tenantId }: Caller,
  endpointId: string,
  id: string,
): Promise<WebhookDelivery & { readonly body: string | null }> {
  return store.inTenant(tenantId, async (tx) => {
    const delivery = await getWebhookDeliveryRow(tx, knownId(endpointId), knownId(id))
    const event = await findEvent(tx, delivery.eventId)
    return { ...delivery, body: event === null ? null : webhookBody(event) }
  })
}

/** @throws Fault `resource.unknown` */
async function getWebhookDelivery(
  { store }: Needs,
  { tenantId }: Caller,
  endpointId: string,
  id: string,
): Promise<WebhookDelivery> {
  return store.single(tenantId, (tx) => getWebhookDeliveryRow(tx, knownId(endpointId), knownId(id)))
}

/**
 * Enqueues a delivery again, whatever its status, with all its retries.
 *
 * @throws Fault `resource.unknown`, `state.invalid` while it is being sent or if the endpoint is disabled
 */
export async function redeliverWebhook(
  needs: Needs,
  caller: Caller,
  endpointId: string,
  id: string,
): Promise<WebhookDelivery> {
  const now = needs.clock.now()
  const until = new Date(now.getTime() + RETRY_DAYS * 86_400_000)
  const { tenantId } = caller
  await getWebhookDelivery(needs, caller, endpointId, id)
  const subject = { kind: 'webhook_endpoint', id: endpointId } as const
  const entry = { action: 'webhook_endpoint.redelivered', subject, by: caller, detail: { deliveryId: id } } as const
  const enqueued = await needs.store.inTenant(tenantId, (tx) =>
    enqueueDeliveryAgain(tx, endpointId, id, until, entry, now),
  )
  if (enqueued !== null) return enqueued
  const detail = 'The delivery is being sent, or its endpoint is disabled; enable that first.'
  throw new Fault('state.invalid', { detail })
}
