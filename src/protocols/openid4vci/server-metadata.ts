import { isTextList, type PeerPolicy, statedMembers } from '../shape.ts'
import { endpointOf, unusable } from './issuer-metadata.ts'

/** The members that a wallet uses of an authorization server's metadata. */
export type ServerMetadata = {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly authorizationEndpoint: string | null
  readonly pushedRequestEndpoint: string | null
  readonly pushedRequestsRequired: boolean
  readonly grantTypes: readonly string[]
  /** The pre-authorized code may be redeemed without naming a client. [VCI-M12] */
  readonly anonymousAccess: boolean
  readonly dpopAlgs: readonly string[]
  /** How clients authenticate at the token endpoint and the PAR endpoint. */
  readonly authMethods: readonly string[]
  /** Issues challenges for client attestations; null: there is none, or they come in responses. */
  readonly challengeEndpoint: string | null
  /** Code challenges by S256 are supported, or the metadata do not say. */
  readonly acceptsS256: boolean
  /** RFC 9207: a response of the authorization endpoint without `iss` is an error. [W-A2] */
  readonly sendsIss: boolean
}

/**
 * Validates authorization server metadata as a wallet.
 *
 * @param expectedIssuer The identifier from which the document's URL was built.
 * @throws Fault `issuer_metadata.invalid`
 * @see [RFC 8414, 2](https://www.rfc-editor.org/rfc/rfc8414#section-2) and [3.3](https://www.rfc-editor.org/rfc/rfc8414#section-3.3)
 */
export function readServerMetadata(document: unknown, expectedIssuer: string, policy: PeerPolicy): ServerMetadata {
  const value = statedMembers(document)
  if (value === null) throw unusable('The metadata of the authorization server is not a JSON object.')
  // RFC 8414 3.3: identical to the issuer identifier in the URL. [W-M6]
  if (value.issuer !== expectedIssuer) throw unusable('The metadata is of another authorization server.')
  const tokenEndpoint = endpointOf(value, 'token_endpoint', policy)
  if (tokenEndpoint === null) throw unusable('The authorization server has no token_endpoint.')
  const { grant_types_supported: grantTypes, dpop_signing_alg_values_supported: dpopAlgs } = value
  const { token_endpoint_auth_methods_supported: authMethods, code_challenge_methods_supported: challenges } = value
  return {
    issuer: expectedIssuer,
    tokenEndpoint,
    authorizationEndpoint: endpointOf(value, 'authorization_endpoint', policy),
    pushedRequestEndpoint: endpointOf(value, 'pushed_authorization_request_endpoint', policy),
    pushedRequestsRequired: value.require_pushed_authorization_requests === true,
    // RFC 8414 2: the default
    grantTypes: isTextList(grantTypes) ? grantTypes : ['authorization_code', 'implicit'],
    anonymousAccess: value['pre-authorized_grant_anonymous_access_supported'] === true,
    dpopAlgs: isTextList(dpopAlgs) ? dpopAlgs : [],
    // RFC 8414 2: the default
    authMethods: isTextList(authMethods) ? authMethods : ['client_secret_basic'],
    challengeEndpoint: endpointOf(value, 'challenge_endpoint', policy),
    acceptsS256: !isTextList(challenges) || challenges.includes('S256'),
    sendsIss: value.authorization_response_iss_parameter_supported === true,
  }
}
