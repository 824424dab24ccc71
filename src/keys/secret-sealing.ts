import { createSecretKey, hkdfSync } from 'node:crypto'
import { decrypt, encrypt } from './cipher.ts'

const KEY_BYTES = 32
/** Each secret encrypts one value, so its key has no other version. */
const VERSION = 1

/**
 * Encrypts a text so that the database and the master key do not open it without a secret that is stored nowhere:
 * AES-256-GCM under a key from the secret (HKDF-SHA256, RFC 5869). The caller seals the result as any other value.
 *
 * @param secret At least 16 random bytes, of one value.
 * @param purpose What the value is, and its id: the value opens for the same purpose only.
 */
export function encryptBySecret(secret: Uint8Array, purpose: string, plain: string): Buffer {
  return encrypt(keyOf(secret, purpose), VERSION, purpose, plain)
}

/** Decrypts what {@link encryptBySecret} returned. @throws Error if the secret or the purpose is another one */
export function decryptBySecret(secret: Uint8Array, purpose: string, encrypted: Uint8Array): string {
  return decrypt(keyOf(secret, purpose), purpose, encrypted).toString('utf8')
}

function keyOf(secret: Uint8Array, purpose: string) {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `chirograph ${purpose}`, KEY_BYTES)))
}
