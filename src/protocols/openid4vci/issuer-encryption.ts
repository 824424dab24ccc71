import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import { JWE_ALG, jweEncs, type Recipient } from '../../crypto/jwe.ts'
import { importPublicJwk, type P256Jwk, readPublicJwk } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import { isTextList } from '../shape.ts'

/** The encryption of one issuer. `usable` is null if its algorithms or keys are not those of this wallet. */
export type IssuerEncryption = {
  readonly isRequired: boolean
  readonly usable: {
    readonly request: Recipient
    /** How responses are encrypted to the key of the request; null: they are not. */
    readonly response: Pick<Recipient, 'enc' | 'zip'> | null
  } | null
}

/**
 * Reads the two encryption members of issuer metadata. A response is encrypted only if the request is: OpenID4VCI 1.0,
 * 8.2 demands it. [VCI-E4] [W-C5]
 *
 * @returns null if the issuer offers none.
 * @see [OpenID4VCI 1.0, 12.2.4](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-issuer-metadata-p)
 */
export function readIssuerEncryption(metadata: JsonObject): IssuerEncryption | null {
  const { credential_request_encryption: toIssuer, credential_response_encryption: toWallet } = metadata
  if (toIssuer === undefined && toWallet === undefined) return null
  const isRequired = isDemanded(toIssuer) || isDemanded(toWallet)
  const request = isJsonObject(toIssuer) ? recipientOf(toIssuer) : null
  const response = isJsonObject(toWallet) ? responseOf(toWallet) : null
  if (request === null || (response === null && isDemanded(toWallet))) return { isRequired, usable: null }
  return { isRequired, usable: { request, response } }
}

/**
 * Returns the members of a request that has its response encrypted to a key. [VCI-E1]
 *
 * OpenID4VCI 1.0, 8.2 names the algorithm in the key alone. Drafts up to 15 require `alg` beside it, and issuers
 * written to them refuse a request without it; 1.0 lets an issuer ignore a member that it does not know.
 */
export function buildResponseEncryption(jwk: P256Jwk, { enc, zip }: Pick<Recipient, 'enc' | 'zip'>) {
  const { kty, crv, x, y } = jwk
  const credential_response_encryption = {
    jwk: { kty, crv, x, y, kid: 'response', use: 'enc', alg: JWE_ALG },
    alg: JWE_ALG,
    enc,
    ...(zip !== undefined && { zip }),
  }
  return { credential_response_encryption }
}

function recipientOf({ jwks, enc_values_supported: encs }: JsonObject): Recipient | null {
  const enc = encOf(encs)
  const keys = isJsonObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys.slice(0, 32).filter(isJsonObject) : []
  for (const key of keys) {
    const jwk = key.alg === JWE_ALG ? usableKey(key) : null
    if (jwk !== null && enc !== null) return { jwk, kid: jwk.kid, enc }
  }
  return null
}

/** [VCI-E1] The key names its algorithm; this wallet uses no key for signatures. */
function usableKey({ alg: _, use, key_ops: __, ...members }: JsonObject): P256Jwk | null {
  if (use !== undefined && use !== 'enc') return null
  try {
    const jwk = readPublicJwk(members)
    importPublicJwk(jwk)
    return jwk.kty === 'EC' ? jwk : null
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

function responseOf(member: JsonObject): Pick<Recipient, 'enc' | 'zip'> | null {
  const { alg_values_supported: algs, enc_values_supported: encs, zip_values_supported: zips } = member
  const enc = encOf(encs)
  if (!isTextList(algs) || !algs.includes(JWE_ALG) || enc === null) return null
  return { enc, ...(isTextList(zips) && zips.includes('DEF') && { zip: 'DEF' as const }) }
}

function encOf(encs: unknown): Recipient['enc'] | null {
  return isTextList(encs) ? (jweEncs.find((one) => encs.includes(one)) ?? null) : null
}

function isDemanded(member: unknown): boolean {
  return isJsonObject(member) && member.encryption_required === true
}
