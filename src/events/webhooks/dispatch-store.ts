import type { TenantId } from '../../caller.ts'
import { isFree, type Lease, take } from '../../store/lease.ts'
import { newId } from '../../store/row-id.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { type Position, positionValues, SETTLED } from '../stream/position.ts'

/** An endpoint for which there is something new, and up to where deliveries have been made. */
export type LaggingEndpoint = Position & {
  readonly tenantId: TenantId
  readonly endpointId: string
  readonly filterTypes: readonly string[]
}

/** An event that an endpoint may want. */
export type NewEvent = Position & { readonly type: string; readonly at: Date }

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
// The process that moves the position on makes the deliveries; another one that read from the same position makes none.
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
export async function listLaggingEndpoints(tx: AcrossTx, limit: number): Promise<LaggingEndpoint[]> {
  return tx.rows<LaggingEndpoint>(listBehind, [limit])
}

/** What happened behind a position, as far as its order is settled. */
export async function listNewEvents(tx: TenantTx, from: Position, limit: number): Promise<NewEvent[]> {
  return tx.rows<NewEvent>(listFresh, [tx.tenantId, ...positionValues(from), limit])
}

/** Makes deliveries and moves the position of the endpoint on to `to`, unless somebody else has moved it. */
export async function insertDeliveries(
  tx: TenantTx,
  from: LaggingEndpoint,
  to: Position,
  wanted: readonly NewEvent[],
  times: { readonly now: Date; readonly triedUntil: Date },
): Promise<void> {
  await tx.rows(moveOn, [
    ...[tx.tenantId, from.endpointId, ...positionValues(from), ...positionValues(to)],
    wanted.map(() => newId()),
    wanted.map((one) => one.id),
    wanted.map((one) => one.type),
    ...[times.now, times.triedUntil],
  ])
}

/** A delivery that this process holds until `leaseUntil`. */
export type ClaimedWebhookDelivery = Lease & {
  readonly tenantId: TenantId
  readonly id: string
  readonly endpointId: string
  readonly eventId: string
  readonly url: string
  /** Whether its endpoint fails or is slow. */
  readonly isPoor: boolean
  readonly tries: number
  readonly triedUntil: Date
  readonly createdAt: Date
}

const POOR = '(e.failing_since is not null or e.is_slow)'
// Tenants take turns: the n-th message of a tenant, with those that are being sent, goes before the next one of any other.
const claimDue = sql(
  'events.delivery-claim',
  `with waiting as (
     select d.tenant_id, d.id, e.url, ${POOR} as is_poor, d.due_at, row_number() over (partition by e.tenant_id order by d.due_at, d.id) as place
     from webhook_endpoint e cross join lateral (
       select tenant_id, id, due_at from webhook_delivery
       where tenant_id = e.tenant_id and endpoint_id = e.id and status = 'pending' and due_at <= $1 and ${isFree('$1')}
       order by due_at limit case when ${POOR} then 1 else $3::int end) as d
     where e.status = 'active' and e.id <> all($4::uuid[])
   ), turn as (
     select waiting.*, place + coalesce(busy.count, 0) as place_of_all
     from waiting left join unnest($5::uuid[], $6::int[]) as busy (tenant_id, count) using (tenant_id)
     where place + coalesce(busy.count, 0) <= $7
   ), due as (
     select d.tenant_id, d.id, turn.url, turn.is_poor
     from turn join webhook_delivery d on d.tenant_id = turn.tenant_id and d.id = turn.id
     where d.status = 'pending' and d.due_at <= $1 and ${isFree('$1')}
     order by turn.place_of_all, turn.due_at limit $2 for update of d skip locked
   )
   update webhook_delivery d set ${take('$8', '$9')}, tries = d.tries + 1
   from due where d.tenant_id = due.tenant_id and d.id = due.id
   returning d.tenant_id as "tenantId", d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", due.url, due.is_poor as "isPoor",
     d.tries, d.tried_until as "triedUntil", d.created_at as "createdAt"`,
)

/** How many deliveries are wanted, and how they are shared out. */
export type ClaimAsk = {
  readonly limit: number
  /** Of one endpoint, unless it fails or is slow: then one. */
  readonly eachMax: number
  /** Of one tenant, with those that are being sent. */
  readonly tenantMax: number
  /** How many this process is sending, by tenant. */
  readonly sending: ReadonlyMap<TenantId, number>
  /** Endpoints that have enough to do already. */
  readonly without: readonly string[]
}

/** Takes deliveries that are due, tenants in turn. One statement, and rows that another server is taking are skipped. */
export async function claimDeliveries(
  tx: AcrossTx,
  { limit, eachMax, tenantMax, sending, without }: ClaimAsk,
  { claim, leaseUntil }: Lease,
  now: Date,
): Promise<ClaimedWebhookDelivery[]> {
  const rows = await tx.rows<Omit<ClaimedWebhookDelivery, keyof Lease>>(claimDue, [
    ...[now, limit, eachMax, without, [...sending.keys()], [...sending.values()], tenantMax, claim, leaseUntil],
  ])
  return rows.map((row) => ({ ...row, claim, leaseUntil }))
}
