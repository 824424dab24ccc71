import { ApiRefusal } from '../../pages/own-api.ts'
import type { Frame } from '../frame/screen.ts'
import type { Template } from '../templates/template.ts'
import { issueRows } from './check-table.ts'
import { isChecked, targetsFor } from './checked-draft.ts'
import { beginDraft, type HeldDraft, openRows, releaseDraft, saveDraft } from './kept-drafts.ts'
import { PART_ROWS, partsOf, type TableRow } from './table-draft.ts'

/** The calls of a page end after 8 s. */
const ISSUING_MS_MAX = 4000
/** Refusals after which a repetition may succeed, or find that the work was done. */
const UNCERTAIN = new Set([408, 409, 425, 429])

/**
 * Issues the rows without problems, each thousand as a batch under a key of its own, and marks them; those that take too long remain. From the beginning to the end nothing
 * else changes the draft, so that a repetition after an interruption sends the same rows under the same keys and issues nothing twice.
 */
export async function issueDraft(frame: Frame, template: Template, held: HeldDraft): Promise<void> {
  const { id, view, revision } = held
  const rows = await openRows(frame, held)
  const isGood = ({ isIssued, problems }: TableRow) => !isIssued && problems.length === 0
  if (!isChecked(view) || !rows.some(isGood)) return
  if (!held.isIssuing) await beginDraft(frame, held)
  const targets = targetsFor(frame, template)
  const parts = partsOf(rows)
  const batches: string[] = []
  const issued = new Set<number>()
  const from = performance.now()
  for (const [at, part] of parts.entries()) {
    const good = part.filter(isGood)
    if (good.length === 0) continue
    // A page answers in time: the rest is issued by the next click.
    if (performance.now() - from > ISSUING_MS_MAX) break
    const name = parts.length === 1 ? view.name : `${view.name} (${at + 1}/${parts.length})`
    const key = `table.${id}.${revision}.${at}`
    try {
      batches.push(await issueRows(frame, view, targets, { rows: good, key, name }))
    } catch (error) {
      if (batches.length === 0 && isCertain(error)) await releaseDraft(frame, held)
      throw error
    }
    for (const [index, row] of part.entries()) if (isGood(row)) issued.add(at * PART_ROWS + index)
  }
  const after = rows.map((row, at) => (issued.has(at) ? { ...row, isIssued: true } : row))
  const next = { ...view, issued: view.issued + issued.size, batches: [...view.batches, ...batches].slice(-PART_ROWS) }
  await saveDraft(frame, { ...held, isIssuing: true }, next, after, issued)
}

function isCertain(error: unknown): boolean {
  return error instanceof ApiRefusal && error.status < 500 && !UNCERTAIN.has(error.status)
}
