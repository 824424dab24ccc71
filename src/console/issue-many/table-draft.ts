import type { TableEncoding } from '../../protocols/table/decode-text.ts'
import type { DateOrder, Decimal } from '../../protocols/table/guess-format.ts'
import type { Delimiter } from '../../protocols/table/read-csv.ts'

/** Rows of a part, which is issued as one batch. */
export const PART_ROWS = 1000
/** Rows of a table. */
export const ROWS_MAX = 10_000
/** Columns of a table. */
export const COLUMNS_MAX = 100
/** Characters of a cell. */
export const CELL_CHARS_MAX = 10_000
/** Bytes of a file, and of pasted text. */
export const TABLE_BYTES_MAX = 8 * 1024 * 1024

/** How a file was read. `isSure`: the order of its dates needs no guess. */
export type TableForm = {
  readonly kind: 'text' | 'workbook'
  readonly encoding: TableEncoding
  readonly delimiter: Delimiter
  readonly decimal: Decimal
  readonly dates: DateOrder
  readonly isSure: boolean
  /** Of a workbook: the sheet that was read, and how many there are. */
  readonly sheet?: { readonly name: string; readonly count: number }
}

/** What is wrong with a row: in a column, or null for the row; the attribute's target; and the API's English. */
export type RowProblem = { readonly column: number | null; readonly target: string; readonly detail: string }

/** A row: its number in the file, its cells, and what is wrong. */
export type TableRow = {
  readonly number: number
  readonly cells: readonly string[]
  readonly problems: readonly RowProblem[]
  readonly isIssued: boolean
}

/** A table as it was read, before its columns mean something. */
export type ReadTable = {
  readonly header: readonly string[]
  readonly rows: readonly Pick<TableRow, 'number' | 'cells'>[]
  readonly form: TableForm
}

/** What a page needs of a draft: everything but the rows. */
export type DraftView = {
  readonly name: string
  readonly templateId: string
  readonly header: readonly string[]
  /** Of each column: the first cell that is not empty. */
  readonly examples: readonly string[]
  readonly form: TableForm
  /** Of each column: what it becomes; `''`: left out. */
  readonly mapping: readonly string[]
  /** Targets that every row needs and that no column has. */
  readonly missing: readonly string[]
  /** Places of the rows with problems, from 0. */
  readonly bad: readonly number[]
  /** Of the offers. */
  readonly lifetimeSeconds: number
  readonly total: number
  readonly issued: number
  /** Batches that were made of it. */
  readonly batches: readonly string[]
}

/** The parts of a table. */
export function partsOf<T>(rows: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(rows.length / PART_ROWS) }, (_, part) =>
    rows.slice(part * PART_ROWS, (part + 1) * PART_ROWS),
  )
}
