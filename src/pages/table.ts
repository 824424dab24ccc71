import { apart } from './foreign-text.ts'
import { type Html, html } from './html.ts'
import type { PageTexts } from './messages/en.ts'
import { type Sorting, sortedHead, sortLinks, sortState } from './sorting.ts'

/** A column: its heading, and what a row has there. The first column heads its row. */
type Column<Row> = {
  readonly heading: string
  readonly cell: (row: Row) => Html | string | number | null
  /** Figures stand at the end of their column. */
  readonly isFigure?: boolean
  /** Name of the order of the API by what the column shows. */
  readonly sort?: string
}

/** Returns a table; on a narrow screen each row is a list of its own. @param sorting Where its columns can be sorted by */
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
  return html`${orders}<div class="rows-frame"><table aria-label="${label}"><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`
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
  return html`<nav class="pager" aria-label="${pages.label}">${previous !== null && html`<a class="button plain" rel="prev" href="${previous}">${pages.previous}</a>`}${next !== null && html`<a class="button plain" rel="next" href="${next}">${pages.next}</a>`}</nav>`
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
