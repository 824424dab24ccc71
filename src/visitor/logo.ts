const SOURCE = /^https:\/\/[a-z0-9.:-]+$/

/**
 * Returns the logo of an organisation for its own page, and its origin for the policy of the page; null: this server.
 * The organisation chose the address; no other page loads from it, and it does not learn which page shows it.
 *
 * @returns null if there is none
 */
export function logoOf(
  uri: string | null,
  publicUrl: string,
): { readonly src: string; readonly source: string | null } | null {
  if (uri?.startsWith(`${publicUrl}/`) === true) return { src: uri.slice(publicUrl.length), source: null }
  const url = uri === null ? null : URL.parse(uri)
  return url !== null && SOURCE.test(url.origin) ? { src: url.href, source: url.origin } : null
}
