import type { Delimiter } from '../contract/issuance/batches.ts'
import { decodeText, type TableEncoding } from './decode-text.ts'
import { isArchive, unreadableBytes, unreadableText } from './file-kind.ts'
import { guessDates, guessDecimal, guessDelimiter } from './guess-format.ts'
import { readCsv, readRecords, statedDelimiter, widthFault } from './read-csv.ts'
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
import { bodyOf, HEAD_ROWS, headRows } from './table-body.ts'
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
  const { rows, sheet } = readWorkbook(bytes, { ...options, rowsMax: readMax(options) })
  const form = { kind: 'workbook', encoding: 'utf-8', delimiter: 'comma', sheet } as const
  if (options.cells === 'tidied') return tidiedTable(rows, options, form)
  const [{ number, cells } = { number: 1, cells: [] }, ...body] = rows
  return tableOf({ number, cells }, body, form)
}

function ofText(text: string, encoding: TableEncoding, options: TableOptions): ReadTable {
  const unreadable = unreadableText(text)
  if (unreadable !== null) throw unreadable
  if (options.kind === 'workbook') throw tableFault('kind', 'The file is a text, not a workbook.')
  const { delimiter: stated, rest } = statedDelimiter(text)
  const limits = { rowsMax: readMax(options), columnsMax: options.columnsMax, charsMax: TABLE_CHARS_MAX }
  if (options.cells === 'exact') {
    const delimiter: Delimiter = options.delimiter ?? stated ?? 'comma'
    const { headerRow = 1 } = options
    const { header, rows } = readCsv(rest, { ...limits, delimiter, rowsAbove: headerRow - 1 })
    // An application does not count a line `sep=`.
    const body = rows.map((cells, at) => ({ number: headerRow + at + 1, cells }))
    return tableOf({ number: headerRow, cells: header }, body, { kind: 'text', encoding, delimiter })
  }
  const delimiter: Delimiter = options.delimiter ?? stated ?? guessDelimiter(rest)
  // A person counts from the first line of the file.
  const firstRow = stated === null ? 1 : 2
  const format = { ...limits, delimiter, isLenient: true, cellCharsMax: CELL_CHARS_MAX }
  const rows = readRecords(rest, format, firstRow).map((cells, at) => ({ number: at + firstRow, cells }))
  return tidiedTable(rows, options, { kind: 'text', encoding, delimiter })
}

/** Above the headings of a table of people there may be titles. */
function readMax({ cells, rowsMax, headerRow = 1 }: TableOptions): number {
  return cells === 'tidied' ? rowsMax + Math.max(HEAD_ROWS, headerRow) : rowsMax
}

type Form = Omit<TableForm, 'dates' | 'isSure' | 'decimal'>

function tableOf({ cells, number }: ReadRow, rows: readonly ReadRow[], form: Form): ReadTable {
  if (rows.length === 0) throw tableFault('empty', 'The table must have a header and at least one row.')
  const { order, isSure } = guessDates(rows)
  const decimal = form.kind === 'workbook' ? 'point' : guessDecimal(rows)
  return { header: cells, headerRow: number, rows, form: { ...form, decimal, dates: order, isSure } }
}

/**
 * Returns the columns and rows with content, without white space and invisible characters around cells, below the row
 * with the headings.
 */
function tidiedTable(all: readonly ReadRow[], options: TableOptions, form: Form): ReadTable {
  const tidied = all
    .map((row) => ({ ...row, cells: row.cells.map((cell) => tidy(cell, form.kind)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const body = bodyOf(tidied, options)
  if (body === null) throw tableFault('empty', 'The table must have a header and at least one row.')
  const { header, rows, left } = body
  const { rowsMax, isWhole = false } = options
  if (rows.length > rowsMax)
    throw tableFault('rows', `The table must have at most ${rowsMax} rows after the header.`, { limit: rowsMax })
  const wide = form.kind === 'text' && rows.find(({ cells }) => widthOf(cells) > header.cells.length)
  // It has a delimiter too many.
  if (wide) throw widthFault(wide.number, widthOf(wide.cells), header.cells.length)
  const width = [header, ...rows].reduce((most, { cells }) => Math.max(most, widthOf(cells)), 0)
  const fitted = (row: ReadRow) => ({ ...row, cells: Array.from({ length: width }, (_, at) => row.cells[at] ?? '') })
  const place = {
    headerRow: header.number,
    heads: headRows(tidied.slice(0, -1)),
    left: { listed: headRows(left), count: left.length },
    isWhole,
  }
  return tableOf(fitted(header), rows.map(fitted), { ...form, place })
}

function widthOf(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell !== '') + 1
}

/** A workbook keeps texts apart from formulas, so that nothing in it was guarded. */
function tidy(cell: string, kind: Form['kind']): string {
  return kind === 'text' ? plainText(trimmed(cell)) : trimmed(cell)
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
