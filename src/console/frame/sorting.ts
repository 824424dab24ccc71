import { hidden } from '../../pages/controls.ts'
import type { Html } from '../../pages/html.ts'
import type { Sorting } from '../../pages/table.ts'
import type { Frame } from './screen.ts'

/** The orders of a list by name of the API, without direction, and the one that it has by default. */
export type Orders = { readonly names: readonly string[]; readonly byDefault: string }

/** Returns the order that the address of a list names; that by default where it names none of the list. */
export function sortIn({ sort = '' }: Frame['query'], { names, byDefault }: Orders): string {
  return names.includes(sort.replace(/^-/, '')) ? sort : byDefault
}

/** Returns how a list is sorted, for its table. */
export function sortingOf({ query, here, texts }: Pick<Frame, 'query' | 'here' | 'texts'>, orders: Orders): Sorting {
  return { texts, here, now: sortIn(query, orders), byDefault: orders.byDefault }
}

/** Returns the member of a form of filters that keeps the order; nothing where it is that by default. */
export function keptSort({ query }: Pick<Frame, 'query'>, orders: Orders): Html | null {
  const now = sortIn(query, orders)
  return now === orders.byDefault ? null : hidden('sort', now)
}
