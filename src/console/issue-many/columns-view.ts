import { checkbox, choicesIn, hidden, select } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { cardStyle, credentialCard } from '../../pages/look/credential-card.ts'
import { figure } from '../../pages/moment-text.ts'
import { button, facts } from '../../pages/parts.ts'
import type { ReadPlace, ReadSheet, TableForm } from '../../tables/table.ts'
import type { Frame } from '../frame/screen.ts'
import { recipientColumn } from '../recipients/recipient-choice.ts'
import { recipientTexts } from '../recipients/texts.ts'
import { lineOf, lookOf } from '../templates/card-look.ts'
import type { Template } from '../templates/content/template.ts'
import { columnProblems } from './checked-draft.ts'
import { NEW_TEMPLATE } from './fitting-template.ts'
import type { DraftView, TableRow } from './table-draft.ts'
import { columnTargets, type Target } from './targets.ts'
import { type TableTexts, tableTexts } from './texts.ts'

/** What the columns of the file become, with the first value of each. */
export function columnsPanel(frame: Frame, view: DraftView, targets: readonly Target[]): Html {
  const t = tableTexts[frame.language]
  const twice = columnProblems(view)
  const heads = [t.inFile, t.becomes, t.example].map((head) => html`<th scope="col">${head}</th>`)
  const lines = view.header.map((name, at) =>
    columnOf(frame, t, view, targets, { at, name: name || t.noName(at + 1) }, twice.includes(at)),
  )
  return html`<section class="panel">
    <header>
      <h2 id="columns">${t.columnsOf(view.name)}</h2>
      ${button(t.apply, { name: 'do', value: 'check' })}
    </header>
    <div class="rows-frame">
      <table class="columns-of" aria-labelledby="columns">
        <thead><tr>${heads}</tr></thead>
        <tbody>${lines}</tbody>
      </table>
    </div>
  </section>`
}

function columnOf(
  { fields, language }: Frame,
  t: TableTexts,
  { mapping, examples, recipients }: DraftView,
  targets: readonly Target[],
  { at, name }: { readonly at: number; readonly name: string },
  isTwice: boolean,
): Html {
  const id = `map-${at}`
  const chosen = fields.get(id)?.[0] ?? mapping[at] ?? ''
  const options = [{ value: '', label: t.leaveOut, isRequired: false }, ...columnTargets(targets)].map(
    ({ value, label, isRequired }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${label}${isRequired && ' *'}</option>`,
  )
  const label = targets.find(({ value }) => value === mapping[at])?.label ?? ''
  const wrong = isTwice ? t.twice(label) : null
  const error = wrong !== null && html`<span class="error" id="${id}-error">${wrong}</span>`
  const described = wrong !== null && html` aria-invalid="true" aria-describedby="${id}-error"`
  const control = html`<select id="${id}" name="${id}"
    aria-label="${t.becomesOf(name)}"${described}>${options}</select>`
  const tellsWho =
    recipientColumn(recipients) === at && html`<span class="hint">${recipientTexts[language].tellsWho}</span>`
  const choice = html`<span class="field${wrong !== null && ' wrong'}">${control}${tellsWho}${error}</span>`
  return html`<tr>
    <th scope="row"><span class="of" aria-hidden="true">${t.inFile}</span><span>${name}</span></th>
    <td><span class="of" aria-hidden="true">${t.becomes}</span>${choice}</td>
    <td><span class="of" aria-hidden="true">${t.example}</span><span class="hint">${examples[at]}</span></td>
  </tr>`
}

/** How the file was read; what was guessed can be changed, and what cannot be guessed is asked. */
export function formPanel(frame: Frame, { form, issued, templateId }: DraftView, templates: readonly Template[]): Html {
  const t = tableTexts[frame.language]
  const { kind, sheet, place, isSure } = form
  const list = (name: Choice, texts: Readonly<Record<string, string>>, hint?: string) =>
    select(frame, {
      name,
      label: t[name],
      value: frame.fields.get(name)?.[0] ?? chosenIn(form, name),
      choices: choicesIn(texts),
      ...(hint !== undefined && { hint }),
    })
  const canBeReread = issued === 0
  const ofText =
    kind === 'text' &&
    canBeReread &&
    html`${list('encoding', t.encodings)}${list('delimiter', t.delimiters)}<p class="hint">${t.rereadHint}</p>`
  const dates = isSure ? list('dates', t.orders) : list('dates', { '': t.datesOpen, ...t.orders }, t.datesAsked)
  return html`<section class="panel">
    <header><h2>${t.readAs}</h2></header>
    <div class="inside">
      ${canBeReread && templateField(frame, t, templateId, templates)}
      ${sheet !== undefined && sheetOf(frame, t, sheet, canBeReread)}
      ${place !== undefined && canBeReread && placeFields(frame, t, place)}
      ${ofText}
      ${list('decimal', t.decimals)}
      ${dates}
    </div>
  </section>`
}

/** What is issued: another template, or a new one, can be chosen until rows were issued. */
function templateField(frame: Frame, t: TableTexts, chosen: string, templates: readonly Template[]): Html {
  const known = templates.map(({ id, name }) => ({ value: id, text: name }))
  const choices = [...known, { value: NEW_TEMPLATE, text: t.newTemplate }]
  return select(frame, { name: 'template', label: t.template, value: chosen, choices, hint: t.templateHint })
}

type Choice = 'encoding' | 'delimiter' | 'decimal' | 'dates'

function chosenIn(form: TableForm, name: Choice): string {
  return name === 'dates' && !form.isSure ? '' : form[name]
}

/** The sheet that was read. Another one can be chosen until rows were issued. */
function sheetOf(frame: Frame, t: TableTexts, { name, names, hiddenRows }: ReadSheet, canBeReread: boolean): Html {
  const hidden = hiddenRows > 0 && html`<p class="hint">${t.hiddenRows(figure(hiddenRows, frame.language))}</p>`
  if (names.length < 2 || !canBeReread) return html`${facts([[t.file, t.sheet(name)]])}${hidden}`
  const value = frame.fields.get('sheet')?.[0] ?? name
  const choices = names.map((one) => ({ value: one, text: one }))
  return html`${select(frame, { name: 'sheet', label: t.sheetLabel, value, choices, hint: t.sheetHint })}${hidden}`
}

/** The row with the headings, and whether rows that look like no data are read: until rows were issued. */
export function placeFields(frame: Frame, t: TableTexts, { headerRow, heads, left, isWhole }: ReadPlace): Html {
  const isSent = frame.fields.has('rowsShown')
  const known = heads.map(({ number, text }) => ({ value: String(number), text: t.headRow(number, text) }))
  const value = frame.fields.get('headerRow')?.[0] ?? String(headerRow)
  const isKnown = known.some((one) => one.value === String(headerRow))
  const choices = isKnown ? known : [...known, { value: String(headerRow), text: t.headRow(headerRow, '…') }]
  const isOn = isSent ? frame.fields.has('whole') : isWhole
  const whole = checkbox({ name: 'whole', label: t.whole, hint: t.wholeHint, isOn })
  return html`${hidden('rowsShown', '1')}
  ${select(frame, { name: 'headerRow', label: t.headerRow, value, choices, hint: t.headerHint })}
  ${(left.count > 0 || isWhole) && whole}`
}

/** Returns the card of a row, and its style. */
export function cardOf({ me, language }: Frame, template: Template, view: DraftView, row: TableRow | undefined) {
  const t = tableTexts[language]
  const line = lineOf(template)
    .map(({ namespace, key }) => view.mapping.indexOf(`attributes.${namespace === '' ? key : `${namespace}.${key}`}`))
    .flatMap((column) => row?.cells[column]?.slice(0, 60) || [])
    .join(' · ')
  const look = { issuer: me.organisation.name, name: template.name, line, ...lookOf(template) }
  const card = html`<section class="panel">
    <header><h2>${t.looks}</h2><span class="hint">${t.rowOf(row?.number ?? 2)}</span></header>
    <div class="inside">${credentialCard(look)}</div>
  </section>`
  return { card, style: cardStyle(look) }
}
