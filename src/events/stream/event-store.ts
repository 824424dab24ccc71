import type { TenantId } from '../../caller.ts'
import { type AcrossTx, type Sql, sql, type TenantTx } from '../../store/store.ts'
import { isFrequent, RARE } from '../audit/frequent-actions.ts'
import type { PublishedEvent } from './event.ts'
import { END, type Position, placeOf, SETTLED, START } from './position.ts'

const COLUMNS = `a.id, a.event_type as type, a.at, a.subject_kind as "subjectKind", a.subject_id as "subjectId", a.detail,
  a.era, a.xact::text as xact`
const ORDER = { up: 'a.era, a.xact, a.id', down: 'a.era desc, a.xact desc, a.id desc' } as const
const PAST = { up: '>', down: '<' } as const

/** Which events are wanted; null: all of them. */
export type EventFilter = { readonly type: string | null; readonly subject: string | null }

const findPlace = sql(
  'events.place',
  `select era, xact::text as xact, id from audit_entry where tenant_id = $1 and id = $2 and event_type is not null`,
)
// Everything that this very snapshot sees is before; what commits later is behind, whatever its place.
const present = sql(
  'events.present',
  `select (select era from event_era) as era, pg_snapshot_xmin(pg_current_snapshot())::text as xact, pg_current_snapshot()::text as snapshot`,
)
const getOne = sql(
  'events.get',
  `select ${COLUMNS} from audit_entry a where tenant_id = $1 and id = $2 and event_type is not null`,
)
const newest = sql(
  'events.newest',
  `select w.tenant_id as "tenantId", (
     select a.id from audit_entry a where a.tenant_id = w.tenant_id and a.event_type is not null and ${SETTLED}
     order by ${ORDER.down} limit 1) as id
   from unnest($1::uuid[]) as w (tenant_id)`,
)
// One look at the index for each tenant, and not one for each event.
const foreignRows = sql(
  'events.foreign-rows',
  `with recursive known (tenant_id) as (
     (select tenant_id from audit_entry where event_type is not null order by tenant_id limit 1)
     union all
     select (select a.tenant_id from audit_entry a where a.event_type is not null and a.tenant_id > known.tenant_id order by a.tenant_id limit 1)
     from known where known.tenant_id is not null)
   select era from event_era where exists (
     select from known cross join lateral (
       select a.era, a.xact from audit_entry a where a.tenant_id = known.tenant_id and a.event_type is not null
       order by ${ORDER.down} limit 1) as last
     where last.era = event_era.era and last.xact >= pg_snapshot_xmax(pg_current_snapshot()))`,
)
const beginEra = sql('events.begin-era', 'select begin_event_era($1)')

type Direction = keyof typeof ORDER
type Choice = {
  readonly direction: Direction
  readonly settled: boolean
  readonly type: 'none' | 'rare' | 'frequent'
  readonly subject: boolean
}

const lists = new Map<string, Sql>()

/** A statement for each combination of filters, so that each is planned for the index that serves it. */
function listFor({ direction, settled, type, subject }: Choice): Sql {
  const name = `events.list-${direction}${settled ? '-settled' : ''}${type === 'none' ? '' : `-${type}`}${subject ? '-subject' : ''}`
  const known = lists.get(name)
  if (known !== undefined) return known
  const conditions = [
    `a.tenant_id = $1 and a.event_type is not null and (a.era, a.xact, a.id) ${PAST[direction]} ($2::int, $3::xid8, $4::uuid)`,
    ...(settled ? [SETTLED] : []),
    type === 'none' ? '$6::text is null' : `a.event_type = $6${type === 'rare' ? ` and ${RARE}` : ''}`,
    subject ? 'a.subject_id = $7' : '$7::text is null',
    '($8::pg_snapshot is null or not pg_visible_in_snapshot(a.xact, $8))',
  ]
  const made = sql(
    name,
    `select ${COLUMNS} from audit_entry a where ${conditions.join(' and ')} order by ${ORDER[direction]} limit $5`,
  )
  lists.set(name, made)
  return made
}

/**
 * Events past a position. Upwards only as far as the order is settled, so that a reader who goes on from the last one misses nothing.
 *
 * @param seen A snapshot, as {@link currentPosition} gives it: what it saw is left out.
 */
export async function listEventRows(
  tx: TenantTx,
  ask: {
    readonly from: Position | null
    readonly descending: boolean
    readonly limit: number
    readonly seen?: string | null
  },
  { type, subject }: EventFilter,
): Promise<PublishedEvent[]> {
  const direction = ask.descending ? 'down' : 'up'
  const from = ask.from ?? (ask.descending ? END : START)
  const kind = type === null ? 'none' : isFrequent(type) ? 'frequent' : 'rare'
  const statement = listFor({ direction, settled: !ask.descending, type: kind, subject: subject !== null })
  return tx.rows<PublishedEvent>(statement, [tx.tenantId, ...placeOf(from), ask.limit, type, subject, ask.seen ?? null])
}

/** Where an event stands. */
export async function findEventPlace(tx: TenantTx, id: string): Promise<Position | null> {
  return (await tx.rows<Position>(findPlace, [tx.tenantId, id]))[0] ?? null
}

/** Where a reader begins who wants only what is still to come: read from `from`, leaving out what `seen` saw. */
export async function currentPosition(tx: TenantTx): Promise<{ from: Position; seen: string }> {
  const [row] = await tx.rows<{ era: number; xact: string; snapshot: string }>(present)
  if (row === undefined) throw new Error('there is no era')
  return { from: { era: row.era, xact: row.xact, id: START.id }, seen: row.snapshot }
}

/** One event, settled or not. */
export async function findEvent(tx: TenantTx, id: string): Promise<PublishedEvent | null> {
  return (await tx.rows<PublishedEvent>(getOne, [tx.tenantId, id]))[0] ?? null
}

/** The id of the newest settled event of each tenant; of those that have one. */
export async function newestPositions(tx: AcrossTx, tenants: readonly TenantId[]): Promise<Map<TenantId, string>> {
  const rows = await tx.rows<{ tenantId: TenantId; id: string | null }>(newest, [tenants])
  return new Map(rows.flatMap(({ tenantId, id }) => (id === null ? [] : [[tenantId, id]])))
}

/** The era, if events in it were recorded by transactions that this database server has not had yet: they came from another one. */
export async function findForeignEra(tx: AcrossTx): Promise<number | null> {
  return (await tx.rows<{ era: number }>(foreignRows))[0]?.era ?? null
}

/** Ends an era: what is recorded from now on comes behind all that was recorded in it. Nothing happens if it is over already. */
export async function endEra(tx: AcrossTx, era: number): Promise<void> {
  await tx.rows(beginEra, [era])
}
