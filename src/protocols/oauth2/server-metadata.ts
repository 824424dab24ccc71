/** What an authorization server says about itself. Absent endpoints are unsupported. */
type ServerDescription = {
  readonly issuer: string
  readonly endpoints: ServerEndpoints
  readonly grantTypes: readonly string[]
  /** Client authentication at every endpoint that authenticates clients. */
  readonly clientAuthMethods: readonly string[]
  readonly scopes?: readonly string[] | undefined
  /** Algorithms of client assertions; for `private_key_jwt` only. */
  readonly assertionAlgs?: readonly string[] | undefined
  /** Whether every authorization request must be pushed. */
  readonly parRequired?: boolean | undefined
  readonly dpopAlgs?: readonly string[] | undefined
  /** Members of extensions, as they are sent. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** Addresses of the endpoints of an authorization server. */
export type ServerEndpoints = {
  readonly token: string
  readonly jwks?: string
  readonly authorization?: string
  readonly pushedRequest?: string
  readonly revocation?: string
  readonly introspection?: string
}

/**
 * Builds the metadata of an authorization server.
 *
 * @see [RFC 8414, 2](https://www.rfc-editor.org/rfc/rfc8414#section-2), [RFC 9126, 5](https://www.rfc-editor.org/rfc/rfc9126#section-5),
 * [RFC 9207, 3](https://www.rfc-editor.org/rfc/rfc9207#section-3) and [RFC 9449, 5.1](https://www.rfc-editor.org/rfc/rfc9449#section-5.1)
 */
export function buildServerMetadata(server: ServerDescription): Readonly<Record<string, unknown>> {
  const { issuer, endpoints, grantTypes, clientAuthMethods: methods, assertionAlgs: algs } = server
  const hasCodes = endpoints.authorization !== undefined
  // RFC 7662 2.1: a caller of the introspection endpoint is authenticated
  const proven = methods.filter((one) => one !== 'none')
  return {
    issuer,
    token_endpoint: endpoints.token,
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: methods,
    ...present('token_endpoint_auth_signing_alg_values_supported', algs),
    ...present('jwks_uri', endpoints.jwks),
    ...present('scopes_supported', server.scopes),
    ...present('dpop_signing_alg_values_supported', server.dpopAlgs),
    ...present('authorization_endpoint', endpoints.authorization),
    ...present('pushed_authorization_request_endpoint', endpoints.pushedRequest),
    ...(server.parRequired === true && { require_pushed_authorization_requests: true }),
    ...clientEndpoint('revocation_endpoint', endpoints.revocation, methods, algs),
    ...clientEndpoint('introspection_endpoint', endpoints.introspection, proven, algs),
    // RFC 8414 2: REQUIRED; an empty list means no authorization endpoint. [VCI-M3]
    response_types_supported: hasCodes ? ['code'] : [],
    ...(hasCodes && {
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }),
    ...server.extensions,
  }
}

function clientEndpoint(
  name: string,
  address: string | undefined,
  methods: readonly string[],
  algs: readonly string[] | undefined,
): Readonly<Record<string, unknown>> {
  if (address === undefined) return {}
  return {
    [name]: address,
    [`${name}_auth_methods_supported`]: methods,
    ...present(`${name}_auth_signing_alg_values_supported`, algs),
  }
}

function present(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [name]: value }
}
