import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** Accepted hash algorithms, by their names in node:crypto. */
export type HashName = 'sha256' | 'sha384' | 'sha512'

/** SHA-256 of bytes, or of the UTF-8 form of a string. */
export function sha256(value: string | Uint8Array): Buffer {
  return hash('sha256', value, 'buffer')
}

/** SHA-256 of bytes, or of the UTF-8 form of a string, as base64url without padding. */
export function sha256Base64url(value: string | Uint8Array): string {
  return hash('sha256', value, 'base64url')
}

/** Returns a digest as bytes. */
export function digestBytes(name: HashName, value: string | Uint8Array): Buffer {
  return hash(name, value, 'buffer')
}

/** Returns a digest as base64url without padding. */
export function digestBase64url(name: HashName, value: string | Uint8Array): string {
  return hash(name, value, 'base64url')
}

/**
 * HMAC with SHA-256 over the concatenated parts. The caller separates parts of variable length.
 */
export function hmacSha256(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/** Whether two secrets are equal, in a time that depends on their lengths only. */
export function equalInConstantTime(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const a = typeof one === 'string' ? Buffer.from(one) : one
  const b = typeof other === 'string' ? Buffer.from(other) : other
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}
