import { Type } from 'typebox'
import type { Json, JsonObject } from '../../crypto/json.ts'
import { offerSchemes } from '../../protocols/openid4vci/credential-offer.ts'
import { IdParams } from '../id-params.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { attributeShapes } from './template-attributes.ts'
import { Display, strict, Text } from './template-display.ts'

/** Default and minimum length of a transaction code. [SEC-4] */
export const TX_CODE_LENGTH = 6

const Span = Type.Object(
  {
    future: Type.Object(
      {
        days: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
        months: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_200 })),
        years: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
      },
      { ...strict, minProperties: 1, description: 'A span from the moment of issuance.' },
    ),
  },
  strict,
)

const moment = (description: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' }), Span], { description })

const TxCode = Type.Object(
  {
    inputMode: Type.Optional(Type.Enum(['numeric', 'text'], { description: 'Digits only, or letters and digits.' })),
    length: Type.Optional(
      Type.Integer({ minimum: TX_CODE_LENGTH, maximum: 32, description: 'Characters of the code; 6 by default.' }),
    ),
    description: Type.Optional(Text(300, 'Shown by the wallet to the holder, e.g. where the code was sent to.')),
  },
  { ...strict, description: 'The holder must enter a code that is sent over another channel than the offer.' },
)

const Signer = Type.Object(
  {
    kind: Type.Enum(['certificate', 'did:web'], {
      description:
        'The active issuer certificate, or the did:web key of the tenant. By default the certificate if there is one that names the issuer, else the did:web key. An mdoc requires a certificate with a P-256 key.',
    }),
    keyType: Type.Optional(Type.Enum(['P-256', 'Ed25519'])),
  },
  strict,
)

const levels = (what: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description: `Accepted levels of ${what}, such as iso_18045_high; by default any.`,
    }),
  )

const KeyAttestation = Type.Object(
  { keyStorage: levels('key storage'), userAuthentication: levels('user authentication') },
  {
    ...strict,
    description:
      'The keys of the wallet must be attested by a trusted entity with the purpose attester. Without it, attestations are ignored.',
  },
)

const Refill = Type.Object(
  {
    days: Type.Integer({
      minimum: 1,
      maximum: 30,
      description: 'Days from the issuance on; the claims are kept, sealed, until then.',
    }),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How often; 10 by default.' })),
  },
  {
    ...strict,
    description:
      'The wallet that received the credential by sign-in may get new copies for new keys, so that each copy is presented once. Only with a token that is bound to a key (DPoP), while the credential is valid. Not with approvalRequired.',
    examples: [{ days: 30, times: 20 }],
  },
)

const WebhookSource = Type.Object(
  {
    kind: Type.Literal('webhook'),
    endpointId: Type.String({
      format: 'uuid',
      description:
        'A webhook endpoint of the tenant. It gets issuance.attributes_requested, signed like events, and answers at once with 200 and {attributes}; 4xx: the user gets none.',
    }),
  },
  strict,
)

const ProviderSource = Type.Object(
  {
    kind: Type.Literal('provider'),
    provider: Type.Optional(
      Text(
        64,
        'Name of the identity provider at which the user signs in for it; by default any provider of the tenant that signs users in.',
      ),
    ),
    claims: Type.Record(
      Type.String({ minLength: 1, maxLength: 1000 }),
      Text(200, 'Name of a claim, or a JSON pointer.'),
      {
        minProperties: 1,
        maxProperties: 200,
        description:
          'Claims of the ID token or of UserInfo by attribute. A name, or a JSON pointer if it begins with /: {"family_name": "family_name", "/address/locality": "/address/locality"}; elements of an mdoc by pointer, /namespace/element. Each required attribute has one.',
      },
    ),
  },
  strict,
)

/** Attributes from what the OpenID provider states about a user who signs in there. */
export type ProviderSource = Type.Static<typeof ProviderSource>

const AttributeSource = Type.Union([WebhookSource, ProviderSource], {
  description:
    'Where the attributes come from when a user asks for the credential, signs in and agrees, and no issuance was prepared for them. Without it only prepared issuances can be had so.',
})

const Grammar = Type.Unsafe<JsonObject>(
  Type.Record(Type.String(), Type.Unsafe<Json>({}), {
    documentedAs: attributeShapes,
    description:
      'By claim name: {type: string | number | boolean | date | object | array, name?, names?, description?, ' +
      'required?, alwaysDisclosed?, properties?, items?}. names: the name in other languages, {fr: …}. Each ' +
      'attribute is selectively disclosable unless alwaysDisclosed, but for the elements of an array of plain ' +
      'values, which are disclosed with it unless items say alwaysDisclosed: false. Of an mdoc by namespace and ' +
      'element identifier, {namespace: {element: {…}}}: no alwaysDisclosed, and the types tdate (a time such as ' +
      '2026-01-31T12:00:00Z) and bytes (base64url without padding) besides; a date becomes a full-date, an ' +
      'object a map. An mdoc of the type org.iso.18013.5.1.mDL must follow ISO/IEC 18013-5 in the namespace ' +
      'org.iso.18013.5.1.',
  }),
)

const DocType = Text(
  256,
  'Document type of an mdoc, such as org.iso.18013.5.1.mDL; required for an mdoc, and cannot be changed.',
)

const written = {
  name: Text(200, 'Display name.'),
  description: Type.Optional(Text(1000, 'Purpose and content of the credential.')),
  code: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description:
      'Identifies the type in its URL: 1 to 64 letters, digits, - and _. Unique in the tenant, and cannot be changed.',
  }),
  attributes: Grammar,
  revocable: Type.Optional(
    Type.Boolean({ description: 'Whether credentials can be revoked; true by default, and cannot be changed.' }),
  ),
  validFrom: Type.Optional(moment('Start of validity: a date (00:00 UTC), a time, or a span.')),
  validUntil: Type.Optional(moment('End of validity: a date (00:00 UTC), a time, or a span.')),
  batchSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      description: 'Copies that a wallet may request at once, so that presentations cannot be linked.',
    }),
  ),
  refill: Type.Optional(Refill),
  txCode: Type.Optional(TxCode),
  offerScheme: Type.Optional(
    Type.Enum([...offerSchemes], {
      description:
        'The scheme of the link that opens a wallet, by default `openid-credential-offer`. Others are those of HAIP ' +
        'and of ecosystems whose wallets register no other.',
    }),
  ),
  signer: Type.Optional(Signer),
  keyAttestation: Type.Optional(KeyAttestation),
  attributeSource: Type.Optional(AttributeSource),
  approvalRequired: Type.Optional(
    Type.Boolean({
      description:
        'Whether each credential waits for POST /credentials/{id}/approve after the wallet has asked for it; false by default.',
    }),
  ),
  display: Type.Optional(Display),
  label: Type.Optional(
    Type.Array(Type.String({ minLength: 2, maxLength: 1000 }), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description:
        'The attributes whose values name an issuance in lists, as JSON pointers into `attributes`: /family_name; of an mdoc /namespace/element. Each a text, number, boolean or date. Kept sealed after the claims are erased, as long as the issuance, unless its offer ends without a credential.',
    }),
  ),
}

/** Creates or replaces a credential template. */
export const TemplateBody = Type.Object(
  {
    ...written,
    format: Type.Optional(
      Type.Enum(['sd-jwt-vc', 'mdoc'], { description: 'sd-jwt-vc by default; cannot be changed.' }),
    ),
    credentialFormat: Type.Optional(Type.Enum(['sd-jwt', 'mdoc'], { description: 'Former name of format.' })),
    docType: Type.Optional(DocType),
  },
  {
    ...strict,
    $id: 'CredentialTemplateBody',
    examples: [
      {
        name: 'Diploma',
        code: 'diploma',
        attributes: {
          family_name: { type: 'string', name: 'Family name', required: true },
          degree: { type: 'string', required: true },
          grade: { type: 'number' },
        },
        validUntil: { future: { years: 10 } },
      },
      {
        name: 'Membership card',
        code: 'card',
        format: 'mdoc',
        docType: 'org.example.card.1',
        attributes: {
          'org.example.card': {
            family_name: { type: 'string', name: 'Family name', required: true },
            member_since: { type: 'date' },
            picture: { type: 'bytes' },
          },
        },
        validUntil: { future: { years: 1 } },
      },
    ],
  },
)

/** See the schema of the same name. */
export type TemplateBody = Type.Static<typeof TemplateBody>

const time = (description: string) => Type.String({ format: 'date-time', description })

/** A credential template in our API. */
export const TemplateView = Type.Object(
  {
    id: Type.String(),
    ...written,
    format: Type.Enum(['sd-jwt-vc', 'mdoc']),
    docType: Type.Optional(DocType),
    revocable: Type.Boolean(),
    type: Type.String({
      description:
        'The type of its credentials. SD-JWT VC: the VCT, where type metadata is served. mdoc: the document type.',
    }),
    createdAt: time('When it was created.'),
    updatedAt: time('When it was last replaced.'),
    archivedAt: Type.Union([time('When it was archived.'), Type.Null()]),
  },
  { $id: 'CredentialTemplate' },
)

/** See the schema of the same name. */
export type TemplateView = Type.Static<typeof TemplateView>

/** The members of a body that are stored without further validation. */
export type WrittenDefinition = Omit<
  TemplateBody,
  'name' | 'code' | 'attributes' | 'format' | 'credentialFormat' | 'docType' | 'revocable'
> & { readonly revocable: boolean }
const ListQuery = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: {
    archived: Type.Enum(['true', 'false'], { description: 'Archived templates instead of active ones.' }),
    type: Type.String({
      minLength: 1,
      maxLength: 5000,
      description: 'Only those of this type, a VCT or document type, or of one of several separated by commas.',
    }),
  },
})

const ofCredentialTemplates = operationGroup({
  group: 'creds',
  tag: 'credential templates',
  path: '/templates/credentials',
  params: IdParams,
  reply: TemplateView,
  replyHeaders: ['ETag'],
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

/** Credential templates. */
export const credentialTemplates = {
  create: ofCredentialTemplates.post('', {
    summary:
      'Creates a credential template, which also publishes its type: ' +
      'in public metadata, and in the list of types of all tenants where `typeListing` is `listed`.',
    body: TemplateBody,
    status: 201,
    faults: ['state.conflict', 'reference.unknown'],
  }),

  list: ofCredentialTemplates.list('', {
    summary: 'Lists the credential templates of the tenant.',
    query: ListQuery,
  }),

  get: ofCredentialTemplates.get('/{id}', {
    summary: 'Returns a credential template, also an archived one.',
  }),

  replace: ofCredentialTemplates.put('/{id}', {
    summary:
      'Replaces a credential template. Existing issuances keep the version they were created from; code, format, docType and revocable cannot be changed.',
    body: TemplateBody,
    ifMatch: true,
    faults: ['state.conflict', 'resource.changed', 'reference.unknown'],
  }),

  archive: ofCredentialTemplates.delete('/{id}', {
    operationId: 'archiveCredentialTemplate',
    summary: 'Archives a credential template: nothing is issued from it any more, its type stays published.',
  }),

  restore: ofCredentialTemplates.post('/{id}/restore', {
    summary: 'Makes an archived credential template active again.',
  }),
} as const
