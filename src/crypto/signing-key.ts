import { type KeyObject, sign } from 'node:crypto'
import { type PublicJwk, publicJwkOf, thumbprint } from './jwk.ts'

type AnyKey = { readonly kid: string; readonly alg: 'ES256' | 'EdDSA'; readonly publicJwk: PublicJwk }

/** There at once where a key in memory signed, later where a device did. */
export type Soon<T> = T | Promise<T>

/** Something that signs: a key in memory or one that lives in a device. The private part cannot be reached through it. */
export type SigningKey = AnyKey & {
  /** Signs the bytes. ES256: 64 bytes, r then s. EdDSA: the 64 bytes of Ed25519. @throws Fault `key_device.failed`, as rejection */
  sign(bytes: Uint8Array): Soon<Buffer>
}

/** A {@link SigningKey} held in memory: what is signed with it is there at once. */
export type SoftwareKey = AnyKey & { sign(bytes: Uint8Array): Buffer }

/** Goes on with a value as soon as it is there: at once, without a turn of the loop, if it is. */
export function onceThere<A, B>(value: Soon<A>, next: (value: A) => B): Soon<B> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * A signing key held in memory.
 *
 * @param kid Name of the key; its RFC 7638 thumbprint unless told.
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
