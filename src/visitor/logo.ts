const SOURCE = /^https:\/\/[a-z0-9.:-]+$/

/**
 * Returns the logo of an organisation for its own page, and its origin for the policy of the page. The organisation
 * chose the address; no other page loads from it, and it does not learn which page shows it.
 *
 * @returns null if there is none
 */
export function logoOf(uri: string | null): { readonly src: string; readonly source: string } | null {
  const url = uri === null ? null : URL.parse(uri)
  return url !== null && SOURCE.test(url.origin) ? { src: url.href, source: url.origin } : null
}
