import { createECDH, createPrivateKey, type ECDH, type KeyObject } from 'node:crypto'
import { toBase64url } from './base64url.ts'
import { hmacSha256 } from './digest.ts'
import type { P256Jwk } from './jwk.ts'

/** One value in 2^32 is not below the order of the curve. */
const TRIES_MAX = 8

/**
 * Returns the P-256 key pair of a secret and a label, always the same: for key agreement by several processes without a
 * stored key.
 *
 * @param seed 32 secret random bytes, for this purpose only.
 */
export function derivedKeyPair(
  seed: Uint8Array,
  label: string,
): { readonly publicJwk: P256Jwk; readonly privateKey: KeyObject } {
  const pair = createECDH('prime256v1')
  const scalar = setScalar(pair, seed, label)
  const point = pair.getPublicKey()
  const publicJwk = {
    kty: 'EC',
    crv: 'P-256',
    x: toBase64url(point.subarray(1, 33)),
    y: toBase64url(point.subarray(33)),
  } as const
  const privateKey = createPrivateKey({ key: { ...publicJwk, d: toBase64url(scalar) }, format: 'jwk' })
  return { publicJwk, privateKey }
}

function setScalar(pair: ECDH, seed: Uint8Array, label: string): Buffer {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const bytes = hmacSha256(seed, `${label} ${tries}`)
    try {
      pair.setPrivateKey(bytes)
      return bytes
    } catch {
      // Not below the order of the curve.
    }
  }
  throw new Error('no private key could be derived')
}
