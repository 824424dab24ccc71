import { Fault } from '../../fault.ts'

/** Fields of one record, unquoted. */
type CsvRow = readonly string[]

const QUOTE = '"'
const FORMAT_RULE =
  'Commas separate fields, line breaks separate rows; a field that contains either, or a quote, must be quoted, with its quotes doubled.'

/**
 * Parses a table: a header and up to `rowsMax` rows with as many fields. Strict, except that a line break may be LF alone; empty lines at the
 * end are ignored.
 *
 * @throws Fault `request.invalid` that names row and column; the header is row 1
 * @see [RFC 4180, 2](https://www.rfc-editor.org/rfc/rfc4180#section-2)
 */
export function readCsv(input: string, rowsMax: number): { readonly header: CsvRow; readonly rows: readonly CsvRow[] } {
  const text = trimEnd(input)
  const records: string[][] = []
  for (let at = 0; at < text.length; ) {
    const record = readRecord(text, at, records.length + 1)
    records.push(record.fields)
    at = record.next
    if (records.length > rowsMax + 1) throw csvFault(`The table must have at most ${rowsMax} rows after the header.`)
  }
  const [header, ...rows] = records
  if (header === undefined || rows.length === 0) throw csvFault('The table must have a header and at least one row.')
  for (const [index, row] of rows.entries()) {
    if (row.length === header.length) continue
    throw csvFault(`Row ${index + 2} has ${row.length} fields, the header ${header.length}. ${FORMAT_RULE}`)
  }
  return { header, rows }
}

/** Returns the fault for a table as a whole. */
export function csvFault(detail: string): Fault {
  return new Fault('request.invalid', { violations: [{ detail, pointer: '' }] })
}

/** Returns the text without line breaks at its end. */
function trimEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1
  return text.slice(0, end)
}

function readRecord(text: string, start: number, row: number): { fields: string[]; next: number } {
  const fields: string[] = []
  for (let at = start; ; ) {
    const place = `Row ${row}, column ${fields.length + 1}`
    const { field, next } = text[at] === QUOTE ? readQuoted(text, at, place) : readPlain(text, at, place)
    fields.push(field)
    if (text[next] === ',') {
      at = next + 1
      continue
    }
    if (next >= text.length) return { fields, next }
    if (text[next] === '\n') return { fields, next: next + 1 }
    if (text.startsWith('\r\n', next)) return { fields, next: next + 2 }
    throw csvFault(`${place}: characters follow the closing quote. ${FORMAT_RULE}`)
  }
}

function readPlain(text: string, start: number, place: string): { field: string; next: number } {
  const ends = /[,\r\n"]/g
  ends.lastIndex = start
  const next = ends.exec(text)?.index ?? text.length
  const isLoneReturn = text[next] === '\r' && text[next + 1] !== '\n'
  // RFC 4180 2.5: an unquoted field contains no quotes.
  if (text[next] === QUOTE || isLoneReturn)
    throw csvFault(
      `${place}: a ${isLoneReturn ? 'carriage return' : 'quote'} in a field without quotes. ${FORMAT_RULE}`,
    )
  return { field: text.slice(start, next), next }
}

function readQuoted(text: string, start: number, place: string): { field: string; next: number } {
  let field = ''
  for (let at = start + 1; ; ) {
    const quote = text.indexOf(QUOTE, at)
    if (quote === -1) throw csvFault(`${place}: the closing quote is missing.`)
    field += text.slice(at, quote)
    // RFC 4180 2.7: two quotes are one escaped quote.
    if (text[quote + 1] !== QUOTE) return { field, next: quote + 1 }
    field += QUOTE
    at = quote + 2
  }
}
