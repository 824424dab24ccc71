import { batches } from '../../contract/issuance/batches.ts'
import { CSV } from '../../contract/media-types.ts'
import { stepsOf } from '../../json-pointer.ts'
import type { Frame } from '../frame/screen.ts'
import { recipientColumn, recipientTarget } from '../recipients/recipient-choice.ts'
import { handOutTable, heldColumn, type Meaning, tableFor } from './api-table.ts'
import type { DraftView, RowProblem, TableRow } from './table-draft.ts'
import { MAIL, REPLACES, type Target } from './targets.ts'

type Finding = {
  readonly detail: string
  readonly pointer?: string
  readonly meta?: { readonly rule: string }
}

/**
 * Returns the rows with what is wrong with them, and whether their people have a card: one call of the API, which
 * creates nothing; a second one where such cards are replaced.
 */
export async function checkRows(
  frame: Frame,
  meaning: Meaning,
  targets: readonly Target[],
  rows: readonly TableRow[],
): Promise<readonly TableRow[]> {
  const open = rows.filter(({ isIssued }) => !isIssued)
  if (open.length === 0 || meaning.mapping.every((target) => target === '')) return rows
  const first = await checkOpen(frame, { ...meaning, replacesHeld: false }, targets, open)
  const isReplacing = meaning.replacesHeld === true && first.some(({ isHeld }) => isHeld === true)
  const found = isReplacing ? await checkOpen(frame, meaning, targets, first) : first
  const checked = found.values()
  return rows.map((row) => (row.isIssued ? row : (checked.next().value ?? row)))
}

async function checkOpen(
  { api }: Frame,
  meaning: Meaning,
  targets: readonly Target[],
  open: readonly TableRow[],
): Promise<readonly TableRow[]> {
  const query = { ...queryOf(meaning), check: 'true' }
  const file = { type: CSV, content: await tableFor(meaning, targets, open) } as const
  const { data } = await api.call(batches.create, { query, file })
  const items = 'items' in data ? data.items : []
  return open.map((row, at) => {
    const { error, duplicateOf, replaceable = 0 } = items[at] ?? {}
    const findings: readonly Finding[] = error === undefined ? [] : (error.violations ?? [error])
    const problems = findings.map((one) => problemOf(meaning, one))
    const { number, cells, values, isIssued } = row
    const sameAs = duplicateOf === undefined ? undefined : open[duplicateOf]?.number
    const isHeld = replaceable > 0 || (meaning.replacesHeld === true && row.isHeld === true)
    return {
      number,
      cells,
      isIssued,
      problems,
      ...(values !== undefined && { values }),
      ...(sameAs !== undefined && { sameAs }),
      ...(isHeld && heldColumn(meaning.mapping) !== null && { isHeld }),
      ...(isUnknownRecipient(error) && { hasNoAccount: true }),
    }
  })
}

/**
 * Issues rows without problems as one batch, which keeps the columns of the person. The same key issues once.
 *
 * @returns its id
 */
export async function issueRows(
  { api }: Frame,
  meaning: Meaning & Pick<DraftView, 'header'>,
  targets: readonly Target[],
  { rows, key, name }: { readonly rows: readonly TableRow[]; readonly key: string; readonly name: string },
): Promise<string> {
  const table = await handOutTable(meaning, targets, rows)
  const { data } = await api.call(batches.create, {
    query: { ...queryOf(meaning), ...table.query, name, expiresInSeconds: String(meaning.lifetimeSeconds) },
    file: { type: CSV, content: table.content },
    headers: { 'idempotency-key': key },
  })
  if (!('id' in data)) throw new Error('a batch that was only checked')
  return data.id
}

function isUnknownRecipient(error: (Finding & { readonly code: string }) | undefined): boolean {
  return error?.code === 'NOT_FOUND' && error.pointer?.startsWith('/recipient') === true
}

function queryOf({ templateId, form }: Meaning) {
  // Without an order each date that can be two days is a problem of its row.
  return { credentialTemplateId: templateId, decimal: form.decimal, dates: form.isSure ? form.dates : undefined }
}

function problemOf({ mapping, recipients }: Meaning, { detail, pointer, meta }: Finding): RowProblem {
  const said = { detail, ...(meta !== undefined && { rule: meta.rule }) }
  if (pointer === undefined) return { column: null, target: '', ...said }
  const target = stepsOf(pointer).join('.')
  if (target === REPLACES && !mapping.includes(REPLACES)) return { column: heldColumn(mapping), target, ...said }
  if (target === MAIL || target.startsWith('recipient'))
    return { column: recipientColumn(recipients), target: recipientTarget(recipients) ?? target, ...said }
  // A value inside of a list or object has the column of the whole.
  const isOf = (one: string) => target === one || target.startsWith(`${one}.`)
  const column = mapping.findIndex((one) => one !== '' && isOf(one))
  const found = mapping[column]
  return found === undefined ? { column: null, target, ...said } : { column, target, ...said }
}
