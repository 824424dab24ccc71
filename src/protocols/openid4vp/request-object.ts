import { signCompact } from '../../crypto/jws.ts'
import type { SigningKey, SoftwareKey, Soon } from '../../crypto/signing-key.ts'

/** The type of a request object. [VP-R4] */
export const REQUEST_OBJECT_TYPE = 'oauth-authz-req+jwt'
/** Its media type, as `Accept` and `Content-Type` spell it. */
export const REQUEST_OBJECT_MEDIA_TYPE = 'application/oauth-authz-req+jwt'
/** The audience for a wallet of which nothing is known. [VP-R6] */
export const STATIC_WALLET_AUDIENCE = 'https://self-issued.me/v2'

/** What a verifier puts into a request object. */
type RequestObjectInput = {
  /** With its prefix. */
  readonly clientId: string
  readonly responseUri: string
  /** Fresh for each request, 128 random bits at least, URL-safe characters. [VP-R1] */
  readonly nonce: string
  /** As `nonce`. [VP-R3] */
  readonly state: string
  /** The DCQL query as it goes over the wire. */
  readonly dcqlQuery: object
  /** Echo of a wallet that posted for the object. [VP-U2] */
  readonly walletNonce?: string
  readonly lifetimeSeconds: number
}

/** Formats and algorithms that this product verifies, as `vp_formats_supported` spells them. */
export const vpFormatsSupported = {
  'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256', 'EdDSA'], 'kb-jwt_alg_values': ['ES256', 'EdDSA'] },
  mso_mdoc: { issuerauth_alg_values: [-7, -9], deviceauth_alg_values: [-7, -9] },
} as const

/**
 * The claims of a request object with response mode `direct_post`.
 *
 * @param formats The part of {@link vpFormatsSupported} that this request is about.
 * @see [OpenID4VP 1.0, 5](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-authorization-request)
 */
export function buildRequestObject(ask: RequestObjectInput, formats: Partial<typeof vpFormatsSupported>, now: Date) {
  const iat = Math.floor(now.getTime() / 1000)
  return {
    // RFC 9101 4: a signed request object SHOULD have iss and aud; wallets ignore iss [VP-R5]
    iss: ask.clientId,
    aud: STATIC_WALLET_AUDIENCE,
    client_id: ask.clientId,
    response_type: 'vp_token',
    response_mode: 'direct_post',
    response_uri: ask.responseUri,
    nonce: ask.nonce,
    state: ask.state,
    dcql_query: ask.dcqlQuery,
    client_metadata: { vp_formats_supported: formats },
    ...(ask.walletNonce === undefined ? {} : { wallet_nonce: ask.walletNonce }),
    iat,
    exp: iat + ask.lifetimeSeconds,
  } as const
}

type Claims = ReturnType<typeof buildRequestObject>
type Header = { readonly kid: string } | { readonly x5c: readonly string[] }

/** Signs a request object. `header`: how the wallet finds the key, by the rules of the client id prefix. */
export function signRequestObject(claims: Claims, header: Header, key: SoftwareKey): string
export function signRequestObject(claims: Claims, header: Header, key: SigningKey): Soon<string>
export function signRequestObject(claims: Claims, header: Header, key: SigningKey): Soon<string> {
  return signCompact({ ...header, typ: REQUEST_OBJECT_TYPE }, claims, key)
}
