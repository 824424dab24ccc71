import { delimiterNames } from '../../contract/issuance/batches.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { typed } from '../../pages/once.ts'
import { encodings } from '../../tables/decode-text.ts'
import { CELL_CHARS_MAX, type ReadPlace, TABLE_CHARS_MAX, type TableForm } from '../../tables/table.ts'
import type { KeepingFrame } from '../frame/screen.ts'
import type { RecipientChoice } from '../recipients/recipient-choice.ts'
import { guessColumns } from '../templates/content/guessed-columns.ts'
import type { Template } from '../templates/content/template.ts'
import { checkedDraft, proposedDraft, recheck, targetsFor, withTemplate } from './checked-draft.ts'
import { NEW_TEMPLATE, namesFor, templatesToFit } from './fitting-template.ts'
import { dropDraft, type HeldDraft, keepDraft, openRows, openSource, saveDraft } from './kept-drafts.ts'
import { replacesHeldIn } from './notes.ts'
import { tableOrProblem } from './read-problem.ts'
import type { DraftView, TableRow } from './table-draft.ts'
import { columnTargets } from './targets.ts'
import { tableTexts } from './texts.ts'
import { readTemplate } from './upload-screen.ts'

/**
 * What became of the changes in a form. `reread`: the file was read anew, as another draft; `new`: a new card is asked
 * for.
 */
type Changed =
  | { readonly kind: 'none' | 'saved' | 'new' }
  | { readonly kind: 'reread'; readonly id: string }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * Applies what the form of a draft changes: how the file is read, what its columns become, and repaired cells. Then
 * checks the table.
 */
export async function changeByForm(frame: KeepingFrame, template: Template, held: HeldDraft): Promise<Changed> {
  const { view } = held
  const chosen = typed(frame.fields, 'template')
  if (chosen !== '' && chosen !== view.templateId && view.issued === 0) return changeTemplate(frame, held, chosen)
  const reread = await rereadByForm(frame, template, held)
  if (reread !== null) return reread
  const form = formIn(frame.fields, view.form)
  const mapping = mappingIn(
    frame.fields,
    view,
    columnTargets(targetsFor(frame, template)).map(({ value }) => value),
  )
  const lifetimeSeconds = Number(typed(frame.fields, 'lifetime')) || view.lifetimeSeconds
  const replacesHeld = replacesHeldIn(frame.fields, view)
  const recipients = recipientsIn(frame.fields, view.recipients)
  const next: DraftView = {
    ...view,
    form,
    mapping,
    lifetimeSeconds,
    replacesHeld,
    ...(recipients !== undefined && { recipients }),
  }
  const meaningOf = (one: DraftView) =>
    JSON.stringify([one.form, one.mapping, one.recipients, one.replacesHeld ?? false])
  const isMeaningNew = meaningOf(next) !== meaningOf(view)
  const cells = cellsIn(frame.fields, view)
  if (!isMeaningNew && cells.size === 0 && lifetimeSeconds === view.lifetimeSeconds) return { kind: 'none' }
  const before = await openRows(frame, held)
  const { rows, repaired } = repair(before, cells)
  // As a file of this size would have been.
  if (repaired.size > 0 && charsOf(rows) > TABLE_CHARS_MAX)
    return { kind: 'refused', problem: tableTexts[frame.language].rules.chars }
  if (!isMeaningNew && repaired.size === 0 && lifetimeSeconds === view.lifetimeSeconds) return { kind: 'none' }
  const checked = await recheck(frame, targetsFor(frame, template), next, rows)
  // All rows are saved: a repair may make a row the same as any other, or different from it.
  const touched = new Set(rows.keys())
  const isSaved = await saveDraft(frame, held, checked.view, checked.rows, touched)
  return isSaved ? { kind: 'saved' } : { kind: 'refused', problem: tableTexts[frame.language].changed }
}

/** Takes another template, or proposes a new one. What was repaired stays. */
async function changeTemplate(frame: KeepingFrame, held: HeldDraft, chosen: string): Promise<Changed> {
  const { view } = held
  const before = await openRows(frame, held)
  const { rows } = repair(before, cellsIn(frame.fields, view))
  if (charsOf(rows) > TABLE_CHARS_MAX) return { kind: 'refused', problem: tableTexts[frame.language].rules.chars }
  const checked =
    chosen === NEW_TEMPLATE
      ? { view: { ...view, guesses: await guessColumns({ ...view, rows }) }, rows }
      : await withTemplate(frame, await readTemplate(frame, chosen), view, rows)
  const isSaved = await saveDraft(frame, held, checked.view, checked.rows, new Set(rows.keys()))
  if (!isSaved) return { kind: 'refused', problem: tableTexts[frame.language].changed }
  return { kind: chosen === NEW_TEMPLATE ? 'new' : 'saved' }
}

/**
 * Reads the file anew where the form says another way to read it: as another draft, without repairs. Null: it says
 * none.
 *
 * @param template Null: a new card is proposed for the table
 */
export async function rereadByForm(
  frame: KeepingFrame,
  template: Template | null,
  held: HeldDraft,
): Promise<Changed | null> {
  const { view } = held
  const form = formIn(frame.fields, view.form)
  const isReadAnew =
    form.encoding !== view.form.encoding ||
    form.delimiter !== view.form.delimiter ||
    form.sheet?.name !== view.form.sheet?.name ||
    form.place?.headerRow !== view.form.place?.headerRow ||
    form.place?.isWhole !== view.form.place?.isWhole
  return isReadAnew && view.issued === 0 ? reread(frame, template, held, form) : null
}

async function reread(
  frame: KeepingFrame,
  template: Template | null,
  held: HeldDraft,
  form: TableForm,
): Promise<Changed> {
  const source = await openSource(frame, held.id)
  if (source === null) return { kind: 'none' }
  const t = tableTexts[frame.language]
  const { encoding, delimiter, sheet, place } = form
  const before = held.view.form
  // In another sheet, or with other cells, the headings are looked for anew.
  const isSame = delimiter === before.delimiter && sheet?.name === before.sheet?.name
  const chosen = {
    ...(sheet === undefined ? { encoding, delimiter } : { sheet: sheet.name }),
    ...(isSame && { headerRow: place?.headerRow }),
    isWhole: place?.isWhole,
  }
  const templates = template === null ? await templatesToFit(frame) : [template]
  const table = await tableOrProblem(frame, namesFor(frame, templates), source, chosen)
  if ('problem' in table) return { kind: 'refused', problem: table.problem }
  const { name, header, mapping } = held.view
  const kept = JSON.stringify(header) === JSON.stringify(table.header) ? mapping : undefined
  const { view, rows } =
    template === null ? await proposedDraft(name, table) : await checkedDraft(frame, template, name, table, kept)
  const next = await keepDraft(frame, { view, rows, source })
  if ('refused' in next) return { kind: 'refused', problem: t.notKept[next.refused] }
  await dropDraft(frame, held.id)
  return { kind: 'reread', id: next.id }
}

function formIn(fields: Fields, form: TableForm): TableForm {
  const one = <T extends string>(name: string, known: readonly T[], otherwise: T): T =>
    known.find((each) => each === typed(fields, name)) ?? otherwise
  const { sheet } = form
  const order = (['dmy', 'mdy'] as const).find((each) => each === typed(fields, 'dates'))
  return {
    ...form,
    encoding: one('encoding', encodings, form.encoding),
    delimiter: one('delimiter', delimiterNames, form.delimiter),
    decimal: one('decimal', ['point', 'comma'], form.decimal),
    dates: order ?? form.dates,
    isSure: form.isSure || order !== undefined,
    ...(sheet !== undefined && { sheet: { ...sheet, name: one('sheet', sheet.names, sheet.name) } }),
    ...(form.place !== undefined && { place: placeIn(fields, form.place) }),
  }
}

function placeIn(fields: Fields, place: ReadPlace): ReadPlace {
  const chosen = Number(typed(fields, 'headerRow'))
  return {
    ...place,
    headerRow: place.heads.find(({ number }) => number === chosen)?.number ?? place.headerRow,
    isWhole: fields.has('rowsShown') ? fields.has('whole') : place.isWhole,
  }
}

function mappingIn(fields: Fields, { mapping }: DraftView, targets: readonly string[]): readonly string[] {
  return mapping.map((target, column) => {
    const chosen = fields.get(`map-${column}`)?.[0]
    return chosen === '' || (chosen !== undefined && targets.includes(chosen)) ? chosen : target
  })
}

/** Whether those without an account are invited. */
function recipientsIn(fields: Fields, choice: RecipientChoice | undefined): RecipientChoice | undefined {
  const isAsked = choice?.way === 'wallets' && fields.has('invitesShown')
  return isAsked ? { ...choice, invites: fields.has('invites') } : choice
}

/** Cells in the form, by the place of their row and their column. */
function cellsIn(fields: Fields, { total, header }: DraftView): ReadonlyMap<number, ReadonlyMap<number, string>> {
  const cells = new Map<number, Map<number, string>>()
  for (const [name, [value = '']] of fields) {
    const [, place, column] = /^cell-(\d{1,5})-(\d{1,3})$/.exec(name) ?? []
    if (place === undefined || Number(place) >= total || Number(column) >= header.length) continue
    const row = cells.get(Number(place)) ?? new Map<number, string>()
    cells.set(Number(place), row.set(Number(column), value.trim().slice(0, CELL_CHARS_MAX)))
  }
  return cells
}

function charsOf(rows: readonly TableRow[]): number {
  return rows.reduce((sum, { cells }) => sum + cells.reduce((all, cell) => all + cell.length, 0), 0)
}

function repair(before: readonly TableRow[], cells: ReturnType<typeof cellsIn>) {
  const repaired = new Set<number>()
  const rows = before.map((row, at) => {
    const typedCells = cells.get(at)
    if (typedCells === undefined || row.isIssued) return row
    const next = row.cells.map((cell, column) => typedCells.get(column) ?? cell)
    if (next.every((cell, column) => cell === row.cells[column])) return row
    repaired.add(at)
    // What a person has written means what it shows.
    const values = Object.entries(row.values ?? {}).filter(([column]) => !typedCells.has(Number(column)))
    return { ...row, cells: next, values: Object.fromEntries(values) }
  })
  return { rows, repaired }
}
