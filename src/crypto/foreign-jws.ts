import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { isJsonObject } from './json.ts'
import { type ForeignJwsAlg, findJwsHeaderError, type Jws } from './jws.ts'

/** A public key of a foreign issuer, with the algorithms that it may verify. */
export type ForeignKey = {
  readonly kid: string | null
  readonly key: KeyObject
  readonly algs: readonly ForeignJwsAlg[]
}

const RSA_BITS = { min: 2048, max: 8192 } as const
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const
/** Algorithms that foreign issuers use. Neither `none` nor a MAC is among them. */
const foreignAlgs: readonly ForeignJwsAlg[] = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256']

/**
 * Reads a key of a foreign JWK set: P-256, Ed25519, or RSA of 2048 to 8192 bits. null: it is no key for signatures of
 * these kinds.
 */
export function readForeignKey(jwk: unknown): ForeignKey | null {
  if (!isJsonObject(jwk)) return null
  const { kid, use, alg } = jwk
  // [SEC-30] a private key that was published is compromised
  if (PRIVATE.some((name) => Object.hasOwn(jwk, name)) || (use !== undefined && use !== 'sig')) return null
  try {
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
    const algs = algsOf(key).filter((one) => alg === undefined || alg === one)
    return algs.length === 0 ? null : { kid: typeof kid === 'string' ? kid : null, key, algs }
  } catch {
    return null
  }
}

function algsOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): readonly ForeignJwsAlg[] {
  if (type === 'ec') return details?.namedCurve === 'prime256v1' ? ['ES256'] : []
  if (type === 'ed25519') return ['EdDSA', 'Ed25519']
  const bits = details?.modulusLength ?? 0
  return type === 'rsa' && bits >= RSA_BITS.min && bits <= RSA_BITS.max ? ['RS256', 'PS256'] : []
}

/**
 * Whether a JWS has an accepted header and the signature of this key. Claims are NOT checked.
 *
 * @param types Accepted `typ`, in lower case.
 */
export function isSignedByForeignKey(jws: Jws, { key, algs }: ForeignKey, types: readonly string[]): boolean {
  if (findJwsHeaderError(jws.header, { algs: foreignAlgs, typ: types }) !== null) return false
  // [SEC-20] the key determines the algorithms, never the token alone
  const alg = algs.find((one) => one === jws.header.alg)
  const input = Buffer.from(jws.signingInput, 'latin1')
  if (alg === undefined) return false
  if (alg === 'RS256') return verify('sha256', input, key, jws.signature)
  if (alg === 'PS256') {
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    return verify('sha256', input, { key, ...padding }, jws.signature)
  }
  // [SEC-26] raw r || s only, never DER
  if (alg === 'ES256') return verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, jws.signature)
  return verify(null, input, key, jws.signature)
}
