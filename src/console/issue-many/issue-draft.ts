import { ApiRefusal } from '../../pages/own-api.ts'
import type { KeepingFrame } from '../frame/screen.ts'
import type { Template } from '../templates/content/template.ts'
import { issueRows } from './check-table.ts'
import { isChecked, targetsFor } from './checked-draft.ts'
import { beginDraft, type HeldDraft, openRows, releaseDraft, saveDraft } from './kept-drafts.ts'
import type { TableRow } from './table-draft.ts'

const BATCHES_LISTED = 100
/** Refusals after which a repetition may succeed, or find that the work was done. */
const UNCERTAIN = new Set([408, 409, 425, 429])

/**
 * Issues the rows without problems as one batch, and marks them. One request issues at a time, and until it ends
 * nothing else changes the draft: after an interruption the same rows are sent under the same key, so that nothing is
 * issued twice.
 *
 * @returns the id of the batch; null: there was nothing to issue, or another request issues the rows
 */
export async function issueDraft(frame: KeepingFrame, template: Template, held: HeldDraft): Promise<string | null> {
  const { id, view } = held
  const rows = await openRows(frame, held)
  const good = rows.filter(isGood)
  if (!isChecked(view) || good.length === 0) return null
  if (!(await beginDraft(frame, held))) return null
  // The same until rows are marked.
  const key = `table.${id}.${view.issued}`
  const targets = targetsFor(frame, template)
  const batch = await issueRows(frame, view, targets, { rows: good, key, name: view.name }).catch(
    async (error: unknown) => {
      await releaseDraft(frame, held, isCertain(error))
      throw error
    },
  )
  const issued = new Set(rows.flatMap((row, at) => (isGood(row) ? [at] : [])))
  const after = rows.map((row, at) => (issued.has(at) ? { ...row, isIssued: true } : row))
  const next = {
    ...view,
    issued: view.issued + issued.size,
    batches: [...view.batches, batch].slice(-BATCHES_LISTED),
  }
  await saveDraft(frame, { ...held, isIssuing: true }, next, after, issued)
  return batch
}

function isGood({ isIssued, problems }: TableRow): boolean {
  return !isIssued && problems.length === 0
}

function isCertain(error: unknown): boolean {
  return error instanceof ApiRefusal && error.status < 500 && !UNCERTAIN.has(error.status)
}
