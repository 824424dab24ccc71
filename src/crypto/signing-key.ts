import { type KeyObject, sign } from 'node:crypto'
import { type PublicJwk, publicJwkOf, thumbprint } from './jwk.ts'

type AnyKey = { readonly kid: string; readonly alg: 'ES256' | 'EdDSA'; readonly publicJwk: PublicJwk }

/** A value, or a promise of it. A key in memory signs synchronously, a key in a device does not. */
export type MaybePromise<T> = T | Promise<T>

/** A signing key in memory or in a device. Gives no access to the private key. */
export type SigningKey = AnyKey & {
  /** Signs the bytes. ES256: 64 bytes, r then s. EdDSA: the 64 bytes of Ed25519. @throws Fault `key_device.failed`, as rejection */
  sign(bytes: Uint8Array): MaybePromise<Buffer>
}

/** A {@link SigningKey} in memory; it signs synchronously. */
export type SoftwareKey = AnyKey & { sign(bytes: Uint8Array): Buffer }

/** Applies a function to a value, or to the value of a promise. Stays synchronous for a plain value. */
export function mapMaybePromise<A, B>(value: MaybePromise<A>, next: (value: A) => B): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * Wraps a private key in memory as signing key.
 *
 * @param kid Id of the key; by default its RFC 7638 thumbprint.
 * @throws Fault `key.unsupported` if it is neither P-256 nor Ed25519.
 */
export function softwareKey(privateKey: KeyObject, kid?: string): SoftwareKey {
  const publicJwk = publicJwkOf(privateKey)
  const name = kid ?? thumbprint(publicJwk)
  if (publicJwk.kty === 'OKP') {
    return { kid: name, alg: 'EdDSA', publicJwk, sign: (bytes) => sign(null, bytes, privateKey) }
  }
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return { kid: name, alg: 'ES256', publicJwk, sign: (bytes) => sign('sha256', bytes, key) }
}
