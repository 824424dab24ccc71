import { isJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { ServerMetadata } from '../../protocols/openid4vci/server-metadata.ts'
import { isText } from '../../protocols/shape.ts'
import { isOk, jsonOf, upstreamRefusal } from '../credentials/upstream.ts'
import { type GrantClient, sendAsClient } from '../issuer-access/grant-client.ts'
import type { SendNeeds } from '../issuer-access/send-protected.ts'

type Needs = SendNeeds & Pick<Platform, 'keys' | 'urls' | 'store'>
type Server = Pick<ServerMetadata, 'pushedRequestEndpoint' | 'pushedRequestsRequired'> & { readonly endpoint: string }

/** An address to open, when it may stop to work, and the client that the server accepted a pushed request from. */
type Address = { readonly url: string; readonly expiresAt: Date; readonly client: GrantClient }

const ADDRESS_CHARS_MAX = 16_384
const NEVER = new Date(8.64e15)

/**
 * Returns the address at which the holder authorizes a request. The request is pushed if the server has the endpoint,
 * whether or not it requires that. [W-A1]
 *
 * @throws Fault `issuer_metadata.invalid`, `issuer_answer.invalid`, `offer.unusable`, `upstream.*`
 * @see [RFC 9126, 2](https://www.rfc-editor.org/rfc/rfc9126#section-2)
 */
export async function authorizationAddress(
  platform: Needs,
  client: GrantClient,
  server: Server,
  request: URLSearchParams,
): Promise<Address> {
  const { endpoint, pushedRequestEndpoint } = server
  if (pushedRequestEndpoint !== null) {
    const { requestUri, ...accepted } = await push(platform, client, pushedRequestEndpoint, request)
    const members = new URLSearchParams({ client_id: request.get('client_id') ?? '', request_uri: requestUri })
    return { url: withQuery(endpoint, members), ...accepted }
  }
  if (server.pushedRequestsRequired) {
    const detail = 'The authorization server requires pushed requests, but has no endpoint for them.'
    throw new Fault('issuer_metadata.invalid', { detail })
  }
  return { url: withQuery(endpoint, request), expiresAt: NEVER, client }
}

async function push(platform: Needs, asked: GrantClient, endpoint: string, request: URLSearchParams) {
  // `dpop_jkt` in the request binds the code, so no proof is sent
  const { answer, client } = await sendAsClient(platform, asked, endpoint, Object.fromEntries(request), false)
  if (!isOk(answer))
    throw upstreamRefusal(answer, 'offer.unusable', 'The authorization server does not accept the request.')
  const value = jsonOf(answer, 'issuer_answer.invalid')
  const { request_uri: requestUri, expires_in: seconds } = isJsonObject(value) ? value : {}
  // RFC 9126 2.2
  if (!isText(requestUri, 2048) || typeof seconds !== 'number' || !(seconds > 0))
    throw new Fault('issuer_answer.invalid', { detail: 'The response to the pushed request has no request_uri.' })
  const lifetime = Math.min(seconds, 86_400) * 1000
  return { requestUri, client, expiresAt: new Date(platform.clock.now().getTime() + lifetime) }
}

/** RFC 6749 3.1: a query of the endpoint is kept. */
function withQuery(endpoint: string, members: URLSearchParams): string {
  const url = new URL(endpoint)
  for (const [name, value] of members) url.searchParams.set(name, value)
  if (url.href.length <= ADDRESS_CHARS_MAX) return url.href
  throw new Fault('issuer_metadata.invalid', { detail: 'The address of the authorization is too long.' })
}
