import { composedSql, type TenantTx } from '../../store/store.ts'
import { parameters, type SqlCondition } from './sort-order.ts'

/** Ids that one index finds: those of all rows that match a condition, perhaps of more. */
export type IdRange = {
  /** The table and the condition; $1 is the tenant. */
  readonly from: SqlCondition
  /** The column of the ids. */
  readonly id: string
  /** Columns of ORDER BY, as the index has them: PostgreSQL then reads it in order and stops at the limit. */
  readonly order: string
  /** Few ids are expected of a low one. */
  readonly rank: number
}

/** Ranges that together have all ids of a condition. */
export type IdSource = readonly IdRange[]

/** Ids of a page at most that are read by id. */
export const RANGE_IDS_MAX = 500
/** Characters of a piece at most, as in the function `search_pieces` of the database. */
const PIECE_CHARS = 7

/** Returns the ids of a source in their order, each once; null if it has more than `countMax`. One statement. */
export async function allIds(tx: TenantTx, source: IdSource, countMax: number): Promise<readonly string[] | null> {
  if (source.length === 0) return []
  const { values, parameter } = parameters(tx.tenantId)
  const limit = parameter(countMax + 1)
  const each = source.map(
    ({ id, from, order }) => `(select ${id} as id from ${from(parameter)} order by ${order} limit ${limit})`,
  )
  const text = `select id from (${each.join(' union all ')}) as found limit ${limit}`
  const found = await tx.rows<{ id: string }>(composedSql(text), values)
  return found.length > countMax ? null : [...new Set(found.map(({ id }) => id))].sort()
}

/** Returns the next ids of a range that is in the order of the ids, at most {@link RANGE_IDS_MAX}. One statement. */
export async function nextIds(tx: TenantTx, range: IdRange, after: string | null): Promise<readonly string[]> {
  const { id, from, order } = range
  const { values, parameter } = parameters(tx.tenantId)
  const matches = from(parameter)
  const behind = after === null ? '' : ` and ${id} > ${parameter(after)}::uuid`
  const text = `select ${id} as id from ${matches}${behind} order by ${order} limit ${parameter(RANGE_IDS_MAX)}`
  return (await tx.rows<{ id: string }>(composedSql(text), values)).map((row) => row.id)
}

/** Whether the ids of a range are read in their order, so that a page of it may begin at any id. */
export function isById({ id, order }: IdRange): boolean {
  return id === order
}

/**
 * Returns the ranges of users of whom a searched text has a part: one, for a long part those of its beginning and its
 * end.
 *
 * @param part Folded.
 */
export function usersWithPart(part: string): readonly IdRange[] {
  if (part === '') return []
  const signs = [...part]
  const pieces = [signs.slice(0, PIECE_CHARS).join(''), signs.slice(-PIECE_CHARS).join('')]
  return [...new Set(pieces)].map((piece) => ({
    from: (parameter) => `user_search_piece where tenant_id = $1 and ${beginsWith('piece', parameter(piece))}`,
    id: 'user_id',
    order: 'piece, user_id',
    rank: 1,
  }))
}

/** SQL: a text in collation "C" begins with a parameter, as a range, which an index finds. */
export function beginsWith(column: string, at: string): string {
  return `${column} >= ${at} and ${column} < ${at} || chr(1114111)`
}
