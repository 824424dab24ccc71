import { isJsonObject } from '../../crypto/json.ts'
import { JWE_ALG, jweEncs, type Recipient } from '../../crypto/jwe.ts'
import { importPublicJwk, type P256Jwk, readPublicJwk } from '../../crypto/jwk.ts'
import { Fault, faultOf } from '../../fault.ts'

/** How the issuer encrypts and decrypts, by its metadata. [VCI-E4] */
const supported = { enc_values_supported: jweEncs, zip_values_supported: ['DEF'] } as const

/**
 * Builds the two encryption members of issuer metadata, which belong together. [VCI-M7]
 *
 * @param key The key that requests are encrypted to.
 */
export function encryptionMetadata(key: { readonly kid: string; readonly jwk: P256Jwk }, isRequired: boolean) {
  const { kty, crv, x, y } = key.jwk
  const jwks = { keys: [{ kty, crv, x, y, kid: key.kid, use: 'enc', alg: JWE_ALG }] }
  return {
    credential_request_encryption: { jwks, ...supported, encryption_required: isRequired },
    credential_response_encryption: { alg_values_supported: [JWE_ALG], ...supported, encryption_required: isRequired },
  }
}

/**
 * Reads `credential_response_encryption` of a credential request or a deferred one; null if it is absent.
 *
 * @throws Fault `credential_encryption.unsupported`
 * @see [OpenID4VCI 1.0, 8.2](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-request)
 */
export function readResponseEncryption(value: unknown): Recipient | null {
  if (value === undefined) return null
  if (!isJsonObject(value)) throw unsupported('credential_response_encryption is not an object.')
  const enc = jweEncs.find((one) => one === value.enc)
  if (enc === undefined) throw unsupported('enc of credential_response_encryption is not one of the metadata.')
  const { zip } = value
  if (zip !== undefined && zip !== 'DEF') throw unsupported('zip of credential_response_encryption is not DEF.')
  return { ...recipientKey(value.jwk), enc, zip }
}

/** [VCI-E1] The key names its algorithm, which the response repeats, as it does the `kid`. */
function recipientKey(value: unknown): Pick<Recipient, 'jwk' | 'kid'> {
  if (!isJsonObject(value)) throw unsupported('jwk of credential_response_encryption is missing.')
  const { alg, use, key_ops: _, ...members } = value
  if (alg !== JWE_ALG || (use !== undefined && use !== 'enc')) {
    throw unsupported(`jwk of credential_response_encryption is not for the algorithm ${JWE_ALG}.`)
  }
  try {
    const jwk = readPublicJwk(members)
    importPublicJwk(jwk)
    if (jwk.kty === 'EC') return { jwk, kid: jwk.kid }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
  }
  throw unsupported('jwk of credential_response_encryption is not a public key on P-256.')
}

const unsupported = faultOf('credential_encryption.unsupported')
