import type { Language } from '../../contract/languages.ts'
import type { TrustBasis } from '../../contract/wallet/trust-basis.ts'
import { type Html, html } from '../../pages/html.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { trustTexts } from './texts.ts'

const CHARS_MAX = 300

/**
 * Returns, folded away beside the badge, why an issuer or verifier is known: the trusted entry, its address there, its
 * certificate with the root; for an unknown one what was looked for. Requests that arrived before it was kept have no
 * basis. null: nothing is known about it, as of one that proves nothing.
 */
export function whyKnown(
  language: Language,
  kind: 'own' | 'known' | 'unknown',
  basis: TrustBasis | undefined,
): Html | null {
  const t = trustTexts[language]
  const { entity, identifier, attester, certificate, lookedFor = [] } = basis ?? {}
  const facts = [
    [t.entity, entity?.name],
    [kind === 'own' ? t.own : entity === undefined && attester === undefined ? t.registered : t.identifier, identifier],
    [t.attester, attester],
    [t.certificate, certificate?.subject],
    [t.root, certificate?.root],
  ].flatMap(([name, value]) => {
    const text = foreignText(value ?? '', CHARS_MAX)
    return text === null ? [] : [html`<div><dt>${name}</dt><dd dir="auto">${text}</dd></div>`]
  })
  const missing = lookedFor.flatMap((one) => foreignText(one, CHARS_MAX) ?? [])
  if (facts.length === 0 && missing.length === 0) return null
  const items = missing.map((one) => html`<li dir="auto">${one}</li>`)
  return html`<details>
    <summary>${t.summary[kind]}</summary>
    ${facts.length > 0 && html`<dl class="facts">${facts}</dl>`}
    ${missing.length > 0 && html`<p>${t.lookedFor}</p><ul class="list">${items}</ul>`}
  </details>`
}
