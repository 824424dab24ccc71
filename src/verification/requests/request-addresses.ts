import type { Urls } from '../../platform.ts'
import { buildRequestLink, type RequestScheme } from '../../protocols/openid4vp/request-link.ts'

/** The client identifier that is stored with an unsigned request; its response URI follows. */
export const UNSIGNED_CLIENT = 'redirect_uri:'

/** The URLs of one request. */
export type RequestAddresses = {
  /** Full client identifier, prefix included. */
  readonly clientId: string
  readonly requestUri: string
  readonly responseUri: string
  /** Opens a wallet on the same device. */
  readonly authorizationRequestUri: string
  /** An https URL with the same parameters, which a wallet accepts as well, and at which a browser gets a QR code. */
  readonly authorizationRequestQrUri: string
  /** A page for the holder: answer here, open another wallet, or scan it with another device. */
  readonly requestPageUri: string
  /** Where pages get the request for the Digital Credentials API, and post the answer to. */
  readonly digitalCredentialsUri: string
}

/**
 * Returns the URLs of a request, and its client identifier.
 *
 * @param token See `requestTokenOf`.
 * @param stored The client identifier stored with the request; null: the did:web of the tenant.
 * @param scheme Of the link for wallets.
 * @see [OpenID4VP 1.0, 5.9.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-defined-client-identifier-p)
 */
export function addressesOf(
  urls: Urls,
  slug: string,
  token: string,
  stored: string | null,
  scheme?: RequestScheme,
): RequestAddresses {
  const verifier = urls.verifier(slug)
  const responseUri = `${verifier}/responses/${token}`
  const clientId =
    stored === UNSIGNED_CLIENT ? `${stored}${responseUri}` : (stored ?? `decentralized_identifier:${urls.did(slug)}`)
  const requestUri = `${verifier}/requests/${token}`
  const authorizationRequestUri = buildRequestLink({ clientId, requestUri, method: 'post', ...(scheme && { scheme }) })
  return {
    clientId,
    requestUri,
    responseUri,
    authorizationRequestUri,
    requestPageUri: `${urls.publicUrl}/request/${slug}/${token}`,
    digitalCredentialsUri: `${requestUri}/digital-credentials`,
    authorizationRequestQrUri: `${requestUri}/qr${authorizationRequestUri.slice(authorizationRequestUri.indexOf('?'))}`,
  }
}
