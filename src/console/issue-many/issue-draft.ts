import { ApiRefusal } from '../../pages/own-api.ts'
import type { KeepingFrame } from '../frame/screen.ts'
import type { Template } from '../templates/content/template.ts'
import { issueRows } from './check-table.ts'
import { isChecked, targetsFor } from './checked-draft.ts'
import { beginDraft, type HeldDraft, openRows, releaseDraft, saveDraft } from './kept-drafts.ts'
import { PART_ROWS, partsOf, type TableRow } from './table-draft.ts'

/** The calls of a page end after 8 s. */
const ISSUING_MS_MAX = 4000
const BATCHES_LISTED = 100
/** Refusals after which a repetition may succeed, or find that the work was done. */
const UNCERTAIN = new Set([408, 409, 425, 429])

/**
 * Issues the rows without problems, each thousand as a batch under a key of its own, and marks them; those that take
 * too long remain. One request issues at a time, and until it ends nothing else changes the draft: after an
 * interruption the same rows are sent under the same keys, so that nothing is issued twice.
 */
export async function issueDraft(frame: KeepingFrame, template: Template, held: HeldDraft): Promise<void> {
  const { view } = held
  const rows = await openRows(frame, held)
  if (!isChecked(view) || !rows.some(isGood)) return
  if (!(await beginDraft(frame, held))) return
  const { batches, issued, error } = await issueParts(frame, template, held, rows)
  const isOver = error === null || isCertain(error)
  if (batches.length === 0) await releaseDraft(frame, held, isOver)
  else {
    const after = rows.map((row, at) => (issued.has(at) ? { ...row, isIssued: true } : row))
    const next = {
      ...view,
      issued: view.issued + issued.size,
      batches: [...view.batches, ...batches].slice(-BATCHES_LISTED),
    }
    await saveDraft(frame, { ...held, isIssuing: true }, next, after, issued, !isOver)
  }
  if (error !== null) throw error
}

async function issueParts(
  frame: KeepingFrame,
  template: Template,
  { id, view, isIssuing }: HeldDraft,
  rows: readonly TableRow[],
) {
  const targets = targetsFor(frame, template)
  const parts = partsOf(rows)
  const batches: string[] = []
  const issued = new Set<number>()
  const from = performance.now()
  for (const [at, part] of parts.entries()) {
    const good = part.filter(isGood)
    if (good.length === 0) continue
    // A page answers in time: the rest is issued by the next click. What was interrupted is repeated to its end.
    if (!isIssuing && performance.now() - from > ISSUING_MS_MAX) break
    const name = parts.length === 1 ? view.name : `${view.name} (${at + 1}/${parts.length})`
    // The same until rows of the part are marked.
    const key = `table.${id}.${at}.${part.filter((row) => row.isIssued).length}`
    try {
      batches.push(await issueRows(frame, view, targets, { rows: good, key, name }))
    } catch (error) {
      return { batches, issued, error }
    }
    for (const [index, row] of part.entries()) if (isGood(row)) issued.add(at * PART_ROWS + index)
  }
  return { batches, issued, error: null }
}

function isGood({ isIssued, problems }: TableRow): boolean {
  return !isIssued && problems.length === 0
}

function isCertain(error: unknown): boolean {
  return error instanceof ApiRefusal && error.status < 500 && !UNCERTAIN.has(error.status)
}
