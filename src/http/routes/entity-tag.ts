import { sha256Base64url } from '../../crypto/digest.ts'

/** Returns the entity tag of a content, which changes exactly when the content changes, without quotes. */
export function entityTagOf(content: string | Uint8Array): string {
  return sha256Base64url(content).slice(0, 22)
}

/**
 * Whether `If-None-Match` names an entity tag: a list of tags or `*`; weak and strong tags are compared alike.
 *
 * @see [RFC 9110, 13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2)
 */
export function isTagAmong(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
