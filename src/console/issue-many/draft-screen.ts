import { batches } from '../../contract/issuance/batches.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { choicesIn, hidden, select } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { button, buttonLink, message } from '../../pages/parts.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import { credentialTexts } from '../credentials/texts.ts'
import { csvDelimiterOf, csvFile } from '../frame/csv-file.ts'
import { type KeepingFrame, keepingFormScreen, keepingScreen, type Screen } from '../frame/screen.ts'
import { recipientColumn } from '../recipients/recipient-choice.ts'
import { recipientsPanel } from '../recipients/recipients-panel.ts'
import { recipientTexts } from '../recipients/texts.ts'
import type { Template } from '../templates/content/template.ts'
import { changeByForm } from './change-draft.ts'
import { columnProblems, isChecked, targetsFor } from './checked-draft.ts'
import { cardOf, columnsPanel, formPanel } from './columns-view.ts'
import { templatesToFit } from './fitting-template.ts'
import { inviteByDraft, issueDraft } from './issue-draft.ts'
import { type HeldDraft, openDraft, openRows, openRowsAt } from './kept-drafts.ts'
import { heldPanel, notesOf } from './notes.ts'
import { wordsOf } from './problem-words.ts'
import { type PlacedRow, placesOf, ROWS_SHOWN, rowsIn, rowsPanel } from './rows-view.ts'
import { stepsAt } from './steps.ts'
import type { DraftView } from './table-draft.ts'
import type { Target } from './targets.ts'
import { type TableTexts, tableTexts } from './texts.ts'
import { TABLE } from './upload-fields.ts'
import { readTemplate } from './upload-screen.ts'

const place = 'batches'
const PROBLEMS_LISTED = 8
/** The last batches of a table whose state a page reads: a table that is repaired bit by bit has several. */
const BATCHES_READ = 4
type AtDraft = KeepingFrame<{ readonly draft: string }>

const draft = keepingFormScreen({
  place,
  path: `${TABLE}/{draft}`,
  summary: 'Checks a table of people, repairs it and issues it.',
  show: async (frame) => {
    const held = await openDraft(frame, frame.params.draft)
    if (held === null) return gone(frame)
    return held.view.templateId === '' ? { to: `${TABLE}/${held.id}/card` } : draftPage(frame, held)
  },
  send: async (frame) => {
    const held = await openDraft(frame, frame.params.draft)
    if (held === null) return gone(frame)
    if (held.view.templateId === '') return { to: `${TABLE}/${held.id}/card` }
    const template = await readTemplate(frame, held.view.templateId)
    const verb = typed(frame.fields, 'do')
    const here = `${TABLE}/${held.id}`
    if (held.isIssuing) {
      return { to: verb === 'issue' ? await issued(frame, template, held) : here }
    }
    const changed = await changeByForm(frame, template, held)
    if (changed.kind === 'refused') return draftPage(frame, held, changed.problem)
    if (changed.kind === 'reread') return { to: `${TABLE}/${changed.id}` }
    if (changed.kind === 'new') return { to: `${here}/card` }
    if (verb === 'who' || (verb === 'issue' && held.view.recipients === undefined)) return { to: `${here}/who` }
    if (verb !== 'issue') return { to: here + placeAfter(frame, verb) }
    // Only what the person has seen is issued: a changed table is shown first.
    const isSeen = changed.kind === 'none' && typed(frame.fields, 'revision') === String(held.revision)
    if (!isSeen)
      return { to: held.view.batches.length > Number(typed(frame.fields, 'batches')) ? here : `${here}?note=saved` }
    return { to: await issued(frame, template, held) }
  },
})

/** Issues the good rows. @returns the page of their batch, which leads back to a table with rows to repair */
async function issued(frame: KeepingFrame, template: Template, held: HeldDraft): Promise<string> {
  const here = `${TABLE}/${held.id}`
  const ready = held.isIssuing ? held : await inviteByDraft(frame, template, held)
  if (ready === null) return here
  const batch = await issueDraft(frame, template, ready)
  if (batch === null) return here
  const { recipients, bad, reach } = ready.view
  const isLeft = bad.length > 0 || (reach?.accountless ?? 0) > 0
  const way = recipients?.way
  const members = [isLeft && `table=${held.id}`, (way === 'links' || way === 'letters') && `by=${way}`].filter(Boolean)
  return `/console/batches/${batch}${members.length > 0 ? '?' : ''}${members.join('&')}`
}

/** The rows that a button leads to. */
function placeAfter({ fields }: KeepingFrame, verb: string): string {
  if (verb === 'all' || verb === 'problems') return `?show=${verb}#rows`
  const step = verb === 'next' ? 1 : verb === 'previous' ? -1 : null
  return step === null ? '' : `?show=${typed(fields, 'shown')}&page=${Number(typed(fields, 'page')) + step}#rows`
}

/** Returns what is said of a table that is not kept any more. */
export function gone(frame: KeepingFrame): Screen {
  const t = tableTexts[frame.language]
  return {
    title: t.gone,
    crumbs: crumbsOf(frame, t),
    hasErrors: true,
    status: 404,
    main: html`${message('bad', t.goneText)}<p class="buttons narrow">${buttonLink(t.again, TABLE)}</p>`,
  }
}

function crumbsOf({ t: common }: KeepingFrame, t: TableTexts): NonNullable<Screen['crumbs']> {
  return [[common.menu.credentials, '/console/credentials'], [t.title, TABLE], [t.check]]
}

async function draftPage(frame: AtDraft, held: HeldDraft, problem?: string): Promise<Screen> {
  const t = tableTexts[frame.language]
  const { view } = held
  const template = await readTemplate(frame, view.templateId)
  if (held.isIssuing) return issuingPage(frame, t, held)
  const targets = targetsFor(frame, template)
  const shown = rowsIn(frame, view)
  const places = placesOf(shown, view)
  const listed = view.bad.slice(0, PROBLEMS_LISTED)
  const wanted = [...new Set([...places, ...listed, 0])]
  const rows = await openRowsAt(frame, held.id, wanted)
  const placed = new Map(wanted.map((at, index) => [at, rows[index]]))
  const pick = (all: readonly number[]): PlacedRow[] => all.flatMap((at) => one(placed, at))
  const first = pick([0])[0]
  const { card, style } = cardOf(frame, template, view, first?.row)
  const panels = html`${whoOf(frame, t, view)}${heldPanel(frame, template, view)}`
  const left = html`<div class="stack">${panels}${columnsPanel(frame, view, targets)}</div>`
  const right = html`<div class="stack">${card}${formPanel(frame, view, await choicesOf(frame, template, view))}</div>`
  const content = html`${hidden('revision', String(held.revision))}${hidden('batches', String(view.batches.length))}
  <div class="beside">${left}${right}</div>
  ${rowsPanel(frame, view, targets, pick(places), shown)}
  ${buttons(frame, t, held)}`
  const summary = summaryOf(frame, t, view, targets, pick(listed))
  const bad = problem !== undefined && message('bad', problem)
  const saved = frame.query.note === 'saved' && message('note', t.savedFirst)
  const notes = html`${await doneOf(frame, t, view)}${summary.content}${notesOf(frame, t, view)}`
  const whole = form(frame, `${TABLE}/${held.id}`, html`<div class="stack">${content}</div>`)
  return {
    title: t.check,
    crumbs: crumbsOf(frame, t),
    main: html`${stepsAt(t, view.recipients === undefined ? 'table' : 'issue')}${bad}${saved}${notes}${whole}`,
    style,
    hasErrors: problem !== undefined || summary.isBad,
    status: problem === undefined ? 200 : 400,
  }
}

/** Who gets the cards, once that is chosen, until all rows are issued. */
function whoOf(frame: KeepingFrame, t: TableTexts, view: DraftView): Html | null {
  const { recipients: choice, reach, header, issued, total } = view
  if (choice === undefined || reach === undefined || issued === total) return null
  const column = recipientColumn(choice) ?? 0
  return recipientsPanel(frame, choice, reach, header[column] || t.noName(column + 1))
}

/** The templates to choose from, with the one that is chosen. */
async function choicesOf(frame: KeepingFrame, template: Template, { issued }: DraftView): Promise<readonly Template[]> {
  if (issued > 0) return [template]
  const templates = await templatesToFit(frame)
  return templates.some(({ id }) => id === template.id) ? templates : [template, ...templates]
}

function one(placed: ReadonlyMap<number, PlacedRow['row'] | undefined>, at: number): PlacedRow[] {
  const row = placed.get(at)
  return row === undefined ? [] : [{ place: at, row }]
}

/** What is wrong, with links; or that all is ready. It takes the focus when the page opens. */
function summaryOf(
  frame: KeepingFrame,
  t: TableTexts,
  view: DraftView,
  targets: readonly Target[],
  listed: readonly PlacedRow[],
) {
  const count = (value: number) => figure(value, frame.language)
  const say = (heading: string, items: readonly Html[], more?: string) =>
    html`<div class="message bad" role="alert" tabindex="-1" autofocus>
      <h2>${heading}</h2>
      <ul>${items}</ul>
      ${more !== undefined && html`<p>${more}</p>`}
    </div>`
  const link = (to: string, text: string) => html`<li><a href="${to}">${text}</a></li>`
  if (!isChecked(view)) {
    const twice = columnProblems(view).map((at) =>
      link(`#map-${at}`, t.twice(targets.find(({ value }) => value === view.mapping[at])?.label ?? '')),
    )
    const missing = view.missing.map((label) => link('#columns', t.missing(label)))
    const all = [...twice, ...missing]
    return { isBad: true, content: say(t.missingTitle, all.length > 0 ? all : [link('#columns', t.noColumns)]) }
  }
  if (view.bad.length === 0) {
    const isDone = view.issued === view.total
    return { isBad: false, content: isDone ? null : message('done', t.allReady(count(view.total - view.issued))) }
  }
  const items = listed.map((placed) => {
    const { row, place: at } = placed
    const problem = row.problems[0]
    const words = problem === undefined ? '' : wordsOf(frame, targets, row, problem, view.form).text
    const column = row.problems.find((each) => each.column !== null)?.column
    return link(column === undefined ? `#row-${at}` : `#cell-${at}-${column}`, t.atRow(row.number, words))
  })
  const rest = view.bad.length - listed.length
  return {
    isBad: true,
    content: say(
      t.someBad(count(view.bad.length), count(view.total)),
      items,
      rest > 0 ? t.more(count(rest)) : undefined,
    ),
  }
}

type BatchState = { readonly total: number; readonly done: number; readonly failed: number }

/** The batches that were made of the table, and what has become of their rows so far. */
async function doneOf({ api, language }: KeepingFrame, t: TableTexts, { issued, batches: ids }: DraftView) {
  if (issued === 0) return null
  const count = (value: number) => figure(value, language)
  const first = ids.length - BATCHES_READ
  const states = await Promise.all(ids.map((id, at) => (at < first ? null : api.call(batches.get, { params: { id } }))))
  const links = ids.map((id, at) => {
    const state = states[at]?.data
    const told = state && html` <span class="hint">${t.outcome(...counts(count, state))}</span>`
    return html`<li><a href="/console/batches/${id}">${t.batch(at + 1)}</a>${told}</li>`
  })
  const failed = states.reduce((sum, state) => sum + (state?.data.failed ?? 0), 0)
  const list = html`<p>${t.doneText}</p><ul>${links}</ul>`
  return failed > 0 ? message('bad', t.someFailed(count(failed)), list) : message('note', t.done(count(issued)), list)
}

function counts(count: (value: number) => string, { done, failed, total }: BatchState) {
  return [count(done), count(failed), count(total)] as const
}

function buttons(frame: KeepingFrame, t: TableTexts, { id, view }: HeldDraft): Html {
  const good = isChecked(view) ? view.total - view.issued - view.bad.length : 0
  const count = (value: number) => figure(value, frame.language)
  const isLast = view.recipients !== undefined
  const choices = choicesIn(credentialTexts[frame.language].days)
  const lifetime = select(frame, { name: 'lifetime', label: t.lifetime, value: String(view.lifetimeSeconds), choices })
  const r = recipientTexts[frame.language]
  const invited = view.recipients?.way === 'wallets' && view.recipients.invites ? (view.reach?.accountless ?? 0) : 0
  const issueText = invited > 0 ? r.inviteAndIssue(count(invited), count(good)) : t.issue(count(good))
  const [text, value] = isLast ? [issueText, 'issue'] : [r.next, 'who']
  const issue = good > 0 && button(text, { look: 'main', name: 'do', value })
  // Beside the rows, which may be far from the columns and their button.
  const check =
    view.bad.length > 0 && button(t.checkRepairs, { ...(good === 0 && { look: 'main' }), name: 'do', value: 'check' })
  const home = view.bad.length > 0 && buttonLink(t.takeHome(count(view.bad.length)), `${TABLE}/${id}/problems`)
  return html`${good > 0 && isLast && html`<div class="narrow">${lifetime}</div>`}
  <div class="actions">
    ${issue}${check}${home}
    ${buttonLink(t.again, `${TABLE}?template=${view.templateId}`)}
  </div>
  ${view.bad.length > 0 && good > 0 && html`<p class="hint">${t.issueRest}</p>`}`
}

/** Issuing was interrupted: the only thing to do is to finish it. */
function issuingPage(frame: KeepingFrame, t: TableTexts, { id, view }: HeldDraft): Screen {
  const finish = form(frame, `${TABLE}/${id}`, button(t.finish, { look: 'main', name: 'do', value: 'issue' }))
  return {
    title: t.issuing,
    crumbs: crumbsOf(frame, t),
    reloadSeconds: 4,
    main: html`${stepsAt(t, 'issue')}${message('warn', t.issuingText)}<p>${view.name}</p>${finish}`,
  }
}

const problems = keepingScreen({
  place,
  path: `${TABLE}/{draft}/problems`,
  summary: 'Returns the rows with problems as a table, with a column that says what is wrong.',
  show: async (frame) => {
    const held = await openDraft(frame, frame.params.draft)
    if (held === null || held.view.templateId === '') return gone(frame)
    const t = tableTexts[frame.language]
    const { view } = held
    const targets = targetsFor(frame, await readTemplate(frame, view.templateId))
    const rows = view.bad.length > ROWS_SHOWN ? await openRows(frame, held) : await openRowsAt(frame, held.id, view.bad)
    const bad = rows.filter(({ isIssued, problems: found }) => !isIssued && found.length > 0)
    const lines = bad.map((row) => [
      ...row.cells,
      row.problems.map((each) => wordsOf(frame, targets, row, each, view.form).text).join('; '),
    ])
    const { kind, delimiter } = view.form
    const separator = kind === 'text' ? delimiter : csvDelimiterOf(frame.language)
    return csvFile('rows', writeCsv([[...view.header, t.wrong], ...lines], separator))
  },
})

/** The screens where a table is checked and issued. */
export const draftScreens: readonly Endpoint[] = [...draft, ...problems]
