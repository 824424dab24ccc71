import { hash } from 'node:crypto'
import { bitsOf, readDer, sequenceOf } from './der.ts'

/**
 * The key identifier in our certificates: SHA-1 over the bits of the key, without tag and length. It has no security
 * function.
 *
 * @see [RFC 5280, 4.2.1.2, method 1](https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.2)
 */
export function keyIdentifierOf(spki: Buffer): Buffer {
  const [, key] = sequenceOf(readDer(spki))
  return hash('sha1', bitsOf(key), 'buffer')
}

/**
 * The customary identifiers of a public key, in lower-case hex: SHA-1 of its bits, and the first 20 octets of SHA-256.
 *
 * @param keyBits The content of the BIT STRING of a SubjectPublicKeyInfo, without the count of unused bits.
 * @see [RFC 5280, 4.2.1.2](https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.2) and [RFC 7093, 2](https://www.rfc-editor.org/rfc/rfc7093#section-2)
 */
export function keyIdsOfBits(keyBits: Buffer): readonly string[] {
  return [hash('sha1', keyBits, 'hex'), hash('sha256', keyBits, 'hex').slice(0, 40)]
}
