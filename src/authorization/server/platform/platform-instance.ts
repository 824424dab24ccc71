import { scopes } from '../../../caller.ts'
import { findClient } from '../../../directory/clients/find-client.ts'
import type { Platform } from '../../../platform.ts'
import { PROMPTS } from '../../../protocols/oauth2/authorization-request.ts'
import { platformTenantId } from '../../../store/store.ts'
import { signAccessToken, TOKEN_TTL_SECONDS } from '../../access/platform-token.ts'
import { authorizationCode } from '../grants/authorization-code.ts'
import { clientCredentials } from '../grants/client-credentials.ts'
import { tokenExchange } from '../grants/exchange-token.ts'
import { IDENTITY_SCOPES, userScopes } from '../grants/grant-scopes.ts'
import { refreshToken } from '../grants/refresh-token.ts'
import type { Granted, ServerInstance, UserPolicy } from '../instance.ts'
import { ACR } from '../openid/acr.ts'
import { signIdToken } from '../openid/id-token.ts'
import type { TokenAnswer } from '../token-request.ts'

const users: UserPolicy = { scopesOf: userScopes, issue: issueToClient }
const grants = [authorizationCode(users), refreshToken(users), clientCredentials, tokenExchange]

/** Returns the platform's own authorization server: people and services, tokens for our API, OpenID Connect. */
export function platformInstance({ urls, config, store }: Pick<Platform, 'urls' | 'config' | 'store'>): ServerInstance {
  const { auth, publicUrl } = urls
  return {
    issuer: auth,
    tenantId: platformTenantId,
    endpoints: {
      token: `${auth}/token`,
      jwks: `${auth}/jwks`,
      authorization: `${auth}/authorize`,
      pushedRequest: `${auth}/par`,
      revocation: `${auth}/revoke`,
      introspection: `${auth}/introspect`,
    },
    clients: {
      methods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      find: (clientId) => findClient({ store }, clientId),
    },
    grants,
    acceptsDpop: true,
    users,
    audiences: [publicUrl, config.walletBaseUrl, config.credsBaseUrl, config.onboardingBaseUrl],
    scopes: [...IDENTITY_SCOPES, ...Object.keys(scopes)],
    extensions: openidMetadata(auth),
  }
}

/** @see [OpenID Connect Discovery 1.0, 3](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata) */
function openidMetadata(auth: string): Readonly<Record<string, unknown>> {
  return {
    userinfo_endpoint: `${auth}/userinfo`,
    end_session_endpoint: `${auth}/logout`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claim_types_supported: ['normal'],
    claims_supported: [
      ...['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid'],
      ...['name', 'given_name', 'family_name', 'preferred_username', 'updated_at', 'email'],
    ],
    acr_values_supported: Object.values(ACR),
    prompt_values_supported: PROMPTS,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    // The default is true; the only request_uri is that of a pushed request.
    request_uri_parameter_supported: false,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  }
}

async function issueToClient(platform: Platform, granted: Granted): Promise<TokenAnswer> {
  const { tenantId, userId, client, jkt, refreshToken: refresh } = granted
  const { clientId } = client
  const claims = { tenantId, clientId, userId, isActing: false, scopes: granted.scopes, jkt }
  const accessToken = await signAccessToken(platform, claims)
  const isOpenid = granted.scopes.includes('openid') && !granted.isRefresh
  return {
    access_token: accessToken,
    token_type: jkt === null ? 'Bearer' : 'DPoP',
    expires_in: TOKEN_TTL_SECONDS,
    scope: granted.scopes.join(' '),
    ...(refresh !== null && { refresh_token: refresh }),
    ...(isOpenid && { id_token: await signIdToken(platform, granted, accessToken) }),
  }
}
