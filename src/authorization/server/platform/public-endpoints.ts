import { Type } from 'typebox'
import { type Endpoint, type EndpointContext, type EndpointResponse, endpoint } from '../../../http/routes/endpoint.ts'
import { renderClientFault } from '../../../pages/fault-page.ts'
import { type Parameters, presentParameters } from '../../../protocols/oauth2/authorization-request.ts'
import { withParameters } from '../../../protocols/oauth2/redirect-uri.ts'
import { authorize } from '../endpoint/authorize.ts'
import type { InstanceRequest } from '../endpoint/client-request.ts'
import { describeServer, publishKeys } from '../endpoint/describe-server.ts'
import { answerIntrospection } from '../endpoint/introspect-token.ts'
import { answerPushedRequest } from '../endpoint/pushed-requests.ts'
import {
  IntrospectionReply,
  JwksReply,
  PushedReply,
  redirectReplies,
  ServerMetadataReply,
  TokenReply,
  UserInfoReply,
} from '../endpoint/reply-schemas.ts'
import { answerRevocation } from '../endpoint/revoke-token.ts'
import { answerTokenRequest } from '../endpoint/token-endpoint.ts'
import { logOut } from '../openid/logout.ts'
import { userClaims } from '../openid/user-claims.ts'
import type { TokenForm } from '../token-request.ts'
import { platformInstance } from './platform-instance.ts'

const tag = 'Platform tokens'
/** Keys are rotated every 90 days, and retired ones stay published for at least a day. */
const PUBLIC_FOR = { 'cache-control': 'public, max-age=300' }

/** Parameters of a request; the largest is a token of a few kilobytes. */
const BODY_BYTES_MAX = 65_536

const member = (description: string) => Type.Optional(Type.String({ description }))
const credentials = {
  client_id: member('With client_secret, for clients that do not use HTTP Basic; alone, for public clients.'),
  client_secret: member('See client_id.'),
  client_assertion_type: member('For private_key_jwt.'),
  client_assertion: member('For private_key_jwt (RFC 7523).'),
}
/** Parameters of the token endpoint; others are ignored. The use case validates them, with OAuth errors. */
const TokenBody = Type.Unsafe<TokenForm>(
  Type.Object(
    {
      grant_type: member('One of grant_types_supported in the metadata.'),
      scope: member(
        'Scopes of the token, separated by spaces; by default all of the client, or all that the user granted.',
      ),
      ...credentials,
      code: member('For authorization_code, with redirect_uri and code_verifier.'),
      redirect_uri: member('For authorization_code: that of the authorization request.'),
      code_verifier: member('For authorization_code (RFC 7636).'),
      refresh_token: member('For refresh_token.'),
      subject_token: member('For token exchange: an access token of the client itself.'),
      subject_token_type: member('For token exchange: urn:ietf:params:oauth:token-type:access_token.'),
      requested_subject: member('For token exchange: the username of the user on whose behalf the client acts.'),
    },
    { $id: 'TokenRequest', examples: [{ grant_type: 'client_credentials' }] },
  ),
)
/** A token to revoke or to describe. */
const TokenReference = Type.Unsafe<TokenForm>(
  Type.Object({ token: member('The token.'), ...credentials }, { $id: 'TokenReference' }),
)

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
  bodyBytesMax: BODY_BYTES_MAX,
  body: TokenBody,
  handle: (context) => answerTokenRequest(requestOf(context)),
})

/** Parameters of an authorization request, for the reference; the steps of the endpoint check them, with OAuth errors. */
const AuthorizationBody = Type.Object(
  {
    client_id: member('The client.'),
    request_uri: member('From the pushed authorization request endpoint, instead of the others.'),
    response_type: member('code.'),
    redirect_uri: member('One of those that the client has, exactly.'),
    scope: member('Scopes, separated by spaces; openid for an ID token, offline_access for a refresh token.'),
    state: member('Returned as it is.'),
    nonce: member('Returned in the ID token.'),
    code_challenge: member('PKCE, required.'),
    code_challenge_method: member('S256.'),
    prompt: member('none, login, consent or select_account.'),
    max_age: member('Seconds since the user signed in, at most.'),
    acr_values: member('Wanted strength of the sign-in.'),
    login_hint: member('Username or e-mail address.'),
    tenant_hint: member('Slug of the tenant whose sign-in is shown first; the user may choose another.'),
    dpop_jkt: member('Thumbprint of the DPoP key that the code is bound to.'),
  },
  { $id: 'AuthorizationRequest' },
)
/** Parameters of a sign-out, for the reference. */
const LogoutBody = Type.Object(
  {
    id_token_hint: member('The ID token of the session that ends.'),
    client_id: member('The client, if there is no id_token_hint.'),
    post_logout_redirect_uri: member('One of those that the client has, exactly.'),
    state: member('Returned as it is.'),
  },
  { $id: 'LogoutRequest' },
)

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
  bodyBytesMax: BODY_BYTES_MAX,
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
  bodyBytesMax: BODY_BYTES_MAX,
  body: TokenReference,
  handle: (context) => answerRevocation(requestOf(context)),
})

const introspectionEndpoint = endpoint({
  method: 'POST',
  path: '/auth/introspect',
  operationId: 'introspectToken',
  replies: { 200: { types: { 'application/json': IntrospectionReply } } },
  summary: "Describes an access token of the client's tenant, or a refresh token of the client (RFC 7662).",
  tag,
  accepts: 'form',
  bodyBytesMax: BODY_BYTES_MAX,
  body: TokenReference,
  handle: (context) => answerIntrospection(requestOf(context)),
})

async function redirect(
  { platform, headers, ip, requestId }: EndpointContext<unknown, unknown>,
  query: Parameters,
): Promise<EndpointResponse> {
  const instance = platformInstance(platform)
  const location = await authorize({ platform, instance, query, cookie: headers.cookie, ip, requestId })
  // RFC 9700 4.12: 303, so that a browser never sends a form on
  return { status: 303, headers: { location, 'cache-control': 'no-store' } }
}

const authorizeByQuery = endpoint({
  method: 'GET',
  path: '/auth/authorize',
  operationId: 'requestAuthorization',
  replies: redirectReplies,
  summary:
    'Signs a user in and redirects the browser to the client with an authorization code. PKCE (S256) is required.',
  tag,
  accepts: 'none',
  faultsAs: renderClientFault,
  handle: (context) => redirect(context, context.query),
})

const authorizeByForm = endpoint({
  method: 'POST',
  path: '/auth/authorize',
  operationId: 'requestAuthorizationByForm',
  replies: redirectReplies,
  summary: 'The same with the parameters in a form.',
  tag,
  accepts: 'form',
  describedBody: AuthorizationBody,
  bodyBytesMax: BODY_BYTES_MAX,
  faultsAs: renderClientFault,
  handle: (context) => redirect(context, context.body),
})

function signOut({ platform, headers, ip, requestId }: EndpointContext<unknown, unknown>, query: Parameters) {
  return logOut({ platform, instance: platformInstance(platform), query, cookie: headers.cookie, ip, requestId })
}

const logoutByQuery = endpoint({
  method: 'GET',
  path: '/auth/logout',
  operationId: 'signOut',
  replies: redirectReplies,
  summary: 'Signs the user out and redirects the browser to the client (OpenID Connect RP-Initiated Logout).',
  tag,
  accepts: 'none',
  faultsAs: renderClientFault,
  handle: (context) => signOut(context, context.query),
})

const logoutByForm = endpoint({
  method: 'POST',
  path: '/auth/logout',
  operationId: 'signOutByForm',
  replies: redirectReplies,
  summary: 'The same with the parameters in a form.',
  tag,
  accepts: 'form',
  describedBody: LogoutBody,
  bodyBytesMax: BODY_BYTES_MAX,
  faultsAs: renderClientFault,
  // A browser sends the session cookie with a redirect to this server, but not with the form of another website.
  handle: ({ body }) => ({
    status: 303,
    headers: { location: withParameters('/auth/logout', presentParameters(body)), 'cache-control': 'no-store' },
  }),
})

async function claimsOf({
  platform,
  headers,
  method,
  ip,
}: EndpointContext<unknown, unknown>): Promise<EndpointResponse> {
  const request = { headers, method, url: `${platform.urls.auth}/userinfo` }
  return { status: 200, body: await userClaims(platform, request, ip), headers: { 'cache-control': 'no-store' } }
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
  ...[tokenEndpoint, pushEndpoint, revocationEndpoint, introspectionEndpoint],
  ...[authorizeByQuery, authorizeByForm, logoutByQuery, logoutByForm, userinfoByGet, userinfoByPost],
  ...[metadataEndpoint, openidEndpoint, jwksEndpoint],
]
