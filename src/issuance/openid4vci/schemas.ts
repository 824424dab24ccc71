import { Type } from 'typebox'
import { PROOFS_MAX } from '../../protocols/openid4vci/credential-request.ts'

const member = (description: string) => Type.Optional(Type.String({ description }))

/** The form of a token request, for the API reference. */
export const TokenRequestForm = Type.Object(
  {
    grant_type: Type.String({
      description: '`urn:ietf:params:oauth:grant-type:pre-authorized_code`, `authorization_code` or `refresh_token`.',
    }),
    'pre-authorized_code': member('The code in the credential offer.'),
    tx_code: member('The transaction code, if the offer requires one.'),
    authorization_details: member(
      'A JSON array with one object of type `openid_credential`; the response then has a credential identifier.',
    ),
    code: member('For authorization_code, with redirect_uri and code_verifier.'),
    redirect_uri: member('For authorization_code: that of the authorization request.'),
    code_verifier: member('For authorization_code (RFC 7636).'),
    refresh_token: member('For refresh_token.'),
    client_id: member('The wallet. Not needed for a pre-authorized code.'),
    client_assertion_type: member('For private_key_jwt.'),
    client_assertion: member('For private_key_jwt (RFC 7523).'),
  },
  { $id: 'IssuerTokenForm' },
)

/** The body of a credential request, for the API reference. */
export const CredentialRequestBody = Type.Object(
  {
    credential_configuration_id: member('A configuration in the issuer metadata. Either this or the next one.'),
    credential_identifier: member('An identifier in the token response.'),
    proofs: Type.Object({
      jwt: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: PROOFS_MAX,
        description: 'Key proofs. Each key gets a copy of the credential.',
      }),
    }),
  },
  { $id: 'CredentialRequest' },
)

/** The body of a deferred credential request, for the API reference. */
export const DeferredRequestBody = Type.Object(
  { transaction_id: Type.String({ description: 'The `transaction_id` in the response of the credential endpoint.' }) },
  { $id: 'DeferredCredentialRequest' },
)

/** The body of a notification, for the API reference. */
export const NotificationBody = Type.Object(
  {
    notification_id: Type.String({ description: 'The `notification_id` in the credential response.' }),
    event: Type.Enum(['credential_accepted', 'credential_deleted', 'credential_failure']),
    event_description: member('A text for developers. It is ignored.'),
  },
  { $id: 'NotificationRequest' },
)

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

/** The account that an offer made. */
export const OfferedWalletReply = Type.Object(
  {
    username: Type.String(),
    url: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'Where its owner chooses how to sign in; absent where that was done.',
      }),
    ),
  },
  { $id: 'OfferedWallet' },
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
