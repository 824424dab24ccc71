import { type Delimiter, delimiters } from '../contract/issuance/batches.ts'

/** A cell that a spreadsheet would run as a formula, or that would be read back as one that was guarded. */
const FORMULA = /^'*[=+\-@\t\r]/
/** A cell that {@link writeCsv} guarded. */
const GUARDED = /^'+[=+\-@\t\r]/

/**
 * Writes rows as CSV, with CRLF. A cell that a spreadsheet would run as a formula gets an apostrophe before it, which
 * {@link withoutGuard} removes. [SEC-77]
 *
 * @see [RFC 4180, 2](https://www.rfc-editor.org/rfc/rfc4180#section-2)
 */
export function writeCsv(rows: readonly (readonly string[])[], delimiter: Delimiter = 'comma'): string {
  const separator = delimiters[delimiter]
  return rows.map((row) => `${row.map((cell) => fieldOf(guarded(cell), separator)).join(separator)}\r\n`).join('')
}

/** Writes rows for `readCsv`: every cell as it is. Not for spreadsheets. */
export function writePlainCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map((cell) => fieldOf(cell, ',')).join(',')}\n`).join('')
}

/** Returns a cell as it was before {@link writeCsv} wrote an apostrophe before it. */
export function withoutGuard(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell
}

function guarded(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}

function fieldOf(cell: string, separator: string): string {
  const isPlain = !cell.includes(separator) && !/["\r\n]/.test(cell)
  return isPlain && cell !== '' ? cell : `"${cell.replaceAll('"', '""')}"`
}
