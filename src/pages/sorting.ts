import { type Html, html } from './html.ts'
import type { PageTexts } from './messages/en.ts'

/** How the rows of a list are sorted. An order is a name of the API; with `-` before it from the last to the first. */
export type Sorting = {
  readonly texts: Pick<PageTexts, 'sorting'>
  /** Path and query of the page; its filters stay. */
  readonly here: string
  readonly now: string
  readonly byDefault: string
}

/** A column by which a list can be sorted: its heading, and the name of its order. */
export type SortedColumn = { readonly heading: string; readonly sort: string }

/**
 * Returns the head of a column as a link that sorts by it: first A to Z, times newest first; then the other way round; then as by default. The
 * heading stands there besides, for the narrow screen, where {@link sortLinks} take the place of the links.
 */
export function sortedHead({ heading, sort }: SortedColumn, sorting: Sorting): Html {
  const [first, second] = ordersOf(sort)
  const isByDefault = sorting.byDefault === first || sorting.byDefault === second
  const next = sorting.now === first ? second : sorting.now === second && !isByDefault ? sorting.byDefault : first
  return html`<a href="${addressOf(next, sorting)}">${heading}</a><span>${heading}</span>`
}

/** Returns the attribute that says by which column a table is sorted, and in which direction; nothing for another column. */
export function sortState({ sort }: SortedColumn, { now }: Sorting): Html | null {
  if (now !== sort && now !== `-${sort}`) return null
  return html` aria-sort="${now === sort ? 'ascending' : 'descending'}"`
}

/** Returns every order of a list as a link, for a narrow screen, which does not show the heads. */
export function sortLinks(columns: readonly SortedColumn[], sorting: Sorting): Html {
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
