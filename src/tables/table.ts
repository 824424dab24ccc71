import type { Delimiter } from '../contract/issuance/batches.ts'
import type { DateOrder, Decimal } from './cell-values.ts'
import type { TableEncoding } from './decode-text.ts'

/** Bytes of a file, and of pasted text. */
export const TABLE_BYTES_MAX = 8 * 1024 * 1024
/** Characters of all cells: as many as a text of {@link TABLE_BYTES_MAX} has. */
export const TABLE_CHARS_MAX = TABLE_BYTES_MAX
/** Characters of a cell. */
export const CELL_CHARS_MAX = 10_000

/** Columns, from 0, with the value of their cell. */
export type CellValues = Readonly<Record<number, string>>

/** A row: its number in the file, from 1, and its cells as they are shown. */
export type ReadRow = {
  readonly number: number
  readonly cells: readonly string[]
  /**
   * What cells of a workbook mean where what they show could mean something else: a number as JSON writes it, a date as
   * ISO 8601.
   */
  readonly values?: CellValues
}

/** How a table was read, or is to be read where a person has said so. */
export type TableForm = {
  readonly kind: 'text' | 'workbook'
  readonly encoding: TableEncoding
  readonly delimiter: Delimiter
  readonly decimal: Decimal
  readonly dates: DateOrder
  /** Whether the table shows the order of its dates; if not, each date that can be two days is asked about. */
  readonly isSure: boolean
  readonly sheet?: ReadSheet
  /** Where its rows stand; of a table of people only. */
  readonly place?: ReadPlace
}

/** Which rows of a table of people were read. */
export type ReadPlace = {
  /** Number of the row with the headings in the file. */
  readonly headerRow: number
  /** The first rows with content, each of which may be the one with the headings. */
  readonly heads: readonly HeadRow[]
  /** Rows below the headings that were taken for no data: the first of them, and how many there are. */
  readonly left: { readonly listed: readonly HeadRow[]; readonly count: number }
  /** Whether such rows were read as well. */
  readonly isWhole: boolean
}

/** A row that a person may know by what it says: up to 80 characters of its first cells. */
export type HeadRow = { readonly number: number; readonly text: string }

/** The sheet of a workbook that was read, and the names of all of them in their order. */
export type ReadSheet = {
  readonly name: string
  readonly names: readonly string[]
  /** Rows with content that the spreadsheet hides; they are read too. */
  readonly hiddenRows: number
}

/** A table before its columns mean something. Rows without content are left out. */
export type ReadTable = {
  readonly header: readonly string[]
  /** Number of the header in the file, from 1. */
  readonly headerRow: number
  readonly rows: readonly ReadRow[]
  readonly form: TableForm
}

/** How a table is to be read, and how much of it. */
export type TableOptions = {
  /** Rows after the header. */
  readonly rowsMax: number
  readonly columnsMax: number
  /**
   * `tidied`, for tables of people: white space around cells goes, and the apostrophe that `writeCsv` writes before a
   * formula; rows may be short, and those without content are left out. `exact`: as RFC 4180 says.
   */
  readonly cells: 'tidied' | 'exact'
  /** What the file is said to be; by default its bytes decide. */
  readonly kind?: TableForm['kind'] | undefined
  readonly encoding?: TableEncoding | undefined
  /** By default what a line `sep=` says, then a guess; `comma` for `exact`. */
  readonly delimiter?: Delimiter | undefined
  /** Name of the sheet; by default the first visible one whose headings are in `headings`, or that has rows. */
  readonly sheet?: string | undefined
  /** Names that columns may have, folded by `foldedName`. */
  readonly headings?: readonly string[] | undefined
  /** Of each column that every row needs: the names that it may have, folded. */
  readonly required?: readonly (readonly string[])[] | undefined
  /** Number of the row with the headings; by default it is found in a `tidied` table, and the first one in another. */
  readonly headerRow?: number | undefined
  /** Whether rows of a `tidied` table that look like totals and remarks are read as well. */
  readonly isWhole?: boolean | undefined
}

/** Returns what a heading names, whatever its accents, case and signs are. `names` are folded by {@link foldedName}. */
export function namedBy<T extends { readonly names: readonly string[] }>(
  heading: string,
  all: readonly T[],
): readonly T[] {
  const folded = foldedName(heading)
  return folded === '' ? [] : all.filter(({ names }) => names.includes(folded))
}

/** Returns a name of a column without accents, case and everything that is no letter or figure. */
export function foldedName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
