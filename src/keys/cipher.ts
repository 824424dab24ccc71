import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { randomBytes } from '../crypto/random.ts'

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts by AES-256-GCM: version (1) | iv (12) | tag (16) | ciphertext. Ivs are random: fine for 2^32 values under
 * one key (NIST SP 800-38D 8.3).
 *
 * @param version Of the key, 1 to 255: {@link versionOf} returns it. It is not authenticated; another key does not open
 *   the value.
 */
export function encrypt(key: KeyObject, version: number, aad: string, plain: Uint8Array | string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(aad))
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  const rest = cipher.final()
  return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), body, rest])
}

/** Decrypts. @throws Error if the value was changed, or belongs to another key or place */
export function decrypt(key: KeyObject, aad: string, sealed: Uint8Array): Buffer {
  const tagAt = 1 + IV_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, tagAt), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(sealed.subarray(tagAt, tagAt + TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(tagAt + TAG_BYTES)), decipher.final()])
}

/** Returns the version of the key that encrypted a value. @throws Error if it is too short to be such a value */
export function versionOf(sealed: Uint8Array): number {
  const version = sealed[0] ?? 0
  if (version === 0 || sealed.length < 1 + IV_BYTES + TAG_BYTES) throw new Error('not a sealed value')
  return version
}
