import { type KeyObject, verify } from 'node:crypto'
import { importPublicJwk, type VerificationKey } from './jwk.ts'

/** A signature algorithm: ECDSA with P-256 and SHA-256, or Ed25519. JOSE and COSE have several names for each. */
export type SignatureScheme = 'ES256' | 'EdDSA'

/** Why a signature is not valid, by code. */
export const signatureMessages = {
  key: 'The key is not usable, or does not match the algorithm of the header.',
  signature: 'The signature is not valid.',
} as const

/**
 * Returns why a signature over bytes does not verify, or null if it does.
 *
 * @param signature ES256: r then s, 64 bytes. EdDSA: 64 bytes.
 */
export function findSignatureError(
  bytes: Uint8Array,
  signature: Uint8Array,
  key: VerificationKey,
  scheme: SignatureScheme,
): 'key' | 'signature' | null {
  const es256 = scheme === 'ES256'
  const keyObject = usable(key)
  // [SEC-20] the key determines the algorithm, never the token alone
  if (keyObject === null || ('kty' in key ? (key.kty === 'EC') !== es256 : !fits(keyObject, es256))) return 'key'
  // [SEC-26] raw r || s only, never DER; OpenSSL refuses r = 0 and s = 0
  return signature.length === 64 && verifyRaw(bytes, signature, keyObject, es256) ? null : 'signature'
}

function usable(key: VerificationKey): KeyObject | null {
  try {
    return 'kty' in key ? importPublicJwk(key) : key
  } catch {
    return null
  }
}

function fits(key: KeyObject, es256: boolean): boolean {
  if (key.type !== 'public') return false
  if (es256) return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  return key.asymmetricKeyType === 'ed25519'
}

function verifyRaw(bytes: Uint8Array, signature: Uint8Array, key: KeyObject, es256: boolean): boolean {
  if (!es256) return verify(null, bytes, key, signature)
  return verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature)
}
