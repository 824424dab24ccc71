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
 * title above the headings may have none, or another. Of several it is the one that parts more cells, since decimal
 * commas stand equally often too; without such pairs it is the one that stands most often in the first row.
 */
export function guessDelimiter(text: string): Delimiter {
  const rows = countsOf(text.slice(0, HEAD_CHARS))
  const scores = new Map(delimiterNames.map((name) => [name, scoreOf(rows, name)]))
  return delimiterNames.reduce((best, one) => {
    const [now, before] = [scores.get(one) ?? [], scores.get(best) ?? []]
    const differs = now.findIndex((value, at) => value !== before[at])
    return (now[differs] ?? 0) > (before[differs] ?? 0) ? one : best
  }, 'comma')
}

/** What speaks for a delimiter, from what counts most. */
function scoreOf(rows: readonly Counts[], name: Delimiter): readonly number[] {
  const pairs = rows.map((counts) => counts[name]).filter((count, at) => count > 0 && count === rows[at + 1]?.[name])
  return [pairs.length, Math.max(0, ...pairs), rows[0]?.[name] ?? 0]
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
