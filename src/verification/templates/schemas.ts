import { type Static, Type } from 'typebox'
import { dcqlLimits } from '../../protocols/dcql/query.ts'

/** Formats of a credential that a template may request, by their names in the API. */
export const templateFormats = ['sd-jwt-vc', 'mdoc'] as const
/** Ten years. */
const RETENTION_SECONDS_MAX = 315_360_000

const Attributes = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'By attribute name: `{}`, `{type, value, minimum, maximum}` with type string, number, boolean or date, `{properties}` for nested claims, ' +
    '`{items}` for every element of an array, or `{items: []}` with an entry for each position, null for those that are not requested. ' +
    'For mdoc by namespace: `{properties: {element: {intentToRetain}}}`. `values` are part of the query: a wallet proposes only credentials with one of them.',
})

const issuerList = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { maxItems: 100, description }))

const ClaimPath = Type.Union([
  Type.String({ minLength: 1, maxLength: 256 }),
  Type.Array(Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Integer({ minimum: 0 }), Type.Null()]), {
    minItems: 1,
    maxItems: dcqlLimits.pathStepsMax,
  }),
])

const CredentialInTemplate = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 256, description: 'The `vct`; for mdoc the document type.' }),
    attributes: Attributes,
    name: Type.Optional(Type.String({ maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    format: Type.Optional(Type.Enum([...templateFormats], { description: 'By default inferred from the attributes.' })),
    issuers: issuerList(
      'DIDs, https issuer identifiers or subject key identifiers (hex) of certificates; `["*"]`: any issuer, with a warning in the result. ' +
        'Without `issuers` and `trustedIssuers` the organisation itself and its trusted entities are accepted; for a type under an issuer ' +
        'address of this server only that issuer. Any other issuer is refused.',
    ),
    trustedIssuers: issuerList(
      'Ids of trusted entities. Their DIDs, addresses and certificates are read when a response is checked; a removed entity covers no issuer.',
    ),
    trustedIssuersInQuery: Type.Optional(
      Type.Boolean({
        description:
          'Whether the query names the certificates of `trustedIssuers` as DCQL trusted authorities (`aki`), so that wallets propose only credentials under them. ' +
          'Credentials of the DIDs and addresses of these entities are then not proposed.',
      }),
    ),
    claimSets: Type.Optional(
      Type.Array(Type.Array(ClaimPath, { minItems: 1, maxItems: dcqlLimits.claimsMax }), {
        minItems: 1,
        maxItems: dcqlLimits.optionsMax,
        description:
          'DCQL claim sets: combinations of the attributes, the preferred one first, each attribute by its name or path. By default all attributes are required.',
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({ description: 'The holder may leave this credential out. At least one must not be optional.' }),
    ),
    multiple: Type.Optional(
      Type.Boolean({ description: 'The holder may present several credentials; each is an entry of the result.' }),
    ),
    requireCryptographicHolderBinding: Type.Optional(
      Type.Boolean({ description: 'By default true: the holder proves possession of the key of the credential.' }),
    ),
    trustedAuthorities: Type.Optional(
      Type.Array(
        Type.Object(
          {
            type: Type.Enum(['aki']),
            values: Type.Array(Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' }), {
              minItems: 1,
              maxItems: dcqlLimits.valuesMax,
            }),
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          maxItems: dcqlLimits.valuesMax,
          description:
            'DCQL trusted authorities: authority key identifiers (base64url), of which a certificate in the chain of the credential must have one. ' +
            'Besides `issuers` and `trustedIssuers`, not in place of them.',
        },
      ),
    ),
    strictValidity: Type.Optional(
      Type.Boolean({
        description:
          'Makes an mdoc invalid whose validity period ends after that of its signer certificate. By default that is the warning `validity.certificate`.',
      }),
    ),
  },
  { additionalProperties: false },
)

const queryMembers = [
  'trustedIssuersInQuery',
  'claimSets',
  'optional',
  'multiple',
  'requireCryptographicHolderBinding',
  'trustedAuthorities',
  'strictValidity',
] as const

const Option = Type.Array(Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 0 })]), { minItems: 1 })

/** How requests are created from a template. Unknown members are stored. */
const VerifierConfigBody = Type.Object(
  {
    signer: Type.Optional(
      Type.Enum(['certificate', 'did:web'], {
        description:
          'What signs the request. By default the active verifier certificate that fits, else the did:web of the organisation.',
      }),
    ),
    keyType: Type.Optional(
      Type.Enum(['P-256', 'Ed25519'], {
        description: 'Type of the signing key. By default P-256, else Ed25519. The did:web has P-256 only.',
      }),
    ),
    clientIdPrefix: Type.Optional(
      Type.Enum(['x509_hash', 'x509_san_dns', 'redirect_uri', 'verifier_attestation', 'pre-registered'], {
        description:
          'Client identifier prefix of a request signed with a certificate: its hash (default, required by HAIP), or its DNS name, which must be the host of this server. ' +
          '`redirect_uri`: the request is not signed, and wallets cannot authenticate the verifier. ' +
          '`verifier_attestation` and `pre-registered`: signed with the request key in the DID document of the organisation.',
      }),
    ),
    clientId: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 256, pattern: '^[!-9;-~]+$' },
        description: 'With `pre-registered`: the client identifier that the wallets know, without a colon.',
      }),
    ),
    verifierAttestation: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 16_384 },
        description:
          'With `verifier_attestation`: the Verifier Attestation JWT, whose `cnf` is the request key of the organisation.',
      }),
    ),
    purpose: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 300 },
        description: 'Why the organisation asks, in the words that the wallet shows to the holder.',
      }),
    ),
    responseMode: Type.Optional(
      Type.Enum(['direct_post', 'direct_post.jwt'], {
        description:
          'Whether responses are encrypted. By default they are if the wallet says that it can; with `direct_post.jwt` any other is refused.',
      }),
    ),
    verifierInfo: Type.Optional(
      Type.Array(
        Type.Object(
          {
            format: Type.String({ minLength: 1, maxLength: 64 }),
            data: Type.Union([
              Type.String({ minLength: 1, maxLength: 16_384 }),
              Type.Record(Type.String(), Type.Unknown()),
            ]),
            credentials: Type.Optional(Option),
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          maxItems: 8,
          description:
            'Attestations about the verifier for wallets, e.g. registration certificates; `credentials` as in `credentialSets`, by default all.',
        },
      ),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({ minimum: 30, maximum: 86_400, description: 'Lifetime of a request.' }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: "Where the wallet sends the holder's browser after the response, with a `response_code`.",
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
            'DCQL credential sets, by name or position in `credentials`. By default all credentials are required.',
        },
      ),
    ),
  },
  { additionalProperties: true },
)

/** Body of POST and PUT. A PUT replaces the template entirely. */
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
        description: 'How long verified claims are stored; by default 30 days.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'PresentationTemplateBody',
    examples: [
      {
        name: 'Proof of a degree',
        description: 'Name, degree and grade of an applicant.',
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

/** A presentation template in responses. The members that are accepted in request bodies only are in `meta`. */
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

/** The `meta` of a presentation template: the members of the body that the reply has no place for. */
export const PresentationTemplateMeta = Type.Object(
  {
    verifierConfig: Type.Union([VerifierConfigBody, Type.Null()]),
    retentionSeconds: Type.Union([Type.Integer(), Type.Null()], { description: 'Retention of results.' }),
    credentials: Type.Array(
      Type.Object({
        issuers: Type.Array(Type.String()),
        trustedIssuers: Type.Array(Type.String()),
        ...Object.fromEntries(queryMembers.map((name) => [name, CredentialInTemplate.properties[name]])),
      }),
      { description: 'The permitted issuers of each credential, and its further members.' },
    ),
  },
  { $id: 'PresentationTemplateMeta' },
)
