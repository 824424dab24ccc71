import { type Delimiter, delimiterNames } from '../contract/issuance/batches.ts'
import { type DateOrder, type Decimal, orderShownBy } from './cell-values.ts'
import type { ReadRow } from './table.ts'

const HEAD_CHARS = 65_536
const NUMBER_CHARS_MAX = 40

/** Rows by which the delimiter is guessed. */
const HEAD_ROWS = 40

type Counts = Readonly<Record<Delimiter, number>>

/**
 * Returns the delimiter of a table: the one that stands equally often in most pairs of rows, outside of quotes, since a
 * title above the headings may have none, or another; else the one that stands most often in the first row.
 */
export function guessDelimiter(text: string): Delimiter {
  const rows = countsOf(text.slice(0, HEAD_CHARS))
  const pairs = (name: Delimiter) =>
    rows.filter((counts, at) => counts[name] > 0 && counts[name] === rows[at + 1]?.[name]).length
  const first = rows[0]
  const isBetter = (one: Delimiter, other: Delimiter) =>
    pairs(one) - pairs(other) || (first?.[one] ?? 0) - (first?.[other] ?? 0)
  return delimiterNames.reduce((best, one) => (isBetter(one, best) > 0 ? one : best), 'comma')
}

/** How often each delimiter stands in the first rows. */
function countsOf(text: string): readonly Counts[] {
  const none = { comma: 0, semicolon: 0, tab: 0, pipe: 0 }
  const rows: Record<Delimiter, number>[] = []
  let counts = { ...none }
  let isQuoted = false
  for (const sign of text.replaceAll('\r\n', '\n')) {
    if (sign === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (sign === '\n' || sign === '\r') {
      rows.push(counts)
      if (rows.length === HEAD_ROWS) return rows
      counts = { ...none }
    } else if (sign === ';') counts.semicolon += 1
    else if (sign === ',') counts.comma += 1
    else if (sign === '\t') counts.tab += 1
    else if (sign === '|') counts.pipe += 1
  }
  return [...rows, counts]
}

type Rows = readonly Pick<ReadRow, 'cells' | 'values'>[]

/** Returns the decimal sign that more of the cells have. */
export function guessDecimal(rows: Rows): Decimal {
  let [points, commas] = [0, 0]
  for (const { cells } of rows) {
    for (const cell of cells) {
      if (cell.length > NUMBER_CHARS_MAX) continue
      if (/^-?\d+\.\d+$/.test(cell)) points += 1
      else if (/^-?\d+,\d+$/.test(cell)) commas += 1
    }
  }
  return commas > points ? 'comma' : 'point'
}

/**
 * Returns the order of the dates. `isSure`: a figure above 12 shows it, and none the other order; or no date needs it.
 */
export function guessDates(rows: Rows): { readonly order: DateOrder; readonly isSure: boolean } {
  const shown = { dmy: 0, mdy: 0, open: 0 }
  for (const { cells, values } of rows) {
    for (const [column, cell] of cells.entries()) {
      // A date of a workbook has a value, however it is shown.
      const order = values?.[column] === undefined ? orderShownBy(cell) : null
      if (order !== null) shown[order] += 1
    }
  }
  const { dmy, mdy, open } = shown
  return { order: mdy > dmy ? 'mdy' : 'dmy', isSure: open === 0 || dmy > 0 !== mdy > 0 }
}
