import { hash, timingSafeEqual } from 'node:crypto'

/** The hash algorithms that we accept, by the name that node:crypto gives them. */
export type HashName = 'sha256' | 'sha384' | 'sha512'

/** SHA-256 of bytes, or of the UTF-8 form of a string. */
export function sha256(value: string | Uint8Array): Buffer {
  return hash('sha256', value, 'buffer')
}

/** SHA-256 of bytes, or of the UTF-8 form of a string, as base64url without padding. */
export function sha256Base64url(value: string | Uint8Array): string {
  return hash('sha256', value, 'base64url')
}

/** A digest as bytes. */
export function digestBytes(name: HashName, value: string | Uint8Array): Buffer {
  return hash(name, value, 'buffer')
}

/** A digest as base64url without padding. */
export function digestBase64url(name: HashName, value: string | Uint8Array): string {
  return hash(name, value, 'base64url')
}

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/**
 * HMAC with SHA-256 over the parts, one after the other. Two one-shot hashes: a quarter of what an Hmac object costs.
 *
 * Parts are not delimited: a caller with several parts of free length puts a separator between them.
 *
 * @param key At most 64 bytes.
 * @see [RFC 2104, 2](https://www.rfc-editor.org/rfc/rfc2104#section-2)
 */
export function hmacSha256(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  if (key.length > BLOCK_BYTES) throw new RangeError('the key is longer than a block')
  const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
  const inner = Buffer.concat([Buffer.alloc(BLOCK_BYTES, 0x36), ...bytes])
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c)
  for (let at = 0; at < key.length; at += 1) {
    inner[at] = (key[at] ?? 0) ^ 0x36
    outer[at] = (key[at] ?? 0) ^ 0x5c
  }
  sha256(inner).copy(outer, BLOCK_BYTES)
  return sha256(outer)
}

/** Whether two secrets are equal, in a time that depends on their lengths only. */
export function equalInConstantTime(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const a = typeof one === 'string' ? Buffer.from(one) : one
  const b = typeof other === 'string' ? Buffer.from(other) : other
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}
