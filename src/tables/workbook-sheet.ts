import type { Fault } from '../fault.ts'
import { formattedText, type NumberFormat, type ShownCell, shownNumber } from './number-formats.ts'
import { CELL_CHARS_MAX, type ReadRow, TABLE_CHARS_MAX } from './table.ts'
import { tableFault } from './table-fault.ts'
import { readPart } from './workbook-parts.ts'

/** What cells need from the other parts of their workbook. */
export type Book = {
  readonly strings: readonly string[]
  readonly formats: readonly NumberFormat[]
  readonly is1904: boolean
}

/**
 * How much of a sheet is read. `rowsMax`: rows with content. `isHead`: the first rows only, of a part that may be cut
 * off.
 */
type SheetLimits = { readonly rowsMax: number; readonly columnsMax: number; readonly isHead?: boolean }

/** Rows with content of a sheet, and how many of them the spreadsheet hides. */
type SheetRows = { readonly rows: readonly ReadRow[]; readonly hiddenRows: number }

/** As many rows as a sheet can have. ECMA-376 part 1, 18.3.1.73 */
const ROW_ELEMENTS_MAX = 1_048_576

/** Characters that are read for a cell: an escape takes seven for one. */
export const RAW_CHARS_MAX = 8 * CELL_CHARS_MAX

type Cell = { at: number; type: string; style: number; value: string; text: string; has: Set<string> }

/**
 * Reads the rows with content of a sheet. Formulas are not run: the value that was saved with them is read; one without
 * a value is `#CALC!`. Cells and rows that have a format only are none.
 *
 * @throws Fault `request.invalid` with the rule `rows`, `columns`, `cell` or `chars`
 */
export function sheetRows(xml: Buffer, book: Book, limits: SheetLimits): SheetRows {
  const reader = new SheetReader(book, limits)
  readPart(
    xml,
    {
      open: (tag, attributes) => reader.open(tag, attributes),
      text: (more) => reader.take(more),
      close: (tag) => reader.close(tag),
    },
    limits.isHead === true,
  )
  return { rows: reader.rows, hiddenRows: reader.hiddenRows }
}

class SheetReader {
  readonly rows: ReadRow[] = []
  hiddenRows = 0
  readonly #book: Book
  readonly #limits: SheetLimits
  #elements = 0
  #chars = 0
  #number = 0
  #isHidden = false
  #column = -1
  #cells: string[] = []
  #values: Record<number, string> = {}
  #cell: Cell | null = null
  /** The element whose text is read. */
  #part: 'v' | 't' | null = null
  #isPhonetic = false

  constructor(book: Book, limits: SheetLimits) {
    this.#book = book
    this.#limits = limits
  }

  open(tag: string, { r = '', t = 'n', s = '0', hidden = '0' }: Readonly<Record<string, string>>): boolean {
    if (tag === 'row') {
      if (this.#limits.isHead === true && this.rows.length >= this.#limits.rowsMax) return true
      this.#openRow(r, hidden)
    } else if (tag === 'c') this.#openCell(r, t, s)
    else if (tag === 'rPh') this.#isPhonetic = true
    else if (this.#cell !== null) {
      this.#cell.has.add(tag)
      this.#part = (tag === 'v' || tag === 't') && !this.#isPhonetic ? tag : null
    }
    return false
  }

  take(more: string): void {
    if (this.#cell === null || this.#part === null) return
    if (this.#part === 'v') this.#cell.value += more
    else this.#cell.text += more
    if (this.#cell.text.length + this.#cell.value.length > RAW_CHARS_MAX) throw longCell(this.#number, this.#column)
  }

  close(tag: string): void {
    if (tag === 'v' || tag === 't') this.#part = null
    if (tag === 'rPh') this.#isPhonetic = false
    if (tag === 'c') this.#closeCell()
    if (tag === 'row') this.#closeRow()
  }

  #openRow(r: string, hidden: string): void {
    this.#elements += 1
    const number = r === '' ? this.#number + 1 : Number(r)
    if (this.#elements > ROW_ELEMENTS_MAX || !(number >= 1 && number <= ROW_ELEMENTS_MAX)) throw this.#tooManyRows()
    this.#number = number
    this.#isHidden = hidden === '1' || hidden === 'true'
    this.#column = -1
    this.#cells = []
    this.#values = {}
  }

  #openCell(r: string, type: string, s: string): void {
    this.#column = r === '' ? this.#column + 1 : columnOf(r)
    this.#cell = { at: this.#column, type, style: Number(s), value: '', text: '', has: new Set() }
    this.#part = null
  }

  #closeCell(): void {
    const cell = this.#cell
    this.#cell = null
    if (cell === null) return
    const { text, value } = shownCell(cell, this.#book)
    if (text.trim() === '') return
    const { columnsMax } = this.#limits
    const place = { row: this.#number, limit: columnsMax }
    if (!(cell.at < columnsMax))
      throw tableFault('columns', `The sheet must have at most ${columnsMax} columns.`, place)
    if (text.length > CELL_CHARS_MAX) throw longCell(this.#number, cell.at)
    this.#chars += text.length
    if (this.#chars > TABLE_CHARS_MAX)
      throw tableFault('chars', `The cells have more than ${TABLE_CHARS_MAX} characters in all.`)
    while (this.#cells.length < cell.at) this.#cells.push('')
    this.#cells[cell.at] = text
    if (value !== undefined) this.#values[cell.at] = value
  }

  #closeRow(): void {
    if (this.#cells.length === 0) return
    if (this.rows.length >= this.#limits.rowsMax) throw this.#tooManyRows()
    const row = { number: this.#number, cells: this.#cells }
    this.rows.push(Object.keys(this.#values).length === 0 ? row : { ...row, values: this.#values })
    if (this.#isHidden) this.hiddenRows += 1
  }

  #tooManyRows(): Fault {
    const limit = this.#limits.rowsMax - 1
    return tableFault('rows', `The sheet must have at most ${limit} rows after the header.`, { limit })
  }
}

function longCell(row: number, at: number): Fault {
  const place = { row, column: at + 1, limit: CELL_CHARS_MAX }
  return tableFault('cell', `A cell has more than ${CELL_CHARS_MAX} characters.`, place)
}

/** `B7` is 1. */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of /^[A-Z]{0,4}/i.exec(reference)?.[0].toUpperCase() ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** @see ECMA-376 part 1, 18.18.11 for the types of cells, 18.3.1.53 for texts in the cell itself */
function shownCell({ type, style, value, text, has }: Cell, book: Book): ShownCell {
  const format = book.formats[style]
  if (type === 'inlineStr') return { text: formattedText(unescaped(has.has('is') ? text : value), format) }
  if (!has.has('v')) return { text: has.has('f') ? '#CALC!' : '' }
  if (type === 's')
    return { text: formattedText(value.trim() === '' ? '' : (book.strings[Number(value)] ?? ''), format) }
  if (type === 'str') return { text: formattedText(unescaped(value), format) }
  if (type === 'b') return { text: value.trim() === '1' || value.trim() === 'true' ? 'TRUE' : 'FALSE' }
  if (type !== 'n' || value.trim() === '') return { text: value.trim() }
  const number = Number(value)
  return Number.isFinite(number) ? shownNumber(number, format, book.is1904) : { text: value.trim() }
}

/**
 * Returns a text without the escapes of characters that XML cannot hold, and without control characters. ECMA-376 part
 * 1, 22.9.2.19
 */
export function unescaped(text: string): string {
  return text
    .replaceAll(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\t\n]/gu, '')
}
