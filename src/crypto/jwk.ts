import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { Fault } from '../fault.ts'
import { isBase64url } from './base64url.ts'
import { sha256Base64url } from './digest.ts'
import { isJsonObject } from './json.ts'

type Named = { readonly kid?: string }
/** A public key on the curve P-256. */
export type P256Jwk = Named & { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
/** An Ed25519 public key. */
type Ed25519Jwk = Named & { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
/** A public key of a supported kind. */
export type PublicJwk = P256Jwk | Ed25519Jwk

/** An RSA public key. Ours sign ID tokens; no credential and no proof has one. */
export type RsaJwk = { readonly kty: 'RSA'; readonly n: string; readonly e: string }

/** A public key in either form: from a JWK, or from a certificate. */
export type VerificationKey = PublicJwk | KeyObject

/** A key pair in memory. `pkcs8` is the private key in DER, for sealing. */
export type KeyPair = { readonly publicJwk: P256Jwk; readonly privateKey: KeyObject; readonly pkcs8: Buffer }

const COORDINATE_CHARS = 43 // 32 bytes in base64url
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'] as const
/** RFC 7518 3.1, RFC 8037 3.1, RFC 9864 2. */
const algs = { EC: new Set<unknown>(['ES256', 'ESP256']), OKP: new Set<unknown>(['EdDSA', 'Ed25519']) } as const

/**
 * Validates an untrusted public key for signatures and returns its known members.
 *
 * NOT checked: whether the point is on the curve ({@link importPublicJwk} does), and who owns the key.
 *
 * @throws Fault `key.unsupported` if it is no P-256 or Ed25519 public key, has private members, or is restricted to
 *   another use.
 * @see [RFC 7517, 4.2 to 4.4](https://www.rfc-editor.org/rfc/rfc7517#section-4.2) and [RFC 7518, 6](https://www.rfc-editor.org/rfc/rfc7518#section-6)
 */
export function readPublicJwk(value: unknown): PublicJwk {
  if (!isJsonObject(value)) throw new Fault('key.unsupported', { detail: 'The key is not a JWK.' })
  // [SEC-30] a private key that was transmitted is compromised
  if (privateMembers.some((name) => Object.hasOwn(value, name))) {
    throw new Fault('key.unsupported', { detail: 'The key carries private members.' })
  }
  const { kty, crv, x, y, use, key_ops: operations, alg } = value
  const named: Named = typeof value.kid === 'string' ? { kid: value.kid } : {}
  const isOtherOperation = Array.isArray(operations) ? !operations.includes('verify') : operations !== undefined
  if (
    (use !== undefined && use !== 'sig') ||
    isOtherOperation ||
    (alg !== undefined && !algs[kty === 'EC' ? 'EC' : 'OKP'].has(alg))
  )
    throw new Fault('key.unsupported', { detail: 'The key is restricted to another use or algorithm.' })
  if (!isCoordinate(x)) throw new Fault('key.unsupported')
  if (kty === 'EC' && crv === 'P-256' && isCoordinate(y)) return { kty, crv, x, y, ...named }
  if (kty === 'OKP' && crv === 'Ed25519') return { kty, crv, x, ...named }
  throw new Fault('key.unsupported')
}

/** Imports the key into node:crypto. @throws Fault `key.unsupported` if the point is not on the curve. */
export function importPublicJwk(jwk: PublicJwk): KeyObject {
  try {
    return createPublicKey({ key: { ...canonical(jwk) }, format: 'jwk' })
  } catch (cause) {
    throw new Fault('key.unsupported', { detail: 'The key is not a point on its curve.', cause })
  }
}

/** The RFC 7638 thumbprint (SHA-256, base64url): equal exactly for equal keys. */
export function thumbprint(jwk: PublicJwk | RsaJwk): string {
  return sha256Base64url(JSON.stringify(canonical(jwk)))
}

/** The required members of the key, without `kid`, in the order that RFC 7638 hashes them. */
export function canonical<Jwk extends PublicJwk | RsaJwk>(jwk: Jwk): Jwk extends RsaJwk ? RsaJwk : PublicJwk
export function canonical(jwk: PublicJwk | RsaJwk): PublicJwk | RsaJwk {
  if (jwk.kty === 'RSA') return { e: jwk.e, kty: jwk.kty, n: jwk.n }
  if (jwk.kty === 'EC') return { crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }
  return { crv: jwk.crv, kty: jwk.kty, x: jwk.x }
}

/**
 * The public key of a public or private key object.
 *
 * @throws Fault `key.unsupported` if it is neither P-256 nor Ed25519.
 */
export function publicJwkOf(key: KeyObject): PublicJwk {
  const known = key.asymmetricKeyDetails?.namedCurve === 'prime256v1' || key.asymmetricKeyType === 'ed25519'
  if (!known) throw new Fault('key.unsupported')
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return readPublicJwk(publicKey.export({ format: 'jwk' }))
}

/** The public key of an RSA key. @throws Fault `key.unsupported` if it is another one */
export function rsaJwkOf(key: KeyObject): RsaJwk {
  const { kty, n, e } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  if (kty !== 'RSA' || n === undefined || e === undefined) throw new Fault('key.unsupported')
  return { kty, n, e }
}

/** Makes a P-256 key pair in memory. */
export function generateKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = privateKey.export({ format: 'jwk' })
  const publicJwk = readPublicJwk({ kty, crv, x, y })
  if (publicJwk.kty !== 'EC') throw new Fault('key.unsupported')
  return { publicJwk, privateKey, pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }) }
}

/** Reads a private key that was sealed as PKCS #8 DER. */
export function privateKeyFromPkcs8(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })
}

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && value.length === COORDINATE_CHARS && isBase64url(value)
}
