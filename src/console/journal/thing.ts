import type { Language } from '../../contract/languages.ts'
import { memberOf } from '../../crypto/json.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { actionTexts } from './action-texts.ts'

/** What something was done to. `name`: what people call it, where the API knows. */
export type Thing = { readonly kind: string; readonly id: string | null; readonly name?: string | null }

/** Where the screens show a thing of a kind by its id. */
const places: Readonly<Record<string, string>> = {
  issuance: 'credentials',
  credential_template: 'templates',
  presentation_template: 'requests',
  presentation_request: 'verify',
  certificate: 'certificates',
  trusted_entity: 'trusted',
  issuance_batch: 'batches',
  webhook_endpoint: 'webhooks',
  client: 'applications',
  certificate_signing_request: 'certificates/csrs',
  verification_page: 'verification-pages',
}

/**
 * Returns what a thing is called, and what it is; with a link to its screen, or else to all that happened to it.
 *
 * @param list Path of the list
 */
export function thing(language: Language, one: Thing, list: string): Html {
  const { kind, id, name } = one
  const what = memberOf(actionTexts[language].kinds, kind) ?? kind.replaceAll('_', ' ')
  const called = name == null ? html`${what}` : foreign(name)
  const about = name != null && html`<br><span class="hint">${what}</span>`
  if (id === null) return html`${called}${about}`
  return html`<a href="${placeOf(one) ?? `${list}?subject=${encodeURIComponent(id)}`}">${called}</a>${about}`
}

/** The path of the screen of a thing; null: it has none. A person is shown by the username. */
function placeOf({ kind, id, name }: Thing): string | null {
  if (kind === 'user') return name == null ? null : `/console/people/${encodeURIComponent(name)}`
  const place = places[kind]
  return place === undefined || id === null ? null : `/console/${place}/${encodeURIComponent(id)}`
}
