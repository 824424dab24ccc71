import { isJsonObject, type Json, type JsonObject, parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { asPeerUrl, isAppLink, type PeerPolicy } from '../shape.ts'
import { type ClientId, parseClientId } from './client-id.ts'

/** A request as received by the wallet: by reference, as signed object, or as plain parameters. */
export type RequestLink =
  | {
      readonly kind: 'reference'
      readonly client: ClientId
      readonly requestUri: string
      readonly method: 'get' | 'post'
    }
  | { readonly kind: 'signed'; readonly client: ClientId; readonly jwt: string }
  | { readonly kind: 'plain'; readonly client: ClientId; readonly parameters: JsonObject }

const LINK_LENGTH_MAX = 65_536
/**
 * Schemes that invoke a wallet with a request: of OpenID4VP and HAIP, and those of ecosystems. All are read by their
 * parameters.
 */
export const requestSchemes = [
  'openid4vp',
  'haip-vp',
  'haip',
  'eudi-openid4vp',
  'mdoc-openid4vp',
  'swiyu',
  'swiyu-verify',
] as const
/** One of {@link requestSchemes}. */
export type RequestScheme = (typeof requestSchemes)[number]

/** As `URL.protocol` has them. */
export const REQUEST_SCHEMES: ReadonlySet<string> = new Set(requestSchemes.map((one) => `${one}:`))
const objectParameters = ['dcql_query', 'client_metadata', 'verifier_info', 'transaction_data'] as const

/** Builds the link (or QR code) of a request. `method`: `post` lets the wallet send a nonce of its own. [VP-U1] */
export function buildRequestLink({
  clientId,
  requestUri,
  method,
  scheme = 'openid4vp',
}: {
  readonly clientId: string
  readonly requestUri: string
  readonly method?: 'get' | 'post'
  readonly scheme?: RequestScheme
}): string {
  const methodParameter = method === undefined ? '' : `&request_uri_method=${method}`
  const [client, uri] = [clientId, requestUri].map(encodeURIComponent)
  return `${scheme}://?client_id=${client}&request_uri=${uri}${methodParameter}`
}

/**
 * Builds the link of a request by value, without a request object. Objects are JSON texts, as are lists.
 *
 * @see
 *   [OpenID4VP 1.0, 5](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-authorization-request)
 */
export function buildPlainLink(
  parameters: Readonly<Record<string, string | object>>,
  scheme: RequestScheme = 'openid4vp',
): string {
  const texts = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
  )
  return `${scheme}://?${texts.join('&')}`
}

/**
 * Parses the link of an authorization request: {@link REQUEST_SCHEMES}, any https URL and any link for an app with the
 * parameters.
 *
 * Fetches and verifies nothing; the outbound client checks the address of a `requestUri`.
 *
 * @throws Fault `presentation_request.invalid`, `presentation_request.client`, `presentation_request.uri_method`
 * @see
 *   [OpenID4VP 1.0, 5](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-authorization-request)
 */
export function readRequestLink(text: string, policy: PeerPolicy): RequestLink {
  const parameters = parametersOf(text.trim(), policy)
  const client = parseClientId(parameters.get('client_id'))
  const jwt = parameters.get('request')
  const requestUri = parameters.get('request_uri')
  const method = parameters.get('request_uri_method')
  // [VP-U1] OpenID4VP 1.0, 5.1: only together with request_uri; exactly `get` or `post`
  if (method !== undefined && method !== 'get' && method !== 'post') throw new Fault('presentation_request.uri_method')
  if (method !== undefined && requestUri === undefined) throw refused('request_uri_method needs a request_uri.')
  // RFC 9101 5: request and request_uri exclude each other
  if (jwt !== undefined && requestUri !== undefined) throw refused('It has both request and request_uri.')
  if (jwt !== undefined) return { kind: 'signed', client, jwt }
  if (requestUri === undefined) return { kind: 'plain', client, parameters: plainParameters(parameters) }
  if (asPeerUrl(requestUri, policy) === null) throw refused('request_uri is not an https URL.')
  return { kind: 'reference', client, requestUri, method: method ?? 'get' }
}

function parametersOf(text: string, policy: PeerPolicy): ReadonlyMap<string, string> {
  if (text.length > LINK_LENGTH_MAX || !URL.canParse(text)) throw refused('It is not a URI of at most 64 KiB.')
  const url = new URL(text)
  const isLink = url.protocol === 'https:' || REQUEST_SCHEMES.has(url.protocol) || isAppLink(url)
  if (!isLink && asPeerUrl(text, policy) === null) throw refused('Its scheme is not one of a presentation request.')
  const parameters = new Map(url.searchParams)
  // RFC 6749 3.1: a parameter MUST NOT be included more than once; one without a value is treated as if it were omitted
  if (parameters.size !== url.searchParams.size) throw refused('It has a duplicate parameter.')
  return new Map([...parameters].filter(([, value]) => value !== ''))
}

/** [VP-R8] 5: objects in URL parameters are JSON texts. */
function plainParameters(parameters: ReadonlyMap<string, string>): JsonObject {
  const read: Record<string, Json> = Object.fromEntries(parameters)
  for (const name of objectParameters) {
    const text = parameters.get(name)
    if (text !== undefined) read[name] = jsonOf(text, name)
  }
  return isJsonObject(read) ? read : {}
}

function jsonOf(text: string, name: string): Json {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new Fault('presentation_request.invalid', { detail: `${name} is not well-formed JSON.`, cause })
  }
}

function refused(detail: string): Fault {
  return new Fault('presentation_request.invalid', { detail: `This is not a usable presentation request. ${detail}` })
}
