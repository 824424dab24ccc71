import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { importPublicJwk, type PublicJwk } from '../jwk.ts'
import type { SigningKey } from '../signing-key.ts'
import { bitsOf, type Der, derTags, expected, malformedDer, oidOf, readDer, sequenceOf } from './der.ts'
import { bitString, derInteger, oid, sequence } from './encode-der.ts'
import { oids } from './oids.ts'

/** The signed bytes of a certificate, a request or a CRL, and their signature. `algorithm` is an object identifier. */
export type Signed = { readonly tbs: Buffer; readonly algorithm: string; readonly signature: Buffer }

type Algorithm = { readonly hash: string | null; readonly keyType: string }

/** Accepted signature algorithms of certificates and CRLs: SHA-2 with ECDSA or RSA (PKCS #1), Ed25519, Ed448. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  [oids.ecdsaWithSha256]: { hash: 'sha256', keyType: 'ec' },
  '1.2.840.10045.4.3.3': { hash: 'sha384', keyType: 'ec' },
  '1.2.840.10045.4.3.4': { hash: 'sha512', keyType: 'ec' },
  '1.2.840.113549.1.1.11': { hash: 'sha256', keyType: 'rsa' },
  '1.2.840.113549.1.1.12': { hash: 'sha384', keyType: 'rsa' },
  '1.2.840.113549.1.1.13': { hash: 'sha512', keyType: 'rsa' },
  [oids.ed25519]: { hash: null, keyType: 'ed25519' },
  '1.3.101.113': { hash: null, keyType: 'ed448' },
}
const curves: ReadonlySet<string> = new Set([
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'brainpoolP256r1',
  'brainpoolP320r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
])
const RSA_BITS_MIN = 2048
/** Length of r and of s in a JOSE signature with P-256. */
const HALF_BYTES = 32
/** Chains are untrusted; larger keys are slow to verify. */
const RSA_BITS_MAX = 8192

/** Whether a signature algorithm is accepted. [SEC-27] SHA-1 and MD5 are not. */
export function isStrongAlgorithm(oid: string): boolean {
  return Object.hasOwn(algorithms, oid)
}

/**
 * Reads what certificates, requests and CRLs have in common: the signed `body`, and the signature over it.
 *
 * @throws Fault `certificate.invalid`
 */
export function readSigned(bytes: Buffer) {
  const [body, algorithm, signature, ...more] = sequenceOf(readDer(bytes))
  if (body === undefined || more.length > 0) throw malformedDer('it does not have three parts')
  const signed: Signed = { tbs: body.whole, algorithm: readAlgorithm(algorithm), signature: bitsOf(signature) }
  return { body: sequenceOf(body), outer: algorithm, signed }
}

/**
 * RFC 5280 4.1.1.2 and 5.1.1.2: the same algorithm identifier inside and outside.
 *
 * @throws Fault `certificate.invalid`
 */
export function checkAlgorithms(inner: Der | undefined, outer: Der | undefined): void {
  if (outer === undefined || !expected(inner, derTags.sequence).whole.equals(outer.whole))
    throw malformedDer('it names two signature algorithms')
}

/**
 * The object identifier of a signature algorithm. An accepted one has no parameters (RFC 5758 3.2, RFC 8410 3), or NULL
 * for RSA (RFC 4055 5). @throws Fault `certificate.invalid`
 */
function readAlgorithm(der: Der | undefined): string {
  const [type, ...parameters] = sequenceOf(der)
  const oid = oidOf(type)
  const allowed = algorithms[oid]?.keyType === 'rsa' ? ['', '0500'] : ['']
  if (isStrongAlgorithm(oid) && !allowed.includes(parameters.map(({ whole }) => whole.toString('hex')).join()))
    throw malformedDer('a signature algorithm has parameters')
  return oid
}

/**
 * The key of a SubjectPublicKeyInfo; null if node:crypto does not support it, or its curve has no name (RFC 5480
 * 2.1.1).
 */
export function readPublicKey(spki: Der): KeyObject | null {
  if (sequenceOf(sequenceOf(spki)[0])[1]?.tag === derTags.sequence) return null
  try {
    return createPublicKey({ key: spki.whole, format: 'der', type: 'spki' })
  } catch {
    return null
  }
}

/** Whether a key is strong enough for a chain. [SEC-27] */
export function isStrongKey(key: KeyObject | null): boolean {
  switch (key?.asymmetricKeyType) {
    case 'ec':
      return curves.has(key.asymmetricKeyDetails?.namedCurve ?? '')
    case 'rsa':
      return modulusBitsOf(key) >= RSA_BITS_MIN && modulusBitsOf(key) <= RSA_BITS_MAX
    case 'ed25519':
    case 'ed448':
      return true
    default:
      return false
  }
}

/**
 * Whether the key verifies the signature. False also if key and algorithm do not match, or the algorithm is not
 * accepted.
 */
export function isSignedBy({ tbs, algorithm, signature }: Signed, key: KeyObject | null): boolean {
  const found = algorithms[algorithm]
  if (key === null || found === undefined || key.asymmetricKeyType !== found.keyType) return false
  if (modulusBitsOf(key) > RSA_BITS_MAX) return false
  return verify(found.hash, tbs, key, signature)
}

/** Length of the modulus; 0 for other keys than RSA. */
function modulusBitsOf(key: KeyObject): number {
  return key.asymmetricKeyDetails?.modulusLength ?? 0
}

/** SubjectPublicKeyInfo of a key; P-256 as uncompressed point. */
export function spkiOf(jwk: PublicJwk): Buffer {
  return importPublicJwk(jwk).export({ format: 'der', type: 'spki' })
}

/**
 * The AlgorithmIdentifier of the signatures that a key makes. Both kinds have no parameters (RFC 5758 3.2, RFC 8410 3).
 */
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
  return sequence(derInteger(raw.subarray(0, HALF_BYTES)), derInteger(raw.subarray(HALF_BYTES)))
}
