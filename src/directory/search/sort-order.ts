/** The order of a list of rows that have an `id`; rows of one value are in the order of their ids. */
export type SortOrder = {
  /** Names the order in cursors. */
  readonly name: string
  /** The column. */
  readonly sql: string
  readonly kind: 'id' | 'text' | 'time'
  /** Rows without a value come last, or first when descending (RFC 7644 3.4.2.3). */
  readonly isNullable: boolean
  readonly descending: boolean
}

/**
 * The place of a row in an order. `value` is null for a row without one, and in the order of the ids; a time is in
 * microseconds.
 */
export type RowPosition = { readonly value: string | null; readonly id: string }

/** Adds a value to the parameters of a statement and returns its placeholder. */
export type Parameter = (value: unknown) => string

/** A condition over the columns of a table, with its values as parameters. */
export type SqlCondition = (parameter: Parameter) => string

/** The order of the ids, which is that of creation. */
export const byId: SortOrder = { name: 'id', sql: 'id', kind: 'id', isNullable: false, descending: false }

/** Collects the values of a statement. The first is the tenant. */
export function parameters(first: unknown): { readonly values: unknown[]; readonly parameter: Parameter } {
  const values = [first]
  return { values, parameter: (value) => `$${values.push(value)}` }
}

/** Returns the columns of ORDER BY; in a segment without values the ids alone, as the index of these rows has them. */
export function orderBy({ sql, kind, descending }: SortOrder, segment: Segment = 'valued'): string {
  const direction = descending ? 'desc' : 'asc'
  return kind === 'id' || segment === 'empty' ? `id ${direction}` : `${sql} ${direction}, id ${direction}`
}

/** Returns the expression of a position's value. */
export function positionSql({ sql, kind }: SortOrder, segment: Segment = 'valued'): string {
  if (segment === 'empty') return 'null::text'
  if (kind === 'time') return `(extract(epoch from ${sql}) * 1000000)::bigint::text`
  return kind === 'text' ? sql : 'null::text'
}

/** Rows with a value, and rows without: each is a range of the index of the order. */
export type Segment = 'valued' | 'empty'

/** Returns the segments from a position on, in their order. */
export function segmentsFrom(
  { kind, isNullable, descending }: SortOrder,
  after: RowPosition | null,
): readonly Segment[] {
  if (!isNullable) return ['valued']
  const all: readonly Segment[] = descending ? ['empty', 'valued'] : ['valued', 'empty']
  if (after === null || kind === 'id') return all
  return all.slice(all.indexOf(after.value === null ? 'empty' : 'valued'))
}

/**
 * Returns the condition of a segment, behind a position if it is in this segment. Such that the partial index of the
 * order serves it.
 */
export function segmentCondition(order: SortOrder, segment: Segment, after: RowPosition | null): SqlCondition {
  const { sql, kind } = order
  const isIn = after !== null && (kind === 'id' || segment === (after.value === null ? 'empty' : 'valued'))
  const beyond = isIn ? behind(order, segment, after) : null
  return (parameter) => {
    const rest = beyond === null ? '' : ` and ${beyond(parameter)}`
    if (kind === 'id') return `true${rest}`
    if (segment === 'empty') return `${sql} is null${rest}`
    // Not "is not null", which PostgreSQL drops for a column that never is, and then the index does not serve.
    return `${sql} >= ${kind === 'time' ? "'-infinity'" : "''"}${rest}`
  }
}

/** Returns the condition of all rows behind a position, for few rows: no index serves it. */
export function behindCondition(order: SortOrder, after: RowPosition): SqlCondition {
  if (!order.isNullable) return behind(order, 'valued', after)
  const segment = after.value === null ? 'empty' : 'valued'
  const later = segmentsFrom(order, after).slice(1)
  const others = later.map((one) => ` or ${order.sql} is ${one === 'empty' ? '' : 'not '}null`).join('')
  const own = segment === 'empty' ? `${order.sql} is null` : `${order.sql} is not null`
  return (parameter) => `((${own} and ${behind(order, segment, after)(parameter)})${others})`
}

function behind({ sql, kind, descending }: SortOrder, segment: Segment, { value, id }: RowPosition): SqlCondition {
  const sign = descending ? '<' : '>'
  if (kind === 'id' || segment === 'empty') return (parameter) => `id ${sign} ${parameter(id)}::uuid`
  const typed = (at: string) =>
    kind === 'time' ? `timestamptz 'epoch' + ${at}::bigint * interval '1 microsecond'` : `${at}::text`
  return (parameter) => `(${sql}, id) ${sign} (${typed(parameter(value))}, ${parameter(id)}::uuid)`
}
