import { type Choice, select } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { type Way, ways } from './recipient-choice.ts'
import { recipientTexts } from './texts.ts'

/** What is offered to a person: the choices, the proposed one with its reason, and why others are not possible. */
export type RecipientOffer = {
  readonly chosen: Way
  readonly proposed: Way
  readonly why: string
  readonly impossible: Readonly<Partial<Record<Way, string>>>
  /** Columns to choose from, and the one that is chosen; of wallets `{column}:{key}`. */
  readonly columns: Readonly<
    Record<'wallets' | 'mail', { readonly value: string; readonly choices: readonly Choice[] }>
  >
}

/** Returns the choices as a group of a form: `way`, and the columns of the first two. */
export function recipientFields(frame: Frame, offer: RecipientOffer, { fields }: Problems): Html {
  const t = recipientTexts[frame.language]
  const error = fields.way
  return html`<fieldset class="ticks"${error !== undefined && html` id="way" tabindex="-1"`}>
    <legend>${t.title}</legend>
    ${error !== undefined && html`<p class="error" id="way-error">${error}</p>`}
    ${ways.map((way) => wayField(frame, offer, way))}
  </fieldset>`
}

function wayField(frame: Frame, offer: RecipientOffer, way: Way): Html {
  const t = recipientTexts[frame.language]
  const impossible = offer.impossible[way]
  const [isChosen, isProposed] = [offer.chosen === way && impossible === undefined, offer.proposed === way]
  const state = html`${isChosen && html` checked`}${impossible !== undefined && html` disabled`}`
  const why = isProposed && html`<strong>${t.proposed}</strong> ${offer.why} `
  return html`<div class="tick">
    <input type="radio" id="way-${way}" name="way" value="${way}"${state} aria-describedby="way-${way}-hint">
    <div>
      <label for="way-${way}">${t[way]}</label>
      <p class="hint" id="way-${way}-hint">${impossible ?? html`${why}${t[`${way}Hint`]}`}</p>
      ${impossible === undefined && (way === 'wallets' || way === 'mail') && columnField(frame, offer, way)}
    </div>
  </div>`
}

function columnField(frame: Frame, { columns }: RecipientOffer, way: 'wallets' | 'mail'): Html {
  const label = recipientTexts[frame.language][`${way}Column`]
  return select(frame, { name: `${way}Column`, label, ...columns[way] })
}
