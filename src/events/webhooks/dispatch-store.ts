import type { TenantId } from '../../caller.ts'
import { isFree, type Lease, take } from '../../store/lease.ts'
import { newId } from '../../store/row-id.ts'
import { type AcrossTx, plannedOnce, sql, type TenantTx } from '../../store/store.ts'
import { type Position, positionValues } from '../order/position.ts'
import { SETTLED, SETTLED_OF_STATE } from '../order/settled.ts'

/** An endpoint with new events, and the position up to which its deliveries exist. */
export type LaggingEndpoint = Position & {
  readonly tenantId: TenantId
  readonly endpointId: string
  readonly filterTypes: readonly string[]
}

/** An event without deliveries yet. */
type NewEvent = Position & { readonly type: string; readonly at: Date }

// One index look-up for each endpoint.
const listBehind = sql(
  'events.list_lagging_endpoints',
  `select e.tenant_id as "tenantId", e.id as "endpointId", e.filter_types as "filterTypes", e.era, e.xact::text as xact, e.event_id as id
   from webhook_endpoint e left join tenant_event_state s on s.tenant_id = e.tenant_id where e.status = 'active' and exists (
     select from audit_entry a where a.tenant_id = e.tenant_id and a.event_type is not null
       and (a.era, a.xact, a.id) > (e.era, e.xact, e.event_id) and ${SETTLED_OF_STATE})
   limit $1`,
)
const listFresh = plannedOnce(
  'events.list_new_events',
  `select a.id, a.event_type as type, a.at, a.era, a.xact::text as xact from audit_entry a
   where a.tenant_id = :tenantId and a.event_type is not null
     and (a.era, a.xact, a.id) > (:era::int, :xact::xid8, :id::uuid) and ${SETTLED}
   order by a.era, a.xact, a.id limit :limit`,
)
// The process that advances the position inserts the deliveries; another that read from the same position inserts none.
const advanceAndInsert = sql(
  'events.insert_deliveries',
  `with moved as (
     update webhook_endpoint set era = :toEra, xact = :toXact::xid8, event_id = :toId
     where tenant_id = :tenantId and id = :endpointId and status = 'active'
       and (era, xact, event_id) = (:fromEra::int, :fromXact::xid8, :fromId::uuid) returning id
   ), ins as (
     insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, status, due_at, tried_until, created_at)
     select :tenantId, made.id, moved.id, made.event_id, made.event_type, 'pending', :now, :triedUntil, :now
     from moved cross join unnest(:ids::uuid[], :eventIds::uuid[], :eventTypes::text[])
       as made (id, event_id, event_type)
     on conflict (tenant_id, endpoint_id, event_id) do nothing returning id
   )
   select id from ins`,
)

/** Lists active endpoints of all tenants with settled events after their position. */
export async function listLaggingEndpoints(tx: AcrossTx, limit: number): Promise<LaggingEndpoint[]> {
  return tx.rows<LaggingEndpoint>(listBehind, [limit])
}

/** Lists settled events after a position. */
export async function listNewEvents(tx: TenantTx, from: Position, limit: number): Promise<NewEvent[]> {
  return tx.rows<NewEvent>(listFresh, { tenantId: tx.tenantId, ...positionValues(from), limit })
}

/** Inserts deliveries and advances the endpoint to `to`. Does nothing if another process has advanced it. */
export async function insertDeliveries(
  tx: TenantTx,
  from: LaggingEndpoint,
  to: Position,
  events: readonly NewEvent[],
  times: { readonly now: Date; readonly triedUntil: Date },
): Promise<void> {
  await tx.rows(advanceAndInsert, {
    tenantId: tx.tenantId,
    endpointId: from.endpointId,
    fromEra: from.era,
    fromXact: from.xact,
    fromId: from.id,
    toEra: to.era,
    toXact: to.xact,
    toId: to.id,
    ids: events.map(() => newId()),
    eventIds: events.map((one) => one.id),
    eventTypes: events.map((one) => one.type),
    now: times.now,
    triedUntil: times.triedUntil,
  })
}

/** A delivery that this process has claimed. */
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

/** A due delivery that no process held when it was read. */
export type DueDelivery = Pick<ClaimedWebhookDelivery, 'tenantId' | 'id' | 'endpointId' | 'url' | 'isPoor'>

const POOR = '(e.failing_since is not null or e.is_slow)'
// Round robin over tenants: the n-th message of a tenant, counting those being sent, precedes the next one of any other
// tenant.
const listDue = sql(
  'events.list_due_deliveries',
  `with waiting as (
     select d.tenant_id, d.id, e.id as endpoint_id, e.url, ${POOR} as is_poor, d.due_at,
       row_number() over (partition by e.tenant_id order by d.due_at, d.id) as place
     from webhook_endpoint e cross join lateral (
       select tenant_id, id, due_at from webhook_delivery
       where tenant_id = e.tenant_id and endpoint_id = e.id and status = 'pending' and due_at <= $1 and ${isFree('$1')}
       order by due_at limit case when ${POOR} then 1 else $3::int end) as d
     where e.status = 'active' and e.id <> all($4::uuid[])
   )
   select tenant_id as "tenantId", id, endpoint_id as "endpointId", url, is_poor as "isPoor"
   from waiting left join unnest($5::uuid[], $6::int[]) as busy (tenant_id, count) using (tenant_id)
   where place + coalesce(busy.count, 0) <= $7
   order by place + coalesce(busy.count, 0), due_at limit $2`,
)
const claimStatement = sql(
  'events.claim_deliveries',
  `with due as (
     select id from webhook_delivery
     where tenant_id = $1 and id = any($2::uuid[]) and status = 'pending' and due_at <= $3 and ${isFree('$3')} for update skip locked
   )
   update webhook_delivery d set ${take('$4', '$5')}, tries = d.tries + 1 from due where d.tenant_id = $1 and d.id = due.id
   returning d.tenant_id as "tenantId", d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.tries, d.tried_until as "triedUntil",
     d.created_at as "createdAt"`,
)

/** How many deliveries to list, and how they are shared between endpoints and tenants. */
type DueLimits = {
  readonly limit: number
  /** Of one endpoint, unless it fails or is slow: then one. */
  readonly eachMax: number
  /** Of one tenant, counting those being sent. */
  readonly tenantMax: number
  /** Deliveries that this process is sending, by tenant. */
  readonly sending: ReadonlyMap<TenantId, number>
  /** Endpoints to skip, because they have reached their limit. */
  readonly without: readonly string[]
}

/** Lists due deliveries, tenants in turn, for {@link claimDeliveries}. */
export async function listDueDeliveries(
  tx: AcrossTx,
  { limit, eachMax, tenantMax, sending, without }: DueLimits,
  now: Date,
): Promise<DueDelivery[]> {
  const values = [now, limit, eachMax, without, [...sending.keys()], [...sending.values()], tenantMax]
  return tx.rows<DueDelivery>(listDue, values)
}

/** Claims those of a tenant's due deliveries that no other process has claimed meanwhile. */
export async function claimDeliveries(
  tx: TenantTx,
  due: readonly DueDelivery[],
  { claim, leaseUntil }: Lease,
  now: Date,
): Promise<ClaimedWebhookDelivery[]> {
  type Row = Omit<ClaimedWebhookDelivery, keyof Lease | keyof DueDelivery> & Pick<DueDelivery, 'tenantId' | 'id'>
  const listed = new Map(due.map((one) => [one.id, one]))
  const rows = await tx.rows<Row>(claimStatement, [tx.tenantId, [...listed.keys()], now, claim, leaseUntil])
  return rows.flatMap((row) => {
    const one = listed.get(row.id)
    return one === undefined ? [] : [{ ...one, ...row, claim, leaseUntil }]
  })
}
