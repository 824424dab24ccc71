import { writePlainCsv } from '../../protocols/table/write-csv.ts'
import type { Frame } from '../frame/screen.ts'
import type { DraftView, RowProblem, TableRow } from './table-draft.ts'
import { MAIL, MAIL_LANGUAGE, type Target } from './targets.ts'

const API = '/creds/credentials/issuance/batch'
const REFERENCE_CHARS_MAX = 200
const RECIPIENT_CHARS_MAX = 512
const TYPE = 'recipient.identifierType'
const VALUE = 'recipient.value'

type Finding = { readonly detail: string; readonly pointer?: string }
type Result = {
  readonly items: readonly {
    readonly index: number
    readonly error?: { readonly detail: string; readonly pointer?: string; readonly violations?: readonly Finding[] }
  }[]
}
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
  const text = { type: 'text/csv', content: tableFor(meaning, targets, open) }
  const { data } = await api.send<Result>('POST', API, { query, text })
  const found = new Map(open.map((row, at) => [row, data.items[at]?.error]))
  return rows.map((row) => {
    if (row.isIssued) return row
    const error = found.get(row)
    const findings: readonly Finding[] = error === undefined ? [] : (error.violations ?? [error])
    const problems = [...findings.map((one) => problemOf(meaning.mapping, one)), ...ownProblems(meaning.mapping, row)]
    return { ...row, problems }
  })
}

/** Issues rows without problems as one batch. The same key issues once. @returns its id */
export async function issueRows(
  { api }: Frame,
  meaning: Meaning,
  targets: readonly Target[],
  { rows, key, name }: { readonly rows: readonly TableRow[]; readonly key: string; readonly name: string },
): Promise<string> {
  const { data } = await api.send<{ readonly id: string }>('POST', API, {
    query: { ...queryOf(meaning), name, expiresInSeconds: String(meaning.lifetimeSeconds) },
    text: { type: 'text/csv', content: tableFor(meaning, targets, rows) },
    headers: { 'idempotency-key': key },
  })
  return data.id
}

function queryOf({ templateId, form }: Meaning) {
  return { credentialTemplateId: templateId, decimal: form.decimal, dates: form.dates }
}

/** The rows as the API's table: columns by their targets, a recipient as its two columns. */
function tableFor({ mapping }: Meaning, targets: readonly Target[], rows: readonly TableRow[]): string {
  const types = new Map(targets.map(({ value, type }) => [value, type]))
  const used = mapping.flatMap((target, column) => (target === '' ? [] : [{ target, column }]))
  const plain = used.filter(({ target }) => !target.startsWith('recipient.'))
  const recipients = used.filter(({ target }) => target.startsWith('recipient.'))
  const header = [...plain.map(({ target }) => target), ...(recipients.length > 0 ? [TYPE, VALUE] : [])]
  const lines = rows.map(({ cells }) => {
    const values = plain.map(({ target, column }) => cellFor(types.get(target), target, cells[column] ?? ''))
    const to = recipients.find(
      ({ column }) => cells[column] !== '' && (cells[column]?.length ?? 0) <= RECIPIENT_CHARS_MAX,
    )
    const recipient = to === undefined ? ['', ''] : [to.target.slice('recipient.'.length), cells[to.column] ?? '']
    return recipients.length > 0 ? [...values, ...recipient] : values
  })
  return writePlainCsv([header, ...lines])
}

const yes = new Set(['true', 'yes', 'y', 'oui', 'o', 'vrai', 'ja', 'j', 'wahr', '1', 'x'])
const no = new Set(['false', 'no', 'n', 'non', 'faux', 'nein', 'falsch', '0'])

/** A cell as the API reads it: yes and no in several languages, lists without JSON. */
function cellFor(type: string | undefined, target: string, cell: string): string {
  if (type === 'boolean') {
    const word = cell.toLowerCase()
    return yes.has(word) ? 'true' : no.has(word) ? 'false' : cell
  }
  if (type === 'array' && cell !== '' && !cell.startsWith('['))
    return JSON.stringify(cell.split(/[;|\n]/).flatMap((one) => one.trim() || []))
  // Refused by the row, not with the whole table.
  return ownProblem(target, cell) !== null ? '' : target === MAIL_LANGUAGE ? cell.toLowerCase() : cell
}

function ownProblems(mapping: readonly string[], { cells }: TableRow): readonly RowProblem[] {
  return mapping.flatMap((target, column) => {
    const detail = ownProblem(target, cells[column] ?? '')
    return detail === null ? [] : [{ column, target, detail }]
  })
}

/** What is wrong with a cell that is no attribute; null if nothing is. */
function ownProblem(target: string, cell: string): string | null {
  const limit =
    target === 'reference' ? REFERENCE_CHARS_MAX : target.startsWith('recipient.') ? RECIPIENT_CHARS_MAX : null
  if (limit !== null && cell.length > limit) return `At most ${limit} characters.`
  if (target === MAIL && cell !== '' && !isAddress(cell)) return 'No mail address.'
  return target === MAIL_LANGUAGE && !['', 'en', 'fr'].includes(cell.toLowerCase()) ? 'Neither en nor fr.' : null
}

function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>(),:;"[\]\\]{1,64}@[^\s@.<>(),:;"[\]\\]+(\.[^\s@.<>(),:;"[\]\\]+)+$/.test(text)
}

function problemOf(mapping: readonly string[], { detail, pointer }: Finding): RowProblem {
  if (pointer === undefined) return { column: null, target: '', detail }
  const target = pointer.slice(1).split('/').map(unescaped).join('.')
  // A value inside of a list or object has the column of the whole.
  const column = mapping.findIndex((one) => one !== '' && (target === one || target.startsWith(`${one}.`)))
  return { column: column === -1 ? null : column, target, detail }
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
