import { readDate } from './cell-values.ts'
import { foldedName, type HeadRow, namedBy, type ReadRow, type TableOptions } from './table.ts'

/** Rows with content among which the headings are looked for: titles above a table are shorter. */
export const HEAD_ROWS = 25
/** Rows by which the width of a table is measured. */
const MEASURED_ROWS = 200
/** Rows with content at the end among which remarks and totals are looked for. */
const FOOT_ROWS = 12
/** Cells of a remark, and columns of a table in which one is told from a row. */
const REMARK_CELLS_MAX = 2
const COLUMNS_WITH_REMARKS = 3
/** Rows that are told, with their first cells and characters. */
const LISTED_MAX = 12
const SHOWN_CELLS = 6
const SHOWN_CHARS = 80

/** First words of rows that say what a table is, as programs and people write them. */
const remarks = new RegExp(
  `^[\\s*(]*(${[
    'generated|printed|created|exported|as of|as at|export date|report date|run date|end of|page \\d+|number of|records?',
    'erstellt|gedruckt|ausgedruckt|exportiert|stand|seite \\d+|quellen?|hinweise?|bemerkung(en)?|anmerkung(en)?|ende der',
    'généré|imprimé|édité|exporté|créé|situation|état|arrêté|en date|fin (du|de)|remarques?|légende|source|notes?',
  ].join('|')})(e?s?)(?![\\p{L}\\p{N}-])`,
  'iu',
)
/** First cells of rows that sum up those above, perhaps with the sum. */
const totals = new RegExp(
  `^(${[
    '(grand |sub-?|overall )?totals?|sum|count|(overall )?average|mean|median',
    '(gesamt|zwischen|end)?summen?|gesamt(zahl)?|insgesamt|anzahl|durchschnitt|mittelwert',
    '(sous-)?total( général)?|totaux|somme|nombre|moyenne|effectif|\\*{1,3}',
  ].join('|')})[\\s:=\\d.,'’]*$`,
  'iu',
)
/** The row below the headings in which Canvas writes what an assignment is worth. */
const POINTS = /^(manual posting|points possible|points possibles|mögliche punkte)$/i
/** The person of that name whom Canvas adds to each course. */
const TEST_STUDENT = /^(student, test|test student)$/i
/** A line of signs, as reports draw them. */
const RULE = /^[-=_*+~.·–—]{3,}$/
const FIGURES = /^[-+]?[\s.,'’%€$£]*\d[\d\s.,'’%€$£]*$/

/** The rows of a table: the headings, those below that are data, and those that are left out. */
type Body = {
  readonly header: ReadRow
  readonly rows: readonly ReadRow[]
  readonly left: readonly ReadRow[]
}

/**
 * Finds the row with the headings: the one that is named, else the one with the most names of `headings`, else the
 * first one that looks like headings: as wide as the rows of the table, of distinct texts, with a row of the table
 * below. Of the rows below it those are left out that are no data, unless all are to be read: lines of signs, headings
 * that are repeated, and at the end totals and remarks.
 *
 * @param rows Rows with content, tidied
 */
export function bodyOf(rows: readonly ReadRow[], options: TableOptions): Body | null {
  const at = headerAt(rows, options)
  const header = rows[at]
  if (header === undefined) return null
  const below = rows.slice(at + 1)
  if (options.isWhole === true) return { header, rows: below, left: [] }
  const out = new Set([...oddRows(header, below), ...footOf(header, below, options.required ?? [])])
  // A table of nothing but such rows is shown as it is.
  if (out.size === below.length) return { header, rows: below, left: [] }
  return { header, rows: below.filter((row) => !out.has(row)), left: below.filter((row) => out.has(row)) }
}

/** Returns the first of rows, at most twelve, and what they say. */
export function headRows(rows: readonly ReadRow[]): readonly HeadRow[] {
  return rows.slice(0, LISTED_MAX).map(({ number, cells }) => {
    const shown = cells.filter((cell) => cell !== '').slice(0, SHOWN_CELLS)
    return { number, text: shown.join(' · ').slice(0, SHOWN_CHARS).toWellFormed() }
  })
}

/** Returns how many cells of a row are names of `headings`. */
export function headingsIn(cells: readonly string[], headings: ReadonlySet<string>): number {
  return new Set(cells.map(foldedName).filter((name) => headings.has(name))).size
}

function headerAt(rows: readonly ReadRow[], { headerRow, headings }: TableOptions): number {
  const named = rows.findIndex(({ number }) => number === headerRow)
  if (named !== -1) return named
  const width = widthOf(rows)
  // The last row has nothing below it.
  const head = rows.slice(0, Math.min(HEAD_ROWS, Math.max(1, rows.length - 1)))
  const known = new Set(headings)
  // A title may be called as one attribute is.
  const fits = head.map((row) => (filled(row) * 2 >= width ? headingsIn(row.cells, known) : 0))
  const most = Math.max(...fits)
  // One cell of a row may say the same as a name by chance, such as that of a degree.
  if (most > 1 || (most === 1 && width === 1)) return fits.indexOf(most)
  return Math.max(
    0,
    head.findIndex((row, at) => looksLikeHeadings(row, rows.slice(at + 1, at + 4), width)),
  )
}

function looksLikeHeadings(row: ReadRow, next: readonly ReadRow[], width: number): boolean {
  const texts = row.cells.filter((cell) => cell !== '')
  const isWide = texts.length >= Math.max(Math.min(2, width), width * 0.6)
  const isDistinct = new Set(texts.map((text) => text.toLowerCase())).size === texts.length
  // "Course: Algebra" and "12.05.2026" stand above a table.
  const odd = texts.filter((text) => text.endsWith(':') || FIGURES.test(text) || readDate(text, 'dmy').kind !== 'none')
  return isWide && isDistinct && odd.length * 2 < texts.length && next.some((one) => filled(one) * 2 >= width)
}

/** Cells with content of most rows, without lines of signs. */
function widthOf(rows: readonly ReadRow[]): number {
  const counts = rows
    .slice(0, MEASURED_ROWS)
    .filter((row) => !isLine(row))
    .map(filled)
    .toSorted((one, other) => one - other)
  return counts[Math.floor(counts.length / 2)] ?? 0
}

function filled({ cells }: ReadRow): number {
  return cells.reduce((count, cell) => (cell === '' ? count : count + 1), 0)
}

/**
 * Lines of signs, headings that each page of a report repeats, and the test student; below the headings what an
 * assignment is worth.
 */
function oddRows(header: ReadRow, below: readonly ReadRow[]): readonly ReadRow[] {
  const isSame = ({ cells }: ReadRow) =>
    filled(header) > 1 && header.cells.every((cell, at) => cell === (cells[at] ?? ''))
  const isTest = ({ cells }: ReadRow) => TEST_STUDENT.test(firstText(cells))
  const first = below.findIndex(({ cells }) => !POINTS.test(firstText(cells)))
  return below.filter((row, at) => at < first || isSame(row) || isLine(row) || isTest(row))
}

function isLine({ cells }: ReadRow): boolean {
  return cells.every((cell) => cell === '' || RULE.test(cell))
}

function firstText(cells: readonly string[]): string {
  return cells.find((cell) => cell !== '') ?? ''
}

/** The rows at the end that are totals or remarks, from the last one up. */
function footOf(
  header: ReadRow,
  below: readonly ReadRow[],
  required: NonNullable<TableOptions['required']>,
): readonly ReadRow[] {
  const columns = filled(header)
  const width = widthOf(below)
  const needed = required.flatMap((names) => {
    const column = header.cells.findIndex((cell) => namedBy(cell, [{ names }]).length > 0)
    return column === -1 ? [] : [column]
  })
  const isNarrow = (row: ReadRow) =>
    columns >= COLUMNS_WITH_REMARKS && filled(row) <= REMARK_CELLS_MAX && filled(row) * 2 <= width
  const isFoot = (row: ReadRow, at: number): boolean => {
    const [first = '', ...rest] = row.cells.filter((cell) => cell !== '')
    if (totals.test(first) && columns > 1 && rest.every((text) => FIGURES.test(text))) return true
    if (!isNarrow(row)) return false
    const isApart = row.number > (below[at - 1] ?? header).number + 1
    const hasNothing = needed.length > 0 && needed.every((column) => (row.cells[column] ?? '') === '')
    return isApart || hasNothing || remarks.test(first) || [first, ...rest].every((text) => FIGURES.test(text))
  }
  let start = below.length
  for (let at = below.length - 1; at >= Math.max(0, below.length - FOOT_ROWS); at -= 1) {
    const row = below[at]
    if (row === undefined) break
    // Of a remark of several lines only the first one may stand apart.
    if (isFoot(row, at)) start = at
    else if (!isNarrow(row)) break
  }
  return below.slice(start)
}
