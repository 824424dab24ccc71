import { type Static, Type } from 'typebox'
import { dcqlLimits } from '../../protocols/dcql/query.ts'
import { templateFormats } from './presentation-template.ts'

/** Longest retention of results: ten years. */
const RETENTION_SECONDS_MAX = 315_360_000

const Attributes = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'By attribute name: `{}`, `{type, value, minimum, maximum}` with type string, number, boolean or date, or `{properties}` for what is inside. ' +
    'For mdoc by namespace: `{properties: {element: {intentToRetain}}}`.',
})

const issuerList = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { maxItems: 100, description }))

const CredentialInTemplate = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 256, description: 'The vct; for mdoc the document type.' }),
    attributes: Attributes,
    name: Type.Optional(Type.String({ maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    format: Type.Optional(
      Type.Enum([...templateFormats], { description: 'Inferred from the attributes when it is absent.' }),
    ),
    issuers: issuerList(
      'DIDs, https issuer identifiers or subject key identifiers (hex) of certificates; or `["*"]` for any issuer, and then the result says so. ' +
        'Without `issuers` and `trustedIssuers` the organisation itself and its trusted entities count, and a type under an issuer address ' +
        'of this server counts from that issuer only. Any other issuer is refused.',
    ),
    trustedIssuers: issuerList(
      'Ids of trusted entities. The DIDs, addresses and certificates of an entity are read when an answer is checked; an entity that was removed covers no issuer.',
    ),
    strictValidity: Type.Optional(
      Type.Boolean({
        description:
          'Refuses an mdoc that is to be valid for longer than the certificate of its signer. By default the result says so with the issue `validity.certificate`.',
      }),
    ),
  },
  { additionalProperties: false },
)

const Option = Type.Array(Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 0 })]), { minItems: 1 })

/** Settings of the requests made from a template. Unknown members are kept. */
const VerifierConfigBody = Type.Object(
  {
    signer: Type.Optional(
      Type.Enum(['certificate', 'did:web'], {
        description:
          'Who signs the request. By default the active verifier certificate if there is one that fits, else the did:web of the organisation.',
      }),
    ),
    keyType: Type.Optional(
      Type.Enum(['P-256', 'Ed25519'], {
        description: 'The key that signs; P-256 before Ed25519 by default. The did:web has P-256 only.',
      }),
    ),
    clientIdPrefix: Type.Optional(
      Type.Enum(['x509_hash', 'x509_san_dns'], {
        description:
          'How wallets know an organisation by its certificate: by its hash, as HAIP wants it and as it is by default, or by its DNS name, which must be the host of this server.',
      }),
    ),
    responseMode: Type.Optional(Type.Enum(['direct_post', 'direct_post.jwt'])),
    expiresInSeconds: Type.Optional(
      Type.Integer({ minimum: 30, maximum: 86_400, description: 'How long a request may be answered.' }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: "Where the holder's browser goes afterwards, with a `response_code`.",
      }),
    ),
    credentialSets: Type.Optional(
      Type.Array(
        Type.Object(
          {
            options: Type.Array(Option, { minItems: 1, maxItems: dcqlLimits.optionsMax }),
            required: Type.Optional(Type.Boolean()),
          },
          { additionalProperties: false },
        ),
        {
          maxItems: dcqlLimits.optionsMax,
          description:
            'Which credentials serve together, by name or position in `credentials`. Absent: all of them are needed.',
        },
      ),
    ),
  },
  { additionalProperties: true },
)

/** Body of POST and PUT; a PUT replaces all of it. */
export const PresentationTemplateBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.String({ maxLength: 2000 }),
    credentials: Type.Array(CredentialInTemplate, { minItems: 1, maxItems: dcqlLimits.credentialsMax }),
    verifierConfig: Type.Optional(VerifierConfigBody),
    retentionSeconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: RETENTION_SECONDS_MAX,
        description: 'How long verified claims are kept; 30 days by default.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'PresentationTemplateBody',
    examples: [
      {
        name: 'Proof of a degree',
        description: 'Who applies, and with which degree.',
        credentials: [
          {
            type: 'https://credentials.example.org/issuers/acme/vct/diploma',
            attributes: { family_name: {}, degree: { type: 'string' }, grade: { type: 'number', minimum: 50 } },
            issuers: ['did:web:credentials.example.org:issuers:acme'],
          },
        ],
      },
    ],
  },
)
export type PresentationTemplateBody = Static<typeof PresentationTemplateBody>

/** A presentation template as it leaves. What is only accepted in requests is in `meta`. */
export const PresentationTemplateReply = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
    credentials: Type.Array(
      Type.Object({
        type: Type.String(),
        format: Type.Enum([...templateFormats]),
        attributes: Attributes,
        name: Type.Optional(Type.String()),
        description: Type.Optional(Type.String()),
      }),
    ),
  },
  { additionalProperties: false, $id: 'PresentationTemplate' },
)
export type PresentationTemplateReply = Static<typeof PresentationTemplateReply>
