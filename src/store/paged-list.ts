import { type Sql, sql, type TenantTx } from './store.ts'

/** Which page of a list is wanted. `ListAsk` of the HTTP room is one. */
export type PageRequest = {
  /** One row more is read, which tells that there is a next page. */
  readonly size: number
  readonly after: string | null
  readonly before: string | null
  readonly sort: { readonly field: string }
  /** Direction of reading, which for a page before something is not that of the list. */
  readonly readDescending: boolean
}

/** A condition with one parameter, e.g. `(value) => 'reference = ' + value`; or one without any for each value that there is. */
export type PageFilter = ((parameter: string) => string) | Readonly<Record<string, string>>

/** A list that can be read in pages. */
export type PagedList<Filter extends string> = {
  /** What the names of its statements begin with; at most 35 characters. */
  readonly name: string
  /** `select … from … where …`, complete as it is. Its parameters come first; of a tenant's list $1 is the tenant. */
  readonly select: string
  readonly parameters: number
  /** The id as the statement calls it. Ids are in the order of creation, so `createdAt` sorts by it. */
  readonly id: string
  /** Other orders, by the name of the sort. Never null; the id decides between equals. Each wants an index (tenant, it, id). */
  readonly sorts?: Readonly<Record<string, string>>
  /** Where the row of a cursor is found: `table where tenant_id = $1`, in the names of `select`. For `sorts` only. */
  readonly rows?: string
  readonly filters: Readonly<Record<Filter, PageFilter>>
}

/** What a page is narrowed to; what is undefined or null lets everything through. */
export type PageValues<Filter extends string> = { readonly [F in Filter]?: unknown }

/**
 * Reads the pages of a list. There is one statement for each order and set of filters, so that each can use its index. A cursor is the id of a
 * row; in another order than that of creation its place is where that row stands now.
 *
 * @returns rows in the order of reading.
 */
export function pagedList<Filter extends string>(
  list: PagedList<Filter>,
): <Row>(
  tx: Pick<TenantTx, 'rows'>,
  ask: PageRequest,
  fixed: readonly unknown[],
  filter: Readonly<Record<string, unknown>> & PageValues<Filter>,
) => Promise<Row[]> {
  const names = Object.keys(list.filters) as Filter[]
  const statements = new Map<string, Sql>()
  return async <Row>(
    tx: Pick<TenantTx, 'rows'>,
    ask: PageRequest,
    fixed: readonly unknown[],
    filter: Readonly<Record<string, unknown>> & PageValues<Filter>,
  ) => {
    const given = names.filter((name) => filter[name] !== undefined && filter[name] !== null)
    // No stored text has a NUL character, and PostgreSQL refuses to be asked for one.
    if (given.some((name) => String(filter[name]).includes('\0'))) return []
    const chosen = given.map((name) => conditionOf(list.filters[name], filter[name]))
    const key = [list.name, ask.sort.field, ask.readDescending ? 'd' : 'a', cursorOf(ask) === null ? '' : 'p']
      .concat(given.map((name, index) => `${names.indexOf(name)}${chosen[index]?.variant ?? ''}`))
      .join(' ')
    const statement = statements.get(key) ?? sql(key, textOf(list, ask, chosen))
    statements.set(key, statement)
    const cursor = cursorOf(ask) === null ? [] : [cursorOf(ask)]
    const values = given.filter((_, index) => chosen[index]?.variant === '').map((name) => filter[name])
    return tx.rows<Row>(statement, [...fixed, ask.size + 1, ...cursor, ...values])
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

function textOf<F extends string>(list: PagedList<F>, ask: PageRequest, chosen: readonly Chosen[]): string {
  const { id, parameters } = list
  const [sign, order] = ask.readDescending ? ['<', 'desc'] : ['>', 'asc']
  const sort = list.sorts?.[ask.sort.field]
  let taken = parameters + 1
  const next = () => {
    taken += 1
    return `$${taken}`
  }
  const cursor = cursorOf(ask) === null ? [] : [beyond(list, sort, sign, next())]
  const conditions = chosen.map(({ variant, text }) => text(variant === '' ? next() : ''))
  const where = [list.select, ...cursor, ...conditions.map((one) => `(${one})`)].join('\n and ')
  const orders = (sort === undefined ? [id] : [sort, id]).map((one) => `${one} ${order}`)
  return `${where}\n order by ${orders.join(', ')} limit $${parameters + 1}`
}

function beyond<F extends string>(list: PagedList<F>, sort: string | undefined, sign: string, cursor: string): string {
  if (sort === undefined) return `${list.id} ${sign} ${cursor}`
  return `(${sort}, ${list.id}) ${sign} (select ${sort}, ${list.id} from ${list.rows} and ${list.id} = ${cursor})`
}
