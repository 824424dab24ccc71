/** The sign before the decimals of a number. */
export type Decimal = 'point' | 'comma'
/** The order of a date in figures; ISO 8601 is read in every order. */
export type DateOrder = 'dmy' | 'mdy'

/** A date in figures, with a time of the day at most. */
const YEAR_LAST = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[T ]+([\d:.]+)Z?)?$/
const YEAR_FIRST = /^(\d{4})([./-])(\d{1,2})\2(\d{1,2})(?:[T ]+([\d:.]+)Z?)?$/
/** The time that databases and spreadsheets write after a date that has none. */
const MIDNIGHT = /^0{1,2}:00(:00(\.0+)?)?$/
/** Longer than every date with a time. */
const DATE_CHARS_MAX = 40

/**
 * A cell as a date: the date as ISO 8601; `ambiguous` if it can be two days and no order is known, with both; `no_day`
 * for a day that does not exist; `none` for anything else, also for a date with a time of the day.
 */
type DateReading =
  | { readonly kind: 'date'; readonly iso: string }
  | { readonly kind: 'ambiguous'; readonly dayFirst: string; readonly monthFirst: string }
  | { readonly kind: 'no_day' }
  | { readonly kind: 'none' }

/**
 * Reads a cell as a date. With points the day is always first. Without `order` a date is read if it can be one day
 * only.
 */
export function readDate(cell: string, order?: DateOrder): DateReading {
  const text = cell.length > DATE_CHARS_MAX ? '' : cell.trim()
  const [, year = '', , month = '', day = '', time = ''] = YEAR_FIRST.exec(text) ?? []
  if (year !== '') return midnightOnly(time, dayOf(year, month, day))
  const [, first = '', sign = '', second = '', last = '', clock = ''] = YEAR_LAST.exec(text) ?? []
  if (last === '') return { kind: 'none' }
  const dayFirst = dayOf(last, second, first)
  const monthFirst = dayOf(last, first, second)
  if (order === 'dmy' || sign === '.') return midnightOnly(clock, dayFirst)
  if (order === 'mdy') return midnightOnly(clock, monthFirst)
  if (dayFirst === null || monthFirst === null || dayFirst === monthFirst)
    return midnightOnly(clock, dayFirst ?? monthFirst)
  return MIDNIGHT.test(clock) || clock === '' ? { kind: 'ambiguous', dayFirst, monthFirst } : { kind: 'none' }
}

/** Which order a date in figures shows; `open` if it shows none; null: the order does not matter. */
export function orderShownBy(cell: string): DateOrder | 'open' | null {
  if (cell.length > DATE_CHARS_MAX) return null
  const [, first = '', sign, second = ''] = YEAR_LAST.exec(cell.trim()) ?? []
  if (first === '' || sign === '.' || Number(first) === Number(second)) return null
  if (Number(first) > 12) return 'dmy'
  return Number(second) > 12 ? 'mdy' : 'open'
}

function midnightOnly(time: string, iso: string | null): DateReading {
  if (time !== '' && !MIDNIGHT.test(time)) return { kind: 'none' }
  return iso === null ? { kind: 'no_day' } : { kind: 'date', iso }
}

/** Returns a day as ISO 8601; null if it does not exist. */
function dayOf(year: string, month: string, day: string): string | null {
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso) ? iso : null
}

/**
 * Returns the number in a cell; null for anything else, also for one that could be two numbers, such as `1.234` with a
 * decimal comma. The sign may stand behind it, as SAP writes it.
 */
export function readNumber(cell: string, decimal: Decimal): number | null {
  const signed = cell.trim().replace(/^(\d[^-]*)-$/, '-$1')
  const plain = signed.replaceAll(/(?<=\d)[ \u00a0\u202f'’](?=\d{3})/g, '')
  const [point, group] = decimal === 'comma' ? [',', '.'] : ['.', ',']
  const ungrouped = isGrouped(plain, point, group) ? plain.replaceAll(group, '') : plain
  if (ungrouped.includes(group)) return null
  const pointed = ungrouped.replace(point, '.')
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(pointed) ? Number(pointed) : null
}

/** Whether signs stand between thousands. Only decimals after them show it: `1.234` could be either. */
function isGrouped(text: string, point: string, group: string): boolean {
  const [whole = '', decimals, ...more] = text.split(point)
  if (decimals === undefined || more.length > 0 || !/^\d+$/.test(decimals)) return false
  const [first = '', ...thousands] = whole.split(group)
  return thousands.length > 0 && /^-?\d{1,3}$/.test(first) && thousands.every((three) => /^\d{3}$/.test(three))
}

const yes = new Set(['true', 'yes', 'y', 'oui', 'o', 'vrai', 'ja', 'j', 'wahr', '1', 'x'])
const no = new Set(['false', 'no', 'n', 'non', 'faux', 'nein', 'falsch', '0'])

/**
 * Returns the yes or no in a cell, as spreadsheets and people write it in English, French and German; null for anything
 * else.
 */
export function readBoolean(cell: string): boolean | null {
  const word = cell.trim().toLowerCase()
  return yes.has(word) || (no.has(word) ? false : null)
}

/** Whether a cell holds a dash only, with which programs such as Moodle and people write that there is nothing. */
export function isDash(cell: string): boolean {
  return /^[-–—]$/.test(cell)
}

/** Error values of spreadsheets, in the languages in which they export them. [ECMA-376 part 1, 18.18.11] */
const errorValues = new Set(
  (
    '#N/A #REF! #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC! #GETTING_DATA ' +
    '#NV #BEZUG! #WERT! #ZAHL! #ÜBERLAUF! #VALEUR! #NOM? #NOMBRE! #NUL!'
  ).split(' '),
)

/** Whether a cell shows an error of its spreadsheet instead of a value. */
export function isErrorValue(cell: string): boolean {
  return cell.startsWith('#') && errorValues.has(cell.trim())
}
