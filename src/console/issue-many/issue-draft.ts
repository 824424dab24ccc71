import { ApiRefusal } from '../../pages/own-api.ts'
import type { KeepingFrame } from '../frame/screen.ts'
import { INVITED_AT_ONCE_MAX, type Invitee, inviteeOf, invitePeople } from '../recipients/invite-people.ts'
import { canInvite } from '../recipients/recipient-choice.ts'
import type { Template } from '../templates/content/template.ts'
import { issueRows } from './check-table.ts'
import { isChecked, recheck, targetsFor } from './checked-draft.ts'
import { beginDraft, type HeldDraft, openDraft, openRows, releaseDraft, saveDraft } from './kept-drafts.ts'
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
  if (view.recipients === undefined || !isChecked(view) || !(await beginDraft(frame, held))) return null
  if (good.length === 0) {
    // Also where inviting was interrupted before any row was good: the next press invites the others.
    await releaseDraft(frame, held, true)
    return null
  }
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

function isGood({ isIssued, problems, hasNoAccount }: TableRow): boolean {
  return !isIssued && problems.length === 0 && hasNoAccount !== true
}

/**
 * Invites the people without an account where that was chosen, and checks the rows again: a row whose person could not
 * be invited stays in the table with the reason. Rows beyond {@link INVITED_AT_ONCE_MAX}, or beyond the time for
 * inviting, wait for another press. One request invites at a time, as with {@link issueDraft}.
 *
 * @returns the draft as it is now; null: it was changed meanwhile, or another request invites or issues
 */
export async function inviteByDraft(
  frame: KeepingFrame,
  template: Template,
  held: HeldDraft,
): Promise<HeldDraft | null> {
  const { view } = held
  const { recipients: choice } = view
  if (choice?.way !== 'wallets' || !choice.invites || !canInvite(choice)) return held
  const before = await openRows(frame, held)
  const addressOf = ({ cells }: TableRow) => (cells[choice.column] ?? '').toLowerCase()
  const people = new Map<string, Invitee>()
  for (const row of before) {
    const email = addressOf(row)
    if (row.isIssued || row.hasNoAccount !== true || people.has(email)) continue
    if (people.size < INVITED_AT_ONCE_MAX) people.set(email, inviteeOf(view.mapping, row.cells, email))
  }
  if (people.size === 0) return held
  if (!(await beginDraft(frame, held))) return null
  const invited = async () => {
    const failed = await invitePeople(frame, [...people.values()])
    return { failed, ...(await recheck(frame, targetsFor(frame, template), view, before)) }
  }
  const checked = await invited().catch(async (error: unknown) => {
    await releaseDraft(frame, held, true)
    throw error
  })
  const told = checked.rows.map((row): TableRow => {
    const why = checked.failed.get(addressOf(row))
    if (row.isIssued || why === undefined) return row
    const { hasNoAccount: _, ...others } = row
    return { ...others, problems: [{ column: choice.column, target: '', detail: why }, ...row.problems] }
  })
  const bad = told.flatMap(({ problems }, at) => (problems.length > 0 ? [at] : []))
  const begun = { ...held, isIssuing: true }
  const isSaved = await saveDraft(frame, begun, { ...checked.view, bad }, told, new Set(told.keys()))
  return isSaved ? openDraft(frame, held.id) : null
}

function isCertain(error: unknown): boolean {
  return error instanceof ApiRefusal && error.status < 500 && !UNCERTAIN.has(error.status)
}
