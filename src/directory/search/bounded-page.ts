import { composedSql, sql, type TenantTx } from '../../store/store.ts'
import {
  behindCondition,
  orderBy,
  parameters,
  positionSql,
  type RowPosition,
  type Segment,
  type SortOrder,
  type SqlCondition,
  segmentCondition,
  segmentsFrom,
} from './sort-order.ts'

/**
 * Rows that a page reads at most, and as many of those without a value of the order. A page may therefore have fewer
 * rows than it could, and even none, though others follow.
 */
export const ROWS_MAX = 1500

/** A list of rows of a table that have a tenant and an id. */
export type Listing = {
  readonly table: string
  readonly columns: string
  /** Condition of every row of the list. */
  readonly scope: string
  /** Condition of the rows that match. */
  readonly condition: SqlCondition
}

/** `next` is the position behind which the list continues; null at its end. */
export type BoundedPage<Row> = { readonly rows: readonly Row[]; readonly next: RowPosition | null }

const indexOrder = sql(
  'directory.read_in_index_order',
  "select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)",
)

/**
 * Has PostgreSQL read indexes in their order for the rest of the transaction. By its estimate it would read and sort
 * all users of a tenant of up to some hundred thousand, since it does not count on the caches, and no limit bounds
 * that.
 */
export async function readInIndexOrder(tx: TenantTx): Promise<void> {
  await tx.rows(indexOrder)
}

type Placed<Row> = Row & { readonly id: string; readonly position: string | null }

/** The page to read: at most `size` rows behind a position. */
export type RowsBehind = { readonly order: SortOrder; readonly after: RowPosition | null; readonly size: number }

/** Returns how many rows match and have one of the ids. One statement. */
export async function countOfIds(
  tx: TenantTx,
  { table, scope, condition }: Listing,
  ids: readonly string[],
): Promise<number> {
  const { values, parameter } = parameters(tx.tenantId)
  const text = `select count(*)::int as total from ${rowsOfIds(table, parameter(ids))} where ${scope} and ${condition(parameter)}`
  const [counted] = await tx.rows<{ total: number }>(composedSql(text), values)
  return counted?.total ?? 0
}

/**
 * Returns how many rows match, of the {@link ROWS_MAX} rows that are read at most; null if there are others and fewer
 * than `enough` matched. One statement.
 */
export async function countInOrder(
  tx: TenantTx,
  { table, scope, condition }: Listing,
  within: SqlCondition,
  enough: number,
): Promise<number | null> {
  const { values, parameter } = parameters(tx.tenantId)
  const text = `select count(*)::int as read, (count(*) filter (where ${scope} and ${condition(parameter)}))::int as total
    from (select * from ${table} where tenant_id = $1 and ${within(parameter)} limit ${parameter(ROWS_MAX)}) as ${table}`
  const [counted] = await tx.rows<{ read: number; total: number }>(composedSql(text), values)
  const { read, total } = counted ?? { read: 0, total: 0 }
  return read < ROWS_MAX || total >= enough ? total : null
}

/**
 * SQL: the rows with one of the ids, each looked up by itself. "offset 0" keeps other conditions, and other indexes,
 * out of the look-up.
 */
function rowsOfIds(table: string, ids: string): string {
  return `unnest(${ids}::uuid[]) as wanted (wanted_id)
    cross join lateral (select * from ${table} where tenant_id = $1 and id = wanted_id offset 0) as ${table}`
}

/**
 * Reads a page of the rows that match and have one of the ids, at most some thousand. One statement.
 *
 * @param place `offset`: rows to skip.
 */
export async function pageOfIds<Row extends { readonly id: string }>(
  tx: TenantTx,
  { table, columns, scope, condition }: Listing,
  ids: readonly string[],
  { order, after, size, offset = 0 }: RowsBehind & { readonly offset?: number },
): Promise<BoundedPage<Row>> {
  if (ids.length === 0 || size === 0) return { rows: [], next: null }
  const { values, parameter } = parameters(tx.tenantId)
  const behind = after === null ? '' : ` and ${behindCondition(order, after)(parameter)}`
  const text = `select ${columns}, ${positionSql(order)} as position
    from ${rowsOfIds(table, parameter(ids))}
    where ${scope} and ${condition(parameter)}${behind}
    order by ${orderBy(order)} limit ${parameter(size + 1)} offset ${parameter(offset)}`
  const found = await tx.rows<Placed<Row>>(composedSql(text), values)
  return pageFrom(found, size)
}

/**
 * Reads a page of the rows that match, in the order of an index, and at most {@link ROWS_MAX} rows in all.
 *
 * @param within What the index of the order has: its own condition, and a range. Rows beyond it are not read; all
 *   others count.
 */
export async function pageInOrder<Row extends { readonly id: string }>(
  tx: TenantTx,
  listing: Listing,
  { order, after, size }: RowsBehind,
  within: SqlCondition,
): Promise<BoundedPage<Row>> {
  const found: Placed<Row>[] = []
  for (const segment of segmentsFrom(order, after)) {
    const read = { segment, after, size: size + 1 - found.length, rowsMax: ROWS_MAX }
    found.push(...(await readSegment<Row>(tx, listing, order, within, read)))
    if (found.length > size) break
    const end = await endOfBudget(tx, listing, order, within, read)
    if (end !== null) return { rows: withoutPosition(found), next: end }
  }
  return pageFrom(found, size)
}

type Read = {
  readonly segment: Segment
  readonly after: RowPosition | null
  readonly size: number
  readonly rowsMax: number
}

async function readSegment<Row>(
  tx: TenantTx,
  { table, columns, scope, condition }: Listing,
  order: SortOrder,
  within: SqlCondition,
  { segment, after, size, rowsMax }: Read,
): Promise<Placed<Row>[]> {
  const { values, parameter } = parameters(tx.tenantId)
  // The inner limit is reached row by row: with enough matches, few rows are read.
  const text = `select ${columns}, ${positionSql(order, segment)} as position from (
      select * from ${table} where tenant_id = $1 and ${within(parameter)} and ${segmentCondition(order, segment, after)(parameter)}
      order by ${orderBy(order, segment)} limit ${parameter(rowsMax)}) as ${table}
    where ${scope} and ${condition(parameter)} order by ${orderBy(order, segment)} limit ${parameter(size)}`
  return tx.rows<Placed<Row>>(composedSql(text), values)
}

/** The position of the last row that a page may read; null if there are not so many. From the index alone. */
async function endOfBudget(
  tx: TenantTx,
  { table }: Listing,
  order: SortOrder,
  within: SqlCondition,
  { segment, after, rowsMax }: Read,
): Promise<RowPosition | null> {
  const { values, parameter } = parameters(tx.tenantId)
  const text = `select id, ${positionSql(order, segment)} as position from ${table}
    where tenant_id = $1 and ${within(parameter)} and ${segmentCondition(order, segment, after)(parameter)}
    order by ${orderBy(order, segment)} limit 1 offset ${parameter(rowsMax - 1)}`
  const [last] = await tx.rows<Placed<object>>(composedSql(text), values)
  return last === undefined ? null : { value: last.position, id: last.id }
}

function pageFrom<Row extends { readonly id: string }>(found: readonly Placed<Row>[], size: number): BoundedPage<Row> {
  const last = found.length > size ? found[size - 1] : undefined
  const next = last === undefined ? null : { value: last.position, id: last.id }
  return { rows: withoutPosition(found.slice(0, size)), next }
}

function withoutPosition<Row>(found: readonly Placed<Row>[]): Row[] {
  // The position was added to the row.
  return found.map(({ position: _, ...row }) => row as unknown as Row)
}
