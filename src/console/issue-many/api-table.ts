import { isDash } from '../../tables/cell-values.ts'
import { TABLE_BYTES_MAX } from '../../tables/table.ts'
import { writePlainCsv } from '../../tables/write-csv.ts'
import type { DraftView, TableRow } from './table-draft.ts'
import { MAIL, MAIL_LANGUAGE, REPLACES, type Target } from './targets.ts'

/** Rows that are written before other requests get their turn. */
const ROWS_PER_TURN = 250
const TYPE = 'recipient.identifierType'
const VALUE = 'recipient.value'
const HEADING_CHARS_MAX = 100
/** As `columns` and `keep` of the operation. */
const QUERY_CHARS_MAX = 32_768

/** How a table is read, what becomes of its columns and of cards that people have, and who receives the rows. */
export type Meaning = Pick<
  DraftView,
  'templateId' | 'mapping' | 'form' | 'lifetimeSeconds' | 'replacesHeld' | 'recipients'
>

/** A column of the API's table. */
type ApiColumn = {
  readonly heading: string
  readonly cell: (row: TableRow) => string
  /** The column of the table that it is; null: it is written beside those of the table. */
  readonly column: number | null
}

/** Returns the rows as the API's table: columns by their targets, a recipient as its two columns. */
export function tableFor(meaning: Meaning, targets: readonly Target[], rows: readonly TableRow[]): Promise<string> {
  return written(columnsFor(meaning, targets), rows)
}

/**
 * Returns the rows as the API's table with all columns of the person, as they are shown, and the query that names what
 * becomes of them and keeps them. A column whose cells the API reads as they are shown is there once. Where the table
 * would be too large with them, it is that of {@link tableFor}, and none are kept. The same rows give the same table in
 * every language, so that a repeated request is the same one.
 */
export async function handOutTable(
  meaning: Meaning & Pick<DraftView, 'header'>,
  targets: readonly Target[],
  rows: readonly TableRow[],
): Promise<{ readonly content: string; readonly query: { readonly columns?: string; readonly keep?: string } }> {
  const used = columnsFor(meaning, targets)
  const asShown = await shownAsRead(used, rows)
  const others = used.filter((one) => !asShown.has(one))
  const names = meaning.header.map((heading, at) => heading || `#${at + 1}`)
  const headings = uniqueHeadings(names, new Set(others.map(({ heading }) => heading)))
  const own = headings.map((heading, column): ApiColumn => {
    return { heading, column, cell: ({ cells }) => cells[column] ?? '' }
  })
  const targetOf = new Map([...asShown].map(({ column, heading }) => [column, heading]))
  const columns = JSON.stringify(
    Object.fromEntries(own.map(({ heading, column }) => [heading, targetOf.get(column) ?? ''])),
  )
  const keep = JSON.stringify(headings)
  const content = await written([...own, ...others], rows)
  const fits = Buffer.byteLength(content) <= TABLE_BYTES_MAX && columns.length <= QUERY_CHARS_MAX
  return fits ? { content, query: { columns, keep } } : { content: await written(used, rows), query: {} }
}

/** Returns the columns of one column whose cells mean what they show, in every row. */
async function shownAsRead(columns: readonly ApiColumn[], rows: readonly TableRow[]): Promise<ReadonlySet<ApiColumn>> {
  const found = new Set(columns.filter(({ column }) => column !== null))
  for (let at = 0; at < rows.length; at += ROWS_PER_TURN) {
    const some = rows.slice(at, at + ROWS_PER_TURN)
    for (const one of found) {
      const { column, cell } = one
      if (column !== null && some.some((row) => cell(row) !== (row.cells[column] ?? ''))) found.delete(one)
    }
    await new Promise(setImmediate)
  }
  return found
}

/** Returns headings that differ from each other, and from those that are taken: the second `Name` is `Name (2)`. */
function uniqueHeadings(names: readonly string[], taken: ReadonlySet<string>): readonly string[] {
  const all = new Set(taken)
  return names.map((name) => {
    const cut = name.slice(0, HEADING_CHARS_MAX).toWellFormed()
    let heading = cut
    for (let count = 2; all.has(heading); count += 1) heading = `${cut} (${count})`
    all.add(heading)
    return heading
  })
}

function columnsFor(meaning: Meaning, targets: readonly Target[]): readonly ApiColumn[] {
  const { mapping, form, recipients } = meaning
  const types = new Map(targets.map(({ value, type }) => [value, type]))
  const isUsed = (target: string) => target !== '' && (target !== MAIL_LANGUAGE || recipients?.way === 'mail')
  const used = mapping.flatMap((target, column) => (isUsed(target) ? [{ target, column }] : []))
  const ofTargets = used.map(({ target: heading, column }): ApiColumn => {
    return { heading, column, cell: (row) => cellFor(types.get(heading), meantBy(row, column, form)) }
  })
  return [...ofTargets, ...replacedColumn(meaning), ...recipientColumns(recipients)]
}

/** The column with the references of cards that are replaced, because their people have them already. */
function replacedColumn({ mapping, replacesHeld }: Meaning): readonly ApiColumn[] {
  const at = heldColumn(mapping)
  if (at === null || replacesHeld !== true) return []
  return [{ heading: REPLACES, column: null, cell: ({ cells, isHeld }) => (isHeld === true ? (cells[at] ?? '') : '') }]
}

/** Returns the column whose references show who has a card already; null where the table says what it replaces. */
export function heldColumn(mapping: readonly string[]): number | null {
  const at = mapping.indexOf('reference')
  return at === -1 || mapping.includes(REPLACES) ? null : at
}

/** The column with the recipients or addresses, which may become an attribute as well. */
function recipientColumns(choice: Meaning['recipients']): readonly ApiColumn[] {
  if (choice === undefined || !('column' in choice)) return []
  const { column: at } = choice
  const value = (heading: string): ApiColumn => ({ heading, column: null, cell: ({ cells }) => cells[at] ?? '' })
  if (choice.way === 'mail') return [value(MAIL)]
  const type = ({ cells }: TableRow) => ((cells[at] ?? '') === '' ? '' : choice.by)
  return [{ heading: TYPE, column: null, cell: type }, value(VALUE)]
}

/** Writes a table in pieces, so that other requests get their turn. */
async function written(columns: readonly ApiColumn[], rows: readonly TableRow[]): Promise<string> {
  const pieces = [writePlainCsv([columns.map(({ heading }) => heading)])]
  for (let at = 0; at < rows.length; at += ROWS_PER_TURN) {
    const lines = rows.slice(at, at + ROWS_PER_TURN).map((row) => columns.map(({ cell }) => cell(row)))
    pieces.push(writePlainCsv(lines))
    await new Promise(setImmediate)
  }
  return pieces.join('')
}

/** What a cell shows, and what it means. The number of a workbook is written as the others of the table are. */
function meantBy({ cells, values }: TableRow, column: number, { decimal }: Meaning['form']): Meant {
  const shown = cells[column] ?? ''
  const value = values?.[column]
  if (value === undefined) return { shown, date: shown, number: shown }
  return { shown, date: value, number: decimal === 'comma' ? value.replace('.', ',') : value }
}

type Meant = { readonly shown: string; readonly date: string; readonly number: string }

/** A cell as the API reads it: a text is what is shown, lists are without JSON; a dash is no number and no date. */
function cellFor(type: string | undefined, { shown, date, number }: Meant): string {
  if (type !== 'string' && isDash(shown)) return ''
  if (type === 'number') return number
  if (type === 'date') return date
  if (type === 'array' && shown !== '' && !shown.startsWith('['))
    return JSON.stringify(shown.split(/[;|\n]/).flatMap((one) => one.trim() || []))
  return shown
}
