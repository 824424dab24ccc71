import type { Static, TObject } from 'typebox'
import { COUNTED_MAX, type PageMembers, SIZE_DEFAULT } from '../contract/list-query.ts'
import { Fault } from '../fault.ts'
import { type Answer, answer } from '../http/routes/route.ts'
import type { BoundedRows, ListTotal, PageEnd } from '../store/paged-list.ts'

/** Paging and order of a list. Read `size + 1` rows: an extra row means that there is a next page. */
export type ListRequest<Sort extends string = string> = {
  /** 1 to 100. */
  readonly size: number
  /** Rows that follow this id in the order of the list, exclusive; null: from the start. */
  readonly after: string | null
  /** Rows that precede this id, exclusive, read backwards from it. Never together with `after`. */
  readonly before: string | null
  readonly sort: { readonly field: Sort; readonly descending: boolean }
  /** The direction of ORDER BY: `descending`, reversed when `before` is given. */
  readonly readDescending: boolean
  /** Where the list is to write how many rows it has on all pages. */
  readonly total?: ListTotal
  /** Where the list is to write that it ended the page early, since its rows are large. */
  readonly end?: PageEnd
}

type Paged = Static<TObject<PageMembers>> & { sort?: string }
type SortField<Q> = Q extends { sort?: infer V } ? Exclude<V, `-${string}` | undefined> & string : never

/** Returns paging and order of a validated list query. */
export function parseListQuery<Q extends Paged>(query: Q, sortDefault = '-createdAt'): ListRequest<SortField<Q>> {
  const after = query['page[after]'] ?? null
  const before = query['page[before]'] ?? null
  if (after !== null && before !== null) {
    const detail = 'page[after] and page[before] cannot be used together.'
    throw new Fault('request.invalid', { violations: [{ detail, parameter: 'page[before]' }] })
  }
  const sort = query.sort ?? sortDefault
  const descending = sort.startsWith('-')
  // The schema allows only the fields that the type names.
  const field = (descending ? sort.slice(1) : sort) as SortField<Q>
  const size = Number(query['page[size]'] ?? SIZE_DEFAULT)
  const readDescending = descending !== (before !== null)
  const total = query['page[total]'] === 'true' && { total: { counted: null } }
  const end = { isEarly: false }
  return { size, after, before, sort: { field, descending }, readDescending, end, ...total }
}

type FilterName<K> = K extends `filter[${infer F}]` ? F : K extends `search[${infer F}]` ? F : never

/** Filters and searches of a list query by their bare names. */
export type Filters<Q> = { readonly [K in keyof Q as FilterName<K>]: Q[K] }

/** Returns filters and searches of a validated list query by their bare names, e.g. `status` for `filter[status]`. */
export function filtersOf<Q extends object>(query: Q): Filters<Q> {
  const named = Object.entries(query).flatMap(([member, value]) => {
    const name = /^(?:filter|search)\[(.+)\]$/.exec(member)?.[1]
    return name === undefined ? [] : [[name, value]]
  })
  // The names were built by the rule of the type.
  return Object.fromEntries(named) as Filters<Q>
}

/**
 * Reads a page and returns it as an answer.
 *
 * @param read Reads the rows, and one more than `size` if there is a next page: see `pagedList`.
 */
export async function listPage<Row extends { readonly id: string }, T>(
  { query, href }: { readonly query: Paged; readonly href: string },
  read: (list: ListRequest) => Promise<readonly Row[] | BoundedRows<Row>>,
  show: (row: Row) => T,
): Promise<Answer<Awaited<T>[]>> {
  const list = parseListQuery(query)
  const page = listAnswer(await read(list), { href, query, list }, show)
  return { ...page, data: await Promise.all(page.data) }
}

/**
 * Returns one page: data, links and `meta.page`.
 *
 * @param found Rows in the order of `readDescending`, at most `size + 1`. A bounded page that is not full has a cursor
 *   too if the list may continue.
 * @param request `href` and `query` of the request, and the result of {@link parseListQuery}.
 * @param show Converts a row to its reply.
 */
export function listAnswer<Row extends { readonly id: string }, T>(
  found: readonly Row[] | BoundedRows<Row>,
  request: { href: string; query: object; list: ListRequest },
  show: (row: Row) => T,
): Answer<T[]> {
  const { size, after, before, end } = request.list
  const { rows, continuesAfter } = 'rows' in found ? found : { rows: found, continuesAfter: null }
  const more = rows.length > size || end?.isEarly === true
  const page = rows.slice(0, size)
  if (before !== null) page.reverse()
  const [first, last] = [page[0]?.id ?? null, page.at(-1)?.id ?? null]
  const nextAfter = before !== null || more ? last : continuesAfter
  const previousBefore = after !== null || (before !== null && more) ? first : before && continuesAfter
  const plain = Object.entries(request.query).filter(([name]) => name !== 'page[after]' && name !== 'page[before]')
  const link = (extra: [string, unknown][]) => linkTo(request.href, [...plain, ...extra])
  const links: Record<string, string> = { self: linkTo(request.href, Object.entries(request.query)), first: link([]) }
  if (previousBefore !== null) links.prev = link([['page[before]', previousBefore]])
  if (nextAfter !== null) links.next = link([['page[after]', nextAfter]])
  const total = totalOf(request.list, page.length, nextAfter === null && previousBefore === null)
  const cursors = { size, after: nextAfter, before: previousBefore }
  return answer(page.map(show), { links, meta: { page: { ...cursors, ...(total !== null && { total }) } } })
}

/** @param isAll Whether the page is the whole list. */
function totalOf({ total, after, before }: ListRequest, rows: number, isAll: boolean) {
  if (total === undefined) return null
  const counted = isAll && after === null && before === null ? rows : total.counted
  return counted === null ? null : { count: Math.min(counted, COUNTED_MAX), more: counted > COUNTED_MAX }
}

function linkTo(href: string, members: [string, unknown][]): string {
  if (members.length === 0) return href
  const query = members.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  return `${href}?${query.join('&')}`
}
