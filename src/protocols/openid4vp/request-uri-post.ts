import { isJsonObject, type JsonObject, parseJson } from '../../crypto/json.ts'
import { JWE_ALG, jweEncs } from '../../crypto/jwe.ts'
import { jwsAlgs } from '../../crypto/jws.ts'
import { Fault } from '../../fault.ts'
import { isText, isTextList } from '../shape.ts'
import { type ClientId, clientIdPrefixes } from './client-id.ts'
import { ENCRYPTED_MODE } from './encryption.ts'
import { STATIC_WALLET_AUDIENCE, vpFormatsSupported } from './request-object.ts'

const ISSUER_CHARS_MAX = 2048

/**
 * The metadata that every wallet of this product sends, so that it distinguishes none [VP-P2, VP-U6].
 *
 * @see [OpenID4VP 1.0, 10](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-wallet-metadata-authorizatio)
 */
const walletMetadata = {
  vp_formats_supported: vpFormatsSupported,
  client_id_prefixes_supported: clientIdPrefixes,
  response_types_supported: ['vp_token'],
  response_modes_supported: ['direct_post', ENCRYPTED_MODE],
  authorization_encryption_alg_values_supported: [JWE_ALG],
  authorization_encryption_enc_values_supported: jweEncs,
}

/**
 * The form body of a wallet that posts for a request object. [VP-U2]
 *
 * @param walletNonce Fresh; `checkRequest` compares it with the one in the object.
 */
export function buildRequestUriForm(walletNonce: string, { prefix }: Pick<ClientId, 'prefix'>): string {
  // [VP-U4] OpenID4VP 1.0, 5.10: not for a prefix that precludes signed request objects
  const signing = prefix === 'redirect_uri' ? {} : { request_object_signing_alg_values_supported: jwsAlgs }
  const metadata = JSON.stringify({ ...walletMetadata, ...signing })
  return new URLSearchParams({ wallet_nonce: walletNonce, wallet_metadata: metadata }).toString()
}

/**
 * Returns whether a wallet that posted `wallet_metadata` is asked for an encrypted response: it lists the response
 * mode, and names an encryption that this server can decrypt. One that takes no plain response need not name one.
 * Metadata that are not JSON list nothing.
 *
 * @see
 *   [OpenID4VP 1.0, 5.10](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-request-uri-method-post)
 */
export function canEncrypt(metadata: string | undefined): boolean {
  const {
    response_modes_supported: modes,
    authorization_encryption_alg_values_supported: algs,
    authorization_encryption_enc_values_supported: encs,
  } = membersOf(metadata)
  if (!isTextList(modes) || !modes.includes(ENCRYPTED_MODE)) return false
  const isContentKnown = !isTextList(encs) || jweEncs.some((enc) => encs.includes(enc))
  return isContentKnown && (isTextList(algs) ? algs.includes(JWE_ALG) : !modes.includes('direct_post'))
}

/**
 * Returns the audience of a request object: the `issuer` of the `wallet_metadata` that a wallet posted, else that of
 * wallets which are not known. [VP-R6]
 *
 * @see [OpenID4VP 1.0, 5.8](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-aud-of-a-request-object)
 */
export function audienceFor(metadata: string | undefined): string {
  const { issuer } = membersOf(metadata)
  return isText(issuer, ISSUER_CHARS_MAX) && URL.canParse(issuer) ? issuer : STATIC_WALLET_AUDIENCE
}

function membersOf(metadata: string | undefined): JsonObject {
  if (metadata === undefined) return {}
  try {
    const parsed = parseJson(metadata)
    return isJsonObject(parsed) ? parsed : {}
  } catch (error) {
    if (error instanceof Fault || error instanceof SyntaxError) return {}
    throw error
  }
}
