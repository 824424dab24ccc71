import { faultOf } from '../../fault.ts'
import { isText } from '../shape.ts'
import type { Configuration } from './credential-configuration.ts'

/** The values of an authorization request for credentials. */
type AuthorizationAsk = {
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string
  /** S256. */
  readonly codeChallenge: string
  /** Of the offer; null: it has none. */
  readonly issuerState: string | null
  readonly credentialIssuer: string
  /** Whether the issuer metadata list authorization servers. */
  readonly hasServers: boolean
  /** RFC 7638 thumbprint of the DPoP key; null: no DPoP. */
  readonly dpopJkt: string | null
}

/**
 * Builds the parameters of an authorization request: by scope if every configuration has one, else by
 * `authorization_details`. [W-A1]
 *
 * @see [OpenID4VCI 1.0, 5.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-authorization-request)
 */
export function buildAuthorizationRequest(
  ask: AuthorizationAsk,
  configurations: readonly Pick<Configuration, 'id' | 'scope'>[],
): URLSearchParams {
  const { issuerState, dpopJkt } = ask
  return new URLSearchParams({
    response_type: 'code',
    client_id: ask.clientId,
    redirect_uri: ask.redirectUri,
    state: ask.state,
    code_challenge: ask.codeChallenge,
    code_challenge_method: 'S256',
    ...requested(ask, configurations),
    // OpenID4VCI 1.0, 5.1.3: MUST be sent if the offer has it
    ...(issuerState !== null && { issuer_state: issuerState }),
    // RFC 9449 10: binds the code
    ...(dpopJkt !== null && { dpop_jkt: dpopJkt }),
  })
}

function requested(
  { credentialIssuer, hasServers }: AuthorizationAsk,
  configurations: readonly Pick<Configuration, 'id' | 'scope'>[],
): Record<string, string> {
  const scopes = configurations.flatMap(({ scope }) => scope ?? [])
  if (scopes.length === configurations.length) {
    // OpenID4VCI 1.0, 5.1.2: `resource` tells an authorization server of several issuers which one is meant
    return { scope: [...new Set(scopes)].join(' '), ...(hasServers && { resource: credentialIssuer }) }
  }
  const details = configurations.map(({ id }) => ({
    type: 'openid_credential',
    credential_configuration_id: id,
    // OpenID4VCI 1.0, 5.1.1: REQUIRED if the metadata have authorization_servers
    ...(hasServers && { locations: [credentialIssuer] }),
  }))
  return { authorization_details: JSON.stringify(details) }
}

/** A checked authorization response. */
type AuthorizationResponse = { readonly code: string } | { readonly error: string; readonly description: string | null }

/**
 * Reads the response to an authorization request whose `state` was found. [W-A2]
 *
 * @param server The authorization server of the session; `sendsIss`: a response without `iss` is refused.
 * @throws Fault `authorization_response.invalid`
 * @see [RFC 9207, 2.4](https://www.rfc-editor.org/rfc/rfc9207#section-2.4)
 */
export function readAuthorizationResponse(
  query: URLSearchParams,
  server: { readonly issuer: string; readonly sendsIss: boolean },
): AuthorizationResponse {
  const one = (name: string) => {
    const [value, ...others] = query.getAll(name)
    // RFC 6749 3.1: no parameter more than once
    if (others.length > 0) throw invalid(`The response of the authorization server has several values of ${name}.`)
    return value
  }
  const [iss, code, error] = [one('iss'), one('code'), one('error')]
  if (iss === undefined ? server.sendsIss : iss !== server.issuer)
    throw invalid('The response is not of the authorization server that was asked.')
  if ((code === undefined) === (error === undefined))
    throw invalid('The response has neither, or both, of code and error.')
  if (error !== undefined) return { error: printable(error, 100), description: textOrNull(one('error_description')) }
  if (!isText(code, 4096)) throw invalid('The code of the response is empty or too long.')
  return { code }
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : printable(text, 200)
}

function printable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[^\x20-\x7E]/g, '?')
}

const invalid = faultOf('authorization_response.invalid')
