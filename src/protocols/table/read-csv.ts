import { tableFault } from './table-fault.ts'

/** Fields of one record, unquoted. */
type CsvRow = readonly string[]

const QUOTE = '"'
const FORMAT_RULE =
  'Delimiters separate fields, line breaks separate rows; a field that contains either, or a quote, must be quoted, with its quotes doubled.'

/** What separates the fields of a row. */
export const delimiters = { comma: ',', semicolon: ';', tab: '\t' } as const
/** One of {@link delimiters}. */
export type Delimiter = keyof typeof delimiters

/** How a table is written, and how much of it is read. */
type CsvFormat = {
  /** Rows after the header. */
  readonly rowsMax: number
  /** `comma` by default. */
  readonly delimiter?: Delimiter
  /** Columns of a row; unlimited by default. */
  readonly columnsMax?: number
  /** Rows with fewer fields than the header are filled up with empty ones. */
  readonly isRagged?: boolean
}

/**
 * Parses a table: a header and up to `rowsMax` rows with as many fields. Strict, except that a line break may be LF alone; empty lines at the
 * end are ignored.
 *
 * @throws Fault `request.invalid` that names row and column; the header is row 1. `meta.rule`: see `tableFault`
 * @see [RFC 4180, 2](https://www.rfc-editor.org/rfc/rfc4180#section-2)
 */
export function readCsv(
  input: string,
  { rowsMax, columnsMax = Number.POSITIVE_INFINITY, isRagged = false, delimiter = 'comma' }: CsvFormat,
): { readonly header: CsvRow; readonly rows: readonly CsvRow[] } {
  const text = trimEnd(input)
  const records: string[][] = []
  const readRecord = recordReader(text, delimiters[delimiter], columnsMax)
  for (let at = 0; at < text.length; ) {
    const record = readRecord(at, records.length + 1)
    records.push(record.fields)
    at = record.next
    if (records.length > rowsMax + 1) {
      throw tableFault('rows', `The table must have at most ${rowsMax} rows after the header.`, { limit: rowsMax })
    }
  }
  const [header, ...rows] = records
  if (header === undefined || rows.length === 0)
    throw tableFault('empty', 'The table must have a header and at least one row.')
  for (const [index, row] of rows.entries()) {
    if (isRagged) while (row.length < header.length) row.push('')
    if (row.length === header.length) continue
    const detail = `Row ${index + 2} has ${row.length} fields, the header ${header.length}. ${FORMAT_RULE}`
    throw tableFault('width', detail, { row: index + 2 })
  }
  return { header, rows }
}

/** Returns the text without line breaks at its end. */
function trimEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1
  return text.slice(0, end)
}

type Read<T> = T & { readonly next: number }

function recordReader(text: string, delimiter: string, columnsMax: number) {
  const ends = new RegExp(`[${delimiter}\\r\\n"]`, 'g')
  return (start: number, row: number): Read<{ fields: string[] }> => {
    const fields: string[] = []
    for (let at = start; ; ) {
      const place = { row, column: fields.length + 1 }
      if (fields.length === columnsMax)
        throw tableFault('columns', `Row ${row} has more than ${columnsMax} columns.`, { row, limit: columnsMax })
      const { field, next } = text[at] === QUOTE ? readQuoted(text, at, place) : readPlain(text, at, ends, place)
      fields.push(field)
      if (text[next] === delimiter) {
        at = next + 1
        continue
      }
      if (next >= text.length) return { fields, next }
      if (text[next] === '\n') return { fields, next: next + 1 }
      if (text.startsWith('\r\n', next)) return { fields, next: next + 2 }
      throw quoteFault(place, 'characters follow the closing quote.')
    }
  }
}

type Place = { readonly row: number; readonly column: number }

function quoteFault(place: Place, what: string) {
  return tableFault('quotes', `Row ${place.row}, column ${place.column}: ${what} ${FORMAT_RULE}`, place)
}

function readPlain(text: string, start: number, ends: RegExp, place: Place): Read<{ field: string }> {
  ends.lastIndex = start
  const next = ends.exec(text)?.index ?? text.length
  const isLoneReturn = text[next] === '\r' && text[next + 1] !== '\n'
  // RFC 4180 2.5: an unquoted field contains no quotes.
  if (text[next] === QUOTE || isLoneReturn)
    throw quoteFault(place, `a ${isLoneReturn ? 'carriage return' : 'quote'} in a field without quotes.`)
  return { field: text.slice(start, next), next }
}

function readQuoted(text: string, start: number, place: Place): Read<{ field: string }> {
  let field = ''
  for (let at = start + 1; ; ) {
    const quote = text.indexOf(QUOTE, at)
    if (quote === -1) throw quoteFault(place, 'the closing quote is missing.')
    field += text.slice(at, quote)
    // RFC 4180 2.7: two quotes are one escaped quote.
    if (text[quote + 1] !== QUOTE) return { field, next: quote + 1 }
    field += QUOTE
    at = quote + 2
  }
}
