import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type Der, derTags, malformedDer, oidOf, sequenceOf } from './der.ts'

/** The signed bytes of a certificate or a CRL, and their signature. `algorithm` is an object identifier. */
export type Signed = { readonly tbs: Buffer; readonly algorithm: string; readonly signature: Buffer }

type Algorithm = { readonly hash: string | null; readonly keyType: string }

/** Accepted signature algorithms of certificates and CRLs: SHA-2 with ECDSA or RSA (PKCS #1), Ed25519, Ed448. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  '1.2.840.10045.4.3.2': { hash: 'sha256', keyType: 'ec' },
  '1.2.840.10045.4.3.3': { hash: 'sha384', keyType: 'ec' },
  '1.2.840.10045.4.3.4': { hash: 'sha512', keyType: 'ec' },
  '1.2.840.113549.1.1.11': { hash: 'sha256', keyType: 'rsa' },
  '1.2.840.113549.1.1.12': { hash: 'sha384', keyType: 'rsa' },
  '1.2.840.113549.1.1.13': { hash: 'sha512', keyType: 'rsa' },
  '1.3.101.112': { hash: null, keyType: 'ed25519' },
  '1.3.101.113': { hash: null, keyType: 'ed448' },
}
const curves: ReadonlySet<string> = new Set([
  ...['prime256v1', 'secp384r1', 'secp521r1'],
  ...['brainpoolP256r1', 'brainpoolP320r1', 'brainpoolP384r1', 'brainpoolP512r1'],
])
const RSA_BITS_MIN = 2048
/** Chains are untrusted; larger keys are slow to verify. */
const RSA_BITS_MAX = 8192

/** Whether a signature algorithm is accepted. [SEC-27] SHA-1 and MD5 are not. */
export function isStrongAlgorithm(oid: string): boolean {
  return Object.hasOwn(algorithms, oid)
}

/**
 * The object identifier of a signature algorithm. An accepted one has no parameters (RFC 5758 3.2, RFC 8410 3), or NULL for RSA
 * (RFC 4055 5). @throws Fault `certificate.invalid`
 */
export function readAlgorithm(der: Der | undefined): string {
  const [type, ...parameters] = sequenceOf(der)
  const oid = oidOf(type)
  const allowed = algorithms[oid]?.keyType === 'rsa' ? ['', '0500'] : ['']
  if (isStrongAlgorithm(oid) && !allowed.includes(parameters.map(({ whole }) => whole.toString('hex')).join()))
    throw malformedDer('a signature algorithm has parameters')
  return oid
}

/** The key of a SubjectPublicKeyInfo; null if node:crypto does not support it, or its curve has no name (RFC 5480 2.1.1). */
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
      return bitsOf(key) >= RSA_BITS_MIN && bitsOf(key) <= RSA_BITS_MAX
    case 'ed25519':
    case 'ed448':
      return true
    default:
      return false
  }
}

/** Whether the key verifies the signature. False also if key and algorithm do not match, or the algorithm is not accepted. */
export function isSignedBy({ tbs, algorithm, signature }: Signed, key: KeyObject | null): boolean {
  const found = algorithms[algorithm]
  if (key === null || found === undefined || key.asymmetricKeyType !== found.keyType) return false
  if (bitsOf(key) > RSA_BITS_MAX) return false
  return verify(found.hash, tbs, key, signature)
}

/** Length of the modulus; 0 for other keys than RSA. */
function bitsOf(key: KeyObject): number {
  return key.asymmetricKeyDetails?.modulusLength ?? 0
}
