import { type Endpoint, type EndpointContext, type EndpointResponse, endpoint } from '../../../http/routes/endpoint.ts'
import type { InstanceRequest } from '../endpoint/client-request.ts'
import { describeServer, publishKeys } from '../endpoint/describe-server.ts'
import { answerIntrospection } from '../endpoint/introspect-token.ts'
import { answerPushedRequest } from '../endpoint/pushed-requests.ts'
import {
  IntrospectionReply,
  JwksReply,
  PushedReply,
  ServerMetadataReply,
  TokenReply,
  UserInfoReply,
} from '../endpoint/reply-schemas.ts'
import { answerRevocation } from '../endpoint/revoke-token.ts'
import { answerTokenRequest } from '../endpoint/token-endpoint.ts'
import { userClaims } from '../openid/user-claims.ts'
import type { TokenForm } from '../token-request.ts'
import { platformInstance } from './platform-instance.ts'
import { redirectEndpoints } from './redirect-endpoints.ts'
import { AuthorizationBody, PARAMETER_BYTES_MAX, TokenReference, TokenRequestBody } from './request-schemas.ts'

const tag = 'Platform tokens'
/** Keys are rotated every 90 days, and retired ones stay published for at least a day. */
const PUBLIC_FOR = { 'cache-control': 'public, max-age=300' }

function requestOf({ platform, body, headers, ip, requestId }: EndpointContext<unknown, TokenForm>): InstanceRequest {
  return { platform, instance: platformInstance(platform), form: body, headers, ip, requestId }
}

const tokenEndpoint = endpoint({
  method: 'POST',
  path: '/auth/token',
  operationId: 'requestToken',
  replies: { 200: { types: { 'application/json': TokenReply } } },
  clientOrigins: true,
  summary:
    'Issues an access token for the API: for a client itself (client_credentials), for a user who signed in (authorization_code, refresh_token), or to act for a user (token exchange).',
  tag,
  accepts: 'form',
  bodyBytesMax: PARAMETER_BYTES_MAX,
  body: TokenRequestBody,
  handle: (context) => answerTokenRequest(requestOf(context)),
})

const pushEndpoint = endpoint({
  method: 'POST',
  path: '/auth/par',
  operationId: 'pushAuthorizationRequest',
  replies: { 201: { types: { 'application/json': PushedReply } } },
  clientOrigins: true,
  summary: 'Stores the parameters of an authorization request for a minute (RFC 9126).',
  tag,
  accepts: 'form',
  describedBody: AuthorizationBody,
  bodyBytesMax: PARAMETER_BYTES_MAX,
  handle: (context) => answerPushedRequest(requestOf(context)),
})

const revocationEndpoint = endpoint({
  method: 'POST',
  path: '/auth/revoke',
  operationId: 'revokeToken',
  replies: { 200: {} },
  clientOrigins: true,
  summary: 'Revokes a refresh token (RFC 7009). Access tokens expire within minutes and cannot be revoked.',
  tag,
  accepts: 'form',
  bodyBytesMax: PARAMETER_BYTES_MAX,
  body: TokenReference,
  handle: (context) => answerRevocation(requestOf(context)),
})

const introspectionEndpoint = endpoint({
  method: 'POST',
  path: '/auth/introspect',
  operationId: 'introspectToken',
  replies: { 200: { types: { 'application/json': IntrospectionReply } } },
  summary:
    'Describes a token of the client; with the scope tokens:introspect also an access token of another client of ' +
    'the tenant (RFC 7662).',
  tag,
  accepts: 'form',
  bodyBytesMax: PARAMETER_BYTES_MAX,
  body: TokenReference,
  handle: (context) => answerIntrospection(requestOf(context)),
})

async function claimsOf({
  platform,
  headers,
  method,
  ip,
  requestId,
}: EndpointContext<unknown, unknown>): Promise<EndpointResponse> {
  const request = { headers, method, url: `${platform.urls.auth}/userinfo` }
  return {
    status: 200,
    body: await userClaims(platform, request, { ip, requestId }),
    headers: { 'cache-control': 'no-store' },
  }
}

const userinfoByGet = endpoint({
  method: 'GET',
  path: '/auth/userinfo',
  operationId: 'getUserInfo',
  replies: { 200: { types: { 'application/json': UserInfoReply } } },
  clientOrigins: true,
  summary: 'Returns claims about the user of an access token with the scope openid.',
  tag,
  accepts: 'none',
  handle: claimsOf,
})

const userinfoByPost = endpoint({
  method: 'POST',
  path: '/auth/userinfo',
  operationId: 'requestUserInfo',
  replies: { 200: { types: { 'application/json': UserInfoReply } } },
  clientOrigins: true,
  summary: 'The same by POST.',
  tag,
  accepts: 'none',
  handle: claimsOf,
})

function metadataAnswer({ platform }: EndpointContext): EndpointResponse {
  return { status: 200, body: describeServer(platformInstance(platform)), headers: PUBLIC_FOR }
}

const metadataEndpoint = endpoint({
  method: 'GET',
  // RFC 8414 3.1: the well-known part is inserted between host and path of the issuer
  path: '/.well-known/oauth-authorization-server/auth',
  operationId: 'getServerMetadata',
  replies: { 200: { types: { 'application/json': ServerMetadataReply } } },
  summary: "Returns the metadata of the platform's authorization server (RFC 8414).",
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: metadataAnswer,
})

const openidEndpoint = endpoint({
  method: 'GET',
  path: '/auth/.well-known/openid-configuration',
  operationId: 'getOpenIdConfiguration',
  replies: { 200: { types: { 'application/json': ServerMetadataReply } } },
  summary: 'Returns the same metadata at the path that OpenID Connect clients use.',
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: metadataAnswer,
})

const jwksEndpoint = endpoint({
  method: 'GET',
  path: '/auth/jwks',
  operationId: 'getJwks',
  replies: { 200: { types: { 'application/json': JwksReply } } },
  summary:
    'Returns the keys that verify access tokens, ID tokens and logout tokens of the platform: the current ones and those retired lately.',
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform }) => ({
    status: 200,
    body: await publishKeys(platform, platformInstance(platform)),
    headers: PUBLIC_FOR,
  }),
})

/** The authorization server of the platform itself. */
export const authorizationEndpoints: readonly Endpoint[] = [
  tokenEndpoint,
  pushEndpoint,
  revocationEndpoint,
  introspectionEndpoint,
  ...redirectEndpoints,
  userinfoByGet,
  userinfoByPost,
  metadataEndpoint,
  openidEndpoint,
  jwksEndpoint,
]
