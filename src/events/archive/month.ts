import { lowestIdAt } from '../../store/row-id.ts'

/** A month in UTC, as `2026-08`. */
export type Month = string

/** Returns the month of a time. */
export function monthOf(time: Date): Month {
  return time.toISOString().slice(0, 7)
}

/** Returns the month that is `count` months after another one. */
export function monthsAfter(month: Month, count: number): Month {
  const first = firstDayOf(month)
  first.setUTCMonth(first.getUTCMonth() + count)
  return monthOf(first)
}

/** Returns the start of a month. */
export function firstDayOf(month: Month): Date {
  return new Date(`${month}-01T00:00:00.000Z`)
}

/** Returns the ids of entries of a month: from the first one on, up to and without the last one. */
export function idsOf(month: Month): readonly [string, string] {
  return [lowestIdAt(firstDayOf(month)), lowestIdAt(firstDayOf(monthsAfter(month, 1)))]
}
