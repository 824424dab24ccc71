import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { type Position, positionValues, SETTLED, START } from '../stream/position.ts'
import { type AuditEvent, type Count, extraCounted, type Metric } from './metric.ts'

/** An event with its position in the order. */
type PlacedEvent = AuditEvent & Position

const COLUMNS = `a.id, a.at, a.action, a.subject_kind as "subjectKind", a.subject_id as "subjectId", a.detail, a.era, a.xact`
const AFTER = 'a.tenant_id = $1 and (a.era, a.xact, a.id) > ($2::int, $3::xid8, $4::uuid)'
const EXTRA = `a.event_type is null and a.action in (${extraCounted.map((one) => `'${one}'`).join(', ')})`
/** Events after a position; each of the two kinds is read along its own index. */
const listAfter = (also: string) => {
  const part = (which: string) =>
    `(select ${COLUMNS} from audit_entry a where ${AFTER} and ${which} ${also} order by a.era, a.xact, a.id limit $5)`
  return `select id, at, action, "subjectKind", "subjectId", detail, era, xact::text as xact
    from (${part('a.event_type is not null')} union all ${part(EXTRA)}) as both_kinds
    order by both_kinds.era, both_kinds.xact, both_kinds.id limit $5`
}
const listSettled = sql('events.list_settled_counted', listAfter(`and ${SETTLED}`))
const listAny = sql('events.list_any_counted', listAfter(''))
// The process that advances the position adds its counts; another that counted from the same position adds nothing.
const add = sql(
  'events.add_counts',
  `with moved as (
     insert into event_count_position (tenant_id, era, xact, event_id, at) values ($1, $5, $6::xid8, $7, $8)
     on conflict (tenant_id) do update set era = excluded.era, xact = excluded.xact, event_id = excluded.event_id, at = excluded.at
       where (event_count_position.era, event_count_position.xact, event_count_position.event_id) = ($2::int, $3::xid8, $4::uuid)
     returning tenant_id)
   insert into event_count (tenant_id, template_id, month, figure, count)
   select moved.tenant_id, made.template_id, made.month, made.figure, made.count
   from moved cross join jsonb_to_recordset($9::jsonb) as made (template_id uuid, month date, figure text, count bigint)
   on conflict (tenant_id, month, template_id, figure) do update set count = event_count.count + excluded.count`,
)
const findPosition = sql(
  'events.find_counted_position',
  'select era, xact::text as xact, event_id as id, at from event_count_position where tenant_id = $1',
)
// Position and counts in one statement, so that they are consistent.
const listCounts = sql(
  'events.list_counts',
  `select p.era, p.xact::text as xact, p.event_id as id, p.at, c.template_id as "templateId", c.month::text as month, c.figure, c.count
   from event_count_position p
   left join event_count c on c.tenant_id = p.tenant_id and c.month between $2::date and $3::date and ($4::uuid is null or c.template_id = $4)
   where p.tenant_id = $1`,
)
// One index look-up for each tenant, not one for each event.
const listBehind = sql(
  'events.list_tenants_to_count',
  `with recursive recorded (tenant_id) as (
     (select tenant_id from audit_entry where event_type is not null order by tenant_id limit 1)
     union all
     select (select a.tenant_id from audit_entry a where a.event_type is not null and a.tenant_id > recorded.tenant_id order by a.tenant_id limit 1)
     from recorded where recorded.tenant_id is not null)
   select recorded.tenant_id as "tenantId" from recorded left join event_count_position p on p.tenant_id = recorded.tenant_id
   where recorded.tenant_id is not null and exists (
     select from audit_entry a where a.tenant_id = recorded.tenant_id and a.event_type is not null
       and (a.era, a.xact, a.id) > (coalesce(p.era, ${START.era}), coalesce(p.xact, '${START.xact}'::xid8), coalesce(p.event_id, '${START.id}'::uuid))
       and ${SETTLED})
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

/**
 * Lists counted events after a position, in order.
 *
 * @param settled Whether the list ends where the order is settled.
 */
export async function listAuditEvents(
  tx: TenantTx,
  from: Position,
  settled: boolean,
  limit: number,
): Promise<PlacedEvent[]> {
  return tx.rows<PlacedEvent>(settled ? listSettled : listAny, [tx.tenantId, ...positionValues(from), limit])
}

/** Adds counts and advances the position to `to`. Does nothing if another process has advanced it. */
export async function addCounts(
  tx: TenantTx,
  from: Position,
  to: PlacedEvent,
  counts: readonly Count[],
): Promise<void> {
  const made = counts.map(({ templateId, month, figure, count }) => ({ template_id: templateId, month, figure, count }))
  await tx.rows(add, [tx.tenantId, ...positionValues(from), ...positionValues(to), to.at, JSON.stringify(made)])
}

/** Returns the counts of some months, the first and the last as `2026-05-01`, and the counted position. */
export async function listCountRows(
  tx: TenantTx,
  { from, until, templateId }: { readonly from: string; readonly until: string; readonly templateId: string | null },
): Promise<{ readonly counted: Counted; readonly counts: Count[] }> {
  type Row = Counted & { templateId: string | null; month: string; figure: Metric; count: string }
  const rows = await tx.rows<Row>(listCounts, [tx.tenantId, from, until, templateId])
  const counts = rows.flatMap((row) =>
    row.templateId === null
      ? []
      : [{ templateId: row.templateId, month: row.month, figure: row.figure, count: Number(row.count) }],
  )
  const [first] = rows
  if (first === undefined) return { counted: NOTHING, counts }
  return { counted: { era: first.era, xact: first.xact, id: first.id, at: first.at }, counts }
}
