import { type Static, Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { IdParams } from '../id-params.ts'
import { allLanguages } from '../languages.ts'
import { listQuery, PageMeta } from '../list-query.ts'
import { PDF } from '../media-types.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { CredentialDisplay } from './card-display.ts'

const { id: Uuid } = IdParams.properties

const DAY_SECONDS = 86_400

/** How long a link works: by default, and at most. */
export const sharedLinkSeconds = { byDefault: 30 * DAY_SECONDS, max: 365 * DAY_SECONDS } as const

/** States of a link. */
const sharedLinkStatuses = ['active', 'expired', 'ended'] as const

/** One of {@link sharedLinkStatuses}. */
export type SharedLinkStatus = (typeof sharedLinkStatuses)[number]

const text = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    // No control characters, and no blank first.
    pattern: '^[^ \\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description,
  })

const Recipient = text(200, 'Who the link is for, in the words of the holder. Shown to whoever opens it.')

const Purpose = text(500, 'What the link is for, in the words of the holder. Shown to whoever opens it.')

/** A claims path pointer (OpenID4VP 1.0, 7). */
const ClaimsPath = Type.Array(
  Type.Union([Type.String({ maxLength: 1000 }), Type.Integer({ minimum: 0 }), Type.Null()]),
  {
    minItems: 1,
    maxItems: 16,
  },
)

/** The hours of a link in which it was viewed. */
export const ViewsByHour = Type.Array(
  Type.Object({ hour: time, views: Type.Integer({ minimum: 1 }) }, { additionalProperties: false }),
  { description: 'The hours in which it was viewed, the first 100 of them, and how often in each.' },
)

/** A link of a holder, without its address. */
export const SharedLink = Type.Object(
  {
    id: Uuid,
    credentialId: Uuid,
    status: Type.Enum([...sharedLinkStatuses], {
      description: 'ended: by its holder, or because the credential was removed.',
    }),
    recipient: Recipient,
    purpose: Purpose,
    claims: Type.Array(Type.String(), {
      description: 'The names of what is shared, those that are always disclosed included: claim paths, dotted.',
    }),
    audience: Type.String({
      description: 'The `aud` of the key binding: an address that names the link without its secret.',
    }),
    createdAt: time,
    expiresAt: time,
    endedAt: Type.Optional(time),
    views: Type.Integer({ minimum: 0, description: 'How often its page was opened, or the presentation read.' }),
    viewedAt: Type.Optional(time),
    viewsByHour: ViewsByHour,
  },
  { additionalProperties: false, $id: 'SharedLink' },
)

/** The type of {@link SharedLink}. */
export type SharedLink = Static<typeof SharedLink>

/** A link as its creation returns it. */
const CreatedSharedLink = Type.Object(
  {
    ...SharedLink.properties,
    address: Type.String({ description: 'The address to give to the recipient. Returned this once, never stored.' }),
  },
  { additionalProperties: false, $id: 'CreatedSharedLink' },
)

/** The type of {@link CreatedSharedLink}. */
export type CreatedSharedLink = Static<typeof CreatedSharedLink>

const SharedLinkBody = Type.Object(
  {
    credentialId: Uuid,
    claims: Type.Array(ClaimsPath, {
      maxItems: 200,
      uniqueItems: true,
      description:
        'What to disclose besides what is always disclosed: claims path pointers into `claims` of the credential.',
    }),
    recipient: Recipient,
    purpose: Purpose,
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: sharedLinkSeconds.max,
        default: sharedLinkSeconds.byDefault,
        description: 'How long the link works; 30 days by default, 365 days at most.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'SharedLinkBody',
    examples: [
      {
        credentialId: '01937b5a-7c2e-7d10-9f3a-4b6c8d0e1f22',
        claims: [['degree'], ['family_name']],
        recipient: 'Globex, human resources',
        purpose: 'My application for the job as a developer',
      },
    ],
  },
)

/** The type of {@link SharedLinkBody}. */
export type SharedLinkBody = Static<typeof SharedLinkBody>

const ShareableValue = Type.Object(
  {
    path: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
      description: 'The claims path pointer of the value.',
    }),
    value: Type.Unsafe<Json>({ description: 'The whole value.' }),
  },
  { additionalProperties: false },
)

/** What of a credential a link can share. */
const ShareableClaims = Type.Object(
  {
    always: Type.Array(ShareableValue, { description: 'What every link shares: it is not selectively disclosable.' }),
    selectable: Type.Array(ShareableValue, { description: 'What a link shares where `claims` names it.' }),
  },
  { additionalProperties: false, $id: 'ShareableClaims' },
)

/** The type of {@link ShareableClaims}. */
export type ShareableClaims = Static<typeof ShareableClaims>

const faults = ['holder.missing'] as const

const ofLinks = operationGroup({
  group: 'wallet',
  tag: 'shared links',
  path: '/v2/shared-links',
  params: IdParams,
  reply: SharedLink,
  faults: [...faults],
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

/** Links by which a holder shows a credential to people without a verifier. */
export const sharedLinks = {
  create: ofLinks.post('', {
    operationId: 'createSharedLink',
    summary:
      'Creates a link that shows chosen claims of an SD-JWT VC to whoever opens it, and returns its address once. One copy of the credential is used.',
    body: SharedLinkBody,
    reply: CreatedSharedLink,
    status: 201,
    faults: [
      'resource.unknown',
      'shared_link.off',
      'shared_link.too_many',
      'shared_link.format',
      'shared_link.too_large',
      'credential.unmatched',
    ],
  }),

  list: ofLinks.get('', {
    operationId: 'listSharedLinks',
    summary: "Lists the holder's links, those that have ended too, without their addresses.",
    query: listQuery({ filters: { credentialId: Type.String({ format: 'uuid' }) } }),
    reply: Type.Array(SharedLink),
    meta: Type.Object({
      ...PageMeta.properties,
      isAvailable: Type.Boolean({
        description: 'Whether the organisation lets its people create links. false: those that are there still work.',
      }),
      credentials: Type.Record(Type.String(), CredentialDisplay, {
        description: 'How the credentials of the page look, by id; without those that were removed.',
      }),
    }),
  }),

  get: ofLinks.get('/{id}', { operationId: 'getSharedLink', summary: 'Returns one link, without its address.' }),

  end: ofLinks.delete('/{id}', {
    operationId: 'deleteSharedLink',
    summary: 'Ends a link for ever: its presentation is deleted. The history keeps that there was one.',
    reply: undefined,
  }),
} as const

/** What a link can share of a credential. */
export const shareableClaims = operationGroup({
  group: 'wallet',
  tag: 'shared links',
  params: IdParams,
  faults: [...faults],
  scope: 'wallet:read',
}).get('/v2/credentials/{id}/shareable-claims', {
  operationId: 'getShareableClaims',
  summary: 'Returns what a link can share of an accepted credential: always, and where its holder chooses it.',
  reply: ShareableClaims,
  faults: ['shared_link.off', 'shared_link.format', 'shared_link.too_large', 'credential.unmatched'],
})

const LinkDocumentBody = Type.Object(
  {
    address: Type.String({
      maxLength: 1000,
      description: 'The address that the creation of the link returned: the values are sealed with it.',
    }),
  },
  {
    additionalProperties: false,
    $id: 'LinkDocumentBody',
    examples: [{ address: 'https://wallet.example/shared/AZN7Wnwu…' }],
  },
)

/** A link as a document to print or to send. */
export const linkDocument = operationGroup({
  group: 'wallet',
  tag: 'shared links',
  path: '/v2/shared-links',
  params: IdParams,
  scope: 'wallet:write',
}).post('/{id}/document', {
  operationId: 'exportSharedLink',
  summary:
    'Returns a link that works as PDF: what it shows, its issuer, the status when it was printed, and the link as QR code. Counts as no view.',
  query: Type.Object(
    {
      language: Type.Optional(
        Type.Enum(allLanguages, { description: 'The language of the document; English by default.' }),
      ),
    },
    { additionalProperties: false },
  ),
  body: LinkDocumentBody,
  status: 200,
  produces: [PDF],
  faults: [...faults, 'state.invalid', 'request.rate_limited'],
})

/** A shared credential, as its link gives it to whoever has it. */
export const SharedPresentation = Type.Object(
  {
    id: Uuid,
    format: Type.Enum(['dc+sd-jwt']),
    presentation: Type.String({ description: 'An SD-JWT VC with key binding (RFC 9901).' }),
    audience: Type.String({ description: 'The `aud` of the key binding.' }),
    nonce: Type.String({ description: 'The `nonce` of the key binding.' }),
    organisation: Type.String({ description: 'The slug of the organisation whose wallet shares it.' }),
    recipient: Recipient,
    purpose: Purpose,
    createdAt: time,
    expiresAt: time,
    display: orNull(CredentialDisplay),
  },
  {
    additionalProperties: false,
    $id: 'SharedPresentation',
    description: 'The presentation proves itself; everything else here is what the wallet and its holder say.',
  },
)

/** The type of {@link SharedPresentation}. */
export type SharedPresentation = Static<typeof SharedPresentation>
