import { Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import type { JsonObject } from '../../crypto/json.ts'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })

/** Every state of an issuance. */
export const issuanceStatuses = ['offered', 'partiallyIssued', 'completed', 'failed', 'expired', 'canceled'] as const
/** Every state of a credential in an issuance. */
export const credentialStatuses = [
  ...['offered', 'deferred', 'issued', 'accepted', 'rejected'],
  ...['failed', 'expired', 'suspended', 'revoked'],
] as const

/** Bounds of `expiresInSeconds`: a minute to 30 days. */
export const EXPIRES_IN_SECONDS = { minimum: 60, maximum: 2_592_000 } as const

/** The user of the tenant whose wallet something is delivered into. */
export const RecipientBody = Type.Object(
  {
    identifierType: Type.Enum(['email', 'username', 'externalIdentifier'], { description: 'What `value` is.' }),
    value: Type.String({ minLength: 1, maxLength: 512 }),
  },
  {
    additionalProperties: false,
    description:
      'A user of the tenant, into whose wallet it is delivered at once, as pending; meta.delivery tells how that went.',
  },
)

/** What opens an issuance. */
export const CreateIssuanceBody = Type.Object(
  {
    credentialTemplateId: Type.String({ format: 'uuid', description: 'Which credential template to issue from.' }),
    attributes: Type.Unsafe<JsonObject>(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What the credential will say, by attribute name of the template; of an mdoc {namespace: {element: value}}. Checked at once.',
      }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        ...EXPIRES_IN_SECONDS,
        description: 'How long the offer may be redeemed; OFFER_TTL_SECONDS by default.',
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Your own name for it; echoed, and a filter of the list.',
      }),
    ),
    recipient: Type.Optional(RecipientBody),
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
  details: Type.Array(Type.Unknown()),
})

/** An issuance as our API shows it. */
export const IssuanceView = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...issuanceStatuses]),
    error: Type.Union([Failure, Type.Null()]),
    credentials: Type.Array(Entry),
    reference: Type.Optional(Type.String()),
    createdAt: Time,
    updatedAt: Time,
    expiresAt: Type.String({ format: 'date-time', description: 'Until when the offer can be redeemed.' }),
    offerUri: Type.String({ description: 'The credential offer, for a wallet to accept.' }),
    offerQrUri: Type.String({
      description: 'Picture of the offer as a QR code; a wallet takes it for the offer, too.',
    }),
    txCode: Type.Optional(
      Type.String({
        description: 'Told once: the code that the holder must enter. Send it on another way than the offer.',
      }),
    ),
  },
  { $id: 'Issuance' },
)
/** See the schema of the same name. */
export type IssuanceView = Type.Static<typeof IssuanceView>

/** What the list of issuances may be asked for. */
export const IssuanceListQuery = listQuery({
  filters: {
    templateId: Uuid,
    status: Type.Enum([...issuanceStatuses]),
    reference: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }),
    createdAfter: Time,
    createdBefore: Time,
  },
})
/** See the schema of the same name. */
export type IssuanceListQuery = Type.Static<typeof IssuanceListQuery>
