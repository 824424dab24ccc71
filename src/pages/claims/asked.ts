import type { Static } from 'typebox'
import type { AskedCredential } from '../../contract/verification/requested-credentials.ts'
import { foreign } from '../foreign-text.ts'
import { type Html, html } from '../html.ts'

/** A credential that is requested, as the API tells it before a wallet has the request. */
export type AskedInWords = Static<typeof AskedCredential>

/** Returns the credentials that are requested as a list, each with the names of its attributes below. */
export function askedList(asks: readonly AskedInWords[]): Html {
  const items = asks.map(({ name, attributes }) => {
    const names = attributes.map((one, at) => html`${at > 0 && ', '}${foreign(one)}`)
    return html`<li>${foreign(name)}${names.length > 0 && html`<p>${names}</p>`}</li>`
  })
  return html`<ul class="asks">${items}</ul>`
}
