import { Type } from 'typebox'
import type { TokenForm } from '../token-request.ts'

/** Bytes of the parameters of a request; the largest is a token of a few kilobytes. */
export const PARAMETER_BYTES_MAX = 65_536

const member = (description: string) => Type.Optional(Type.String({ description }))
const credentials = {
  client_id: member('With client_secret, for clients that do not use HTTP Basic; alone, for public clients.'),
  client_secret: member('See client_id.'),
  client_assertion_type: member('For private_key_jwt.'),
  client_assertion: member('For private_key_jwt (RFC 7523).'),
}
/** Parameters of the token endpoint; others are ignored. The use case validates them, with OAuth errors. */
export const TokenRequestBody = Type.Unsafe<TokenForm>(
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
export const TokenReference = Type.Unsafe<TokenForm>(
  Type.Object({ token: member('The token.'), ...credentials }, { $id: 'TokenReference' }),
)

/**
 * Parameters of an authorization request, for the reference; the steps of the endpoint check them, with OAuth errors.
 */
export const AuthorizationBody = Type.Object(
  {
    client_id: member('The client.'),
    request_uri: member('From the pushed authorization request endpoint, instead of the others.'),
    response_type: member('code.'),
    redirect_uri: member('One of those that the client has, exactly.'),
    scope: member('Scopes, separated by spaces; openid for an ID token, offline_access for a refresh token.'),
    state: member('Returned as it is.'),
    nonce: member('Returned in the ID token.'),
    code_challenge: member('PKCE, required unless the client has `pkceRequired: false` and sends nonce.'),
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
export const LogoutBody = Type.Object(
  {
    id_token_hint: member('The ID token of the session that ends.'),
    client_id: member('The client, if there is no id_token_hint.'),
    post_logout_redirect_uri: member('One of those that the client has, exactly.'),
    state: member('Returned as it is.'),
  },
  { $id: 'LogoutRequest' },
)
