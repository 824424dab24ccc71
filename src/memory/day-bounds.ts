import { dateFormat } from './formats.ts'

const DAY_MS = 86_400_000

/**
 * Returns the first moment of a day in a time zone, as ISO 8601; undefined for what is no day. Where the clock is
 * changed at midnight, the offset of that moment counts.
 *
 * @throws RangeError for an unknown time zone
 */
export function startOfDay(day: string | undefined, timeZone: string): string | undefined {
  const start = startIn(day, timeZone)
  return start === null ? undefined : new Date(start).toISOString()
}

/** Returns the last millisecond of a day in a time zone; otherwise as {@link startOfDay}. */
export function endOfDay(day: string | undefined, timeZone: string): string | undefined {
  const next = isDay(day) ? new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10) : undefined
  const end = startIn(next, timeZone)
  return end === null ? undefined : new Date(end - 1).toISOString()
}

function startIn(day: string | undefined, timeZone: string): number | null {
  if (!isDay(day)) return null
  const asUtc = Date.parse(`${day}T00:00:00Z`)
  return asUtc - offsetAt(asUtc - offsetAt(asUtc, timeZone), timeZone)
}

/** How far the clock of a zone is ahead of UTC, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const format = dateFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

function isDay(day: string | undefined): day is string {
  return day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`))
}
