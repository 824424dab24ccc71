import type { Delimiter } from '../contract/issuance/batches.ts'
import { decodeText, type TableEncoding } from './decode-text.ts'
import { isArchive, unreadableBytes, unreadableText } from './file-kind.ts'
import { guessDates, guessDecimal, guessDelimiter } from './guess-format.ts'
import { readCsv, statedDelimiter } from './read-csv.ts'
import { readWorkbook } from './read-workbook.ts'
import {
  CELL_CHARS_MAX,
  type ReadRow,
  type ReadTable,
  TABLE_BYTES_MAX,
  TABLE_CHARS_MAX,
  type TableForm,
  type TableOptions,
} from './table.ts'
import { tableFault } from './table-fault.ts'
import { withoutGuard } from './write-csv.ts'

/**
 * Parses a table: a workbook, or a text whose encoding, delimiter, decimal sign and order of dates are guessed. It
 * takes as long as the table is large, so it runs in a worker only: see `readTable`.
 *
 * @throws Fault `request.invalid` with `meta.rule`: see `tableFault`
 */
export function parseTable(source: Uint8Array, options: TableOptions): ReadTable {
  if (source.length > TABLE_BYTES_MAX) throw tableFault('bytes', 'The file is too large.', { limit: TABLE_BYTES_MAX })
  if (source.length === 0) throw tableFault('empty', 'The file is empty.')
  if (isArchive(source)) {
    if (options.kind === 'text') throw tableFault('kind', 'The file is a workbook or another archive, not CSV.')
    return ofWorkbook(source, options)
  }
  const unreadable = unreadableBytes(source)
  if (unreadable !== null) throw unreadable
  const { text, encoding } = decodeText(source, options.encoding)
  return ofText(text, encoding, options)
}

function ofWorkbook(bytes: Uint8Array, options: TableOptions): ReadTable {
  const { rows, sheet } = readWorkbook(bytes, options)
  const [{ number, cells } = { number: 1, cells: [] }, ...body] = rows
  const form = { kind: 'workbook', encoding: 'utf-8', delimiter: 'comma', sheet } as const
  return tableOf({ number, cells }, body, options, form)
}

function ofText(text: string, encoding: TableEncoding, options: TableOptions): ReadTable {
  const unreadable = unreadableText(text)
  if (unreadable !== null) throw unreadable
  if (options.kind === 'workbook') throw tableFault('kind', 'The file is a text, not a workbook.')
  const { delimiter: stated, rest } = statedDelimiter(text)
  const isTidied = options.cells === 'tidied'
  const delimiter: Delimiter = options.delimiter ?? stated ?? (isTidied ? guessDelimiter(rest) : 'comma')
  const { rowsMax, columnsMax } = options
  const limits = { rowsMax, columnsMax, charsMax: TABLE_CHARS_MAX, ...(isTidied && { cellCharsMax: CELL_CHARS_MAX }) }
  // An application counts from the header, a person from the first line of the file.
  const firstRow = stated === null || !isTidied ? 1 : 2
  const { header, rows } = readCsv(rest, { ...limits, delimiter, isLenient: isTidied }, firstRow)
  const body = rows.map((cells, at) => ({ number: at + 1 + firstRow, cells }))
  return tableOf({ number: firstRow, cells: header }, body, options, { kind: 'text', encoding, delimiter })
}

type Form = Omit<TableForm, 'dates' | 'isSure' | 'decimal'>

function tableOf(header: ReadRow, body: readonly ReadRow[], options: TableOptions, form: Form): ReadTable {
  const { cells, number } = header
  const { names, rows } = options.cells === 'exact' ? { names: cells, rows: body } : tidied(cells, body, form.kind)
  if (rows.length === 0) throw tableFault('empty', 'The table must have a header and at least one row.')
  const { order, isSure } = guessDates(rows)
  const decimal = form.kind === 'workbook' ? 'point' : guessDecimal(rows)
  return { header: names, headerRow: number, rows, form: { ...form, decimal, dates: order, isSure } }
}

/**
 * Returns the columns and rows with content, without white space and invisible characters around cells. A workbook
 * keeps texts apart from formulas, so that nothing in it was guarded.
 */
function tidied(header: readonly string[], body: readonly ReadRow[], kind: Form['kind']) {
  const tidy = (cell: string) => (kind === 'text' ? plainText(trimmed(cell)) : trimmed(cell))
  const names = header.map(trimmed)
  const rows = body
    .map((row) => ({ ...row, cells: row.cells.map(tidy) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const widthOf = (cells: readonly string[]) => cells.findLastIndex((cell) => cell !== '') + 1
  const width = rows.reduce((most, { cells }) => Math.max(most, widthOf(cells)), widthOf(names))
  const fitted = (cells: readonly string[]) => Array.from({ length: width }, (_, at) => cells[at] ?? '')
  return { names: fitted(names), rows: rows.map((row) => ({ ...row, cells: fitted(row.cells) })) }
}

/**
 * Programs write a text as a formula, `="00123"`, so that a spreadsheet keeps its zeros; what was guarded is no
 * formula.
 */
function plainText(cell: string): string {
  const unguarded = withoutGuard(cell)
  return unguarded === cell ? (/^="([^"]*)"$/.exec(cell)?.[1] ?? cell) : unguarded
}

/** Copied text brings characters that nobody sees: spaces without width, and marks of the direction of writing. */
const INVISIBLE = /[\s\u200b\u200e\u200f\u2060\ufeff]/

function trimmed(cell: string): string {
  let [start, end] = [0, cell.length]
  while (start < end && INVISIBLE.test(cell.charAt(start))) start += 1
  while (end > start && INVISIBLE.test(cell.charAt(end - 1))) end -= 1
  return cell.slice(start, end)
}
