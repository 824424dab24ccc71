import { Type } from 'typebox'

/** Replies of the credential issuer, for the API reference. Members may be added: wallets ignore unknown ones. */

const open = Type.Record(Type.String(), Type.Unknown())

/** @see [OpenID4VCI 1.0, 12.2.4](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-12.2.4) */
export const IssuerMetadataReply = Type.Object(
  {
    credential_issuer: Type.String({ format: 'uri' }),
    credential_endpoint: Type.String({ format: 'uri' }),
    nonce_endpoint: Type.Optional(Type.String({ format: 'uri' })),
    credential_configurations_supported: Type.Record(Type.String(), open, {
      description: 'By credential configuration id.',
    }),
  },
  { $id: 'CredentialIssuerMetadata' },
)

/** @see [OpenID4VCI 1.0, 4.1.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-4.1.1) */
export const OfferReply = Type.Object(
  {
    credential_issuer: Type.String({ format: 'uri' }),
    credential_configuration_ids: Type.Array(Type.String(), { minItems: 1 }),
    grants: Type.Optional(open),
  },
  { $id: 'CredentialOffer' },
)

/** @see [OpenID4VCI 1.0, 7.2](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-7.2) */
export const NonceReply = Type.Object({ c_nonce: Type.String() }, { $id: 'NonceResponse' })

/** The challenge for a client attestation. */
export const ChallengeReply = Type.Object({ attestation_challenge: Type.String() }, { $id: 'ChallengeResponse' })

/** @see [OpenID4VCI 1.0, 8.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-8.3) */
export const CredentialReply = Type.Object(
  {
    credentials: Type.Optional(Type.Array(Type.Object({ credential: Type.Union([Type.String(), open]) }))),
    transaction_id: Type.Optional(Type.String()),
    interval: Type.Optional(Type.Integer({ description: 'Seconds until the wallet may ask for it.' })),
    notification_id: Type.Optional(Type.String()),
  },
  { $id: 'CredentialResponse' },
)

/** @see [SD-JWT VC, type metadata](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/) */
export const TypeMetadataReply = Type.Object(
  { vct: Type.String(), name: Type.Optional(Type.String()), claims: Type.Optional(Type.Array(open)) },
  { $id: 'TypeMetadata' },
)
