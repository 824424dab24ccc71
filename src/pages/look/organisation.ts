import { type Html, html } from '../html.ts'
import type { PageTexts } from '../messages/page-texts.ts'

/** Returns where an organisation explains itself and helps; nothing if it does not say. */
export function organisationNote(
  { privacyUri, supportAddress }: { readonly privacyUri: string | null; readonly supportAddress: string | null },
  texts: PageTexts,
): Html | null {
  if (privacyUri === null && supportAddress === null) return null
  const href = supportAddress?.startsWith('https://') === true ? supportAddress : `mailto:${supportAddress}`
  const help =
    supportAddress !== null && html`<span>${texts.help} <a href="${href}" rel="noreferrer">${supportAddress}</a></span>`
  const privacy = privacyUri !== null && html`<a href="${privacyUri}" rel="noreferrer">${texts.privacy}</a>`
  return html`<p class="bar">${privacy}${help}</p>`
}

/**
 * Returns the logo that stands before the name.
 *
 * @param path Of this server: no other one learns which page shows it.
 */
export function logoImage(path: string): Html {
  return html`<img class="organisation-logo" src="${path}" alt="">`
}
