import { faultOf } from '../../fault.ts'

/** Client Identifier Prefixes that this wallet accepts. */
type ClientIdPrefix =
  | 'decentralized_identifier'
  | 'x509_san_dns'
  | 'x509_hash'
  | 'redirect_uri'
  | 'verifier_attestation'
  | 'pre-registered'

/**
 * A Client Identifier. `full`, with the prefix, identifies the verifier everywhere [VP-P1]; `id` follows the prefix. A
 * pre-registered client has no prefix in its identifier.
 */
export type ClientId = { readonly full: string; readonly prefix: ClientIdPrefix; readonly id: string }

const LENGTH_MAX = 2048
/** The prefixes that this wallet supports. */
export const clientIdPrefixes: readonly ClientIdPrefix[] = [
  'decentralized_identifier',
  'x509_san_dns',
  'x509_hash',
  'redirect_uri',
  'verifier_attestation',
  'pre-registered',
]

/**
 * Parses a Client Identifier.
 *
 * Without a colon it is a pre-registered client (OpenID4VP 1.0, 5.9.2). `origin`, unknown prefixes and values without
 * the form of their prefix are refused.
 *
 * @throws Fault `presentation_request.invalid`
 * @see [OpenID4VP 1.0, 5.9](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-client-identifier-prefix-an)
 */
export function parseClientId(value: unknown): ClientId {
  if (typeof value !== 'string' || value.length === 0 || value.length > LENGTH_MAX)
    throw refused('client_id is missing.')
  const colon = value.indexOf(':')
  if (colon < 0) return { full: value, prefix: 'pre-registered', id: value }
  const prefix = value.slice(0, colon)
  const id = value.slice(colon + 1)
  // OpenID4VP 1.0, 5.9.3: `origin` is reserved, the wallet MUST NOT accept it in a request.
  if (!isAccepted(prefix)) throw refused('The prefix of client_id is not supported.')
  if (!hasForm(prefix, id)) throw refused('client_id does not have the form that its prefix demands.')
  return { full: value, prefix, id }
}

function isAccepted(prefix: string): prefix is ClientIdPrefix {
  return prefix !== 'pre-registered' && clientIdPrefixes.some((one) => one === prefix)
}

function hasForm(prefix: ClientIdPrefix, id: string): boolean {
  if (prefix === 'decentralized_identifier') return /^did:[a-z0-9]+:[^#?/]+$/.test(id)
  // OpenID4VP 1.0, 5.9.3: a DNS name
  if (prefix === 'x509_san_dns') return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(id)
  // OpenID4VP 1.0, 5.9.3: base64url of a SHA-256 hash
  if (prefix === 'x509_hash') return /^[A-Za-z0-9_-]{43}$/.test(id)
  if (prefix === 'verifier_attestation') return id.length > 0
  return URL.canParse(id)
}

const refused = faultOf('presentation_request.invalid')
