import { type Static, Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { dcqlLimits } from '../../protocols/dcql/query.ts'
import { requestSchemes } from '../../protocols/openid4vp/request-link.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { Attributes, CredentialInTemplate, queryMembers, templateFormats } from './requested-credentials.ts'

/** Ten years. */
const RETENTION_SECONDS_MAX = 315_360_000

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
        minLength: 1,
        maxLength: 256,
        pattern: '^[!-9;-~]+$',
        description: 'With `pre-registered`: the client identifier that the wallets know, without a colon.',
      }),
    ),
    verifierAttestation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_384,
        description:
          'With `verifier_attestation`: the Verifier Attestation JWT, whose `cnf` is the request key of the organisation.',
      }),
    ),
    purpose: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'Why the organisation asks, in the words that the wallet shows to the holder.',
      }),
    ),
    scheme: Type.Optional(
      Type.Enum([...requestSchemes], {
        description:
          'The scheme of the link that opens a wallet, by default `openid4vp`. Others are those of HAIP and of ' +
          'ecosystems whose wallets register no other.',
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
              Type.Record(Type.String(), Type.Unsafe<Json>({})),
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
    createdAt: time,
    updatedAt: time,
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
const PresentationTemplateMeta = Type.Object(
  {
    verifierConfig: orNull(VerifierConfigBody),
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

const ofPresentationTemplates = operationGroup({
  group: 'creds',
  scope: { read: 'verification:read', write: 'verification:write' },
  tag: 'presentation templates',
  path: '/templates/presentations',
  reply: PresentationTemplateReply,
  meta: PresentationTemplateMeta,
  replyHeaders: ['ETag'],
})

const TemplateList = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: {
    type: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Only those that ask for a credential of this type: a VCT or document type.',
    }),
  },
})

/** Templates of presentation requests. */
export const presentationTemplates = {
  create: ofPresentationTemplates.post('', {
    summary:
      'Creates a presentation template: the credentials and claims to request, and the conditions on their values.',
    body: PresentationTemplateBody,
    status: 201,
  }),

  list: ofPresentationTemplates.list('', {
    summary: 'Lists the presentation templates that are not archived.',
    query: TemplateList,
  }),

  get: ofPresentationTemplates.get('/{id}', {
    summary: 'Returns a presentation template; the members that are accepted in request bodies only are in `meta`.',
  }),

  replace: ofPresentationTemplates.put('/{id}', {
    summary: 'Replaces a presentation template entirely. Existing requests keep their copy of it.',
    body: PresentationTemplateBody,
    ifMatch: true,
    faults: ['resource.changed'],
  }),

  archive: ofPresentationTemplates.delete('/{id}', {
    operationId: 'archivePresentationTemplate',
    summary: 'Archives a presentation template. Open requests stay open.',
  }),
} as const
