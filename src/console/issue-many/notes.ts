import type { Fields } from '../../http/routes/endpoint.ts'
import { choicesIn, select } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { button, message } from '../../pages/parts.ts'
import type { Frame } from '../frame/screen.ts'
import type { Template } from '../templates/content/template.ts'
import type { DraftView } from './table-draft.ts'
import { type TableTexts, tableTexts } from './texts.ts'

/** Returns what a person should know of a table before its rows are issued. */
export function notesOf({ language }: Frame, t: TableTexts, view: DraftView): Html {
  const count = (value: number) => figure(value, language)
  return html`${rowsNote(t, view, count)}${twinsNote(t, view, count)}`
}

type Count = (value: number) => string

/** Rows that were not read: they were taken for titles, totals or remarks. */
function rowsNote(t: TableTexts, { form: { place }, issued }: DraftView, count: Count): Html | null {
  if (place === undefined || issued > 0) return null
  const { headerRow, heads, left } = place
  const isBelow = (heads[0]?.number ?? headerRow) < headerRow
  const other = html`<p><a href="#headerRow">${t.headingsOther}</a></p>`
  const above = isBelow && message('note', t.headingsBelow(headerRow), other)
  if (left.count === 0) return html`${above}`
  const lines = left.listed.map(({ number, text }) => html`<li>${t.leftRow(number, text)}</li>`)
  const rest = left.count - left.listed.length
  const more = rest > 0 && html`<p>${t.more(count(rest))}</p>`
  const list = html`<ul>${lines}</ul>${more}<p><a href="#whole">${t.leftOther}</a></p>`
  return html`${above}${message('warn', t.leftOut(count(left.count)), list)}`
}

/** Rows that say the same: probably one of them is too many. */
function twinsNote(t: TableTexts, { twins, issued, total }: DraftView, count: Count): Html | null {
  if (twins.count === 0 || issued === total) return null
  const rest = twins.count - twins.listed.length
  const lines = twins.listed.map(([first, second]) => html`<li>${t.twins(first, second)}</li>`)
  const more = rest > 0 && html`<p>${t.more(count(rest))}</p>`
  return message('warn', t.twinsTitle, html`<ul>${lines}</ul>${more}`)
}

/**
 * Returns the choice of what people get who have a card of the template already, for the form of the table; null where
 * nobody has one, or old ones cannot be revoked.
 */
export function heldPanel(
  frame: Frame,
  { revocable }: Pick<Template, 'revocable'>,
  { held = 0, replacesHeld = false }: DraftView,
): Html | null {
  if (held === 0 || !revocable) return null
  const { renewal: t } = tableTexts[frame.language]
  const choice = select(frame, {
    name: 'held',
    label: t.choice,
    hint: t.hint,
    value: typed(frame.fields, 'held') || (replacesHeld ? 'replace' : 'further'),
    choices: choicesIn(t.choices),
  })
  return html`<section class="panel">
    <header><h2>${t.held(figure(held, frame.language))}</h2></header>
    <div class="inside">
      <p>${t.text}</p>
      ${choice}
      ${button(t.apply, { name: 'do', value: 'check' })}
    </div>
  </section>`
}

/** Returns whether the form of a table replaces the cards that people have; without the choice as before. */
export function replacesHeldIn(fields: Fields, { replacesHeld = false }: DraftView): boolean {
  const chosen = typed(fields, 'held')
  return chosen === '' ? replacesHeld : chosen === 'replace'
}
