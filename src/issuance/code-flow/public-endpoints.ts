import { Type } from 'typebox'
import { authorize } from '../../authorization/server/endpoint/authorize.ts'
import { answerPushedRequest } from '../../authorization/server/endpoint/pushed-requests.ts'
import { PushedReply, redirectReplies } from '../../authorization/server/endpoint/reply-schemas.ts'
import type { ServerInstance } from '../../authorization/server/instance.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { type Endpoint, type EndpointContext, type EndpointResponse, endpoint } from '../../http/routes/endpoint.ts'
import type { Platform } from '../../platform.ts'
import type { Parameters } from '../../protocols/oauth2/authorization-request.ts'
import { credentialConsentPages } from './consent-pages.ts'

const tag = 'OpenID4VCI'
const BODY_BYTES_MAX = 65_536

/** Returns the authorization server of a tenant as credential issuer. */
type InstanceOf = (platform: Platform, tenant: Tenant) => ServerInstance

const member = (description: string) => Type.Optional(Type.String({ description }))
/**
 * Parameters of an authorization request, for the reference; the steps of the endpoint check them, with OAuth errors.
 */
const AuthorizationBody = Type.Object(
  {
    client_id: member('The wallet.'),
    request_uri: member('From the pushed authorization request endpoint, instead of the others.'),
    response_type: member('code.'),
    redirect_uri: member('Registered, exactly; of an unregistered wallet https, loopback, or a private-use scheme.'),
    scope: member('The scope of a credential configuration in the metadata. Other values are ignored.'),
    authorization_details: member('A JSON array with one object of type openid_credential, instead of scope.'),
    issuer_state: member('From the credential offer.'),
    state: member('Returned as it is.'),
    code_challenge: member('PKCE, required.'),
    code_challenge_method: member('S256.'),
    prompt: member('none, login, consent or select_account.'),
    login_hint: member('Username or e-mail address.'),
    dpop_jkt: member('Thumbprint of the DPoP key that the code is bound to.'),
  },
  { $id: 'CredentialAuthorizationRequest' },
)

/**
 * The endpoints of the code flow of a tenant as credential issuer, and its consent page.
 *
 * @param instanceOf Where the grants are put together.
 */
export function codeFlowEndpoints(instanceOf: InstanceOf): readonly Endpoint[] {
  return [...authorizationEndpoints(instanceOf), pushEndpoint(instanceOf), ...credentialConsentPages(instanceOf)]
}

function authorizationEndpoints(instanceOf: InstanceOf): readonly Endpoint[] {
  const common = { path: '/issuers/{tenant}/authorize', tag, faultsAs: 'page' } as const
  const redirect = async (
    { platform, params, headers, ip, requestId }: EndpointContext<{ readonly tenant: string }, unknown>,
    query: Parameters,
  ): Promise<EndpointResponse> => {
    const instance = instanceOf(platform, await getTenant(platform, params.tenant))
    const location = await authorize({ platform, instance, query, cookie: headers.cookie, ip, requestId })
    // RFC 9700 4.12: 303, so that a browser never sends a form on
    return { status: 303, headers: { location, 'cache-control': 'no-store' } }
  }
  return [
    endpoint({
      ...common,
      method: 'GET',
      operationId: 'authorizeWallet',
      replies: redirectReplies,
      summary:
        'Signs a user of the tenant in, asks whether the credential may go to the wallet, and redirects the browser there with an authorization code. PKCE (S256) is required.',
      accepts: 'none',
      handle: (context) => redirect(context, context.query),
    }),
    endpoint({
      ...common,
      method: 'POST',
      operationId: 'authorizeWalletByForm',
      replies: redirectReplies,
      summary: 'The same with the parameters in a form.',
      accepts: 'form',
      describedBody: AuthorizationBody,
      bodyBytesMax: BODY_BYTES_MAX,
      handle: (context) => redirect(context, context.body),
    }),
  ]
}

function pushEndpoint(instanceOf: InstanceOf): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/issuers/{tenant}/par',
    operationId: 'pushWalletAuthorizationRequest',
    crossOrigin: true,
    replies: { 201: { types: { 'application/json': PushedReply } } },
    summary: 'Stores the parameters of an authorization request for a minute (RFC 9126).',
    tag,
    accepts: 'form',
    describedBody: AuthorizationBody,
    bodyBytesMax: BODY_BYTES_MAX,
    handle: async ({ platform, params, body, headers, ip, requestId }) => {
      const instance = instanceOf(platform, await getTenant(platform, params.tenant))
      return answerPushedRequest({ platform, instance, form: body, headers, ip, requestId })
    },
  })
}
