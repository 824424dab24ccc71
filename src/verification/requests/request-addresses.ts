import type { Urls } from '../../platform.ts'
import { buildRequestLink } from '../../protocols/openid4vp/request-link.ts'

/** The addresses of one request. */
export type RequestAddresses = {
  /** Who we are to wallets, prefix included. */
  readonly clientId: string
  readonly requestUri: string
  readonly responseUri: string
  /** Opens a wallet on the same device. */
  readonly authorizationRequestUri: string
  /** An https URL of ours with the same members: a wallet may be given it, and a browser gets a QR image. */
  readonly authorizationRequestQrUri: string
}

/**
 * Our identity to wallets: that of the certificate that a request was made with, else the did:web of the tenant.
 *
 * @param clientId As it is kept with the request.
 * @see [OpenID4VP 1.0, 5.9.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-defined-client-identifier-p)
 */
export function clientIdOf(urls: Urls, slug: string, clientId: string | null): string {
  return clientId ?? `decentralized_identifier:${urls.did(slug)}`
}

/** @param token of `requestTokenOf`. @param kept The client id that is kept with the request. */
export function addressesOf(urls: Urls, slug: string, token: string, kept: string | null): RequestAddresses {
  const clientId = clientIdOf(urls, slug, kept)
  const verifier = urls.verifier(slug)
  const requestUri = `${verifier}/requests/${token}`
  const authorizationRequestUri = buildRequestLink({ clientId, requestUri })
  return {
    clientId,
    requestUri,
    responseUri: `${verifier}/responses/${token}`,
    authorizationRequestUri,
    authorizationRequestQrUri: `${requestUri}/qr${authorizationRequestUri.slice(authorizationRequestUri.indexOf('?'))}`,
  }
}
