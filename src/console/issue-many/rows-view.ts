import { hidden } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { button } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import type { TableForm } from '../../tables/table.ts'
import type { Frame } from '../frame/screen.ts'
import { recipientColumn, recipientTarget } from '../recipients/recipient-choice.ts'
import { recipientTexts } from '../recipients/texts.ts'
import { isChecked } from './checked-draft.ts'
import { shownWords, wordsOf } from './problem-words.ts'
import type { DraftView, TableRow } from './table-draft.ts'
import type { Target } from './targets.ts'
import { type TableTexts, tableTexts } from './texts.ts'

/** Rows of a page. */
export const ROWS_SHOWN = 25
const CELL_CHARS_SHOWN = 200
const COLUMNS_SHOWN = 6

/** A row with its place in the table, from 0. */
export type PlacedRow = { readonly place: number; readonly row: TableRow }
/** Which rows a page shows. */
type Shown = { readonly isAll: boolean; readonly page: number }

/**
 * Returns which rows are asked for: those with problems first, while there are some. A form that was refused, or kept
 * over a sign-in, has the rows that it was sent from: what was typed stands in them.
 */
export function rowsIn({ query, fields }: Pick<Frame, 'query' | 'fields'>, { bad }: Pick<DraftView, 'bad'>): Shown {
  const [show, page] = fields.has('shown') ? [typed(fields, 'shown'), typed(fields, 'page')] : [query.show, query.page]
  const isAll = show === 'all' || bad.length === 0
  return { isAll, page: Math.min(400, Math.max(1, Math.trunc(Number(page)) || 1)) }
}

/** Returns the places of the rows that a page shows. */
export function placesOf({ isAll, page }: Shown, { bad, total }: DraftView): readonly number[] {
  const from = (page - 1) * ROWS_SHOWN
  if (!isAll) return bad.slice(from, from + ROWS_SHOWN)
  return Array.from({ length: Math.max(0, Math.min(ROWS_SHOWN, total - from)) }, (_, at) => from + at)
}

/**
 * The rows of a page: what is wrong stands in its cell, which can be repaired there. Their buttons send the form, so
 * that nothing is lost.
 */
export function rowsPanel(
  frame: Frame,
  view: DraftView,
  targets: readonly Target[],
  rows: readonly PlacedRow[],
  shown: Shown,
): Html {
  const t = tableTexts[frame.language]
  const columns = columnsOf(view, targets, rows)
  const heads = [t.row, ...columns.map(({ label }) => label), t.state].map((head) => html`<th scope="col">${head}</th>`)
  const context = { frame, t, targets, form: view.form, isChecked: isChecked(view) }
  const lines = rows.map((one) => rowOf(context, columns, one))
  const count = (value: number) => figure(value, frame.language)
  const choices = html`<div class="tabs">
    ${tab(t.withProblems(count(view.bad.length)), 'problems', !shown.isAll)}
    ${tab(t.allRows(count(view.total)), 'all', shown.isAll)}
  </div>`
  return html`<section class="panel">
    <header><h2 id="rows">${t.rows}</h2>${view.bad.length > 0 && choices}</header>
    ${hidden('shown', shown.isAll ? 'all' : 'problems')}${hidden('page', String(shown.page))}
    <div class="rows-frame">
      <table class="repair" aria-labelledby="rows">
        <thead><tr>${heads}</tr></thead>
        <tbody>${lines}</tbody>
      </table>
    </div>
    ${pages(frame, t, view, shown)}
  </section>`
}

/** The first columns, and those with problems on this page: more do not fit beside each other. */
function columnsOf(
  { mapping, recipients }: DraftView,
  targets: readonly Target[],
  rows: readonly PlacedRow[],
): readonly Column[] {
  const faulty = new Set(rows.flatMap(({ row }) => row.problems.map(({ column }) => column)))
  const [at, ofRecipients] = [recipientColumn(recipients), recipientTarget(recipients)]
  const mapped = mapping.flatMap((target, column) => {
    const found = targets.find(({ value }) => value === (target === '' && column === at ? ofRecipients : target))
    return found === undefined ? [] : [{ column, label: found.label }]
  })
  return mapped.filter(({ column }, at) => at < COLUMNS_SHOWN || faulty.has(column))
}

function tab(text: string, value: string, isChosen: boolean): Html {
  const current = isChosen && html` aria-current="true"`
  return html`<button type="submit" class="button plain" name="do" value="${value}"${current}>${text}</button>`
}

type Column = { readonly column: number; readonly label: string }

/** What a row is shown with. */
type RowContext = {
  readonly frame: Frame
  readonly t: TableTexts
  readonly targets: readonly Target[]
  readonly form: TableForm
  /** Until the columns are chosen no row is. */
  readonly isChecked: boolean
}

function rowOf(context: RowContext, columns: readonly Column[], one: PlacedRow): Html {
  const { frame, t, targets, form } = context
  const { row } = one
  const general = row.problems.filter(({ column }) => column === null)
  const state = stateOf(context, row)
  const why = general
    .slice(0, 3)
    .map((problem) => html`<p class="error">${shownWords(wordsOf(frame, targets, row, problem, form))}</p>`)
  const wrong = general.length > 0 && html` class="wrong"`
  return html`<tr id="row-${one.place}">
    <th scope="row"><span class="of">${t.row}</span><span>${row.number}</span></th>
    ${columns.map((column) => cellOf(context, column, one))}
    <td${wrong}><span class="of">${t.state}</span><span>${state}${why}</span></td>
  </tr>`
}

function stateOf({ frame, t, isChecked }: RowContext, { isIssued, problems, sameAs, hasNoAccount }: TableRow): Html {
  if (isIssued) return badge(t.issued, 'ok')
  if (!isChecked) return html`<span class="hint">${t.unchecked}</span>`
  if (problems.length > 0) return badge(t.cannot, 'bad')
  if (hasNoAccount === true) return badge(recipientTexts[frame.language].isInvited, 'plain')
  return sameAs === undefined ? badge(t.ready, 'ok') : badge(t.sameAs(sameAs), 'warn')
}

function cellOf({ frame, t, targets, form }: RowContext, { column, label }: Column, { place, row }: PlacedRow): Html {
  const cell = row.cells[column] ?? ''
  const problem = row.problems.find((one) => one.column === column)
  const head = html`<span class="of">${label}</span>`
  if (problem === undefined || row.isIssued) return html`<td>${head}<span>${cut(cell) || frame.t.none}</span></td>`
  const id = `cell-${place}-${column}`
  const value = frame.fields.has(id) ? typed(frame.fields, id) : cell
  const name = `${label}, ${t.rowOf(row.number)}`
  const input = html`<input id="${id}" name="${id}" type="text" value="${value}" maxlength="10000"
    aria-label="${name}" aria-invalid="true" aria-describedby="${id}-error">`
  const words = shownWords(wordsOf(frame, targets, row, problem, form))
  const error = html`<span class="error" id="${id}-error">${words}</span>`
  return html`<td class="wrong">${head}<span class="field wrong">${input}${error}</span></td>`
}

function cut(cell: string): string {
  return cell.length > CELL_CHARS_SHOWN ? `${cell.slice(0, CELL_CHARS_SHOWN).toWellFormed()}…` : cell
}

function pages({ language }: Frame, t: TableTexts, { bad, total }: DraftView, { isAll, page }: Shown): Html | null {
  const all = isAll ? total : bad.length
  if (all <= ROWS_SHOWN) return null
  const from = (page - 1) * ROWS_SHOWN + 1
  const [first, last, count] = [from, Math.min(all, from + ROWS_SHOWN - 1), all].map((value) => figure(value, language))
  return html`<div class="pager inside">
    <p class="hint">${t.place(first ?? '', last ?? '', count ?? '')}</p>
    ${page > 1 && button(t.previous, { name: 'do', value: 'previous' })}
    ${from + ROWS_SHOWN <= all && button(t.next, { name: 'do', value: 'next' })}
  </div>`
}
