import { Type } from 'typebox'

/** Replies of authorization servers, for the API reference. Members may be added: clients ignore unknown ones. */

/** @see [RFC 6749, 5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1) */
export const TokenReply = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Enum(['Bearer', 'DPoP']),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    scope: Type.Optional(Type.String()),
    refresh_token: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String()),
    issued_token_type: Type.Optional(Type.String({ description: 'RFC 8693, 2.2.1.' })),
    authorization_details: Type.Optional(
      Type.Array(
        Type.Object({
          type: Type.Literal('openid_credential'),
          credential_configuration_id: Type.String(),
          credential_identifiers: Type.Array(Type.String()),
        }),
        { description: 'OpenID4VCI 1.0, 6.2.' },
      ),
    ),
  },
  { $id: 'TokenResponse' },
)

/** @see [RFC 9126, 2.2](https://www.rfc-editor.org/rfc/rfc9126#section-2.2) */
export const PushedReply = Type.Object(
  { request_uri: Type.String(), expires_in: Type.Integer({ description: 'Seconds.' }) },
  { $id: 'PushedAuthorizationResponse' },
)

/** @see [RFC 7662, 2.2](https://www.rfc-editor.org/rfc/rfc7662#section-2.2) */
export const IntrospectionReply = Type.Object(
  {
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    exp: Type.Optional(Type.Integer()),
    iat: Type.Optional(Type.Integer()),
  },
  { $id: 'IntrospectionResponse' },
)

/** @see [OpenID Connect Core 1.0, 5.3.2](https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse) */
export const UserInfoReply = Type.Object({ sub: Type.String() }, { $id: 'UserInfoResponse' })

/** @see [RFC 8414, 2](https://www.rfc-editor.org/rfc/rfc8414#section-2) */
export const ServerMetadataReply = Type.Object(
  {
    issuer: Type.String({ format: 'uri' }),
    token_endpoint: Type.String({ format: 'uri' }),
    authorization_endpoint: Type.Optional(Type.String({ format: 'uri' })),
    jwks_uri: Type.Optional(Type.String({ format: 'uri' })),
    grant_types_supported: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'AuthorizationServerMetadata' },
)

/** @see [RFC 7517, 5](https://www.rfc-editor.org/rfc/rfc7517#section-5) */
export const JwksReply = Type.Object(
  {
    keys: Type.Array(
      Type.Object({ kty: Type.String(), kid: Type.Optional(Type.String()), alg: Type.Optional(Type.String()) }),
    ),
  },
  { $id: 'JsonWebKeySet' },
)

/** The replies of an endpoint that leads a browser on: to a page of the server, or to the client. */
export const redirectReplies = {
  302: { description: 'To the sign-in page, or to the client.' },
  303: { description: 'To the sign-in page, or to the client.' },
} as const
