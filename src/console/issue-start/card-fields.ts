import { checkbox } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { coloursOf } from '../../pages/look/credential-card.ts'
import { figure } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import type { DraftView } from '../issue-many/table-draft.ts'
import { tableTexts } from '../issue-many/texts.ts'
import { type ColumnChoice, type ColumnGuess, columnKinds } from '../templates/content/guessed-columns.ts'
import { type CardTexts, cardTexts } from './texts.ts'

/** A new kind of card as it is typed. */
export type CardForm = {
  readonly name: string
  /** Colours, `#rrggbb`: of the card, and one that can be read on it. */
  readonly back: string
  readonly ink: string
  /** Of each column: what people see, and what it becomes. */
  readonly names: readonly string[]
  readonly choices: readonly ColumnChoice[]
}

/** As long as the API takes it. */
const NAME_CHARS_MAX = 200

/** Returns what the form holds; what is proposed before it was sent. */
export function readCardForm(frame: Frame, view: DraftView): CardForm {
  const { fields } = frame
  const t = tableTexts[frame.language]
  const isSent = fields.has('do')
  const accent = frame.me.organisation.accentColor ?? undefined
  const chosen = isSent ? typed(fields, 'back') : accent
  return {
    ...coloursOf({ back: chosen }),
    name: isSent ? typed(fields, 'name') : nameIn(view.name),
    names: view.header.map((name, at) => (name || t.noName(at + 1)).slice(0, NAME_CHARS_MAX).toWellFormed()),
    choices: (view.guesses ?? []).map((guess, at) => {
      if (!isSent) return guess
      const kind = columnKinds.find((one) => one === typed(fields, `kind-${at}`)) ?? null
      const isOn = (name: string) => typed(fields, `${name}-${at}`) === '1'
      return { kind, isRequired: guess.isRequired, isAlways: isOn('always'), isInLabel: isOn('named') }
    }),
  }
}

/** Returns the name of a file as the name of a card. */
function nameIn(file: string): string {
  const plain = file
    .replace(/\.[a-z]{3,4}$/i, '')
    .replaceAll(/[_\s-]+/g, ' ')
    .trim()
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** Returns the two choices that a new card needs. */
export function cardFields(frame: Frame, { name, back }: CardForm, { fields }: Problems): Html {
  const c = cardTexts[frame.language]
  const called = field(frame, {
    name: 'name',
    label: c.name,
    hint: c.nameHint,
    value: name,
    lengthMax: NAME_CHARS_MAX,
    error: fields.name,
  })
  return html`${called}${field(frame, { name: 'back', label: c.back, type: 'color', value: back, error: fields.back })}`
}

/** Returns what each column becomes, why, and what else was guessed; all of it can be changed. */
export function cardColumns(frame: Frame, view: DraftView, { names, choices }: CardForm, { fields }: Problems): Html {
  const [t, c] = [tableTexts[frame.language], cardTexts[frame.language]]
  const heads = [t.inFile, c.onCard, t.example].map((head) => html`<th scope="col">${head}</th>`)
  const lines = choices.map((choice, at) => {
    const [name = '', guess] = [names[at], view.guesses?.[at]]
    const error = fields[`kind-${at}`]
    return html`<tr>
      <th scope="row"><span class="of" aria-hidden="true">${t.inFile}</span><span>${name}</span></th>
      <td>
        <span class="of" aria-hidden="true">${c.onCard}</span>
        <span class="field${error !== undefined && ' wrong'}">
          ${kindOf(c, name, choice, at, error)}
          ${guess !== undefined && html`<span class="hint" id="why-${at}">${whyOf(frame, c, guess)}</span>`}
        </span>
        ${choice.kind !== null && ticks(c, name, choice, at)}
      </td>
      <td><span class="of" aria-hidden="true">${t.example}</span><span class="hint">${view.examples[at]}</span></td>
    </tr>`
  })
  return html`<section class="panel">
    <header><h2 id="columns">${t.columnsOf(view.name)}</h2></header>
    <div class="rows-frame">
      <table class="columns-of" aria-labelledby="columns">
        <thead><tr>${heads}</tr></thead>
        <tbody>${lines}</tbody>
      </table>
    </div>
  </section>`
}

function kindOf(c: CardTexts, name: string, { kind }: ColumnChoice, at: number, error: string | undefined): Html {
  const options = [...columnKinds, '' as const].map(
    (one) => html`<option value="${one}"${one === (kind ?? '') && html` selected`}>${c.kinds[one || 'none']}</option>`,
  )
  const id = `kind-${at}`
  const invalid = error !== undefined && html` aria-invalid="true"`
  return html`<select id="${id}" name="${id}" aria-label="${c.becomes(name)}"
    aria-describedby="why-${at}${error !== undefined && ` ${id}-error`}"${invalid}>${options}</select>
  ${error !== undefined && html`<span class="error" id="${id}-error">${error}</span>`}`
}

function ticks(c: CardTexts, name: string, { isAlways, isInLabel }: ColumnChoice, at: number): Html {
  const one = (id: string, label: string, isOn: boolean) => checkbox({ name: `${id}-${at}`, label, isOn })
  const told = toldOf(c, isInLabel, isAlways)
  return html`<details>
    <summary aria-label="${told}. ${c.moreOf(name)}">${told}</summary>
    <div class="stack">${one('named', c.inLabel, isInLabel)}${one('always', c.always, isAlways)}</div>
  </details>`
}

/** What is set, in the line that opens it. */
function toldOf(c: CardTexts, isInLabel: boolean, isAlways: boolean): string {
  const told = [...(isInLabel ? [c.inLabel] : []), ...(isAlways ? [c.always] : [])]
  return told.length > 0 ? told.join(' · ') : c.more
}

function whyOf(
  { language }: Frame,
  c: CardTexts,
  { kind, why, fitting, filled, isWhole, isAlways }: ColumnGuess,
): string {
  const [some, all] = [figure(fitting, language), figure(filled, language)]
  const same = isAlways ? ` ${c.same}` : ''
  if (why !== 'cells') return c.why[why] + same
  if (kind === 'number') return (isWhole ? c.whole : c.decimal)(some, all) + same
  if (kind === 'date') return c.date(some, all) + same
  return (kind === 'boolean' ? c.boolean(some, all) : c.plain) + same
}
