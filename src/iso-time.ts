type Known = { readonly second: number; readonly text: string }

/** More than the moments that one request speaks of; prime, so that times to live of whole minutes do not meet in one place. */
const PLACES = 61
const known: (Known | undefined)[] = Array.from({ length: PLACES })

/**
 * A moment as `Date.toISOString` writes it, e.g. `2026-01-31T10:15:00.123Z`. That call costs a microsecond, and a request writes a dozen
 * moments into statements, answers and lines of the log; all but the milliseconds is the same for a second.
 *
 * @param at A date, or milliseconds since 1970.
 * @throws RangeError for an invalid date
 */
export function isoTime(at: Date | number): string {
  const ms = at.valueOf()
  const second = Math.floor(ms / 1000)
  const rest = ms - second * 1000
  return `${upToSecond(second)}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}

function upToSecond(second: number): string {
  const place = Math.abs(second % PLACES)
  const found = known[place]
  if (found?.second === second) return found.text
  const text = new Date(second * 1000).toISOString().slice(0, -'000Z'.length)
  known[place] = { second, text }
  return text
}
