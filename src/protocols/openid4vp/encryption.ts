import { isJsonObject, type Json, type JsonObject, parseJson } from '../../crypto/json.ts'
import { decryptCompact, JWE_ALG, jweEncs, type Recipient } from '../../crypto/jwe.ts'
import { importPublicJwk, type P256Jwk, readPublicJwk, thumbprint } from '../../crypto/jwk.ts'
import { Fault, faultOf } from '../../fault.ts'
import { statedMembers } from '../shape.ts'
import { type PlainResponse, readResponse } from './response.ts'

/** The response mode with an encrypted response. [VP-S5] */
export const ENCRYPTED_MODE = 'direct_post.jwt'

const KEYS_MAX = 16

/** Returns the members of `client_metadata` that ask for a response encrypted to this key. [VP-S6] */
export function responseEncryptionMetadata(key: P256Jwk) {
  const { kty, crv, x, y } = key
  return {
    jwks: { keys: [{ kty, crv, x, y, use: 'enc', alg: JWE_ALG, kid: thumbprint(key) }] },
    encrypted_response_enc_values_supported: jweEncs,
  }
}

/**
 * Returns the key that a wallet encrypts its response to: the first usable one. Others are ignored.
 *
 * @throws Fault `presentation_request.invalid` if there is none: the wallet does not send what was to be encrypted.
 *   [VP-S6, VP-R9]
 * @see [OpenID4VP 1.0, 8.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-encrypted-responses)
 */
export function recipientOf(metadata: Json | undefined): Recipient {
  const { jwks, encrypted_response_enc_values_supported: encs = ['A128GCM'] } = isJsonObject(metadata) ? metadata : {}
  const keys = isJsonObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys.slice(0, KEYS_MAX) : []
  const enc = jweEncs.find((one) => Array.isArray(encs) && encs.includes(one))
  for (const one of keys) {
    const jwk = isJsonObject(one) ? encryptionKeyOf(one) : null
    if (jwk !== null && enc !== undefined) return { jwk, enc, ...(jwk.kid !== undefined && { kid: jwk.kid }) }
  }
  throw refused('The request wants an encrypted response, but has no key that this wallet can encrypt to.')
}

/** A P-256 key on its curve that is for ECDH-ES and for no other use; else null. */
function encryptionKeyOf({ use, alg, key_ops: _, ...key }: JsonObject): P256Jwk | null {
  if ((use !== undefined && use !== 'enc') || alg !== JWE_ALG) return null
  try {
    const jwk = readPublicJwk(key)
    importPublicJwk(jwk)
    return jwk.kty === 'EC' ? jwk : null
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

/** Decrypts and parses a response. @throws Fault `presentation_response.invalid` [VP-S5] */
export function readEncryptedResponse(jwe: string, key: Parameters<typeof decryptCompact>[1]): PlainResponse {
  const payload = decryptCompact(jwe, key)
  if (payload === null) throw undecryptable()
  const response = readResponse(membersOf(payload))
  if (response.kind === 'encrypted') throw undecryptable()
  return response
}

function membersOf(payload: Buffer): JsonObject {
  try {
    return statedMembers(parseJson(payload.toString('utf8'))) ?? {}
  } catch (cause) {
    throw new Fault('presentation_response.invalid', { detail: 'The encrypted response is not JSON.', cause })
  }
}

function undecryptable(): Fault {
  return new Fault('presentation_response.invalid', { detail: 'The response could not be decrypted.' })
}

const refused = faultOf('presentation_request.invalid')
