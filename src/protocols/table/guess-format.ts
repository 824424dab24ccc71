import { type Delimiter, delimiters } from './read-csv.ts'

/** The sign before the decimals of a number. */
export type Decimal = 'point' | 'comma'
/** The order of a date in figures; ISO 8601 is read in every order. */
export type DateOrder = 'dmy' | 'mdy'

const HEAD_CHARS = 65_536
const FIGURES = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/

/** Returns the delimiter that stands most often in the first row, outside of quotes. */
export function guessDelimiter(text: string): Delimiter {
  const counts: Record<Delimiter, number> = { comma: 0, semicolon: 0, tab: 0 }
  let isQuoted = false
  for (const sign of text.slice(0, HEAD_CHARS)) {
    if (sign === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (sign === '\n') break
    else if (sign === ';') counts.semicolon += 1
    else if (sign === ',') counts.comma += 1
    else if (sign === '\t') counts.tab += 1
  }
  // The names are the keys of `delimiters`.
  const names = Object.keys(delimiters) as Delimiter[]
  return names.reduce((best, one) => (counts[one] > counts[best] ? one : best), 'comma')
}

/** Returns the decimal sign that more of the cells have. */
export function guessDecimal(rows: readonly (readonly string[])[]): Decimal {
  let [points, commas] = [0, 0]
  for (const row of rows) {
    for (const cell of row) {
      if (cell.length > 40) continue
      if (/^-?\d+\.\d+$/.test(cell)) points += 1
      else if (/^-?\d+,\d+$/.test(cell)) commas += 1
    }
  }
  return commas > points ? 'comma' : 'point'
}

/** Returns the order of the dates. `isSure`: a figure above 12 shows it, or no date needs it. Without such a figure the day comes first. */
export function guessDates(rows: readonly (readonly string[])[]): {
  readonly order: DateOrder
  readonly isSure: boolean
} {
  let [days, months, others] = [0, 0, 0]
  for (const row of rows) {
    for (const cell of row) {
      const found = cell.length > 10 ? null : FIGURES.exec(cell)
      if (found === null) continue
      if (Number(found[1]) > 12 || found[2] === '.') days += 1
      else if (Number(found[3]) > 12) months += 1
      else others += 1
    }
  }
  return { order: months > days ? 'mdy' : 'dmy', isSure: days + months > 0 || others === 0 }
}

/** Returns a date in figures as ISO 8601; null for anything else, also for a day that does not exist. With points the day is always first. */
export function isoDateOf(cell: string, order: DateOrder): string | null {
  const found = FIGURES.exec(cell)
  if (found === null) return null
  const [, first = '', sign, second = '', year = ''] = found
  const [day, month] = order === 'dmy' || sign === '.' ? [first, second] : [second, first]
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso) ? iso : null
}

/** Returns a number as JSON writes it; null for anything else. Spaces between thousands are dropped. */
export function numberOf(cell: string, decimal: Decimal): number | null {
  const plain = cell.replaceAll(/(?<=\d)[ \u00a0\u202f](?=\d{3})/g, '')
  const pointed = decimal === 'comma' ? plain.replace(',', '.') : plain
  if (decimal === 'comma' && plain.includes('.')) return null
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(pointed) ? Number(pointed) : null
}
