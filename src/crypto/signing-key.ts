import { type KeyObject, sign } from 'node:crypto'
import { type PublicJwk, publicJwkOf, type RsaJwk, rsaJwkOf, thumbprint } from './jwk.ts'

/** A signing key in memory or in a device. Gives no access to the private key. */
export type SigningKey = {
  readonly kid: string
  readonly alg: 'ES256' | 'EdDSA'
  readonly publicJwk: PublicJwk
  /** Signs the bytes. ES256: 64 bytes, r then s. EdDSA: the 64 bytes of Ed25519. @throws Fault `key_device.failed` */
  sign(bytes: Uint8Array): Promise<Buffer>
}

/** An RSA key that signs JWTs for relying parties which know RS256 only (RSASSA-PKCS1-v1_5 with SHA-256). */
export type RsaSigningKey = {
  readonly kid: string
  readonly alg: 'RS256'
  readonly publicJwk: RsaJwk
  /** Signs the bytes. The signature has the length of the modulus. @throws Fault `key_device.failed` */
  sign(bytes: Uint8Array): Promise<Buffer>
}

/**
 * Wraps a private key in memory as signing key.
 *
 * @param kid Id of the key; by default its RFC 7638 thumbprint.
 * @throws Fault `key.unsupported` if it is neither P-256 nor Ed25519.
 */
export function softwareKey(privateKey: KeyObject, kid?: string): SigningKey {
  const publicJwk = publicJwkOf(privateKey)
  const name = kid ?? thumbprint(publicJwk)
  if (publicJwk.kty === 'OKP') {
    return { kid: name, alg: 'EdDSA', publicJwk, sign: async (bytes) => sign(null, bytes, privateKey) }
  }
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return { kid: name, alg: 'ES256', publicJwk, sign: async (bytes) => sign('sha256', bytes, key) }
}

/** Wraps an RSA private key in memory as signing key. @throws Fault `key.unsupported` if it is another one */
export function rsaSoftwareKey(privateKey: KeyObject): RsaSigningKey {
  const publicJwk = rsaJwkOf(privateKey)
  const kid = thumbprint(publicJwk)
  return { kid, alg: 'RS256', publicJwk, sign: async (bytes) => sign('sha256', bytes, privateKey) }
}
