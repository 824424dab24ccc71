import { Fault } from '../../fault.ts'
import { isFree, isHeld, RELEASE } from '../../store/lease.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { AuditEntry } from '../audit/entry.ts'
import { recordChange } from '../audit/record.ts'

/** One attempt. Without a response `statusCode` is null and `error` is the code of the fault. */
export type DeliveryAttempt = {
  readonly at: string
  readonly statusCode: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** The delivery of one event to one endpoint. */
export type WebhookDelivery = {
  readonly id: string
  readonly eventId: string
  readonly type: string
  readonly status: 'pending' | 'delivered' | 'dead'
  readonly attempts: readonly DeliveryAttempt[]
  /** The time of the next attempt, while it is pending. */
  readonly dueAt: Date
  readonly endedAt: Date | null
  readonly createdAt: Date
}

/** The outcome of an attempt. `dueAt` matters while the delivery stays pending. */
export type AttemptOutcome = {
  readonly status: WebhookDelivery['status']
  readonly dueAt: Date
  readonly attempt: DeliveryAttempt
}

const ATTEMPTS_KEPT = 50
const columns = `id, event_id as "eventId", event_type as type, status, attempts, due_at as "dueAt", ended_at as "endedAt", created_at as "createdAt"`

const allDue = sql(
  'events.enqueue_all_deliveries',
  `update webhook_delivery set due_at = $4, tries = 0, tried_until = $3
   where tenant_id = $1 and endpoint_id = $2 and status = 'pending' and claim is null`,
)
// Not while an attempt is running.
const again = sql(
  'events.enqueue_delivery_again',
  `update webhook_delivery set status = 'pending', due_at = $5, tries = 0, tried_until = $4, ended_at = null, ${RELEASE}
   where tenant_id = $1 and endpoint_id = $2 and id = $3 and ${isFree('$5')}
     and exists (select from webhook_endpoint where tenant_id = $1 and id = $2 and status = 'active')
   returning ${columns}`,
)
const getDelivery = sql(
  'events.get_delivery',
  `select ${columns} from webhook_delivery where tenant_id = $1 and endpoint_id = $2 and id = $3`,
)
const finish = sql(
  'events.finish_attempt',
  `update webhook_delivery set status = $4, due_at = $5, ${RELEASE}, ended_at = case when $4 = 'pending' then null else $6::timestamptz end,
     attempts = case when jsonb_array_length(attempts) >= ${ATTEMPTS_KEPT} then attempts - 0 else attempts end || $7::jsonb
   where tenant_id = $1 and id = $2 and ${isHeld('$3')} returning id`,
)
const deleteEnded = sql(
  'events.delete_ended_deliveries',
  `delete from webhook_delivery where (tenant_id, id) in (
     select tenant_id, id from webhook_delivery where ended_at < $1 order by ended_at limit $2) returning id`,
)
const deleteSecrets = sql(
  'events.delete_ended_secrets',
  `delete from webhook_secret where (tenant_id, id) in (
     select tenant_id, id from webhook_secret where ends_at < $1 order by ends_at limit $2) returning id`,
)

/** Makes all pending deliveries of an endpoint due now and restarts their retries. */
export async function enqueueAllDeliveries(tx: TenantTx, endpointId: string, until: Date, now: Date): Promise<void> {
  await tx.rows(allDue, [tx.tenantId, endpointId, until, now])
}

/**
 * Makes a delivery due now, whatever its status. Returns null while it is being sent, or if its endpoint is disabled.
 */
export async function enqueueDeliveryAgain(
  tx: TenantTx,
  endpointId: string,
  id: string,
  until: Date,
  entry: AuditEntry,
  now: Date,
): Promise<WebhookDelivery | null> {
  return recordChange<WebhookDelivery>(tx, again, [tx.tenantId, endpointId, id, until, now], entry, now)
}

/** @throws Fault `resource.unknown` */
export async function getWebhookDeliveryRow(tx: TenantTx, endpointId: string, id: string): Promise<WebhookDelivery> {
  const [row] = await tx.rows<WebhookDelivery>(getDelivery, [tx.tenantId, endpointId, id])
  if (row === undefined) throw new Fault('resource.unknown')
  return row
}

/**
 * Records the outcome of an attempt. Returns false and writes nothing if another server has taken the delivery over.
 */
export async function finishAttempt(
  tx: TenantTx,
  { id, claim }: { readonly id: string; readonly claim: string },
  { status, dueAt, attempt }: AttemptOutcome,
  now: Date,
): Promise<boolean> {
  const values = [tx.tenantId, id, claim, status, dueAt, now, JSON.stringify([attempt])]
  return (await tx.rows(finish, values)).length === 1
}

/** Filters of the list of deliveries. */
export type WebhookDeliveryFilter = {
  readonly status?: string | undefined
  readonly type?: string | undefined
  readonly eventId?: string | undefined
}

const listDeliveries = pagedList({
  name: 'events.list_deliveries',
  select: `select ${columns} from webhook_delivery where tenant_id = $1 and endpoint_id = $2`,
  parameters: 2,
  id: 'id',
  filters: {
    status: (value) => `status = ${value}`,
    type: (value) => `event_type = ${value}`,
    eventId: (value) => `event_id = ${value}`,
  },
  indexed: [['status'], ['type']],
})

/** Returns one page, and one row more if there is a next page. */
export function listWebhookDeliveryRows(
  tx: TenantTx,
  endpointId: string,
  page: PageRequest,
  filter: WebhookDeliveryFilter,
): Promise<WebhookDelivery[]> {
  return listDeliveries<WebhookDelivery>(tx, page, [tx.tenantId, endpointId], filter)
}

/** Deletes deliveries that ended before that time. Returns their number. */
export async function deleteEndedDeliveries(tx: AcrossTx, before: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteEnded, [before, limit])).length
}

/** Deletes secrets that have ended. Returns their number. */
export async function deleteEndedSecrets(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteSecrets, [now, limit])).length
}
