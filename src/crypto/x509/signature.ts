import { hash } from 'node:crypto'
import { importPublicJwk, type PublicJwk } from '../jwk.ts'
import type { SigningKey } from '../signing-key.ts'
import { bitsOf, readDer, sequenceOf } from '../x509-path/der.ts'
import { bitString, integer, oid, sequence } from './der.ts'
import { oids } from './oids.ts'

/** Length of r and of s in a JOSE signature with P-256. */
const HALF_BYTES = 32

/** SubjectPublicKeyInfo of a key; P-256 as uncompressed point. */
export function spkiOf(jwk: PublicJwk): Buffer {
  return importPublicJwk(jwk).export({ format: 'der', type: 'spki' })
}

/**
 * The key identifier in our certificates: SHA-1 over the bits of the key, without tag and length. It has no security function.
 *
 * @see [RFC 5280, 4.2.1.2, method 1](https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.2)
 */
export function keyIdentifierOf(spki: Buffer): Buffer {
  const [, key] = sequenceOf(readDer(spki))
  return hash('sha1', bitsOf(key), 'buffer')
}

/** The AlgorithmIdentifier of the signatures that a key makes. Both kinds have no parameters (RFC 5758 3.2, RFC 8410 3). */
export function algorithmOf({ alg }: Pick<SigningKey, 'alg'>): Buffer {
  return sequence(oid(alg === 'ES256' ? oids.ecdsaWithSha256 : oids.ed25519))
}

/** Signs an encoded draft: certificate, request or list. */
export async function signDer(toBeSigned: Buffer, key: SigningKey): Promise<Buffer> {
  const raw = await key.sign(toBeSigned)
  const signature = key.alg === 'ES256' ? ecdsaSignature(raw) : raw
  return sequence(toBeSigned, algorithmOf(key), bitString(signature))
}

/** JOSE concatenates r and s, X.509 has two integers. @see [RFC 3279, 2.2.3](https://www.rfc-editor.org/rfc/rfc3279#section-2.2.3) */
function ecdsaSignature(raw: Buffer): Buffer {
  return sequence(integer(raw.subarray(0, HALF_BYTES)), integer(raw.subarray(HALF_BYTES)))
}
