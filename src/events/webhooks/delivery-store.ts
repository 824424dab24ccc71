import { Fault } from '../../fault.ts'
import { isFree, isHeld, RELEASE } from '../../store/lease.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { AuditEntry } from '../audit/entry.ts'
import { auditCte, auditValues } from '../audit/recorded-sql.ts'

/** One attempt. `statusCode` is null when there was no answer; `error` then says why, as the code of a fault. */
export type DeliveryAttempt = {
  readonly at: string
  readonly statusCode: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** One event for one endpoint. */
export type WebhookDelivery = {
  readonly id: string
  readonly eventId: string
  readonly type: string
  readonly status: 'pending' | 'delivered' | 'dead'
  readonly attempts: readonly DeliveryAttempt[]
  /** When it is tried next, as far as it is pending. */
  readonly dueAt: Date
  readonly endedAt: Date | null
  readonly createdAt: Date
}

/** How an attempt leaves its delivery. `dueAt` is for one that stays pending. */
export type AttemptOutcome = {
  readonly status: WebhookDelivery['status']
  readonly dueAt: Date
  readonly attempt: DeliveryAttempt
}

const ATTEMPTS_KEPT = 50
const columns = `id, event_id as "eventId", event_type as type, status, attempts, due_at as "dueAt", ended_at as "endedAt", created_at as "createdAt"`

const allDue = sql(
  'events.delivery-all-due',
  `update webhook_delivery set due_at = $4, tries = 0, tried_until = $3
   where tenant_id = $1 and endpoint_id = $2 and status = 'pending' and claim is null`,
)
// An attempt that is being made has the right of way.
const again = sql(
  'events.delivery-again',
  `with upd as (
     update webhook_delivery set status = 'pending', due_at = $5, tries = 0, tried_until = $4, ended_at = null, ${RELEASE}
     where tenant_id = $1 and endpoint_id = $2 and id = $3 and ${isFree('$5')}
       and exists (select from webhook_endpoint where tenant_id = $1 and id = $2 and status = 'active') returning *),
   ${auditCte({ from: 'upd', first: 6 })}
   select ${columns} from upd`,
)
const getDelivery = sql(
  'events.delivery-get',
  `select ${columns} from webhook_delivery where tenant_id = $1 and endpoint_id = $2 and id = $3`,
)
const finish = sql(
  'events.delivery-finish',
  `update webhook_delivery set status = $4, due_at = $5, ${RELEASE}, ended_at = case when $4 = 'pending' then null else $6::timestamptz end,
     attempts = case when jsonb_array_length(attempts) >= ${ATTEMPTS_KEPT} then attempts - 0 else attempts end || $7::jsonb
   where tenant_id = $1 and id = $2 and ${isHeld('$3')} returning id`,
)
const deleteEnded = sql('events.delivery-delete-ended', 'delete from webhook_delivery where ended_at < $1')
const deleteSecrets = sql('events.secret-delete-ended', 'delete from webhook_secret where ends_at < $1')

/** Puts all that waits at an endpoint up for an attempt now, with its whole time before it. */
export async function enqueueAllDeliveries(tx: TenantTx, endpointId: string, until: Date, now: Date): Promise<void> {
  await tx.rows(allDue, [tx.tenantId, endpointId, until, now])
}

/** Puts a delivery up for an attempt now, whatever became of it. @returns null while it is being sent, or if its endpoint is off. */
export async function enqueueDeliveryAgain(
  tx: TenantTx,
  endpointId: string,
  id: string,
  until: Date,
  entry: AuditEntry,
  now: Date,
): Promise<WebhookDelivery | null> {
  const values = [tx.tenantId, endpointId, id, until, now, ...auditValues(entry, now)]
  return (await tx.rows<WebhookDelivery>(again, values))[0] ?? null
}

/** @throws Fault `resource.unknown` */
export async function getWebhookDeliveryRow(tx: TenantTx, endpointId: string, id: string): Promise<WebhookDelivery> {
  const [row] = await tx.rows<WebhookDelivery>(getDelivery, [tx.tenantId, endpointId, id])
  if (row === undefined) throw new Fault('resource.unknown')
  return row
}

/** Writes how an attempt ended. @returns false if another server has taken the delivery over meanwhile: then nothing is written. */
export async function finishAttempt(
  tx: TenantTx,
  { id, claim }: { readonly id: string; readonly claim: string },
  { status, dueAt, attempt }: AttemptOutcome,
  now: Date,
): Promise<boolean> {
  const values = [tx.tenantId, id, claim, status, dueAt, now, JSON.stringify([attempt])]
  return (await tx.rows(finish, values)).length === 1
}

/** What of the deliveries of an endpoint is wanted; null: all. */
export type WebhookDeliveryFilter = {
  readonly status: string | null
  readonly type: string | null
  readonly event: string | null
}

const page = pagedList({
  name: 'events.delivery-list',
  select: `select ${columns} from webhook_delivery where tenant_id = $1 and endpoint_id = $2`,
  parameters: 2,
  id: 'id',
  filters: {
    status: (value) => `status = ${value}`,
    type: (value) => `event_type = ${value}`,
    event: (value) => `event_id = ${value}`,
  },
})

/** One page, and one row more if there is a next page. */
export function listWebhookDeliveryRows(
  tx: TenantTx,
  endpointId: string,
  ask: PageRequest,
  filter: WebhookDeliveryFilter,
): Promise<WebhookDelivery[]> {
  return page<WebhookDelivery>(tx, ask, [tx.tenantId, endpointId], filter)
}

/** Removes deliveries that ended before that moment. */
export async function deleteEndedDeliveries(tx: AcrossTx, before: Date): Promise<void> {
  await tx.rows(deleteEnded, [before])
}

/** Removes secrets that have ended. */
export async function deleteEndedSecrets(tx: AcrossTx, now: Date): Promise<void> {
  await tx.rows(deleteSecrets, [now])
}
