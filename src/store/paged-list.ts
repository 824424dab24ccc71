import { plannedOnce, type Sql, sql, type TenantTx } from './store.ts'

/** The requested page of a list. */
export type PageRequest = {
  /** Number of rows; one more is read, to find out whether there is a next page. */
  readonly size: number
  readonly after: string | null
  readonly before: string | null
  readonly sort: { readonly field: string }
  /** Direction of reading; for a page before a cursor it is the reverse of the list's. */
  readonly readDescending: boolean
}

/** Rows of a page that reads a bounded number of rows. If it is not full, `continuesAfter` is the id after which the list may continue, else null. */
export type BoundedRows<Row> = { readonly rows: readonly Row[]; readonly continuesAfter: string | null }

/** A condition with one parameter, e.g. `(value) => 'reference = ' + value`; or one without parameters for each possible value. */
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
  /** SQL expressions of other sort orders, by name. Never null; ties are ordered by id. Each needs an index (tenant, expression, id). */
  readonly sorts?: Readonly<Record<string, string>>
  /** Source of the row of a cursor: `table where tenant_id = $1`, with the names of `select`. Required for `sorts`. */
  readonly rows?: string
  readonly filters: Readonly<Record<Filter, PageFilter>>
  /** Whether a connection plans each statement once: for tables of many partitions. */
  readonly isPlannedOnce?: boolean
}

/** Values of the filters; undefined or null does not filter. */
type PageValues<Filter extends string> = { readonly [F in Filter]?: unknown }

/**
 * Returns a function that reads pages of a list. There is one statement for each order and set of filters, so that each can use its index. A
 * cursor is the id of a row; with `sorts` its position is the current one of that row. Rows are returned in the direction of reading.
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
      .concat(given.map((name, index) => `${names.indexOf(name)}${chosen[index]?.variant ?? ''}`))
      .join(' ')
    const statement = statements.get(key) ?? (list.isPlannedOnce ? plannedOnce : sql)(key, textOf(list, page, chosen))
    statements.set(key, statement)
    const cursor = cursorOf(page) === null ? [] : [cursorOf(page)]
    const values = given.filter((_, index) => chosen[index]?.variant === '').map((name) => filter[name])
    return tx.rows<Row>(statement, [...fixed, page.size + 1, ...cursor, ...values])
  }
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

function textOf<F extends string>(list: PagedList<F>, page: PageRequest, chosen: readonly Chosen[]): string {
  const { id, parameters } = list
  const [sign, order] = page.readDescending ? ['<', 'desc'] : ['>', 'asc']
  const sort = list.sorts?.[page.sort.field]
  let taken = parameters + 1
  const next = () => {
    taken += 1
    return `$${taken}`
  }
  const cursor = cursorOf(page) === null ? [] : [beyond(list, sort, sign, next())]
  const conditions = chosen.map(({ variant, text }) => text(variant === '' ? next() : ''))
  const where = [list.select, ...cursor, ...conditions.map((one) => `(${one})`)].join('\n and ')
  const orders = (sort === undefined ? [id] : [sort, id]).map((one) => `${one} ${order}`)
  return `${where}\n order by ${orders.join(', ')} limit $${parameters + 1}`
}

function beyond<F extends string>(list: PagedList<F>, sort: string | undefined, sign: string, cursor: string): string {
  if (sort === undefined) return `${list.id} ${sign} ${cursor}`
  return `(${sort}, ${list.id}) ${sign} (select ${sort}, ${list.id} from ${list.rows} and ${list.id} = ${cursor})`
}
