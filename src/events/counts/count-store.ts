import type { TenantId } from '../../caller.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { type Position, positionValues, START } from '../order/position.ts'
import { hasEntry, SETTLED, SETTLED_OF_STATE } from '../order/settled.ts'
import { type AuditEvent, type Count, type EndCount, extraCounted, type Metric } from './metric.ts'

/** By what counts are added up: by template and time, by time for all templates, or by template for the whole range. */
type Group = 'both' | 'time' | 'template'

/** Days for which counts by day are kept. */
const DAYS_KEPT = 400
/** By so much the time of an event may be before that of events that were counted already. */
const LATE_MS_MAX = 35 * 86_400_000

/** An event with its position in the order. */
type PlacedEvent = AuditEvent & Position

const COLUMNS = `a.id, a.at, a.action, a.subject_kind as "subjectKind", a.subject_id as "subjectId", a.detail, a.era, a.xact`
// As subqueries, which hide the position from the planner: all eras are alike, so it expects no event after a known
// one, and sorts all of them then.
const AFTER =
  'a.tenant_id = :tenantId and (a.era, a.xact, a.id) > ((select :era::int), (select :xact::xid8), (select :id::uuid))'
const EXTRA = `a.event_type is null and a.action in (${extraCounted.map((one) => `'${one}'`).join(', ')})`
/** Events after a position; each of the two kinds is read along its own index. */
const listAfter = (also: string) => {
  const part = (which: string) =>
    `(select ${COLUMNS} from audit_entry a where ${AFTER} and ${which} ${also}
      order by a.era, a.xact, a.id limit :limit)`
  return `select id, at, action, "subjectKind", "subjectId", detail, era, xact::text as xact
    from (${part('a.event_type is not null')} union all ${part(EXTRA)}) as both_kinds
    order by both_kinds.era, both_kinds.xact, both_kinds.id limit :limit`
}
const listSettled = sql('events.list_settled_counted', listAfter(`and ${SETTLED}`))
// With a first id, so that only the latest months of the trail are planned and opened.
const listAny = sql('events.list_any_counted', listAfter('and a.id >= :firstId::uuid'))
// The process that advances the position adds its counts; another that counted from the same position adds nothing.
const add = sql(
  'events.add_counts',
  `with moved as (
     insert into event_count_position (tenant_id, era, xact, event_id, at)
     values (:tenantId, :toEra, :toXact::xid8, :toId, :at)
     on conflict (tenant_id) do update set era = excluded.era, xact = excluded.xact, event_id = excluded.event_id, at = excluded.at
       where (event_count_position.era, event_count_position.xact, event_count_position.event_id)
         = (:fromEra::int, :fromXact::xid8, :fromId::uuid)
     returning tenant_id
   ), made as (
     select moved.tenant_id, one.template_id, one.day, one.figure, one.count
     from moved cross join jsonb_to_recordset(:counts::jsonb)
       as one (template_id uuid, day date, figure text, count bigint)
   ), days as (
     insert into event_day_count (tenant_id, template_id, day, figure, count)
     select tenant_id, template_id, day, figure, count from made
     on conflict (tenant_id, day, template_id, figure) do update set count = event_day_count.count + excluded.count returning day
   ), old as (
     delete from event_day_count where tenant_id = :tenantId and day < :at::timestamptz::date - ${DAYS_KEPT}
       and exists (select from moved)
   ), totals as (
     insert into event_total (tenant_id, figure, count) select tenant_id, figure, sum(count) from made group by tenant_id, figure
     on conflict (tenant_id, figure) do update set count = event_total.count + excluded.count returning figure
   ), ends as (
     insert into credential_end_count (tenant_id, ends_on, count)
     select moved.tenant_id, one.ends_on, one.count from moved
       cross join jsonb_to_recordset(:ends::jsonb) as one (ends_on date, count bigint)
     on conflict (tenant_id, ends_on) do update set count = credential_end_count.count + excluded.count returning ends_on
   ), months as (
     insert into event_count (tenant_id, template_id, month, figure, count)
     select tenant_id, template_id, date_trunc('month', day)::date, figure, sum(count) from made group by 1, 2, 3, 4
     on conflict (tenant_id, month, template_id, figure) do update set count = event_count.count + excluded.count returning month
   )
   select tenant_id from moved`,
)
const findPosition = sql(
  'events.find_counted_position',
  'select era, xact::text as xact, event_id as id, at from event_count_position where tenant_id = $1',
)
/**
 * Position and counts in one statement, so that they are consistent. A column by which the counts are not grouped is
 * null: a large tenant has thousands of counts, and a chart needs a dozen sums.
 */
const countsBy = (unit: 'month' | 'day', group: Group) => {
  const table = unit === 'day' ? 'event_day_count' : 'event_count'
  const template = group === 'time' ? 'null::uuid' : 'template_id'
  const time = group === 'template' ? 'null::date' : unit
  return sql(
    `events.list_${unit}_counts_by_${group}`,
    `select p.era, p.xact::text as xact, p.event_id as id, p.at, c.template_id as "templateId", c.time::text as day, c.figure, c.count
     from event_count_position p
     left join (
       select ${template} as template_id, ${time} as time, figure, sum(count)::bigint as count from ${table}
       where tenant_id = $1 and ${unit} between $2::date and $3::date and ($4::uuid is null or template_id = $4) group by 1, 2, 3
     ) c on true
     where p.tenant_id = $1`,
  )
}
const listCounts = {
  month: { both: countsBy('month', 'both'), time: countsBy('month', 'time'), template: countsBy('month', 'template') },
  day: { both: countsBy('day', 'both'), time: countsBy('day', 'time'), template: countsBy('day', 'template') },
} as const
const findTotals = sql(
  'events.find_totals',
  `select p.era, p.xact::text as xact, p.event_id as id, p.at,
     (select jsonb_object_agg(t.figure, t.count) from event_total t where t.tenant_id = $1) as totals,
     (select jsonb_agg(jsonb_build_object('endsOn', e.ends_on, 'count', e.count)) from credential_end_count e
       where e.tenant_id = $1 and e.ends_on >= $2::date) as ends,
     (select coalesce(sum(d.count), 0)::int from event_day_count d
       where d.tenant_id = $1 and d.day = $2::date and d.figure = 'presentation.verified') as verified
   from event_count_position p where p.tenant_id = $1`,
)
// One index look-up for each tenant, not one for each event.
const listBehind = sql(
  'events.list_tenants_to_count',
  `select s.tenant_id as "tenantId" from tenant_event_state s left join event_count_position p on p.tenant_id = s.tenant_id
   where ${hasEntry(
     `a.tenant_id = s.tenant_id and a.event_type is not null and ${SETTLED_OF_STATE}
     and (a.era, a.xact, a.id) > (coalesce(p.era, ${START.era}), coalesce(p.xact, '${START.xact}'::xid8),
       coalesce(p.event_id, '${START.id}'::uuid))`,
     'a.era, a.xact, a.id',
   )}
   limit $1`,
)

/** The position up to which events are counted, and the time of the last one; null: none is. */
type Counted = Position & { readonly at: Date | null }

const NOTHING: Counted = { ...START, at: null }

/** Lists tenants with settled events that are not counted. */
export async function listTenantsToCount(tx: AcrossTx, limit: number): Promise<TenantId[]> {
  return (await tx.rows<{ tenantId: TenantId }>(listBehind, [limit])).map((row) => row.tenantId)
}

/** Returns the position up to which events are counted. */
export async function findCounted(tx: TenantTx): Promise<Counted> {
  return (await tx.rows<Counted>(findPosition, [tx.tenantId]))[0] ?? NOTHING
}

/** Lists counted events after a position in order, up to where the order is settled. */
export async function listSettledEvents(tx: TenantTx, from: Position, limit: number): Promise<PlacedEvent[]> {
  return tx.rows<PlacedEvent>(listSettled, { tenantId: tx.tenantId, ...positionValues(from), limit })
}

/**
 * Lists events after those that are counted in order, also where the order is not settled. An event whose time is 35
 * days before that of the last counted one, as a server with a wrong clock records it, is not listed: the sweep counts
 * it.
 */
export async function listFreshEvents(tx: TenantTx, counted: Counted, limit: number): Promise<PlacedEvent[]> {
  const firstId = counted.at === null ? START.id : lowestIdAt(new Date(counted.at.getTime() - LATE_MS_MAX))
  return tx.rows<PlacedEvent>(listAny, { tenantId: tx.tenantId, ...positionValues(counted), limit, firstId })
}

/** Adds counts and advances the position to `to`. Does nothing if another process has advanced it. */
export async function addCounts(
  tx: TenantTx,
  from: Position,
  to: PlacedEvent,
  { counts, ends }: { readonly counts: readonly Count[]; readonly ends: readonly EndCount[] },
): Promise<void> {
  const made = counts.map(({ templateId, ...one }) => ({ ...one, template_id: templateId }))
  const ended = ends.map(({ endsOn, count }) => ({ ends_on: endsOn, count }))
  await tx.rows(add, {
    tenantId: tx.tenantId,
    fromEra: from.era,
    fromXact: from.xact,
    fromId: from.id,
    toEra: to.era,
    toXact: to.xact,
    toId: to.id,
    at: to.at,
    counts: JSON.stringify(made),
    ends: JSON.stringify(ended),
  })
}

/** Which counts: the first and the last month as `2026-05-01`, or day, and the template; null: all templates. */
export type CountRange = {
  readonly by: 'month' | 'day'
  readonly group?: Group
  readonly from: string
  readonly until: string
  readonly templateId: string | null
}

/** Returns the counts of some months or days, and the counted position. By what counts are not grouped is empty. */
export async function listCountRows(
  tx: TenantTx,
  { by, group = 'both', from, until, templateId }: CountRange,
): Promise<{ readonly counted: Counted; readonly counts: Count[] }> {
  type Row = Counted & { templateId: string | null; day: string | null; figure: Metric | null; count: string }
  const rows = await tx.rows<Row>(listCounts[by][group], [tx.tenantId, from, until, templateId])
  const counts = rows.flatMap(({ figure, templateId, day, count }) =>
    figure === null ? [] : [{ templateId: templateId ?? '', day: day ?? '', figure, count: Number(count) }],
  )
  const [first] = rows
  if (first === undefined) return { counted: NOTHING, counts }
  return { counted: { era: first.era, xact: first.xact, id: first.id, at: first.at }, counts }
}

/** All-time metrics, the ends of credentials from a day on, and the presentations verified on it. */
export type Totals = {
  readonly totals: { readonly [F in Metric]?: number }
  readonly ends: readonly EndCount[]
  readonly verified: number
}

/** Returns the totals with the ends from a day in UTC on, and the counted position. */
export async function findTotalRows(tx: TenantTx, day: string): Promise<Totals & { readonly counted: Counted }> {
  type Row = Counted & { totals: Totals['totals'] | null; ends: EndCount[] | null; verified: number }
  const [row] = await tx.rows<Row>(findTotals, [tx.tenantId, day])
  if (row === undefined) return { counted: NOTHING, totals: {}, ends: [], verified: 0 }
  const { era, xact, id, at, totals, ends, verified } = row
  return { counted: { era, xact, id, at }, totals: totals ?? {}, ends: ends ?? [], verified }
}
