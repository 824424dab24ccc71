import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { type Parameters, presentParameters } from '../../../protocols/oauth2/authorization-request.ts'
import { isRegisteredRedirect } from '../../../protocols/oauth2/redirect-uri.ts'
import type { ServerInstance } from '../instance.ts'
import { isPushedUri, openRequestUri } from './push-request.ts'
import type { PushedKey } from './pushed-request-store.ts'

/** RFC 8252 7.1: a private-use scheme is a domain name in reverse. */
const STRANGERS_REDIRECT =
  'The redirect_uri of a client that registered none must be https or a loopback address, or have a scheme with a dot ' +
  '(com.example.wallet:/callback), without a fragment.'

/** An authorization request whose client and redirect URI are trusted, so that errors can be sent there. */
export type TrustedRequest = {
  readonly client: Client
  readonly redirectUri: string
  /** Those that were pushed, or those of the request itself. */
  readonly parameters: Parameters
  /** null: the request was not pushed. */
  readonly pushed: PushedKey | null
  /**
   * Thumbprint of the key of the client instance that pushed it; null: not pushed, or the client has no attestation.
   */
  readonly instanceKey: string | null
}

/**
 * Finds client and redirect URI of an authorization request, pushed or not.
 *
 * @throws Fault `request.invalid`, `request_uri.invalid`: nothing may be sent to the redirect URI
 * @see [RFC 6749, 4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1) and [RFC 9126, 4](https://www.rfc-editor.org/rfc/rfc9126#section-4)
 */
export async function trustRequest(
  platform: Pick<Platform, 'store' | 'sealing' | 'clock'>,
  server: Pick<ServerInstance, 'issuer' | 'clients'>,
  query: Parameters,
): Promise<TrustedRequest> {
  const given = presentParameters(query)
  const client = given.client_id === undefined ? null : await server.clients.find(given.client_id)
  if (client === null) throw new Fault('request.invalid', { detail: 'The client_id is missing or unknown.' })
  const { request_uri: requestUri } = given
  // RFC 9126 4 and RFC 9101 5: with a request_uri all other parameters are ignored
  const pushed =
    requestUri !== undefined && isPushedUri(requestUri)
      ? await openRequestUri(platform, server, client, requestUri)
      : null
  const parameters = pushed?.parameters ?? given
  return {
    client,
    redirectUri: redirectUriOf(server, client, parameters),
    parameters,
    pushed: pushed?.key ?? null,
    instanceKey: pushed?.instanceKey ?? null,
  }
}

/**
 * Returns the redirect URI of a request; one of those registered, by default.
 *
 * @throws Fault `request.invalid` if it is missing or not registered
 */
export function redirectUriOf(
  { clients }: Pick<ServerInstance, 'clients'>,
  client: Client,
  { redirect_uri: uri }: Parameters,
): string {
  const isTheirs = clients.isRedirect ?? (({ redirectUris }, one) => isRegisteredRedirect(redirectUris, one))
  if (uri !== undefined && isTheirs(client, uri)) return uri
  if (uri === undefined) throw new Fault('request.invalid', { detail: 'The redirect_uri is missing.' })
  const isStranger = clients.isRedirect !== undefined && client.redirectUris.length === 0
  const detail = isStranger ? STRANGERS_REDIRECT : 'The redirect_uri is not registered for the client.'
  throw new Fault('request.invalid', { detail })
}
