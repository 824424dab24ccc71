import { decodeText, type TableEncoding } from '../../protocols/table/decode-text.ts'
import { guessDates, guessDecimal, guessDelimiter } from '../../protocols/table/guess-format.ts'
import { type Delimiter, readCsv } from '../../protocols/table/read-csv.ts'
import { isWorkbook, readWorkbook } from '../../protocols/table/read-workbook.ts'
import { tableFault } from '../../protocols/table/table-fault.ts'
import { CELL_CHARS_MAX, COLUMNS_MAX, type ReadTable, ROWS_MAX, TABLE_BYTES_MAX } from './table-draft.ts'

/** How a text is to be read, where the person has said so. */
type Chosen = { readonly encoding?: TableEncoding | undefined; readonly delimiter?: Delimiter | undefined }
type Rows = readonly (readonly string[])[]

/**
 * Reads a table of a person: a workbook, or text whose encoding, delimiter, decimal sign and dates are guessed. Empty rows are left out, the
 * others keep their numbers.
 *
 * @throws Fault `request.invalid` with `meta.rule`: see `tableFault`
 */
export function readTable(bytes: Uint8Array, chosen: Chosen = {}): ReadTable {
  if (bytes.length > TABLE_BYTES_MAX) throw tableFault('bytes', 'The file is too large.', { limit: TABLE_BYTES_MAX })
  if (bytes.length === 0) throw tableFault('empty', 'The file is empty.')
  return isWorkbook(bytes) ? ofWorkbook(bytes) : ofText(bytes, chosen)
}

function ofWorkbook(bytes: Uint8Array): ReadTable {
  const { rows, name, sheets } = readWorkbook(bytes, { rowsMax: ROWS_MAX + 1, columnsMax: COLUMNS_MAX })
  const first = rows.findIndex((row) => row.some((cell) => cell.trim() !== ''))
  const [header = [], ...body] = rows.slice(Math.max(0, first))
  const width = Math.max(header.length, ...body.map((row) => row.length))
  const named = Array.from({ length: width }, (_, at) => header[at] ?? '')
  const form = { kind: 'workbook', encoding: 'utf-8', delimiter: 'comma', decimal: 'point' } as const
  return tableOf(named, body, Math.max(0, first) + 2, { ...form, sheet: { name, count: sheets } })
}

function ofText(bytes: Uint8Array, chosen: Chosen): ReadTable {
  const { text, encoding } = decodeText(bytes, chosen.encoding)
  const delimiter = chosen.delimiter ?? guessDelimiter(text)
  const limits = { rowsMax: ROWS_MAX, columnsMax: COLUMNS_MAX, isRagged: true }
  const { header, rows } = readCsv(text, { ...limits, delimiter })
  return tableOf(header, rows, 2, { kind: 'text', encoding, delimiter, decimal: guessDecimal(rows) })
}

type Form = Omit<ReadTable['form'], 'dates' | 'isSure'>

function tableOf(header: readonly string[], body: Rows, firstNumber: number, form: Form): ReadTable {
  const rows = body.flatMap((row, at) => {
    const cells = header.map((_, column) => (row[column] ?? '').trim())
    const long = cells.findIndex((cell) => cell.length > CELL_CHARS_MAX)
    const place = { row: at + firstNumber, column: long + 1, limit: CELL_CHARS_MAX }
    if (long !== -1) throw tableFault('cell', `A cell has more than ${CELL_CHARS_MAX} characters.`, place)
    return cells.every((cell) => cell === '') ? [] : [{ number: at + firstNumber, cells }]
  })
  if (rows.length === 0) throw tableFault('empty', 'The table must have a header and at least one row.')
  const { order, isSure } = guessDates(rows.map(({ cells }) => cells))
  return { header: header.map((name) => name.trim()), rows, form: { ...form, dates: order, isSure } }
}
