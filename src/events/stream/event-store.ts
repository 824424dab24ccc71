import type { TenantId } from '../../caller.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { type AcrossTx, plannedOnce, type Sql, sql, type TenantTx } from '../../store/store.ts'
import { isFrequent, RARE } from '../audit/frequent-actions.ts'
import { addTenantStates } from '../order/era-store.ts'
import { END, type Position, positionValues, START } from '../order/position.ts'
import { SETTLED, SETTLED_OF_STATE, SETTLED_POSITION } from '../order/settled.ts'
import type { PublishedEvent } from './event.ts'

const COLUMNS = `a.id, a.event_type as type, a.at, a.subject_kind as "subjectKind", a.subject_id as "subjectId", a.detail,
  a.era, a.xact::text as xact`
/** SQL: the order of events by their positions, upwards and downwards. */
export const ORDER = { up: 'a.era, a.xact, a.id', down: 'a.era desc, a.xact desc, a.id desc' } as const
const PAST = { up: '>', down: '<' } as const

/** Filters of a list of events; null: no filter. */
export type EventFilter = {
  readonly types: readonly string[] | null
  readonly subject: string | null
  /** ISO 8601. */
  readonly createdAfter?: string | null
  readonly createdBefore?: string | null
  /** Only notifications of this user, whatever their types; not together with another filter. */
  readonly userId?: string | null
}

const ID_SKEW_MS = 2000

const findPlace = sql(
  'events.find_position',
  `select era, xact::text as xact, id from audit_entry where tenant_id = $1 and id = $2 and event_type is not null`,
)
// Events that are visible in the snapshot come before it; those that commit later come after it, whatever their
// position. While a tenant that was moved has recorded nothing where it is now, all its events are settled and the
// newest is the position: what this node assigns decides nothing yet.
const present = sql(
  'events.current_position',
  `select case when now.moved then coalesce(last.era, ${START.era}) else now.era end as era,
     case when now.moved then coalesce(last.xact, '${START.xact}'::xid8) else now.xact end::text as xact,
     case when now.moved then coalesce(last.id, '${START.id}'::uuid) else '${START.id}'::uuid end as id,
     case when not now.moved then now.snapshot end as seen
   from (${SETTLED_POSITION}) now left join lateral (
     select a.era, a.xact, a.id from audit_entry a where a.tenant_id = $1 and a.event_type is not null and now.moved
     order by ${ORDER.down} limit 1) last on true`,
)
const getOne = sql(
  'events.find_event',
  `select ${COLUMNS} from audit_entry a where tenant_id = $1 and id = $2 and event_type is not null`,
)
const newest = sql(
  'events.newest_positions',
  `select s.tenant_id as "tenantId", (
     select a.id from audit_entry a where a.tenant_id = s.tenant_id and a.event_type is not null and ${SETTLED_OF_STATE}
     order by ${ORDER.down} limit 1) as id
   from tenant_event_state s where s.tenant_id = any($1::uuid[])`,
)
type Direction = keyof typeof ORDER
type TypeFilter = 'none' | 'rare' | 'frequent' | 'several'
const typeCondition: Readonly<Record<TypeFilter, string>> = {
  none: ':types::text[] is null',
  rare: `a.event_type = (:types::text[])[1] and ${RARE}`,
  frequent: 'a.event_type = (:types::text[])[1]',
  several: 'a.event_type = any(:types::text[])',
}

function listStatement(direction: Direction, type: TypeFilter, by: 'subject' | 'user' | null): Sql {
  const conditions = [
    'a.tenant_id = :tenantId and a.event_type is not null',
    `(a.era, a.xact, a.id) ${PAST[direction]} (:era::int, :xact::xid8, :id::uuid)`,
    ...(direction === 'up' ? [SETTLED] : []),
    typeCondition[type],
    by === 'subject' ? 'a.subject_id = :subject' : ':subject::text is null',
    // A snapshot says nothing of the transactions of a later era, which another node may have assigned.
    '(:seen::pg_snapshot is null or a.era > :era::int or not pg_visible_in_snapshot(a.xact, :seen))',
    '(:createdAfter::timestamptz is null or a.at >= :createdAfter)',
    '(:createdBefore::timestamptz is null or a.at < :createdBefore)',
    // The id and the time of an event differ by at most a second.
    // Never null, so that the months that have none of these ids are not read.
    'a.id >= :firstId::uuid and a.id < :endId::uuid',
    ...(by === 'user' ? ['a.notified_user = :userId'] : []),
  ]
  return plannedOnce(
    `events.list_${direction}_${type}${by === null ? '' : `_${by}`}`,
    `select ${COLUMNS} from audit_entry a where ${conditions.join(' and ')} order by ${ORDER[direction]} limit :limit`,
  )
}

/** A statement for each combination of filters, so that each is planned for the index that serves it. */
function listStatements(direction: Direction, type: TypeFilter) {
  return {
    all: listStatement(direction, type, null),
    subject: listStatement(direction, type, 'subject'),
  }
}
const listsIn = (direction: Direction) => ({
  none: listStatements(direction, 'none'),
  rare: listStatements(direction, 'rare'),
  frequent: listStatements(direction, 'frequent'),
  several: listStatements(direction, 'several'),
  user: listStatement(direction, 'none', 'user'),
})
const lists = { up: listsIn('up'), down: listsIn('down') }

/**
 * Lists events after a position, or before it when descending. Ascending reads end where the order is settled, so that
 * a reader that continues from the last event misses none.
 *
 * @param seen A snapshot, as {@link currentPosition} returns it: events of the era of `from` that are visible in it are
 *   left out.
 */
export async function listEventRows(
  tx: TenantTx,
  ask: {
    readonly from: Position | null
    readonly descending: boolean
    readonly limit: number
    readonly seen?: string | null
  },
  { types, subject, createdAfter = null, createdBefore = null, userId = null }: EventFilter,
): Promise<PublishedEvent[]> {
  const direction = ask.descending ? 'down' : 'up'
  const from = ask.from ?? (ask.descending ? END : START)
  const kind = kindOf(types)
  const idAt = (time: string | null, skewMs: number, otherwise: string) =>
    time === null ? otherwise : lowestIdAt(new Date(Date.parse(time) + skewMs))
  const own = lists[direction]
  const statement = userId !== null ? own.user : own[kind][subject === null ? 'all' : 'subject']
  const values = {
    tenantId: tx.tenantId,
    ...positionValues(from),
    limit: ask.limit,
    types,
    subject,
    seen: ask.seen ?? null,
    createdAfter,
    createdBefore,
    firstId: idAt(createdAfter, -ID_SKEW_MS, START.id),
    endId: idAt(createdBefore, ID_SKEW_MS, END.id),
  }
  return tx.rows<PublishedEvent>(statement, userId === null ? values : { ...values, userId })
}

function kindOf(types: readonly string[] | null): TypeFilter {
  const [only, ...others] = types ?? []
  if (only === undefined) return 'none'
  return others.length > 0 ? 'several' : isFrequent(only) ? 'frequent' : 'rare'
}

/** Returns the position of an event. */
export async function findEventPosition(tx: TenantTx, id: string): Promise<Position | null> {
  return (await tx.rows<Position>(findPlace, [tx.tenantId, id]))[0] ?? null
}

/**
 * Returns where a reader of future events starts: from `from`, leaving out events of its era that are visible in
 * `seen`.
 */
export async function currentPosition(tx: TenantTx): Promise<{ from: Position; seen: string | null }> {
  const [row] = await tx.rows<Position & { seen: string | null }>(present, [tx.tenantId])
  if (row === undefined) throw new Error('the settled position was not returned')
  const { seen, ...from } = row
  return { from, seen }
}

/** Returns one event, whether its position is settled or not. */
export async function findEvent(tx: TenantTx, id: string): Promise<PublishedEvent | null> {
  return (await tx.rows<PublishedEvent>(getOne, [tx.tenantId, id]))[0] ?? null
}

/** Returns the id of the newest settled event of each tenant that has one. */
export async function newestPositions(tx: AcrossTx, tenants: readonly TenantId[]): Promise<Map<TenantId, string>> {
  const read = () => tx.rows<{ tenantId: TenantId; id: string | null }>(newest, [tenants])
  let rows = await read()
  if (rows.length < tenants.length) {
    // A new tenant, whose row no sweep has added yet.
    await addTenantStates(tx)
    rows = await read()
  }
  return new Map(rows.flatMap(({ tenantId, id }) => (id === null ? [] : [[tenantId, id]])))
}
