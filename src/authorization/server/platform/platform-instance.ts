import { scopes } from '../../../caller.ts'
import { findClient } from '../../../directory/clients/find-client.ts'
import { PAGES_CLIENT_ID } from '../../../pages/session/pages-client.ts'
import type { Platform } from '../../../platform.ts'
import { PROMPTS } from '../../../protocols/oauth2/authorization-request.ts'
import { platformTenantId } from '../../../store/store.ts'
import { authorizationCode } from '../grants/authorization-code.ts'
import { clientCredentials } from '../grants/client-credentials.ts'
import { tokenExchange } from '../grants/exchange-token.ts'
import { IDENTITY_SCOPES, userScopes } from '../grants/grant-scopes.ts'
import { refreshToken } from '../grants/refresh-token.ts'
import type { ServerInstance, UserPolicy } from '../instance.ts'
import { ACR } from '../openid/acr.ts'
import { readIdTokenHint } from '../openid/id-token.ts'
import { currentIdTokenUsages, idTokenAlgs } from '../openid/id-token-keys.ts'
import { decideByScopes } from './decide-by-scopes.ts'
import { pagesClient } from './pages-client.ts'
import { issuePlatformTokens, readPlatformToken } from './platform-tokens.ts'

/** Returns the platform's own authorization server: people and services, tokens for our API, OpenID Connect. */
export function platformInstance(
  platform: Pick<Platform, 'urls' | 'config' | 'store' | 'sealing' | 'clock' | 'keys'>,
): ServerInstance {
  const { urls, config } = platform
  const { auth, publicUrl } = urls
  const users = userPolicy(auth)
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
    keys: ['access-token', ...currentIdTokenUsages(platform.keys)],
    clients: {
      methods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      find: (clientId) => (clientId === PAGES_CLIENT_ID ? pagesClient(platform) : findClient(platform, clientId)),
    },
    grants: [authorizationCode(users), refreshToken(users), clientCredentials, tokenExchange],
    readToken: readPlatformToken,
    acceptsDpop: true,
    users,
    audiences: [publicUrl, config.walletBaseUrl, config.credsBaseUrl, config.onboardingBaseUrl],
    scopes: [...IDENTITY_SCOPES, ...Object.keys(scopes)],
    extensions: openidMetadata(auth, idTokenAlgs(platform.keys)),
  }
}

function userPolicy(issuer: string): UserPolicy {
  return {
    consentPage: '/consent',
    needsScope: true,
    refreshTokens: 'offline_access',
    readHint: readIdTokenHint,
    decide: decideByScopes(issuer, userScopes),
    tokens: { kind: 'self-contained', issue: issuePlatformTokens },
  }
}

/** @see [OpenID Connect Discovery 1.0, 3](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata) */
function openidMetadata(auth: string, algs: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    userinfo_endpoint: `${auth}/userinfo`,
    end_session_endpoint: `${auth}/logout`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: algs,
    claim_types_supported: ['normal'],
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'acr',
      'amr',
      'sid',
      'name',
      'given_name',
      'family_name',
      'preferred_username',
      'updated_at',
      'email',
      'email_verified',
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
