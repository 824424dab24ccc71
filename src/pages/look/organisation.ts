import type { Urls } from '../../platform.ts'
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

type WithLogo = { readonly slug: string; readonly logoUri: string | null }

/** Returns the address of a logo that the server keeps for an organisation. @param digest SHA-256, as base64url */
export function keptLogoUri({ publicUrl }: Pick<Urls, 'publicUrl'>, slug: string, digest: string): string {
  return `${publicUrl}/organisations/${slug}/logos/${digest}`
}

/**
 * Returns the path of this server at which pages load the logo of an organisation: that of a picture that is kept here,
 * which names its content, else of what is fetched. null: there is none.
 */
export function logoPathOf({ slug, logoUri }: WithLogo, urls: Pick<Urls, 'publicUrl'>): string | null {
  if (logoUri === null) return null
  const isKept = logoUri.startsWith(keptLogoUri(urls, slug, ''))
  return isKept ? logoUri.slice(urls.publicUrl.length) : `/organisations/${encodeURIComponent(slug)}/logo`
}

/**
 * Returns the logo that stands before the name.
 *
 * @param path Of this server: no other one learns which page shows it.
 */
export function logoImage(path: string): Html {
  return html`<img class="organisation-logo" src="${path}" alt="">`
}
