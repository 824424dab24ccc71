import { Fault } from '../../fault.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { AuditEntry } from '../audit/entry.ts'
import { auditCte, auditValues } from '../audit/recorded-sql.ts'
import { END } from '../stream/position.ts'
import type { DisabledReason, WebhookEndpoint } from './webhook-endpoint.ts'

const columns = `id, url, filter_types as "filterTypes", status, disabled_reason as "disabledReason", disabled_at as "disabledAt",
  failing_since as "failingSince", created_at as "createdAt", updated_at as "updatedAt"`

// Its position is this very transaction: it is sent what begins later.
const insertEndpoint = sql(
  'events.endpoint-insert',
  `with ins as (
     insert into webhook_endpoint (tenant_id, id, url, filter_types, status, era, xact, event_id, created_at, updated_at)
     select $1, $2, $3, $4::text[], 'active', era, pg_current_xact_id(), '${END.id}', $5, $5 from event_era
     where (select count(*) from webhook_endpoint where tenant_id = $1) < $6 returning *),
   secret as (
     insert into webhook_secret (tenant_id, id, endpoint_id, sealed, created_at) select $1, $7::uuid, id, $8::bytea, $5 from ins),
   ${auditCte({ from: 'ins', first: 9 })}
   select ${columns} from ins`,
)
const changeEndpoint = sql(
  'events.endpoint-change',
  `with upd as (
     update webhook_endpoint set url = coalesce($3, url), filter_types = coalesce($4::text[], filter_types), updated_at = $6,
       status = coalesce($5, status),
       disabled_reason = case coalesce($5, status) when 'disabled' then coalesce(disabled_reason, 'manual') end,
       disabled_at = case coalesce($5, status) when 'disabled' then coalesce(disabled_at, $6) end,
       failing_since = case when $5 = 'active' and status = 'disabled' then null else failing_since end
     where tenant_id = $1 and id = $2 returning *),
   ${auditCte({ from: 'upd', first: 7 })}
   select ${columns} from upd`,
)
const deleteEndpoint = sql(
  'events.endpoint-delete',
  `with del as (delete from webhook_endpoint where tenant_id = $1 and id = $2 returning *),
   ${auditCte({ from: 'del', first: 3 })}
   select id from del`,
)
const getEndpoint = sql(
  'events.endpoint-get',
  `select ${columns} from webhook_endpoint where tenant_id = $1 and id = $2`,
)
const touchEndpoint = sql(
  'events.endpoint-touch',
  `with upd as (update webhook_endpoint set updated_at = $3 where tenant_id = $1 and id = $2 returning *),
   ${auditCte({ from: 'upd', first: 4 })}
   select ${columns} from upd`,
)
// Only two secrets are ever valid: what was an earlier one already ends at once.
const endSecrets = sql(
  'events.secret-end',
  `update webhook_secret set ends_at = case when ends_at is null then $3::timestamptz else least(ends_at, $4) end
   where tenant_id = $1 and endpoint_id = $2`,
)
const insertSecret = sql(
  'events.secret-insert',
  `insert into webhook_secret (tenant_id, id, endpoint_id, sealed, created_at) values ($1, $2, $3, $4, $5)`,
)
const markGood = sql(
  'events.endpoint-good',
  `update webhook_endpoint set failing_since = null, is_slow = $3
   where tenant_id = $1 and id = $2 and (failing_since is not null or is_slow <> $3) and status = 'active'`,
)
const markFailing = sql(
  'events.endpoint-failing',
  `update webhook_endpoint set failing_since = $3 where tenant_id = $1 and id = $2 and failing_since is null and status = 'active'`,
)
const disable = sql(
  'events.endpoint-disable',
  `with upd as (
     update webhook_endpoint set status = 'disabled', disabled_reason = $3, disabled_at = $4, updated_at = $4
     where tenant_id = $1 and id = $2 and status = 'active' and ($5::timestamptz is null or failing_since <= $5) returning *),
   ${auditCte({ from: 'upd', first: 6 })}
   select id from upd`,
)
const page = pagedList({
  name: 'events.endpoint-list',
  select: `select ${columns} from webhook_endpoint where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: { status: (value) => `status = ${value}` },
})

/** A secret on its way into the store. */
export type NewSecret = { readonly id: string; readonly sealed: Buffer }

/** Adds an endpoint with its first secret, unless there are `countMax` already; then null. */
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
  const values = [tx.tenantId, id, url, filterTypes, now, countMax, secret.id, secret.sealed]
  return (await tx.rows<WebhookEndpoint>(insertEndpoint, [...values, ...auditValues(entry, now)]))[0] ?? null
}

/** Changes what is given; null stays as it is. An endpoint that is switched on again starts without a history. @throws Fault `resource.unknown` */
export async function changeWebhookEndpoint(
  tx: TenantTx,
  id: string,
  to: { readonly url: string | null; readonly filterTypes: readonly string[] | null; readonly status: string | null },
  entry: AuditEntry,
  now: Date,
): Promise<WebhookEndpoint> {
  const values = [tx.tenantId, id, to.url, to.filterTypes, to.status, now, ...auditValues(entry, now)]
  return found(await tx.rows<WebhookEndpoint>(changeEndpoint, values))
}

/** Takes an endpoint away, with its secrets and deliveries. @throws Fault `resource.unknown` */
export async function deleteWebhookEndpoint(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  found(await tx.rows(deleteEndpoint, [tx.tenantId, id, ...auditValues(entry, now)]))
}

/** @throws Fault `resource.unknown` */
export async function getWebhookEndpointRow(tx: TenantTx, id: string): Promise<WebhookEndpoint> {
  return found(await tx.rows<WebhookEndpoint>(getEndpoint, [tx.tenantId, id]))
}

/**
 * Makes another secret the one that is shown last; the present one stays valid until `formerUntil`, one before it ends now. Several
 * statements: the first one lets one caller at a time go on. @throws Fault `resource.unknown`
 */
export async function replaceSecret(
  tx: TenantTx,
  id: string,
  secret: NewSecret,
  formerUntil: Date,
  entry: AuditEntry,
  now: Date,
): Promise<WebhookEndpoint> {
  const endpoint = found(
    await tx.rows<WebhookEndpoint>(touchEndpoint, [tx.tenantId, id, now, ...auditValues(entry, now)]),
  )
  await tx.rows(endSecrets, [tx.tenantId, id, formerUntil, now])
  await tx.rows(insertSecret, [tx.tenantId, secret.id, id, secret.sealed, now])
  return endpoint
}

/** Notes that an attempt went well. Writes nothing when the one before it did too, as fast or as slowly. */
export async function recordEndpointSuccess(tx: TenantTx, id: string, isSlow: boolean): Promise<void> {
  await tx.rows(markGood, [tx.tenantId, id, isSlow])
}

/** Notes the first failure after a success. */
export async function recordEndpointFailure(tx: TenantTx, id: string, now: Date): Promise<void> {
  await tx.rows(markFailing, [tx.tenantId, id, now])
}

/**
 * Switches an active endpoint off. With `failingSince` only if it has been failing since then or longer.
 *
 * @returns whether this call did it.
 */
export async function disableEndpoint(
  tx: TenantTx,
  id: string,
  why: { readonly reason: DisabledReason; readonly failingSince: Date | null },
  entry: AuditEntry,
  now: Date,
): Promise<boolean> {
  const values = [tx.tenantId, id, why.reason, now, why.failingSince, ...auditValues(entry, now)]
  return (await tx.rows(disable, values)).length === 1
}

/** One page, and one row more if there is a next page. Ids are in the order of creation. */
export function listWebhookEndpointRows(
  tx: TenantTx,
  ask: PageRequest,
  status: string | null,
): Promise<WebhookEndpoint[]> {
  return page<WebhookEndpoint>(tx, ask, [tx.tenantId], { status })
}

function found<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Fault('resource.unknown')
  return row
}
