import { scopes } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { grantTypes } from './issue-token.ts'

/** Returns the metadata of the platform's authorization server. @see [RFC 8414, 2](https://www.rfc-editor.org/rfc/rfc8414#section-2) */
export function serverMetadata({ urls }: Pick<Platform, 'urls'>) {
  return {
    issuer: urls.auth,
    token_endpoint: `${urls.auth}/token`,
    jwks_uri: `${urls.auth}/jwks`,
    scopes_supported: Object.keys(scopes),
    // RFC 8414 2: required; there is no authorization endpoint yet, so there is no response type
    response_types_supported: [],
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'EdDSA'],
  }
}
