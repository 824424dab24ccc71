import type { ApiOperation } from '../../contract/api-operation.ts'
import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { cardStyle, credentialCard } from '../../pages/look/credential-card.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card, message } from '../../pages/parts.ts'
import type { ReadPlace } from '../../tables/table.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf } from '../frame/form-values.ts'
import { type KeepingFrame, keepingFormScreen, type Screen } from '../frame/screen.ts'
import { rereadByForm } from '../issue-many/change-draft.ts'
import { recheck, targetsFor } from '../issue-many/checked-draft.ts'
import { placeFields } from '../issue-many/columns-view.ts'
import { gone } from '../issue-many/draft-screen.ts'
import { type HeldDraft, openDraft, openRows, openRowsAt, saveDraft } from '../issue-many/kept-drafts.ts'
import { notesOf } from '../issue-many/notes.ts'
import { stepsAt } from '../issue-many/steps.ts'
import type { TableRow } from '../issue-many/table-draft.ts'
import { mappingOfMade } from '../issue-many/targets.ts'
import { type TableTexts, tableTexts } from '../issue-many/texts.ts'
import { TABLE } from '../issue-many/upload-fields.ts'
import { isRedrawn } from '../resource/designed-page.ts'
import { rowsOfColumns } from '../templates/content/guessed-columns.ts'
import type { Template } from '../templates/content/template.ts'
import { blank, type Draft } from '../templates/draft.ts'
import { bodyOf } from '../templates/draft-body.ts'
import { type CardForm, cardColumns, cardFields, readCardForm } from './card-fields.ts'
import { cardTexts } from './texts.ts'

type AtDraft = KeepingFrame<{ readonly draft: string }>

/** Where a new kind of card is made from a table. */
export const cardScreens: readonly Endpoint[] = keepingFormScreen({
  place: 'batches',
  path: `${TABLE}/{draft}/card`,
  summary: 'Proposes a template for a table, and makes it.',
  show: async (frame) => {
    const held = await openDraft(frame, frame.params.draft)
    if (held === null) return gone(frame)
    return held.view.guesses === undefined ? backTo(frame) : cardPage(frame, held, noProblems)
  },
  send: async (frame) => {
    const held = await openDraft(frame, frame.params.draft)
    if (held === null) return gone(frame)
    if (held.view.guesses === undefined || held.view.issued > 0 || held.isIssuing) return backTo(frame)
    const typedForm = readCardForm(frame, held.view)
    if (isRedrawn(frame)) return { fragment: pictureOf(frame, typedForm, await firstRow(frame, held)) }
    const reread = await rereadByForm(frame, null, held)
    if (reread?.kind === 'reread') return { to: `${TABLE}/${reread.id}/card` }
    if (reread?.kind === 'refused') return cardPage(frame, held, { fields: {}, general: reread.problem })
    if (typed(frame.fields, 'do') !== 'make') return cardPage(frame, held, noProblems)
    const rows = rowsOfColumns(typedForm.names, typedForm.choices)
    if (rows.length === 0) return cardPage(frame, held, { fields: { 'kind-0': cardTexts[frame.language].noColumn } })
    try {
      const { data } = await frame.api.call<ApiOperation>(credentialTemplates.create, {
        body: bodyOf(draftOf(typedForm), null, true),
        headers: onceHeader(frame.fields),
      })
      // What the operation promises.
      await take(frame, held, data as Template, typedForm)
    } catch (error) {
      return cardPage(frame, held, problemsOf(error, fieldOf, frame.t))
    }
    return backTo(frame)
  },
})

function backTo({ params }: AtDraft): { readonly to: string } {
  return { to: `${TABLE}/${params.draft}` }
}

/** The code is made from the name. */
function fieldOf(pointer: string): string | null {
  if (pointer === '/name' || pointer === '/code') return 'name'
  return pointer === '/display/backgroundColor' ? 'back' : null
}

/** Returns the draft of a template, as the designer has it. */
function draftOf({ name, back, ink, names, choices }: CardForm): Draft {
  return {
    ...blank,
    plain: { ...blank.plain, name: [name], back: [back], ink: [ink] },
    rows: rowsOfColumns(names, choices).map(({ row }) => row),
  }
}

/** The columns become the attributes that were made from them; the others what their names say. */
async function take(frame: AtDraft, held: HeldDraft, template: Template, { names, choices }: CardForm): Promise<void> {
  const targets = targetsFor(frame, template)
  const keys = new Map(rowsOfColumns(names, choices).map(({ column, row }) => [column, `attributes.${row.key}`]))
  const mapping = mappingOfMade(held.view.header, keys, targets)
  const { guesses: _, ...view } = held.view
  const before = await openRows(frame, held)
  const checked = await recheck(frame, targets, { ...view, templateId: template.id, mapping }, before)
  await saveDraft(frame, held, checked.view, checked.rows, new Set(checked.rows.keys()))
}

async function firstRow(frame: AtDraft, { id }: HeldDraft): Promise<TableRow | undefined> {
  return (await openRowsAt(frame, id, [0]))[0]
}

/** The card of the first row. */
function pictureOf({ me }: AtDraft, { name, back, ink, choices }: CardForm, row: TableRow | undefined): Html {
  const values = choices.flatMap(({ kind, isInLabel }, at) =>
    kind !== null && isInLabel ? (row?.cells[at]?.slice(0, 60) ?? []) : [],
  )
  return credentialCard({ issuer: me.organisation.name, name: name || '…', line: values.join(' · '), back, ink })
}

/** Which row has the headings: with another one the card is proposed anew. */
function readAs(frame: AtDraft, t: TableTexts, place: ReadPlace): Html {
  return html`<section class="panel">
    <header><h2>${t.readAs}</h2>${button(t.reread, { name: 'do', value: 'reread' })}</header>
    <div class="inside">${placeFields(frame, t, place)}</div>
  </section>`
}

async function cardPage(frame: AtDraft, held: HeldDraft, problems: Problems): Promise<Screen> {
  const [t, c] = [tableTexts[frame.language], cardTexts[frame.language]]
  const now = readCardForm(frame, held.view)
  const row = await firstRow(frame, held)
  const { place } = held.view.form
  const isUnnamed = !now.choices.some(({ kind, isInLabel }) => kind !== null && isInLabel)
  const content = html`${onceField(frame.fields)}
  ${card(cardFields(frame, now, problems))}
  ${isUnnamed && message('warn', c.unnamed)}
  <div class="buttons narrow">
    ${button(c.make, { look: 'main', name: 'do', value: 'make' })}
    ${button(c.preview, { name: 'do', value: 'preview' })}
    ${buttonLink(c.otherFile, '/console/issue')}
  </div>
  ${cardColumns(frame, held.view, now, problems)}
  ${place !== undefined && readAs(frame, t, place)}`
  const action = `${TABLE}/${held.id}/card`
  const picture = html`<section class="panel">
    <header><h2>${t.looks}</h2><span class="hint">${t.rowOf(row?.number ?? 2)}</span></header>
    <div class="inside" id="card">${pictureOf(frame, now, row)}</div>
  </section>`
  return {
    title: c.title,
    crumbs: [[frame.t.menu.credentials, '/console/credentials'], [t.title, TABLE], [c.title]],
    main: html`${stepsAt(t, 'table')}${problemList(frame.texts.problems, problems)}${notesOf(frame, t, held.view)}
    <p class="lead">${c.text}</p>
    <div class="beside">
      <fragment-form target="card" submit="do=preview">
        ${form(frame, action, html`<div class="stack">${content}</div>`)}
      </fragment-form>
      <aside class="stack" aria-label="${t.looks}">${picture}</aside>
    </div>`,
    style: cardStyle(now),
    modules: ['fragments'],
    hasErrors: hasProblems(problems),
  }
}
