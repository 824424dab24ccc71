import { apart } from './foreign-text.ts'
import { type Html, html } from './html.ts'
import type { PageTexts } from './messages/page-texts.ts'

/** A column: its heading, and what a row has there. The first column heads its row. */
export type Column<Row> = {
  readonly heading: string
  readonly cell: (row: Row) => Html | string | number | null
  /** Figures stand at the end of their column. */
  readonly isFigure?: boolean
  /** Name of the order of the API by what the column shows. */
  readonly sort?: string
}

/**
 * Returns a table; on a narrow screen each row is a list of its own.
 *
 * @param sorting Where its columns can be sorted by
 */
export function table<Row>(
  label: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  sorting?: Sorting,
): Html {
  const heads = columns.map((one) => headOf(one, sorting))
  const lines = rows.map((row) => html`<tr>${columns.map((column, index) => cellOf(column, row, index === 0))}</tr>`)
  const sorted = columns.flatMap(({ heading, sort }) => (sort === undefined ? [] : [{ heading, sort }]))
  const orders = sorting !== undefined && sorted.length > 0 && sortLinks(sorted, sorting)
  return html`${orders}<div class="rows-frame">
    <table aria-label="${label}">
      <thead><tr>${heads}</tr></thead>
      <tbody>${lines}</tbody>
    </table>
  </div>`
}

function headOf<Row>({ heading, isFigure, sort }: Column<Row>, sorting: Sorting | undefined): Html {
  const look = isFigure && html` class="figure"`
  if (sort === undefined || sorting === undefined) return html`<th scope="col"${look}>${heading}</th>`
  const one = { heading, sort }
  return html`<th scope="col"${look}${sortState(one, sorting)}>${sortedHead(one, sorting)}</th>`
}

function cellOf<Row>({ heading, cell, isFigure }: Column<Row>, row: Row, isFirst: boolean): Html {
  // Shown before the value where the headings are not.
  const content = html`<span class="of" aria-hidden="true">${heading}</span><span>${apart(cell(row))}</span>`
  const look = isFigure && html` class="figure"`
  return isFirst ? html`<th scope="row"${look}>${content}</th>` : html`<td${look}>${content}</td>`
}

/** How the rows of a list are sorted. An order is a name of the API; with `-` before it from the last to the first. */
export type Sorting = {
  readonly texts: Pick<PageTexts, 'sorting'>
  /** Path and query of the page; its filters stay. */
  readonly here: string
  readonly now: string
  readonly byDefault: string
}

/** A column by which a list can be sorted: its heading, and the name of its order. */
type SortedColumn = { readonly heading: string; readonly sort: string }

/**
 * Returns the head of a column as a link that sorts by it: first A to Z, times newest first; then the other way round;
 * then as by default. The heading stands there besides, for the narrow screen, where {@link sortLinks} take the place
 * of the links.
 */
function sortedHead({ heading, sort }: SortedColumn, sorting: Sorting): Html {
  const [first, second] = ordersOf(sort)
  const isByDefault = sorting.byDefault === first || sorting.byDefault === second
  const next = sorting.now === first ? second : sorting.now === second && !isByDefault ? sorting.byDefault : first
  return html`<a href="${addressOf(next, sorting)}">${heading}</a><span>${heading}</span>`
}

/**
 * Returns the attribute that says by which column a table is sorted, and in which direction; nothing for another
 * column.
 */
function sortState({ sort }: SortedColumn, { now }: Sorting): Html | null {
  if (now !== sort && now !== `-${sort}`) return null
  return html` aria-sort="${now === sort ? 'ascending' : 'descending'}"`
}

/** Returns every order of a list as a link, for a narrow screen, which does not show the heads. */
function sortLinks(columns: readonly SortedColumn[], sorting: Sorting): Html {
  const { sorting: t } = sorting.texts
  const links = columns.flatMap(({ heading, sort }) =>
    ordersOf(sort).map((order) => {
      const text = `${heading}${t.colon}${t[isTime(sort) ? 'time' : 'text'][order === sort ? 'ascending' : 'descending']}`
      const isNow = order === sorting.now && html` aria-current="true"`
      return html`<a href="${addressOf(order, sorting)}"${isNow}>${text}</a>`
    }),
  )
  return html`<nav class="sorts" aria-label="${t.label}">${links}</nav>`
}

/** Times are sorted newest first. */
function ordersOf(sort: string): readonly [first: string, second: string] {
  return isTime(sort) ? [`-${sort}`, sort] : [sort, `-${sort}`]
}

function isTime(sort: string): boolean {
  return sort.endsWith('At')
}

/** The first page in an order. */
function addressOf(order: string, { here, byDefault }: Sorting): string {
  const [path = '', query = ''] = here.split('?', 2)
  const members = new URLSearchParams(query)
  for (const name of ['after', 'before', 'sort']) members.delete(name)
  if (order !== byDefault) members.set('sort', order)
  return members.size === 0 ? path : `${path}?${members}`
}

/** How good a state is; it is said in words besides. */
export type Tone = 'ok' | 'warn' | 'bad' | 'plain'

/** Returns a state in words, beside a colour. */
export function badge(text: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${text}</span>`
}

/**
 * Returns the ways to the neighbouring pages of a list; nothing if there are none.
 *
 * @param links Those of the API, of which the cursors are taken.
 * @param here Path and query of the page; its filters stay.
 */
export function pager({ pages }: PageTexts, links: Readonly<Record<string, string>>, here: string): Html | null {
  const [previous, next] = [cursorIn(links.prev, here), cursorIn(links.next, here)]
  if (previous === null && next === null) return null
  return html`<nav class="pager" aria-label="${pages.label}">
    ${previous !== null && html`<a class="button plain" rel="prev" href="${previous}">${pages.previous}</a>`}
    ${next !== null && html`<a class="button plain" rel="next" href="${next}">${pages.next}</a>`}
  </nav>`
}

function cursorIn(link: string | undefined, here: string): string | null {
  if (link === undefined) return null
  const from = new URLSearchParams(link.split('?', 2)[1])
  const [path = '', query = ''] = here.split('?', 2)
  const members = new URLSearchParams(query)
  for (const name of ['after', 'before']) {
    const cursor = from.get(`page[${name}]`)
    if (cursor === null) members.delete(name)
    else members.set(name, cursor)
  }
  return `${path}?${members}`
}

/** Returns the page members of a query to the API for the cursors that {@link pager} puts into the address. */
export function pageOf({
  after,
  before,
}: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return { 'page[after]': after, 'page[before]': before }
}
