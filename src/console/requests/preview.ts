import { type Html, html } from '../../pages/html.ts'
import { cut } from '../../pages/parts.ts'
import type { Frame } from '../frame/screen.ts'
import { textIn } from '../resource/fields.ts'
import { askedLabel, type RequestDraft } from './draft.ts'
import { keepText } from './fields.ts'
import { requestTexts } from './texts.ts'

/**
 * Returns a request as the holder sees it: the verifier, its purpose, the attributes and how long they are kept. Values
 * are those of the holder's own cards.
 */
export function previewOf({ me, language }: Pick<Frame, 'me' | 'language'>, draft: RequestDraft): Html {
  const t = requestTexts[language]
  const purpose = textIn(draft.plain.purpose ?? [])
  const lists = draft.credentials.map(({ name, type, rows, plain }, at) => {
    const asked = rows.filter(({ isOn }) => isOn).map((row) => html`<li>${askedLabel(row)}</li>`)
    const shown = asked.length === 0 ? html`<p class="hint">${t.nothingYet}</p>` : html`<ul class="list">${asked}</ul>`
    const isOptional = textIn(plain.optional ?? []) !== ''
    const optional = isOptional && draft.which === 'all' && html`<p class="hint">${t.isOptional}</p>`
    return html`<h3>${name || type || t.credential(at + 1)}</h3>${optional}${shown}`
  })
  const oneIsEnough =
    draft.which === 'one' && draft.credentials.length > 1 && html`<p class="hint">${t.whiches.one}</p>`
  return html`<section class="panel">
    <header><h2>${t.wants(me.organisation.name)}</h2></header>
    <div class="inside">
      ${purpose !== '' && html`<p>${purpose}</p>`}
      ${oneIsEnough}
      ${lists}
      <p class="hint">${t.keptFor}: ${keepText({ language }, draft.plain)}</p>
      ${cut()}
      <p class="hint">${t.stays}</p>
    </div>
  </section>`
}
