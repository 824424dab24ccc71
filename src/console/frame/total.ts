import type { JsonObject } from '../../crypto/json.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { pageOf } from '../../pages/table.ts'
import type { Frame } from './screen.ts'

/** What a list counts, in one word or a few, for one and for several. */
export type Counted = { readonly one: string; readonly many: string }

const NO_FILTERS = ['after', 'before', 'lang', 'sort']

/** As `pageOf`, with how many rows the list has on all pages, for {@link totalLine}. */
export function countedPageOf(query: Frame['query']): Record<string, string | undefined> {
  return { ...pageOf(query), 'page[total]': 'true' }
}

/** A total as the API gives it: at most 1,000 rows are counted, and `more` says that there are others. */
type Total = { readonly count: number; readonly more: boolean }

/** Returns the total of a list; null if it was not counted. */
export function totalIn({ page }: JsonObject): Total | null {
  // The shape of the answer of our own API.
  return ((page ?? {}) as { readonly total?: Total }).total ?? null
}

/**
 * Returns how many rows the list of a screen has, with its filters; nothing if it has none, or they were not counted.
 */
export function totalLine(
  { query, language, t: { total: t } }: Pick<Frame, 'query' | 'language' | 't'>,
  meta: JsonObject,
  counted: Counted,
): Html | null {
  const total = totalIn(meta)
  if (total === null || total.count === 0) return null
  const { count, more } = total
  const rows = `${figure(count, language)} ${count === 1 ? counted.one : counted.many}`
  const isFiltered = Object.entries(query).some(
    ([name, value]) => !NO_FILTERS.includes(name) && !name.startsWith('find-') && value?.trim(),
  )
  const found = more ? t.moreThan(rows) : rows
  return html`<p class="total">${isFiltered ? t.filtered(found) : found}</p>`
}
