import type { TenantId } from '../caller.ts'
import { newId } from '../crypto/random.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'
import { type Position, placeOf, SETTLED } from './position.ts'

/** An endpoint for which there is something new, and up to where deliveries have been made. */
export type Behind = Position & {
  readonly tenantId: TenantId
  readonly endpointId: string
  readonly filterTypes: readonly string[]
}

/** An event that an endpoint may want. */
export type Fresh = Position & { readonly type: string; readonly at: Date }

// One look at an index for each endpoint; without endpoints nothing.
const listBehind = sql(
  'events.endpoints-behind',
  `select e.tenant_id as "tenantId", e.id as "endpointId", e.filter_types as "filterTypes", e.era, e.xact::text as xact, e.event_id as id
   from webhook_endpoint e where e.status = 'active' and exists (
     select from audit_entry a where a.tenant_id = e.tenant_id and a.event_type is not null
       and (a.era, a.xact, a.id) > (e.era, e.xact, e.event_id) and ${SETTLED})
   limit $1`,
)
const listFresh = sql(
  'events.fresh',
  `select a.id, a.event_type as type, a.at, a.era, a.xact::text as xact from audit_entry a
   where a.tenant_id = $1 and a.event_type is not null and (a.era, a.xact, a.id) > ($2::int, $3::xid8, $4::uuid) and ${SETTLED}
   order by a.era, a.xact, a.id limit $5`,
)
// Whoever moves the position on makes the deliveries; somebody else who read from the same position moves nothing and makes none.
const moveOn = sql(
  'events.fan-out',
  `with moved as (
     update webhook_endpoint set era = $6, xact = $7::xid8, event_id = $8
     where tenant_id = $1 and id = $2 and status = 'active' and (era, xact, event_id) = ($3::int, $4::xid8, $5::uuid) returning id)
   insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, status, due_at, tried_until, created_at)
   select $1, made.id, moved.id, made.event_id, made.event_type, 'pending', $12, $13, $12
   from moved cross join unnest($9::uuid[], $10::uuid[], $11::text[]) as made (id, event_id, event_type)
   on conflict (tenant_id, endpoint_id, event_id) do nothing`,
)

/** Active endpoints of all tenants that have not been given everything that happened. */
export async function listEndpointsBehind(tx: AcrossTx, limit: number): Promise<Behind[]> {
  return tx.rows<Behind>(listBehind, [limit])
}

/** What happened behind a position, as far as its order is settled. */
export async function listFreshEvents(tx: TenantTx, from: Position, limit: number): Promise<Fresh[]> {
  return tx.rows<Fresh>(listFresh, [tx.tenantId, ...placeOf(from), limit])
}

/** Makes deliveries and moves the position of the endpoint on to `to`, unless somebody else has moved it. */
export async function insertDeliveries(
  tx: TenantTx,
  from: Behind,
  to: Position,
  wanted: readonly Fresh[],
  times: { readonly now: Date; readonly triedUntil: Date },
): Promise<void> {
  await tx.rows(moveOn, [
    ...[tx.tenantId, from.endpointId, ...placeOf(from), ...placeOf(to)],
    wanted.map(() => newId()),
    wanted.map((one) => one.id),
    wanted.map((one) => one.type),
    ...[times.now, times.triedUntil],
  ])
}

/** A delivery that this process holds until `leaseUntil`. */
export type ClaimedDelivery = {
  readonly tenantId: TenantId
  readonly id: string
  readonly endpointId: string
  readonly eventId: string
  readonly url: string
  readonly isFailing: boolean
  readonly tries: number
  readonly triedUntil: Date
  readonly createdAt: Date
  readonly claim: string
  readonly leaseUntil: Date
}

// Of an endpoint that fails one at a time, of any other some: no receiver keeps those of others waiting.
const claimDue = sql(
  'events.delivery-claim',
  `with due as (
     select d.tenant_id, d.id, e.url, e.failing_since
     from webhook_endpoint e cross join lateral (
       select d.tenant_id, d.id, d.due_at from webhook_delivery d
       where d.tenant_id = e.tenant_id and d.endpoint_id = e.id and d.status = 'pending' and d.due_at <= $1
       order by d.due_at limit case when e.failing_since is null then $3::int else 1 end
       for update skip locked) as d
     where e.status = 'active' and e.id <> all($4::uuid[])
     order by d.due_at limit $2
   )
   update webhook_delivery d set claim = $5, due_at = $6, tries = d.tries + 1
   from due where d.tenant_id = due.tenant_id and d.id = due.id
   returning d.tenant_id as "tenantId", d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", due.url,
     due.failing_since is not null as "isFailing", d.tries,
     d.tried_until as "triedUntil", d.created_at as "createdAt"`,
)

/**
 * Takes deliveries that are due. One statement, and rows that somebody else looks at are skipped, so of two servers one gets a delivery; it
 * is due again when the lease is over, because then whoever held it must have died.
 *
 * @param ask `eachMax`: of one endpoint. `without`: endpoints that have enough to do already.
 */
export async function claimDeliveries(
  tx: AcrossTx,
  ask: {
    readonly limit: number
    readonly eachMax: number
    readonly without: readonly string[]
    readonly leaseUntil: Date
  },
  now: Date,
): Promise<ClaimedDelivery[]> {
  const claim = newId()
  const { limit, eachMax, without, leaseUntil } = ask
  const rows = await tx.rows<Omit<ClaimedDelivery, 'claim' | 'leaseUntil'>>(claimDue, [
    ...[now, limit, eachMax, without, claim, leaseUntil],
  ])
  return rows.map((row) => ({ ...row, claim, leaseUntil }))
}
