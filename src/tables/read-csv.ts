import { type Delimiter, delimiterNames, delimiters } from '../contract/issuance/batches.ts'
import type { Fault } from '../fault.ts'
import { tableFault } from './table-fault.ts'

/** Fields of one record, unquoted. */
type CsvRow = readonly string[]

const QUOTE = '"'
const FORMAT_RULE =
  'Delimiters separate fields, line breaks separate rows; a field that contains either must be quoted, with its ' +
  'quotes doubled.'
/** How a table is written, and how much of it is read. */
type CsvFormat = {
  /** Rows after the header, without empty ones at the end. */
  readonly rowsMax: number
  /** Rows above the header, of any width, which are not read; none by default. */
  readonly rowsAbove?: number
  /** `comma` by default. */
  readonly delimiter?: Delimiter
  /** Columns of a row; unlimited by default. */
  readonly columnsMax?: number
  /** A quote inside a field without quotes stands for itself. */
  readonly isLenient?: boolean
  /** Characters of all fields, and of one; unlimited by default. */
  readonly charsMax?: number
  readonly cellCharsMax?: number
}

/**
 * Parses a table: a header and up to `rowsMax` rows with as many fields. As RFC 4180 says, except for what spreadsheets
 * write: a line break may be LF or CR alone, and rows and fields at the end may be empty.
 *
 * @param text Without the line `sep=`; see {@link statedDelimiter}.
 * @throws Fault `request.invalid` that names row and column, counted from the first row of the text. `meta.rule`: see
 *   `tableFault`
 * @see [RFC 4180, 2](https://www.rfc-editor.org/rfc/rfc4180#section-2)
 */
export function readCsv(
  text: string,
  format: CsvFormat,
): { readonly header: CsvRow; readonly rows: readonly CsvRow[] } {
  const { rowsAbove = 0 } = format
  const [header, ...rows] = readRecords(text, format).slice(rowsAbove)
  if (header === undefined || rows.length === 0)
    throw tableFault('empty', 'The table must have a header and at least one row.')
  for (const [index, one] of rows.entries()) fitRow(one, header.length, index + rowsAbove + 2)
  return { header, rows }
}

/**
 * Parses the rows of a table, each as wide as it is written: up to `rowsMax` below the header, and those above it.
 *
 * @param firstRow Number of the first row in the file; 1 by default.
 * @throws As {@link readCsv}, but for the rules `width` and `empty`
 */
export function readRecords(text: string, format: CsvFormat, firstRow = 1): string[][] {
  const { rowsMax, rowsAbove = 0 } = format
  const recordsMax = rowsAbove + 1 + rowsMax
  const records: string[][] = []
  const readRecord = recordReader(text, format)
  let [filled, row] = [0, firstRow]
  for (let at = 0; at < text.length; row += 1) {
    const { fields, next } = readRecord(at, row)
    at = next
    const hasContent = fields.some((field) => field !== '')
    if (hasContent && records.length >= recordsMax)
      throw tableFault('rows', `The table must have at most ${rowsMax} rows after the header.`, { limit: rowsMax })
    // Beyond the bound a row without content counts only if one with content follows, which is refused.
    if (records.length < recordsMax) records.push(fields)
    if (hasContent) filled = records.length
  }
  return records.slice(0, filled)
}

/** Gives a row the width of the header. Empty fields beyond it are what spreadsheets write for formatted cells. */
function fitRow(row: string[], width: number, number: number): void {
  while (row.length > width && row.at(-1) === '') row.pop()
  if (row.length !== width) throw widthFault(number, row.length, width)
}

/** Refuses a row of a text that has another width than its header. */
export function widthFault(row: number, fields: number, width: number): Fault {
  return tableFault('width', `Row ${row} has ${fields} fields, the header ${width}. ${FORMAT_RULE}`, { row })
}

/**
 * Returns what the line `sep=` at the beginning of a text says, which spreadsheets write and read, and the text after
 * it. `delimiter` is null without the line.
 *
 * @throws Fault `request.invalid` with the rule `kind` for another delimiter
 */
export function statedDelimiter(text: string): { readonly delimiter: Delimiter | null; readonly rest: string } {
  const [line, sign = ''] = /^"?sep=(.)"?(?:\r\n|\n|\r|$)/i.exec(text) ?? []
  if (line === undefined) return { delimiter: null, rest: text }
  const found = delimiterNames.find((name) => delimiters[name] === sign)
  if (found === undefined)
    throw tableFault('kind', 'The line sep= must name a comma, a semicolon, a tab or a vertical bar.', { row: 1 })
  return { delimiter: found, rest: text.slice(line.length) }
}

type Read<T> = T & { readonly next: number }
type CellPosition = { readonly row: number; readonly column: number }

function recordReader(text: string, { delimiter = 'comma', isLenient = false, ...limits }: CsvFormat) {
  const { columnsMax = Number.POSITIVE_INFINITY, charsMax = Number.POSITIVE_INFINITY } = limits
  const { cellCharsMax = Number.POSITIVE_INFINITY } = limits
  const separator = delimiters[delimiter]
  const ends = new RegExp(isLenient ? `[${separator}\\r\\n]` : `[${separator}\\r\\n"]`, 'g')
  let chars = 0
  return (start: number, row: number): Read<{ fields: string[] }> => {
    const fields: string[] = []
    for (let at = start; ; ) {
      const place = { row, column: fields.length + 1 }
      const { field, next } =
        text[at] === QUOTE ? readQuoted(text, at, place, cellCharsMax) : readPlain(text, at, ends, place)
      if (field.length > cellCharsMax) throw longCell(place, cellCharsMax)
      chars += field.length
      if (chars > charsMax) throw tableFault('chars', `The cells have more than ${charsMax} characters in all.`)
      if (fields.length < columnsMax) fields.push(field)
      else if (field !== '')
        throw tableFault('columns', `Row ${row} has more than ${columnsMax} columns.`, { row, limit: columnsMax })
      if (text[next] === separator) {
        at = next + 1
        continue
      }
      if (next >= text.length) return { fields, next }
      if (text[next] === '\n') return { fields, next: next + 1 }
      if (text[next] === '\r') return { fields, next: next + (text[next + 1] === '\n' ? 2 : 1) }
      throw quoteFault(place, 'characters follow the closing quote.')
    }
  }
}

function longCell(place: CellPosition, limit: number) {
  return tableFault('cell', `A cell has more than ${limit} characters.`, { ...place, limit })
}

function quoteFault(place: CellPosition, what: string) {
  return tableFault('quotes', `Row ${place.row}, column ${place.column}: ${what} ${FORMAT_RULE}`, place)
}

function readPlain(text: string, start: number, ends: RegExp, place: CellPosition): Read<{ field: string }> {
  ends.lastIndex = start
  const next = ends.exec(text)?.index ?? text.length
  // RFC 4180 2.5: an unquoted field contains no quotes.
  if (text[next] === QUOTE) throw quoteFault(place, 'a quote in a field without quotes.')
  return { field: text.slice(start, next), next }
}

function readQuoted(text: string, start: number, place: CellPosition, charsMax: number): Read<{ field: string }> {
  let field = ''
  for (let at = start + 1; ; ) {
    const quote = text.indexOf(QUOTE, at)
    if (quote === -1) throw quoteFault(place, 'the closing quote is missing.')
    field += text.slice(at, quote)
    if (field.length > charsMax) throw longCell(place, charsMax)
    // RFC 4180 2.7: two quotes are one escaped quote.
    if (text[quote + 1] !== QUOTE) return { field, next: quote + 1 }
    field += QUOTE
    at = quote + 2
  }
}
