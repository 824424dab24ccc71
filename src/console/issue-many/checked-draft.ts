import type { ReadTable } from '../../tables/table.ts'
import type { Frame } from '../frame/screen.ts'
import { reachOf } from '../recipients/recipient-choice.ts'
import { guessColumns } from '../templates/content/guessed-columns.ts'
import type { Template } from '../templates/content/template.ts'
import { checkRows } from './check-table.ts'
import type { DraftView, TableRow } from './table-draft.ts'
import { guessMapping, type Target, targetsOf } from './targets.ts'
import { tableTexts } from './texts.ts'

const LIFETIME_SECONDS = 604_800
const TWINS_LISTED = 8

type Checked = { readonly view: DraftView; readonly rows: readonly TableRow[] }

/** Returns what columns may become, in the language of the person. */
export function targetsFor({ language, me }: Pick<Frame, 'language' | 'me'>, template: Template): readonly Target[] {
  return targetsOf(template, tableTexts[language], me.organisation.sendsMail === true)
}

/** Checks the rows of a table. @param mapping What its columns become; guessed by default. */
export async function checkedDraft(
  frame: Frame,
  template: Template,
  name: string,
  table: ReadTable,
  mapping?: readonly string[],
): Promise<Checked> {
  const { view, rows } = uncheckedDraft(name, table)
  return withTemplate(frame, template, view, rows, mapping)
}

/** Returns the draft of a table for which no template is chosen, with a proposal for a new card. */
export async function proposedDraft(name: string, table: ReadTable): Promise<Checked> {
  const { view, rows } = uncheckedDraft(name, table)
  return { view: { ...view, guesses: await guessColumns(table) }, rows }
}

/** Checks the rows with another template. @param known What the columns become; guessed by default. */
export function withTemplate(
  frame: Frame,
  template: Template,
  view: DraftView,
  rows: readonly TableRow[],
  known?: readonly string[],
): Promise<Checked> {
  const targets = targetsFor(frame, template)
  const mapping = known ?? guessMapping(view.header, targets)
  return recheck(frame, targets, { ...view, templateId: template.id, mapping }, rows)
}

function uncheckedDraft(name: string, { header, form, rows: read }: ReadTable): Checked {
  const rows = read.map((row) => ({ ...row, problems: [], isIssued: false }))
  const examples = header.map(
    (_, column) => rows.find(({ cells }) => cells[column] !== '')?.cells[column]?.slice(0, 60) ?? '',
  )
  const view: DraftView = {
    name,
    templateId: '',
    header,
    examples,
    form,
    mapping: header.map(() => ''),
    missing: [],
    bad: [],
    twins: { listed: [], count: 0 },
    lifetimeSeconds: LIFETIME_SECONDS,
    total: rows.length,
    issued: 0,
    batches: [],
  }
  return { view, rows }
}

/** Checks the rows anew. Nothing is checked while a column that every row needs is missing. */
export async function recheck(
  frame: Frame,
  targets: readonly Target[],
  view: DraftView,
  rows: readonly TableRow[],
): Promise<Checked> {
  const missing = targets
    .filter(({ value, isRequired }) => isRequired && !view.mapping.includes(value))
    .map(({ label }) => label)
  const found = isChecked({ ...view, missing })
    ? await checkRows(frame, view, targets, rows)
    : rows.map((row) => ({ ...row, problems: [] }))
  const invites = view.recipients?.way === 'wallets' && view.recipients.invites
  const checked = invites ? found.map((row) => (row.hasNoAccount === true ? { ...row, problems: [] } : row)) : found
  const bad = checked.flatMap(({ problems }, at) => (problems.length > 0 ? [at] : []))
  const twins = checked.flatMap(({ number, sameAs }) => (sameAs === undefined ? [] : [[sameAs, number] as const]))
  const listed = twins.slice(0, TWINS_LISTED)
  const held = checked.filter(({ isHeld, isIssued }) => isHeld === true && !isIssued).length
  const reach = reachOf(view.recipients, checked)
  return { view: { ...view, missing, bad, held, reach, twins: { listed, count: twins.length } }, rows: checked }
}

/** Returns the columns that become what an earlier column becomes already. */
export function columnProblems({ mapping }: Pick<DraftView, 'mapping'>): readonly number[] {
  return mapping.flatMap((target, at) => (target !== '' && mapping.indexOf(target) !== at ? [at] : []))
}

/** Whether the rows were checked: every column that they need is there, and none is there twice. */
export function isChecked(view: DraftView): boolean {
  const { missing, mapping } = view
  return mapping.some((one) => one !== '') && missing.length === 0 && columnProblems(view).length === 0
}
