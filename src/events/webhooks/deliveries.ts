import type { ListAsk } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { knownId } from '../../uuid.ts'
import { type Delivery, type DeliveryFilter, deliverAgain, getDeliveryRow, listDeliveryRows } from './delivery-store.ts'
import { TRIED_DAYS } from './retry-plan.ts'
import { getWebhookEndpointRow } from './webhook-endpoint-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** One page of what was, is or will be sent to an endpoint; one row more if there is another. @throws Fault `resource.unknown` */
export async function listDeliveries(
  { store }: Needs,
  { tenantId }: Caller,
  endpointId: string,
  ask: ListAsk,
  filter: DeliveryFilter,
): Promise<Delivery[]> {
  return store.inTenant(tenantId, async (tx) => {
    await getWebhookEndpointRow(tx, knownId(endpointId))
    return listDeliveryRows(tx, endpointId, ask, filter)
  })
}

/** @throws Fault `resource.unknown` */
export async function getDelivery(
  { store }: Needs,
  { tenantId }: Caller,
  endpointId: string,
  id: string,
): Promise<Delivery> {
  return store.single(tenantId, (tx) => getDeliveryRow(tx, knownId(endpointId), knownId(id)))
}

/**
 * Sends an event once more, whatever became of it, with all attempts before it.
 *
 * @throws Fault `resource.unknown`, `state.invalid` while it is being sent or if the endpoint is disabled
 */
export async function redeliver(needs: Needs, caller: Caller, endpointId: string, id: string): Promise<Delivery> {
  const now = needs.clock.now()
  const until = new Date(now.getTime() + TRIED_DAYS * 86_400_000)
  const { tenantId } = caller
  await getDelivery(needs, caller, endpointId, id)
  const subject = { kind: 'webhookEndpoint', id: endpointId }
  const entry = { action: 'webhookEndpoint.redelivered', subject, by: caller, detail: { deliveryId: id } }
  const put = await needs.store.single(tenantId, (tx) => deliverAgain(tx, endpointId, id, until, entry, now))
  if (put !== null) return put
  const detail = 'It is being sent at this moment, or its endpoint is disabled: switch that on first.'
  throw new Fault('state.invalid', { detail })
}
