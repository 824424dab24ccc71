import { Fault } from '../../fault.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { AuditEntry } from '../audit/entry.ts'
import { recordChange } from '../audit/record.ts'
import { END } from '../order/position.ts'
import type { DisabledReason, WebhookEndpoint } from './webhook-endpoint.ts'

const columns = `id, url, filter_types as "filterTypes", status, disabled_reason as "disabledReason", disabled_at as "disabledAt",
  failing_since as "failingSince", created_at as "createdAt", updated_at as "updatedAt"`

// Its position is by default that of this transaction, so it receives the events of later transactions.
const insertEndpoint = sql(
  'events.insert_endpoint',
  `insert into webhook_endpoint (tenant_id, id, url, filter_types, status, event_id, created_at, updated_at)
   select $1, $2, $3, $4::text[], 'active', '${END.id}', $5, $5
   where (select count(*) from webhook_endpoint where tenant_id = $1) < $6 returning ${columns}`,
)
const changeEndpoint = sql(
  'events.update_endpoint',
  `update webhook_endpoint set url = coalesce($3, url), filter_types = coalesce($4::text[], filter_types),
     updated_at = $6, status = coalesce($5, status),
     disabled_reason = case when coalesce($5, status) = 'disabled' then coalesce(disabled_reason, 'manual') end,
     disabled_at = case when coalesce($5, status) = 'disabled' then coalesce(disabled_at, $6) end,
     failing_since = case when $5 = 'active' and status = 'disabled' then null else failing_since end
   where tenant_id = $1 and id = $2
   returning ${columns}`,
)
const deleteEndpoint = sql(
  'events.delete_endpoint',
  `delete from webhook_endpoint where tenant_id = $1 and id = $2 returning id`,
)
const getEndpoint = sql(
  'events.get_endpoint',
  `select ${columns} from webhook_endpoint where tenant_id = $1 and id = $2`,
)
const touchEndpoint = sql(
  'events.touch_endpoint',
  `update webhook_endpoint set updated_at = $3 where tenant_id = $1 and id = $2 returning ${columns}`,
)
// At most two secrets are valid: an earlier former secret ends at once.
const endSecrets = sql(
  'events.end_secrets',
  `update webhook_secret set ends_at = case when ends_at is null then $3::timestamptz else least(ends_at, $4) end
   where tenant_id = $1 and endpoint_id = $2`,
)
const insertSecret = sql(
  'events.insert_secret',
  `insert into webhook_secret (tenant_id, id, endpoint_id, sealed, created_at) values ($1, $2, $3, $4, $5)`,
)
const recordSuccess = sql(
  'events.record_endpoint_success',
  `update webhook_endpoint set failing_since = null, is_slow = $3
   where tenant_id = $1 and id = $2 and (failing_since is not null or is_slow <> $3) and status = 'active'`,
)
const recordFailure = sql(
  'events.record_endpoint_failure',
  `update webhook_endpoint set failing_since = $3 where tenant_id = $1 and id = $2 and failing_since is null and status = 'active'`,
)
const disable = sql(
  'events.disable_endpoint',
  `update webhook_endpoint set status = 'disabled', disabled_reason = $3, disabled_at = $4, updated_at = $4
   where tenant_id = $1 and id = $2 and status = 'active' and ($5::timestamptz is null or failing_since <= $5)
   returning id`,
)
const countDisabledStatement = sql(
  'events.count_disabled_endpoints',
  `select count(*)::int as count from webhook_endpoint where tenant_id = $1 and disabled_reason in ('failing', 'gone')`,
)
const listEndpoints = pagedList({
  name: 'events.list_endpoints',
  select: `select ${columns} from webhook_endpoint where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: { status: (value) => `status = ${value}` },
})

/** Counts the endpoints that the server disabled. */
export async function countDisabled(tx: TenantTx): Promise<number> {
  return (await tx.rows<{ count: number }>(countDisabledStatement, [tx.tenantId]))[0]?.count ?? 0
}

/** A sealed secret to insert. */
export type NewSecret = { readonly id: string; readonly sealed: Buffer }

/** Inserts an endpoint with its first secret. Returns null if the tenant has `countMax` endpoints. */
export async function insertWebhookEndpoint(
  tx: TenantTx,
  made: {
    readonly id: string
    readonly url: string
    readonly filterTypes: readonly string[]
    readonly secret: NewSecret
  },
  countMax: number,
  entry: AuditEntry,
  now: Date,
): Promise<WebhookEndpoint | null> {
  const { id, url, filterTypes, secret } = made
  const values = [tx.tenantId, id, url, filterTypes, now, countMax]
  const endpoint = await recordChange<WebhookEndpoint>(tx, insertEndpoint, values, entry, now)
  if (endpoint !== null) await tx.rows(insertSecret, [tx.tenantId, secret.id, id, secret.sealed, now])
  return endpoint
}

/**
 * Updates an endpoint; null leaves a column unchanged. Enabling clears `failingSince`.
 *
 * @throws Fault `resource.unknown`
 */
export async function changeWebhookEndpoint(
  tx: TenantTx,
  id: string,
  to: { readonly url: string | null; readonly filterTypes: readonly string[] | null; readonly status: string | null },
  entry: AuditEntry,
  now: Date,
): Promise<WebhookEndpoint> {
  const values = [tx.tenantId, id, to.url, to.filterTypes, to.status, now]
  return found(await recordChange<WebhookEndpoint>(tx, changeEndpoint, values, entry, now))
}

/** Deletes an endpoint with its secrets and deliveries. @throws Fault `resource.unknown` */
export async function deleteWebhookEndpoint(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  found(await recordChange(tx, deleteEndpoint, [tx.tenantId, id], entry, now))
}

/** @throws Fault `resource.unknown` */
export async function getWebhookEndpoint(tx: TenantTx, id: string): Promise<WebhookEndpoint> {
  return found((await tx.rows<WebhookEndpoint>(getEndpoint, [tx.tenantId, id]))[0] ?? null)
}

/**
 * Inserts a new current secret; the former one stays valid until `formerUntil`, an earlier one ends now. The first of
 * its statements locks the endpoint, so concurrent rotations run one after the other. @throws Fault `resource.unknown`
 */
export async function replaceSecret(
  tx: TenantTx,
  id: string,
  secret: NewSecret,
  formerUntil: Date,
  entry: AuditEntry,
  now: Date,
): Promise<WebhookEndpoint> {
  const endpoint = found(await recordChange<WebhookEndpoint>(tx, touchEndpoint, [tx.tenantId, id, now], entry, now))
  await tx.rows(endSecrets, [tx.tenantId, id, formerUntil, now])
  await tx.rows(insertSecret, [tx.tenantId, secret.id, id, secret.sealed, now])
  return endpoint
}

/** Records a successful attempt. Writes nothing if the previous one succeeded too and was as fast or as slow. */
export async function recordEndpointSuccess(tx: TenantTx, id: string, isSlow: boolean): Promise<void> {
  await tx.rows(recordSuccess, [tx.tenantId, id, isSlow])
}

/** Records the first failure after a success. */
export async function recordEndpointFailure(tx: TenantTx, id: string, now: Date): Promise<void> {
  await tx.rows(recordFailure, [tx.tenantId, id, now])
}

/**
 * Disables an active endpoint; with `failingSince` only if it has been failing since then or longer.
 *
 * @returns whether this call disabled it.
 */
export async function disableEndpoint(
  tx: TenantTx,
  id: string,
  why: { readonly reason: DisabledReason; readonly failingSince: Date | null },
  entry: AuditEntry,
  now: Date,
): Promise<boolean> {
  const values = [tx.tenantId, id, why.reason, now, why.failingSince]
  return (await recordChange(tx, disable, values, entry, now)) !== null
}

/** Returns one page, and one row more if there is a next page. Ids are in the order of creation. */
export function listWebhookEndpoints(
  tx: TenantTx,
  page: PageRequest,
  filter: { readonly status?: string | undefined },
): Promise<WebhookEndpoint[]> {
  return listEndpoints<WebhookEndpoint>(tx, page, [tx.tenantId], filter)
}

function found<T>(row: T | null): T {
  if (row === null) throw new Fault('resource.unknown')
  return row
}
