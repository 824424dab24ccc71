/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/
const QUOTED = /[",\r\n\t;]|^\s|\s$/

/**
 * Returns a line of CSV with its end. A text that a spreadsheet would take for a formula begins with an apostrophe, so
 * that it is shown and not run.
 *
 * @see [RFC 4180, 2](https://www.rfc-editor.org/rfc/rfc4180#section-2)
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const harmless = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return QUOTED.test(harmless) || harmless !== text ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
