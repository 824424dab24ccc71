import { Fault } from '../../fault.ts'
import type { ScimListRequest } from '../../protocols/scim/list-request.ts'
import { composedSql, type TenantTx } from '../../store/store.ts'
import type { Group } from '../groups/group.ts'
import {
  type BoundedPage,
  countOfIds,
  type Listing,
  pageInOrder,
  pageOfIds,
  type RowsBehind,
  readInIndexOrder,
} from '../search/bounded-page.ts'
import { allIds, type IdRange, isById, nextIds, RANGE_IDS_MAX } from '../search/id-range.ts'
import { byId, type SortOrder, type SqlCondition } from '../search/sort-order.ts'
import type { User } from '../users/user.ts'
import { allGroups, type Source, sortOrderOf, userSource } from './attributes.ts'
import { cursorOf, readCursor } from './cursor.ts'
import { type FilterPlan, type OrderRange, planOf } from './filter-plan.ts'
import { conditionOf, sortName } from './filter-sql.ts'

/** Resources at most that a page by index reads to count and sort what matches. */
const COUNTED_MAX = 10_000

/** A page of resources. `total` is null for a page by cursor: counting costs as much as all pages. */
export type Found<Row> = {
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly nextCursor: string | null
}

/**
 * Returns a page of the users that match.
 *
 * @throws Fault `scim.invalid_filter`, `scim.invalid_path`, `scim.invalid_cursor`, `scim.too_many`
 */
export function findUsers(tx: TenantTx, request: ScimListRequest): Promise<Found<User>> {
  return find<User>(tx, userSource, request)
}

/** Returns a page of the groups that match. @throws Fault as {@link findUsers} */
export function findGroups(tx: TenantTx, request: ScimListRequest): Promise<Found<Group>> {
  return find<Group>(tx, allGroups, request)
}

type Sorted = ReturnType<typeof sortOrderOf> | null
type Search = {
  readonly listing: Listing
  readonly plan: FilterPlan
  readonly sort: Sorted
  readonly everything: IdRange
}

async function find<Row extends { readonly id: string }>(
  tx: TenantTx,
  source: Source,
  request: ScimListRequest,
): Promise<Found<Row>> {
  const { table, scope, select, columns, schema, lookups } = source
  const { filter, sort, cursor } = request
  const condition: Listing['condition'] = (parameter) =>
    filter === null ? 'true' : conditionOf(filter, columns, schema, parameter)
  // Refuses what the plan takes for granted.
  condition(() => '')
  const where = `${table} where tenant_id = $1 and ${scope}`
  const search: Search = {
    listing: { table, columns: select, scope, condition },
    plan: planOf(filter, { lookups, columns, schema, prefix: null, table: where }),
    sort: sort === null ? null : sortOrderOf(source, sortName(sort.by, columns, schema), sort.descending),
    everything: { from: () => where, id: 'id', order: 'id', rank: 9 },
  }
  await readInIndexOrder(tx)
  if (cursor !== null) return findByCursor<Row>(tx, search, cursor, request.count)
  if (filter === null && sort === null) return findByIndex<Row>(tx, source, request)
  return findCounted<Row>(tx, search, request)
}

/** Of all resources: counts and skips entries of an index, as many as there are. */
async function findByIndex<Row>(
  tx: TenantTx,
  { table, select, whole }: Source,
  { count, startIndex }: ScimListRequest,
): Promise<Found<Row>> {
  const where = `${table} where tenant_id = $1 and ${whole.condition}`
  const counting = composedSql(`select count(*)::int as total from ${where}`)
  const [{ total } = { total: 0 }] = await tx.rows<{ total: number }>(counting, [tx.tenantId])
  if (count === 0 || startIndex > total) return { rows: [], total, nextCursor: null }
  const text = `select ${select} from ${table}
    where tenant_id = $1 and id = any(array(select id from ${where} order by ${whole.order} limit $2 offset $3)) order by ${whole.order}`
  const rows = await tx.rows<Row>(composedSql(text), [tx.tenantId, count, startIndex - 1])
  return { rows, total, nextCursor: null }
}

/** Counts and sorts all matches, which an index must bound to {@link COUNTED_MAX}. */
async function findCounted<Row extends { readonly id: string }>(
  tx: TenantTx,
  { listing, plan, sort, everything }: Search,
  { count, startIndex }: ScimListRequest,
): Promise<Found<Row>> {
  for (const one of [...plan.sources, [everything]]) {
    const ids = await allIds(tx, one, COUNTED_MAX)
    if (ids === null) continue
    const total = ids.length === 0 ? 0 : await countOfIds(tx, listing, ids)
    if (startIndex > total) return { rows: [], total, nextCursor: null }
    const place = { order: sort?.order ?? byId, after: null, size: count, offset: startIndex - 1 }
    return { rows: (await pageOfIds<Row>(tx, listing, ids, place)).rows, total, nextCursor: null }
  }
  const detail = `More than ${COUNTED_MAX} resources would be read. Page by cursor (RFC 9865), or use a narrower filter.`
  throw new Fault('scim.too_many', { detail })
}

async function findByCursor<Row extends { readonly id: string }>(
  tx: TenantTx,
  search: Search,
  cursor: string,
  size: number,
): Promise<Found<Row>> {
  const { plan, sort } = search
  const orders = sort === null ? [byId, ...plan.ranges.map(({ order }) => order)] : [sort.order]
  const { order, after } = cursor === '' ? { order: orders[0] ?? byId, after: null } : readCursor(cursor, orders)
  const page = await pageAfter<Row>(tx, search, { order, after, size })
  const nextCursor = page.next === null ? null : cursorOf(page.order, page.next)
  return { rows: page.rows, total: null, nextCursor }
}

type Ordered<Row> = BoundedPage<Row> & { readonly order: SortOrder }

/**
 * Few ids are read whole, in any order; others in the order of the ids, or of a range of the filter. What no index
 * finds is looked for row by row, within the bound of a page.
 */
async function pageAfter<Row extends { readonly id: string }>(
  tx: TenantTx,
  { listing, plan, sort, everything }: Search,
  place: RowsBehind,
): Promise<Ordered<Row>> {
  const { order, after } = place
  const isPlain = sort === null && order.kind === 'id'
  for (const one of sort === null && !isPlain ? [] : plan.sources) {
    const [range] = one
    if (isPlain && one.length === 1 && range !== undefined && isById(range)) {
      return { ...(await pageOfNext<Row>(tx, listing, range, place)), order }
    }
    const ids = await allIds(tx, one, RANGE_IDS_MAX)
    if (ids !== null) return { ...(await pageOfIds<Row>(tx, listing, ids, place)), order }
  }
  const [first] = plan.ranges
  const range = plan.ranges.find((one) => one.order.name === order.name)
  // The primary key has every row, the other indexes those of the list.
  const whole: SqlCondition = () => (order.kind === 'id' ? 'true' : listing.scope)
  const inScope =
    (one: OrderRange): SqlCondition =>
    (parameter) =>
      `${listing.scope} and ${one.within(parameter)}`
  if (isPlain && after === null && first !== undefined) {
    return {
      ...(await pageInOrder<Row>(tx, listing, { ...place, order: first.order }, inScope(first))),
      order: first.order,
    }
  }
  if (sort?.isIndexed !== false) {
    const within = range === undefined ? whole : inScope(range)
    return { ...(await pageInOrder<Row>(tx, listing, place, within)), order }
  }
  const ids = await allIds(tx, [everything], RANGE_IDS_MAX)
  if (ids !== null) return { ...(await pageOfIds<Row>(tx, listing, ids, place)), order }
  throw new Fault('scim.too_many', { detail: `More than ${RANGE_IDS_MAX} resources are not sorted by this attribute.` })
}

/** A page of the matches among the next ids of a range that is in the order of the ids. */
async function pageOfNext<Row extends { readonly id: string }>(
  tx: TenantTx,
  listing: Listing,
  range: IdRange,
  { order, after, size }: RowsBehind,
): Promise<BoundedPage<Row>> {
  const ids = await nextIds(tx, range, after?.id ?? null)
  const page = await pageOfIds<Row>(tx, listing, ids, { order, after: null, size })
  const last = ids.at(-1)
  if (page.next !== null || ids.length < RANGE_IDS_MAX || last === undefined) return page
  return { ...page, next: { value: null, id: last } }
}
