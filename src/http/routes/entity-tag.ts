import { sha256Base64url } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'

/** Returns the strong entity tag of a representation, which changes exactly when the content changes. */
export function entityTagOf(content: string | Uint8Array): string {
  return `"${sha256Base64url(content).slice(0, 22)}"`
}

/**
 * Returns whether `If-None-Match` names the tag: a list of tags, compared weakly, or `*`.
 *
 * @see [RFC 9110, 13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2)
 */
export function isUnchanged(ifNoneMatch: string | undefined, entityTag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return tags.includes(entityTag) || tags.includes('*')
}

/**
 * Returns whether `If-Match` names the tag: a list of tags, compared strongly, or `*`.
 *
 * @throws Fault `resource.changed` that says so where the tag is right but was altered on its way: proxies that
 *   compress answers make it weak or give it a suffix, and some clients drop its quotation marks.
 * @see [RFC 9110, 13.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1)
 */
export function isSame(ifMatch: string, entityTag: string): boolean {
  const tags = ifMatch.split(',').map((one) => one.trim())
  if (tags.includes(entityTag) || tags.includes('*')) return true
  if (tags.some((one) => bareTag(one) === bareTag(entityTag))) throw new Fault('resource.changed', { detail: ALTERED })
  return false
}

const ALTERED =
  'If-Match has the right tag, but altered. Send the ETag in quotation marks, without W/ and without -gzip, which ' +
  'proxies that compress answers add.'

function bareTag(tag: string): string {
  return tag
    .replace(/^W\//, '')
    .replaceAll('"', '')
    .replace(/-{1,2}(gzip|br|zstd|deflate)$/, '')
}
