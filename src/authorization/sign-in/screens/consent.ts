import { memberOf } from '../../../crypto/json.ts'
import type { Page } from '../../../pages/document.ts'
import { foreign } from '../../../pages/foreign-text.ts'
import { form } from '../../../pages/form.ts'
import { html } from '../../../pages/html.ts'
import { button, card, cut } from '../../../pages/parts.ts'
import { type ScreenFrame, textsOf } from './frame.ts'

/** Which client asks for what. `host` is that of the address to which the browser goes afterwards; null for an app. */
type ConsentProps = {
  readonly action: string
  readonly client: string
  readonly host: string | null
  /** Address of the terms of service of the client. */
  readonly terms: string | null
  /** Comes back with the answer, so that what is granted is what was shown. */
  readonly shown: string
  readonly username: string
  readonly organisation: string
  readonly scopes: readonly string[]
}

/**
 * Asks whether a foreign application may act for the person. Both answers are equally easy; the form posts `answer`.
 */
export function consentScreen(frame: ScreenFrame, props: ConsentProps): Page {
  const { consent, scopes } = textsOf(frame)
  const { client, host, terms, organisation } = props
  const may = props.scopes.map((scope) => html`<li>${memberOf(scopes, scope) ?? scope}</li>`)
  const lists = html`<h2>${consent.may}</h2><ul class="list">${may}</ul>${cut()}
  <h2>${consent.mayNot}</h2><ul class="list">${consent.notSeen.map((one) => html`<li>${one}</li>`)}</ul>`
  const answers = html`<input type="hidden" name="shown" value="${props.shown}">
  <div class="buttons">
    ${button(consent.allow, { look: 'main', name: 'answer', value: 'allow' })}
    ${button(consent.deny, { name: 'answer', value: 'deny' })}
  </div>`
  const about =
    terms !== null && html`<p>${consent.terms} <a href="${terms}" rel="noreferrer">${foreign(terms, 200)}</a></p>`
  return {
    title: consent.title(client),
    organisation,
    main: html`<div class="stack">
      <p>${consent.as(props.username, organisation)}</p>
      ${host !== null && html`<p>${consent.host(host)}</p>`}
      ${about}
    </div>
    ${card(lists)}${form(frame, props.action, answers)}<p class="hint">${consent.later}</p>`,
  }
}
