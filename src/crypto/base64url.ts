import { Fault } from '../fault.ts'

const alphabet = /^[A-Za-z0-9_-]*$/

/**
 * Decodes base64url without padding, strictly: only the canonical encoding is accepted.
 *
 * @throws Fault `encoding.invalid` on padding, whitespace, a foreign character or non-zero trailing bits.
 * @see [RFC 7515, 2](https://www.rfc-editor.org/rfc/rfc7515#section-2) and [RFC 4648, 3.5](https://www.rfc-editor.org/rfc/rfc4648#section-3.5)
 */
export function fromBase64url(text: string): Buffer {
  if (!isBase64url(text)) throw new Fault('encoding.invalid', { detail: 'A value is not base64url without padding.' })
  return Buffer.from(text, 'base64url')
}

/**
 * As {@link fromBase64url}, and with the padding that fills the last group. For what only carries bytes: nothing signs
 * or compares the text itself.
 *
 * @throws Fault `encoding.invalid`
 */
export function fromPaddedBase64url(text: string): Buffer {
  return fromBase64url(text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text)
}

/** Whether a text is canonical base64url without padding. */
export function isBase64url(text: string): boolean {
  const rest = text.length % 4
  if (rest === 1 || !alphabet.test(text)) return false
  if (rest === 0) return true
  // [SEC-25] the unused bits of the last character must be zero, or one value would have several encodings
  return (rest === 2 ? 'AQgw' : 'AEIMQUYcgkosw048').includes(text.at(-1) ?? '')
}

/** Encodes as base64url without padding; a string is encoded as UTF-8 first. */
export function toBase64url(value: Uint8Array | string): string {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('base64url')
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64url')
}
