import { Type } from 'typebox'
import { type Endpoint, type EndpointContext, endpoint } from '../../http/routes/endpoint.ts'
import { platformTenantId } from '../../store/store.ts'
import type { TokenForm } from './client-proof.ts'
import { grantTypes, issueToken } from './issue-token.ts'
import { serverMetadata } from './server-metadata.ts'

const tag = 'Platform tokens'
/** Keys are rotated every 90 days, and retired ones stay published for a day. */
const PUBLIC_FOR = { 'cache-control': 'public, max-age=300' }

const member = (description: string) => Type.Optional(Type.String({ description }))
/** Parameters of the token endpoint; others are ignored. The use case validates them, with OAuth errors. */
const TokenBody = Type.Unsafe<TokenForm>(
  Type.Object(
    {
      grant_type: member(`One of: ${grantTypes.join(', ')}.`),
      scope: member('Scopes of the token, separated by spaces; all scopes of the client by default.'),
      client_id: member('With client_secret, for clients that do not use HTTP Basic.'),
      client_secret: member('See client_id.'),
      client_assertion_type: member('For private_key_jwt.'),
      client_assertion: member('For private_key_jwt (RFC 7523).'),
      subject_token: member('For token exchange: an access token of the client itself.'),
      subject_token_type: member('For token exchange: urn:ietf:params:oauth:token-type:access_token.'),
      requested_subject: member('For token exchange: the username of the user on whose behalf the client acts.'),
    },
    { $id: 'TokenRequest', examples: [{ grant_type: 'client_credentials' }] },
  ),
)

const tokenEndpoint = endpoint({
  method: 'POST',
  path: '/auth/token',
  summary: 'Issues an access token for the API: client_credentials, or token exchange to act for a user.',
  tag,
  accepts: 'form',
  body: TokenBody,
  handle: async ({ platform, body, headers, ip, requestId }) => {
    const answer = await issueToken(platform, { form: body, headers, ip, requestId })
    // RFC 6749 5.1: a token is never stored by a cache
    return { status: 200, body: answer, headers: { 'cache-control': 'no-store', pragma: 'no-cache' } }
  },
})

function metadataAnswer({ platform }: EndpointContext) {
  return { status: 200, body: serverMetadata(platform), headers: PUBLIC_FOR }
}

const metadataEndpoint = endpoint({
  method: 'GET',
  // RFC 8414 3.1: the well-known part is inserted between host and path of the issuer
  path: '/.well-known/oauth-authorization-server/auth',
  summary: "Returns the metadata of the platform's authorization server (RFC 8414).",
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: metadataAnswer,
})

const openidEndpoint = endpoint({
  method: 'GET',
  path: '/auth/.well-known/openid-configuration',
  summary: 'Returns the same metadata at the path that OpenID Connect clients use.',
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: metadataAnswer,
})

const jwksEndpoint = endpoint({
  method: 'GET',
  path: '/auth/jwks',
  summary:
    'Returns the keys that verify access tokens of the platform: the current one and those retired within a day.',
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform: { keys } }) => {
    // Creates the first key, so that the set is never empty.
    await keys.current(platformTenantId, 'access-token')
    const published = await keys.published(platformTenantId, ['access-token'])
    const jwks = { keys: published.map(({ jwk, kid, alg }) => ({ ...jwk, kid, alg, use: 'sig' })) }
    return { status: 200, body: jwks, headers: PUBLIC_FOR }
  },
})

/** The authorization server of the platform itself. */
export const authorizationEndpoints: readonly Endpoint[] = [
  tokenEndpoint,
  metadataEndpoint,
  openidEndpoint,
  jwksEndpoint,
]
