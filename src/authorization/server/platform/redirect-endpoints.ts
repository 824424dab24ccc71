import { type Endpoint, type EndpointContext, type EndpointResponse, endpoint } from '../../../http/routes/endpoint.ts'
import { renderClientFault } from '../../../pages/fault-page.ts'
import { type Parameters, presentParameters } from '../../../protocols/oauth2/authorization-request.ts'
import { withParameters } from '../../../protocols/oauth2/redirect-uri.ts'
import { authorize } from '../endpoint/authorize.ts'
import { redirectReplies } from '../endpoint/reply-schemas.ts'
import { logOut } from '../openid/logout.ts'
import { platformInstance } from './platform-instance.ts'
import { AuthorizationBody, LogoutBody, PARAMETER_BYTES_MAX } from './request-schemas.ts'

const tag = 'Platform tokens'

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
    'Signs a user in and redirects the browser to the client with an authorization code. ' +
    'PKCE (S256) is required unless the client was registered otherwise.',
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
  bodyBytesMax: PARAMETER_BYTES_MAX,
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
  bodyBytesMax: PARAMETER_BYTES_MAX,
  faultsAs: renderClientFault,
  // A browser sends the session cookie with a redirect to this server, but not with the form of another website.
  handle: ({ body }) => ({
    status: 303,
    headers: { location: withParameters('/auth/logout', presentParameters(body)), 'cache-control': 'no-store' },
  }),
})

/** Where a client sends the browser of a user: to sign in, and to sign out. */
export const redirectEndpoints: readonly Endpoint[] = [authorizeByQuery, authorizeByForm, logoutByQuery, logoutByForm]
