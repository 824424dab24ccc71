import { type KeyObject, sign } from 'node:crypto'
import { type PublicJwk, publicJwkOf, thumbprint } from './jwk.ts'

/** Something that signs: a key in memory or one that lives in a device. The private part cannot be reached through it. */
export type SigningKey = {
  readonly kid: string
  readonly alg: 'ES256' | 'EdDSA'
  readonly publicJwk: PublicJwk
  /** Signs the bytes. ES256: 64 bytes, r then s. EdDSA: the 64 bytes of Ed25519. */
  sign(bytes: Uint8Array): Buffer
}

/**
 * A signing key held in memory.
 *
 * @param kid Name of the key; its RFC 7638 thumbprint unless told.
 * @throws Fault `key.unsupported` if it is neither P-256 nor Ed25519.
 */
export function softwareKey(privateKey: KeyObject, kid?: string): SigningKey {
  const publicJwk = publicJwkOf(privateKey)
  const name = kid ?? thumbprint(publicJwk)
  if (publicJwk.kty === 'OKP') {
    return { kid: name, alg: 'EdDSA', publicJwk, sign: (bytes) => sign(null, bytes, privateKey) }
  }
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return { kid: name, alg: 'ES256', publicJwk, sign: (bytes) => sign('sha256', bytes, key) }
}
