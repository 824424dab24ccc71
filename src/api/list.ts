import { type Static, type TEnum, type TObject, type TOptional, type TSchema, type TString, Type } from 'typebox'
import { Fault } from '../fault.ts'
import { type Answer, answer } from '../http/routes/route.ts'
import { type BoundedRows, COUNTED_MAX, type ListTotal, type PageEnd } from '../store/paged-list.ts'
import { UUID_PATTERN } from '../uuid.ts'

const SIZE_DEFAULT = 25

/** The `meta` of a list. */
export const PageMeta = Type.Object(
  {
    page: Type.Object(
      {
        size: Type.Integer(),
        after: Type.Union([Type.String(), Type.Null()]),
        before: Type.Union([Type.String(), Type.Null()]),
        total: Type.Optional(
          Type.Object(
            { count: Type.Integer({ minimum: 0, maximum: COUNTED_MAX }), more: Type.Boolean() },
            {
              description: `With \`page[total]\`: the rows on all pages, of which at most ${COUNTED_MAX.toLocaleString('en')} are counted; \`more\`: there are others. Absent where the list cannot count them.`,
            },
          ),
        ),
      },
      { description: 'The cursors of the next and the previous page.' },
    ),
  },
  { $id: 'PageMeta' },
)

type PageMembers = {
  'page[size]': TOptional<TString>
  'page[after]': TOptional<TString>
  'page[before]': TOptional<TString>
  'page[total]': TOptional<TEnum<['true', 'false']>>
}
type FilterMembers<F extends Record<string, TSchema>> = { [K in keyof F & string as `filter[${K}]`]: TOptional<F[K]> }
type SearchMembers<S extends string> = { [K in S as `search[${K}]`]: TOptional<TString> }
type SortMember<O extends string> = { sort: TOptional<TEnum<(O | `-${O}`)[]>> }

/** The query schema that {@link listQuery} makes. */
type ListQuery<
  F extends Record<string, TSchema>,
  S extends string,
  O extends string,
  M extends Record<string, TSchema>,
> = TObject<PageMembers & FilterMembers<F> & SearchMembers<S> & SortMember<O> & M>

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

/**
 * The query schema of a list: paging, `sort`, `filter[x]` and `search[x]`. Filters are schemas over strings (nothing is coerced).
 * `more` is for members without a prefix, e.g. a plain `status`.
 */
export function listQuery<
  F extends Record<string, TSchema> = Record<never, TSchema>,
  const S extends string = never,
  const O extends string = 'createdAt',
  M extends Record<string, TSchema> = Record<never, TSchema>,
>(has: { filters?: F; searches?: readonly S[]; sorts?: readonly O[]; more?: M } = {}): ListQuery<F, S, O, M> {
  const properties: Record<string, TSchema> = {
    'page[size]': Type.Optional(
      Type.String({
        pattern: '^([1-9][0-9]?|100)$',
        description: 'Rows on a page, 1 to 100; 25 by default. Large rows are fewer: a page ends at about 8 MiB.',
        documentedAs: { type: 'integer', minimum: 1, maximum: 100, default: SIZE_DEFAULT },
      }),
    ),
    'page[after]': Type.Optional(Type.String({ pattern: UUID_PATTERN, description: 'The rows that follow this id.' })),
    'page[before]': Type.Optional(
      Type.String({ pattern: UUID_PATTERN, description: 'The rows that precede this id.' }),
    ),
    'page[total]': Type.Optional(
      Type.Enum(['true', 'false'], {
        description: '`true`: `meta.page.total` says how many rows match, on all pages.',
        documentedAs: { type: 'boolean', default: false },
      }),
    ),
  }
  const sorts: readonly string[] = has.sorts ?? ['createdAt']
  properties.sort = Type.Optional(
    Type.Enum(
      sorts.flatMap((field) => [field, `-${field}`]),
      { description: 'A leading `-` reverses the order; `-createdAt` by default.' },
    ),
  )
  for (const [name, schema] of Object.entries(has.filters ?? {})) {
    properties[`filter[${name}]`] = Type.Optional({ description: aboutFilter(name), ...schema })
  }
  for (const name of has.searches ?? []) {
    const description = `Only those whose ${name} ${name === 'reference' ? 'begins with' : 'contains'} this.`
    properties[`search[${name}]`] = Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))
  }
  for (const [name, schema] of Object.entries(has.more ?? {})) properties[name] = Type.Optional(schema)
  // The members were built by the rule of the type.
  return Type.Object(properties, { additionalProperties: false }) as unknown as ListQuery<F, S, O, M>
}

const aboutTimes: Readonly<Record<string, string>> = {
  createdAfter: 'Only those created at this time or later.',
  createdBefore: 'Only those created before this time.',
}

/** The description of a filter that has none of its own: it compares for equality. */
function aboutFilter(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ id$/, '')
  return aboutTimes[name] ?? `Only those with this ${words}.`
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
 * @param found Rows in the order of `readDescending`, at most `size + 1`. A bounded page that is not full has a cursor too if the list may continue.
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
