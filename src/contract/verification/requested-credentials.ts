import { Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { dcqlLimits } from '../../protocols/dcql/query.ts'
import { requestedAttributeShapes } from './requested-attributes.ts'

/** Formats of a credential that a template may request, by their names in the API. */
export const templateFormats = ['sd-jwt-vc', 'mdoc'] as const

/** The attributes of a credential, as a template states them. */
export const Attributes = Type.Record(Type.String(), Type.Unsafe<Json>({}), {
  documentedAs: requestedAttributeShapes,
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

/** A credential in the body of a template. */
export const CredentialInTemplate = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 256, description: 'The `vct`; for mdoc the document type.' }),
    attributes: Attributes,
    name: Type.Optional(Type.String({ maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    format: Type.Optional(Type.Enum([...templateFormats], { description: 'By default inferred from the attributes.' })),
    issuers: issuerList(
      'DIDs, https issuer identifiers or subject key identifiers (hex) of certificates; `["*"]`: every issuer, with a ' +
        'warning in the result. Without `issuers` and `trustedIssuers` the organisation itself and its trusted entities ' +
        'are accepted. A type under an issuer address of this server is accepted from that issuer only in both cases. ' +
        'Every other issuer is refused.',
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

/** The members of {@link CredentialInTemplate} beyond the contract, which readers of a template get in `meta`. */
export const queryMembers = [
  'trustedIssuersInQuery',
  'claimSets',
  'optional',
  'multiple',
  'requireCryptographicHolderBinding',
  'trustedAuthorities',
  'strictValidity',
] as const

/** A credential that is requested, as holders read it before a wallet has the request. */
export const AskedCredential = Type.Object({
  name: Type.String({ description: 'By the template, else by the own credential template, else by the type.' }),
  attributes: Type.Array(Type.String(), {
    description:
      'Names of the requested attributes, each once: by the own credential template in a language of ' +
      '`Accept-Language`, else by their paths. With claim sets, those of all sets.',
  }),
})
