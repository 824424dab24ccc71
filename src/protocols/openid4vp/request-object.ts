import { toBase64url } from '../../crypto/base64url.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { P256Jwk } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { toNumericDate } from '../numeric-date.ts'
import { ENCRYPTED_MODE, responseEncryptionMetadata } from './encryption.ts'

/** The type of a request object. [VP-R4] */
export const REQUEST_OBJECT_TYPE = 'oauth-authz-req+jwt'
/** Its media type, as `Accept` and `Content-Type` spell it. */
export const REQUEST_OBJECT_MEDIA_TYPE = 'application/oauth-authz-req+jwt'
/** The audience of a wallet with static metadata. [VP-R6] */
export const STATIC_WALLET_AUDIENCE = 'https://self-issued.me/v2'

/** Input of a request object. */
type RequestObjectInput = {
  /** With its prefix. */
  readonly clientId: string
  readonly responseUri: string
  /** By default {@link STATIC_WALLET_AUDIENCE}. [VP-R6] */
  readonly audience?: string
  /** Fresh for each request, 128 random bits at least, URL-safe characters. [VP-R1] */
  readonly nonce: string
  /** As `nonce`. [VP-R3] */
  readonly state: string
  /** The DCQL query as it goes over the wire. */
  readonly dcqlQuery: object
  /** The nonce of a wallet that fetched the object by POST. [VP-U2] */
  readonly walletNonce?: string
  /** The key of this request that the response is encrypted to; without it the response is not encrypted. [VP-S6] */
  readonly encryptionKey?: P256Jwk
  /** What the holder is to authorize, each entry encoded. [VP-T1] */
  readonly transactionData?: readonly string[]
  /** Attestations about the verifier, as they go over the wire. [VP-R10] */
  readonly verifierInfo?: readonly JsonObject[]
  readonly lifetimeSeconds: number
}

/** Formats and algorithms that this product verifies, as value of `vp_formats_supported`. */
export const vpFormatsSupported = {
  'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256', 'EdDSA'], 'kb-jwt_alg_values': ['ES256', 'EdDSA'] },
  mso_mdoc: { issuerauth_alg_values: [-7, -9], deviceauth_alg_values: [-7, -9] },
} as const

/**
 * Builds the claims of a request object with response mode `direct_post`, or `direct_post.jwt` if there is a key. It
 * has no `iss`, which wallets ignore [VP-R5].
 *
 * @param formats The part of {@link vpFormatsSupported} for this request.
 * @see [OpenID4VP 1.0, 5](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-authorization-request)
 */
export function buildRequestObject(input: RequestObjectInput, formats: Partial<typeof vpFormatsSupported>, now: Date) {
  const iat = toNumericDate(now)
  const query = dcqlParameters(input, formats)
  return {
    aud: input.audience ?? STATIC_WALLET_AUDIENCE,
    client_id: input.clientId,
    response_mode: input.encryptionKey === undefined ? 'direct_post' : ENCRYPTED_MODE,
    response_uri: input.responseUri,
    state: input.state,
    ...query,
    ...(input.verifierInfo !== undefined && { verifier_info: input.verifierInfo }),
    ...(input.walletNonce === undefined ? {} : { wallet_nonce: input.walletNonce }),
    iat,
    exp: iat + input.lifetimeSeconds,
  } as const
}

/** The members that requests by redirect and over the Digital Credentials API share. */
type QueryInput = Pick<RequestObjectInput, 'nonce' | 'dcqlQuery' | 'transactionData' | 'encryptionKey'>

/** Returns the parameters that say what is requested, and how the response is protected. */
export function dcqlParameters(input: QueryInput, formats: Partial<typeof vpFormatsSupported>) {
  return {
    response_type: 'vp_token',
    nonce: input.nonce,
    dcql_query: input.dcqlQuery,
    ...(input.transactionData !== undefined && { transaction_data: input.transactionData }),
    client_metadata: {
      vp_formats_supported: formats,
      ...(input.encryptionKey !== undefined && responseEncryptionMetadata(input.encryptionKey)),
    },
  } as const
}

/** The header members by which a wallet finds the key. `jwt`: an attestation about the verifier. */
export type RequestHeader = { readonly kid: string; readonly jwt?: string } | { readonly x5c: readonly string[] }

/** Encodes a request object without signature, as the client id prefix `redirect_uri` demands. @see [RFC 7519, 6](https://www.rfc-editor.org/rfc/rfc7519#section-6) */
export function encodeUnsigned(claims: object): string {
  const parts = [{ alg: 'none', typ: REQUEST_OBJECT_TYPE }, claims]
  return `${parts.map((one) => toBase64url(Buffer.from(JSON.stringify(one)))).join('.')}.`
}

/** Signs a request object. `header`: how the wallet finds the key, by the rules of the client id prefix. */
export function signRequestObject(claims: object, header: RequestHeader, key: SigningKey): Promise<string> {
  return signCompact({ ...header, typ: REQUEST_OBJECT_TYPE }, claims, key)
}
