import { batches } from '../../contract/issuance/batches.ts'
import { CSV } from '../../contract/media-types.ts'
import { stepsOf } from '../../json-pointer.ts'
import { writePlainCsv } from '../../tables/write-csv.ts'
import type { Frame } from '../frame/screen.ts'
import type { DraftView, RowProblem, TableRow } from './table-draft.ts'
import type { Target } from './targets.ts'

/** Rows that are written before other requests get their turn. */
const ROWS_PER_TURN = 250
const TYPE = 'recipient.identifierType'
const VALUE = 'recipient.value'

type Finding = { readonly detail: string; readonly pointer?: string }
type Meaning = Pick<DraftView, 'templateId' | 'mapping' | 'form' | 'lifetimeSeconds'>

/** Returns the rows with what is wrong with them: one call of the API, which creates nothing. */
export async function checkRows(
  { api }: Frame,
  meaning: Meaning,
  targets: readonly Target[],
  rows: readonly TableRow[],
): Promise<readonly TableRow[]> {
  const open = rows.filter(({ isIssued }) => !isIssued)
  if (open.length === 0 || meaning.mapping.every((target) => target === '')) return rows
  const query = { ...queryOf(meaning), check: 'true' }
  const file = { type: CSV, content: await tableFor(meaning, targets, open) } as const
  const { data } = await api.call(batches.create, { query, file })
  const found = new Map(open.map((row, at) => [row, 'items' in data ? data.items[at] : undefined]))
  return rows.map((row) => {
    const { error, duplicateOf } = found.get(row) ?? {}
    if (row.isIssued) return row
    const findings: readonly Finding[] = error === undefined ? [] : (error.violations ?? [error])
    const problems = findings.map((one) => problemOf(meaning.mapping, one))
    const { number, cells, values, isIssued } = row
    const sameAs = duplicateOf === undefined ? undefined : open[duplicateOf]?.number
    return {
      number,
      cells,
      isIssued,
      problems,
      ...(values !== undefined && { values }),
      ...(sameAs !== undefined && { sameAs }),
    }
  })
}

/** Issues rows without problems as one batch. The same key issues once. @returns its id */
export async function issueRows(
  { api }: Frame,
  meaning: Meaning,
  targets: readonly Target[],
  { rows, key, name }: { readonly rows: readonly TableRow[]; readonly key: string; readonly name: string },
): Promise<string> {
  const { data } = await api.call(batches.create, {
    query: { ...queryOf(meaning), name, expiresInSeconds: String(meaning.lifetimeSeconds) },
    file: { type: CSV, content: await tableFor(meaning, targets, rows) },
    headers: { 'idempotency-key': key },
  })
  if (!('id' in data)) throw new Error('a batch that was only checked')
  return data.id
}

function queryOf({ templateId, form }: Meaning) {
  // Without an order each date that can be two days is a problem of its row.
  return { credentialTemplateId: templateId, decimal: form.decimal, dates: form.isSure ? form.dates : undefined }
}

/**
 * The rows as the API's table: columns by their targets, a recipient as its two columns. Written in pieces, so that
 * other requests get their turn.
 */
async function tableFor(
  { mapping, form }: Meaning,
  targets: readonly Target[],
  rows: readonly TableRow[],
): Promise<string> {
  const types = new Map(targets.map(({ value, type }) => [value, type]))
  const used = mapping.flatMap((target, column) => (target === '' ? [] : [{ target, column }]))
  const plain = used.filter(({ target }) => !target.startsWith('recipient.'))
  const recipients = used.filter(({ target }) => target.startsWith('recipient.'))
  const header = [...plain.map(({ target }) => target), ...(recipients.length > 0 ? [TYPE, VALUE] : [])]
  const pieces = [writePlainCsv([header])]
  for (let at = 0; at < rows.length; at += ROWS_PER_TURN) {
    const lines = rows.slice(at, at + ROWS_PER_TURN).map((row) => {
      const values = plain.map(({ target, column }) => cellFor(types.get(target), meantBy(row, column, form)))
      return recipients.length > 0 ? [...values, ...recipientIn(row, recipients)] : values
    })
    pieces.push(writePlainCsv(lines))
    await new Promise(setImmediate)
  }
  return pieces.join('')
}

type Used = { readonly target: string; readonly column: number }

function recipientIn({ cells }: TableRow, recipients: readonly Used[]): readonly string[] {
  const to = recipients.find(({ column }) => cells[column] !== '')
  return to === undefined ? ['', ''] : [to.target.slice('recipient.'.length), cells[to.column] ?? '']
}

/** What a cell shows, and what it means. The number of a workbook is written as the others of the table are. */
function meantBy({ cells, values }: TableRow, column: number, { decimal }: Meaning['form']): Meant {
  const shown = cells[column] ?? ''
  const value = values?.[column]
  if (value === undefined) return { shown, date: shown, number: shown }
  return { shown, date: value, number: decimal === 'comma' ? value.replace('.', ',') : value }
}

type Meant = { readonly shown: string; readonly date: string; readonly number: string }

/** A cell as the API reads it: a text is what is shown, lists are without JSON. */
function cellFor(type: string | undefined, { shown, date, number }: Meant): string {
  if (type === 'number') return number
  if (type === 'date') return date
  if (type === 'array' && shown !== '' && !shown.startsWith('['))
    return JSON.stringify(shown.split(/[;|\n]/).flatMap((one) => one.trim() || []))
  return shown
}

function problemOf(mapping: readonly string[], { detail, pointer }: Finding): RowProblem {
  if (pointer === undefined) return { column: null, target: '', detail }
  const target = stepsOf(pointer).join('.')
  // A value inside of a list or object has the column of the whole.
  const isOf = (one: string) =>
    target === one || target.startsWith(`${one}.`) || (target === VALUE && one.startsWith('recipient.'))
  const column = mapping.findIndex((one) => one !== '' && isOf(one))
  const found = mapping[column]
  if (found === undefined) return { column: null, target, detail }
  return { column, target: target === VALUE ? found : target, detail }
}
