import { COUNTED_MAX } from '../contract/list-query.ts'
import { composedSql, plannedOnce, type Sql, sql, type TenantTx } from './store.ts'

/** Rows that are read to count those that match a filter without an index. */
const COUNT_READS_MAX = 5000

/**
 * The number of rows on all pages, which a list writes here; beyond {@link COUNTED_MAX}: there are more. Null: too few
 * rows match of too many that would have to be read, or the page has no row.
 */
export type ListTotal = { counted: number | null }

/**
 * Bytes of the rows of a page, about: a row that a caller wrote may have 1 MiB. The page ends with the row that reaches
 * them.
 */
export const PAGE_BYTES_MAX = 8 * 1024 * 1024

/** Whether a page ended early, for {@link PAGE_BYTES_MAX}: the list has further rows. A list writes it here. */
export type PageEnd = { isEarly: boolean }

/** The requested page of a list. */
export type PageRequest = {
  /** Number of rows; one more is read, to find out whether there is a next page. */
  readonly size: number
  readonly after: string | null
  readonly before: string | null
  readonly sort: { readonly field: string }
  /** Direction of reading; for a page before a cursor it is the reverse of the list's. */
  readonly readDescending: boolean
  /** Where the rows of all pages are to be counted. */
  readonly total?: ListTotal
  /** Where it is to be written that the page ended early. Absent: its bytes are not bounded. */
  readonly end?: PageEnd
}

/**
 * Rows of a page that reads a bounded number of rows. If it is not full, `continuesAfter` is the id after which the
 * list may continue, else null.
 */
export type BoundedRows<Row> = { readonly rows: readonly Row[]; readonly continuesAfter: string | null }

/**
 * A condition with one parameter, e.g. `(value) => 'reference = ' + value`; or one without parameters for each possible
 * value.
 */
type PageFilter = ((parameter: string) => string) | Readonly<Record<string, string>>

/** Definition of a list that is read in pages. */
type PagedList<Filter extends string> = {
  /** Prefix of the names of its statements; at most 35 characters. */
  readonly name: string
  /** A complete `select … from … where …`. Its parameters come first; $1 of a tenant's list is the tenant. */
  readonly select: string
  readonly parameters: number
  /** SQL expression of the id. Ids are in the order of creation, so `createdAt` sorts by it. */
  readonly id: string
  /**
   * SQL expressions of other sort orders, by name. Never null; ties are ordered by id. Each needs an index (tenant,
   * expression, id).
   */
  readonly sorts?: Readonly<Record<string, string>>
  /** Source of the row of a cursor: `table where tenant_id = $1`, with the names of `select`. Required for `sorts`. */
  readonly rows?: string
  readonly filters: Readonly<Record<Filter, PageFilter>>
  /**
   * Filters, or filters that are set together, whose rows an index has in few reads, the narrowest first: the first
   * that is set decides which rows are read to count those that match all. Those of `ids` are ranges of the id, which
   * every index has.
   */
  readonly indexed?: readonly (readonly NoInfer<Filter>[])[]
  readonly ids?: readonly NoInfer<Filter>[]
  /**
   * Filters whose index serves where few rows match, and that of the id where many do: each use is planned for its
   * value. Their statements are not prepared, and share the places of searches.
   */
  readonly plannedByValue?: readonly NoInfer<Filter>[]
  /** Whether a connection plans each statement once: for tables of many partitions. */
  readonly isPlannedOnce?: boolean
}

/** Values of the filters; undefined or null does not filter. */
type PageValues<Filter extends string> = { readonly [F in Filter]?: unknown }

/**
 * Returns a function that reads pages of a list. There is one statement for each order and set of filters, so that each
 * can use its index. A cursor is the id of a row; with `sorts` its position is the current one of that row. Rows are
 * returned in the direction of reading. A total is counted by the statement of the page, at most {@link COUNTED_MAX}
 * rows and one.
 */
export function pagedList<Filter extends string>(
  list: PagedList<Filter>,
): <Row>(
  tx: Pick<TenantTx, 'rows'>,
  page: PageRequest,
  fixed: readonly unknown[],
  filter: Readonly<Record<string, unknown>> & PageValues<Filter>,
) => Promise<Row[]> {
  const names = Object.keys(list.filters) as Filter[]
  const statements = new Map<string, Sql>()
  return async <Row>(
    tx: Pick<TenantTx, 'rows'>,
    page: PageRequest,
    fixed: readonly unknown[],
    filter: Readonly<Record<string, unknown>> & PageValues<Filter>,
  ) => {
    const given = names.filter((name) => filter[name] !== undefined && filter[name] !== null)
    // PostgreSQL stores no NUL, and refuses it in a parameter.
    if (given.some((name) => String(filter[name]).includes('\0'))) return []
    const chosen = given.map((name) => conditionOf(list.filters[name], filter[name]))
    const key = [list.name, page.sort.field, page.readDescending ? 'd' : 'a', cursorOf(page) === null ? '' : 'p']
      .concat(page.total === undefined ? [] : 't')
      .concat(page.end === undefined ? [] : 'b')
      .concat(given.map((name, index) => `${names.indexOf(name)}${chosen[index]?.variant ?? ''}`))
      .join(' ')
    const statement = statements.get(key) ?? statementOf(list, given, key, textOf(list, page, given, chosen))
    statements.set(key, statement)
    const cursor = cursorOf(page) === null ? [] : [cursorOf(page)]
    const values = given.filter((_, index) => chosen[index]?.variant === '').map((name) => filter[name])
    const rows = await tx.rows<Row & Partial<Counted>>(statement, [...fixed, page.size + 1, ...cursor, ...values])
    return page.total === undefined && page.end === undefined ? rows : withoutCounts(rows, page)
  }
}

function statementOf<F extends string>(list: PagedList<F>, given: readonly F[], name: string, text: string): Sql {
  if (list.plannedByValue?.some((one) => given.includes(one))) return composedSql(text)
  return list.isPlannedOnce ? plannedOnce(name, text) : sql(name, text)
}

type Counted = { readonly listTotal: number; readonly pageRows: number; readonly bytesBefore: string }

/** Moves what every row has of the whole list and page to where it was asked for. */
function withoutCounts<Row>(rows: readonly (Row & Partial<Counted>)[], { total, end }: PageRequest): Row[] {
  if (total !== undefined) total.counted = rows[0]?.listTotal ?? null
  if (end !== undefined) end.isEarly = rows.length < (rows[0]?.pageRows ?? 0)
  // What is left is the row of the list.
  return rows.map(({ listTotal: _, pageRows: __, bytesBefore: ___, ...row }) => row as unknown as Row)
}

type Chosen = { readonly variant: string; readonly text: (parameter: string) => string }

function conditionOf(filter: PageFilter, value: unknown): Chosen {
  if (typeof filter === 'function') return { variant: '', text: filter }
  const values = Object.keys(filter)
  const text = filter[String(value)]
  if (text === undefined) throw new Error(`no condition for ${String(value)}`)
  return { variant: `.${values.indexOf(String(value))}`, text: () => text }
}

function cursorOf({ after, before }: PageRequest): string | null {
  return after ?? before
}

function textOf<F extends string>(
  list: PagedList<F>,
  page: PageRequest,
  given: readonly F[],
  chosen: readonly Chosen[],
): string {
  const { id, parameters } = list
  const [sign, order] = page.readDescending ? ['<', 'desc'] : ['>', 'asc']
  const sort = list.sorts?.[page.sort.field]
  let taken = parameters + 1
  const next = () => {
    taken += 1
    return `$${taken}`
  }
  const cursor = cursorOf(page) === null ? [] : [beyond(list, sort, sign, next())]
  const conditions = chosen.map(({ variant, text }) => `(${text(variant === '' ? next() : '')})`)
  const select =
    page.total === undefined ? list.select : withColumn(list.select, 'listTotal', countOf(list, given, conditions))
  const where = [select, ...cursor, ...conditions].join('\n and ')
  const orders = (sort === undefined ? [id] : [sort, id]).map((one) => `${one} ${order}`)
  const text = `${where}\n order by ${orders.join(', ')} limit $${parameters + 1}`
  return page.end === undefined ? text : bounded(text)
}

/** SQL: the rows of a page up to that with which they reach {@link PAGE_BYTES_MAX} as text. */
function bounded(page: string): string {
  return `select * from (
     select page.*, count(*) over ()::int as "pageRows",
       sum(octet_length(page::text)) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
     from (${page}) as page
   ) as bounded where coalesce("bytesBefore", 0) < ${PAGE_BYTES_MAX}`
}

/**
 * SQL: how many rows match, see {@link ListTotal}. They are read along the index that a page is read by, and without
 * their columns.
 */
function countOf<F extends string>(
  { select, id, indexed = [], ids = [] }: PagedList<F>,
  given: readonly F[],
  conditions: readonly string[],
): string {
  const first = indexed.find((together) => together.every((name) => given.includes(name))) ?? []
  const isRead = (_: string, at: number) =>
    given.slice(at, at + 1).some((name) => first.includes(name) || ids.includes(name))
  const read = conditions.filter(isRead)
  const others = conditions.filter((one, at) => !isRead(one, at)).join(' and ')
  if (others === '') {
    const rows = `${[select, ...read].join('\n and ')} order by ${id} limit ${COUNTED_MAX + 1}`
    return `select count(*)::int from (${rows}) as counted`
  }
  const matched = withColumn(select, 'isMatch', `case when ${others} then 1 else 0 end`)
  return countMatches([matched, ...read].join('\n and '), id)
}

/**
 * SQL: how many rows of `select` match, see {@link ListTotal}. Their column `isMatch` is 1 or 0; `order` is that of the
 * index by which they are read.
 */
export function countMatches(select: string, order: string): string {
  return `select case when count(*) < ${COUNT_READS_MAX} or sum("isMatch") > ${COUNTED_MAX} then coalesce(sum("isMatch"), 0) end::int as counted
   from (${select} order by ${order} limit ${COUNT_READS_MAX}) as read`
}

function withColumn(select: string, name: string, expression: string): string {
  return `select (${expression}) as "${name}", ${select.replace(/^\s*select\s/, '')}`
}

function beyond<F extends string>(list: PagedList<F>, sort: string | undefined, sign: string, cursor: string): string {
  if (sort === undefined) return `${list.id} ${sign} ${cursor}`
  return `(${sort}, ${list.id}) ${sign} (select ${sort}, ${list.id} from ${list.rows} and ${list.id} = ${cursor})`
}
