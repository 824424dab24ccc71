import type { Page } from '../../../pages/document.ts'
import { form } from '../../../pages/form.ts'
import { html } from '../../../pages/html.ts'
import { button, card, cut } from '../../../pages/parts.ts'
import { type ScreenFrame, textsOf } from './frame.ts'

/** Who asks for what. `host` is that of the address to which the browser goes afterwards; null for an app. */
export type ConsentProps = {
  readonly action: string
  readonly client: { readonly name: string; readonly host: string | null }
  readonly username: string
  readonly organisation: string
  readonly scopes: readonly string[]
}

/** Asks whether a foreign application may act for the person. Both answers are equally easy; the form posts `answer`. */
export function consentScreen(frame: ScreenFrame, props: ConsentProps): Page {
  const { consent, scopes } = textsOf(frame)
  const { client, organisation } = props
  const may = props.scopes.map((scope) => html`<li>${scopes[scope] ?? scope}</li>`)
  const lists = html`<h2>${consent.may}</h2><ul class="list">${may}</ul>${cut()}
<h2>${consent.mayNot}</h2><ul class="list">${consent.notSeen.map((one) => html`<li>${one}</li>`)}</ul>`
  const answers = html`<div class="buttons">${button(consent.allow, { look: 'main', name: 'answer', value: 'allow' })}
${button(consent.deny, { name: 'answer', value: 'deny' })}</div>`
  return {
    title: consent.title(client.name),
    organisation,
    main: html`<div class="stack"><p>${consent.as(props.username, organisation)}</p>${client.host !== null && html`<p>${consent.host(client.host)}</p>`}</div>
${card(lists)}${form(frame, props.action, answers)}<p class="hint">${consent.later}</p>`,
  }
}
