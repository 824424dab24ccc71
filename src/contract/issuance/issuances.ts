import { Type } from 'typebox'
import type { Json, JsonObject } from '../../crypto/json.ts'
import { IdParams } from '../id-params.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { OfferMailBody, OfferMailView } from './offer-mails.ts'

const Uuid = Type.String({ format: 'uuid' })

const Time = time

/** Every state of an issuance. */
export const issuanceStatuses = ['offered', 'partiallyIssued', 'completed', 'failed', 'expired', 'canceled'] as const

/** Every state of a credential in an issuance. */
export const credentialStatuses = [
  'offered',
  'deferred',
  'issued',
  'accepted',
  'rejected',
  'failed',
  'expired',
  'suspended',
  'revoked',
] as const

/** Why a credential was revoked or suspended. Words, so that no personal data is kept. */
export const statusReasons = ['lost', 'replaced', 'mistake', 'withdrawn', 'ended', 'other'] as const

/** Bounds of `expiresInSeconds`: a minute to 30 days. */
export const EXPIRES_IN_SECONDS = { minimum: 60, maximum: 2_592_000 } as const

/** The user of the tenant who receives a delivery. */
const RecipientBody = Type.Object(
  {
    identifierType: Type.Enum(['email', 'username', 'externalIdentifier'], { description: 'What `value` is.' }),
    value: Type.String({ minLength: 1, maxLength: 512 }),
  },
  {
    additionalProperties: false,
    description:
      'A user of the tenant. The credential is delivered to their wallet as pending; meta.delivery has the outcome.',
  },
)

const ownMoment = (description: string) =>
  Type.Optional(Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })], { description }))

/** When one credential is valid. */
const ownValidity = {
  validFrom: ownMoment(
    'When the validity of this credential begins: a date (00:00 UTC) or a time; by default as the template has it.',
  ),
  validUntil: ownMoment(
    'When the validity of this credential ends: a date (00:00 UTC) or a time; by default as the template has it. ' +
      'Of an mdoc no later than the certificate of its signer.',
  ),
} as const

/** When a credential that is replaced is revoked. */
export const replacementTimes = ['whenTaken', 'atOnce', 'never'] as const

/** See {@link replacementTimes}. */
export type ReplacementTime = (typeof replacementTimes)[number]

const revokeTime = Type.Enum([...replacementTimes], {
  description:
    'When the old credential is revoked: by default when the new one was taken (its wallet reported that the holder ' +
    'accepted it, or ten minutes have passed since it was issued), at once, or never. The offer of a credential that ' +
    'nobody has taken is withdrawn at once, unless never.',
})

const ReplacesBody = Type.Object(
  {
    id: Type.Optional(Type.String({ format: 'uuid', description: 'Id of the credential, or of its issuance.' })),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\u0000]*$',
        description: 'In place of the id: the reference of the one credential of this template that has it.',
      }),
    ),
    revoke: Type.Optional(revokeTime),
  },
  {
    additionalProperties: false,
    description:
      'The credential whose place this one takes: a correction, or a renewal. Without a reference of its own the new ' +
      'issuance has that of the old one. One at a time takes the place of a credential.',
  },
)

/** Creates an issuance. */
export const CreateIssuanceBody = Type.Object(
  {
    credentialTemplateId: Type.String({ format: 'uuid', description: 'The credential template to issue from.' }),
    attributes: Type.Unsafe<JsonObject>(
      Type.Record(Type.String(), Type.Unsafe<Json>({}), {
        description:
          'The claims of the credential, by attribute name of the template; of an mdoc {namespace: {element: value}}. Validated at once.',
      }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        ...EXPIRES_IN_SECONDS,
        description:
          'Lifetime of the offer; by default that of the organisation, else OFFER_TTL_SECONDS, of a mailed offer at least 7 days.',
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Your own identifier; returned, and a filter of the list.',
      }),
    ),
    ...ownValidity,
    replaces: Type.Optional(ReplacesBody),
    recipient: Type.Optional(RecipientBody),
    mail: Type.Optional(OfferMailBody),
    grants: Type.Optional(
      Type.Array(Type.Enum(['pre-authorized_code', 'authorization_code']), {
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
        description:
          'How the offer may be redeemed; pre-authorized_code by default. With authorization_code the recipient gets the credential into any wallet by signing in and agreeing, and nothing is delivered. An organisation under HAIP 1.0 has authorization_code only, also by default.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'OpenIssuanceBody',
    examples: [
      {
        credentialTemplateId: '01890000-0000-7000-8000-000000000000',
        attributes: { family_name: 'Molefe', degree: 'BSc Computer Science', grade: 78 },
        reference: 'student-4711',
      },
    ],
  },
)

/** See the schema of the same name. */
export type CreateIssuanceBody = Type.Static<typeof CreateIssuanceBody>

/** Offers again. */
const OfferAgainBody = Type.Object(
  {
    expiresInSeconds: Type.Optional(
      Type.Integer({
        ...EXPIRES_IN_SECONDS,
        description:
          'Lifetime of the offer from now on; by default that of the organisation, else OFFER_TTL_SECONDS, of a mailed offer at least 7 days.',
      }),
    ),
    mail: Type.Optional(OfferMailBody),
  },
  { additionalProperties: false, $id: 'OfferAgainBody', examples: [{ expiresInSeconds: 604_800 }] },
)

const Entry = Type.Object(
  {
    id: Type.String({ description: 'Id of the issued credential.' }),
    status: Type.Enum([...credentialStatuses]),
    credentialTemplateId: Type.String(),
    exchange: Type.Literal('openid4vc'),
    format: Type.Enum(['sd-jwt-vc', 'mdoc']),
    revocable: Type.Boolean(),
  },
  { $id: 'IssuedCredential' },
)

const Failure = Type.Object({
  code: Type.Number(),
  message: Type.String(),
  details: Type.Array(Type.Unsafe<Json>({})),
})

/** An issuance in our API. */
export const IssuanceView = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...issuanceStatuses]),
    error: orNull(Failure),
    credentials: Type.Array(Entry),
    templateName: Type.String({ description: 'Name of the credential template.' }),
    label: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'The values of the attributes that the template names as its label. Absent once the offer ended without a credential.',
      }),
    ),
    offerMail: Type.Optional(OfferMailView),
    reference: Type.Optional(Type.String()),
    batchId: Type.Optional(Type.String({ description: 'The batch that it was created by, as long as that is kept.' })),
    recipient: Type.Optional(
      Type.Object(
        { userId: Type.String(), username: Type.Optional(Type.String()) },
        { description: 'The user of the tenant that it was made for; without a username the user was deleted.' },
      ),
    ),
    reason: Type.Optional(Type.Enum([...statusReasons], { description: 'Why it was revoked or suspended.' })),
    replaces: Type.Optional(
      Type.Object(
        { issuanceId: Type.String(), credentialId: Type.String(), revoke: revokeTime },
        { description: 'The credential whose place this one takes.' },
      ),
    ),
    replacedBy: Type.Optional(
      Type.Object(
        { issuanceId: Type.String(), credentialId: Type.String() },
        { description: 'The credential that takes the place of this one, unless that came to nothing.' },
      ),
    ),
    issuedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When a wallet fetched the credential.' })),
    acceptedAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the wallet reported that its holder accepted it.' }),
    ),
    validFrom: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the validity begins, where it was stated for this credential.',
      }),
    ),
    validUntil: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the validity ends: of an issued credential, or as it was stated for this one.',
      }),
    ),
    createdAt: Time,
    updatedAt: Time,
    expiresAt: Type.String({ format: 'date-time', description: 'When the offer ends.' }),
    offerPageUri: Type.String({
      description:
        'A page for the holder: take the offer here, open another wallet, or scan it with another device. For mails ' +
        'and messages. This and the next three are empty for callers without `issuance:write`: a wallet that has one ' +
        'can take the credential.',
    }),
    offerPageQrUri: Type.String({
      description: 'The address of the page as a QR code image, for the camera of a phone.',
    }),
    offerUri: Type.String({ description: 'The credential offer, for a wallet to accept.' }),
    offerQrUri: Type.String({
      description: 'The offer as a QR code image, for wallets; they accept this address as the offer, too.',
    }),
    txCode: Type.Optional(
      Type.String({
        description:
          'The transaction code that the holder must enter, returned once. Send it over another channel than the offer.',
      }),
    ),
  },
  { $id: 'Issuance' },
)

/** See the schema of the same name. */
export type IssuanceView = Type.Static<typeof IssuanceView>

/** Query of the list of issuances. */
export const IssuanceListQuery = listQuery({
  filters: {
    templateId: Uuid,
    status: Type.Enum([...issuanceStatuses]),
    credentialStatus: Type.Enum([...credentialStatuses], { description: 'The state of the credential in it.' }),
    reference: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }),
    recipient: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\u0000]*$',
      description: 'The username or id of the user that it was made for.',
    }),
    batchId: Uuid,
    hasFailedMail: Type.Enum(['true'], {
      description: 'The mail with its offer failed within the last 30 days, before the offer ended.',
    }),
    validBefore: Type.String({
      format: 'date-time',
      description: 'Issued credentials whose validity ends before this time.',
    }),
    validAfter: Type.String({
      format: 'date-time',
      description: 'Issued credentials whose validity ends at this time or later.',
    }),
    createdAfter: Time,
    createdBefore: Time,
  },
  searches: ['reference', 'name'],
  aboutSearch: {
    name:
      'Only those whose label has all of these words, eight at most, in any order. Whole words: case and accents do ' +
      'not count, and ae, oe and ue are as good as ä, ö and ü.',
  },
})

/** See the schema of the same name. */
export type IssuanceListQuery = Type.Static<typeof IssuanceListQuery>
const Delivery = Type.Object(
  { id: Type.String(), status: Type.String() },
  { description: 'With a recipient: the delivery, as in `GET /wallet/v2/orgs/deliveries/{id}`.' },
)

const ofIssuances = operationGroup({
  group: 'creds',
  tag: 'issuances',
  params: IdParams,
  reply: IssuanceView,
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

const list = { summary: 'Lists the issuances of the tenant.', query: IssuanceListQuery } as const
const get = { summary: 'Returns an issuance; with `Prefer: wait`, once it has changed.', longPoll: true } as const
const cancel = { summary: 'Cancels an open issuance and erases its claims.', faults: ['state.invalid'] } as const
const renewOffer = {
  summary:
    'Offers a credential again under the same link, while its claims are kept; returns the transaction code again. An access token for it is revoked.',
  body: OfferAgainBody,
  faults: ['state.invalid'],
} as const

/** Issuances. Most operations stand at two paths; the longer one is that of the contract for POST. */
export const issuances = {
  create: ofIssuances.post('/credentials/issuance', {
    summary:
      'Creates an issuance and returns the credential offer to show to the holder; with a recipient, delivers the credential to that user.',
    body: CreateIssuanceBody,
    meta: Type.Object({ delivery: Type.Optional(Delivery) }),
    faults: [
      'resource.unknown',
      'attributes.rejected',
      'certificate.none_active',
      'state.invalid',
      'state.conflict',
      'offer.format',
    ],
  }),

  list: ofIssuances.list('/credentials', { ...list, operationId: 'listIssuances' }),
  listAtIssuancePath: ofIssuances.list('/credentials/issuance', {
    ...list,
    operationId: 'listIssuancesAtIssuancePath',
  }),

  get: ofIssuances.get('/credentials/{id}', { ...get, operationId: 'getIssuance' }),
  getAtIssuancePath: ofIssuances.get('/credentials/issuance/{id}', {
    ...get,
    operationId: 'getIssuanceAtIssuancePath',
  }),

  cancel: ofIssuances.delete('/credentials/{id}', { ...cancel, operationId: 'cancelIssuance' }),
  cancelAtIssuancePath: ofIssuances.delete('/credentials/issuance/{id}', {
    ...cancel,
    operationId: 'cancelIssuanceAtIssuancePath',
  }),

  renewOffer: ofIssuances.post('/credentials/{id}/offer', { ...renewOffer, operationId: 'renewOffer' }),
  renewOfferAtIssuancePath: ofIssuances.post('/credentials/issuance/{id}/offer', {
    ...renewOffer,
    operationId: 'renewOfferAtIssuancePath',
  }),
} as const
