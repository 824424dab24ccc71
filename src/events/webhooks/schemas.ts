import { type Static, Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { UUID_PATTERN } from '../../uuid.ts'
import { publicEvents } from '../audit/vocabulary.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[^\\u0000]*$',
  description: 'https, a host name, no user, no fragment. In development http on this machine too.',
})
const FilterTypes = Type.Array(Type.Enum([...publicEvents]), {
  uniqueItems: true,
  maxItems: publicEvents.length,
  description: 'The types of event to send; none, or an empty list, means all of them.',
})
const time = Type.String({ format: 'date-time' })
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Body of POST. */
export const WebhookEndpointBody = Type.Object(
  { url: Url, filterTypes: Type.Optional(FilterTypes) },
  {
    additionalProperties: false,
    $id: 'WebhookEndpointBody',
    examples: [{ url: 'https://crm.example/hooks/chirograph', filterTypes: ['openid4vc.issuance.completed'] }],
  },
)
/** Checked body of POST. */
export type WebhookEndpointBody = Static<typeof WebhookEndpointBody>

/** Body of PATCH: what is absent stays. */
export const WebhookEndpointChange = Type.Object(
  {
    url: Type.Optional(Url),
    filterTypes: Type.Optional(FilterTypes),
    status: Type.Optional(
      Type.Enum(['active', 'disabled'], {
        description: '`active` switches an endpoint on again, however it went off.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'WebhookEndpointChange', examples: [{ status: 'active' }] },
)
/** Checked body of PATCH. */
export type WebhookEndpointChange = Static<typeof WebhookEndpointChange>

/** Body of the rotation. */
export const SecretRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'How long the former secret signs too; a day by default, 0 if it has leaked.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'WebhookSecretRotation', examples: [{ overlapSeconds: 3600 }] },
)

/** An endpoint as it leaves. */
export const WebhookEndpointReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    url: Type.String(),
    filterTypes: Type.Array(Type.Enum([...publicEvents])),
    status: Type.Enum(['active', 'disabled'], { description: 'Nothing is sent to a disabled one.' }),
    disabledReason: orNull(
      Type.Enum(['failing', 'gone', 'manual'], {
        description:
          '`failing`: every attempt of three days failed. `gone`: the receiver answered 410. `manual`: by PATCH.',
      }),
    ),
    disabledAt: orNull(time),
    failingSince: orNull({ ...time, description: 'Since when every attempt has failed.' }),
    secret: Type.Optional(
      Type.String({ description: 'The signing secret, shown with the answer that made it and never again.' }),
    ),
    createdAt: time,
    updatedAt: time,
  },
  { additionalProperties: false, $id: 'WebhookEndpoint' },
)
/** An endpoint as it leaves. */
export type WebhookEndpointReply = Static<typeof WebhookEndpointReply>

/** What the list of endpoints may be asked for. */
export const WebhookEndpointListQuery = listQuery({ filters: { status: Type.Enum(['active', 'disabled']) } })

const Attempt = Type.Object(
  {
    at: time,
    statusCode: orNull(Type.Integer()),
    error: orNull(
      Type.String({ description: 'Why there was no answer: the code of a fault, e.g. `upstream.timeout`.' }),
    ),
    durationMs: Type.Integer(),
  },
  { additionalProperties: false },
)

/** A delivery as it leaves. */
export const WebhookDeliveryReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    eventId: Type.String({ format: 'uuid', description: 'The `webhook-id` of every attempt.' }),
    type: Type.Enum([...publicEvents]),
    status: Type.Enum(['pending', 'delivered', 'dead'], {
      description: '`dead`: given up after three days; it is sent again when that is asked for.',
    }),
    attempts: Type.Array(Attempt, { description: 'The last 50. What the receiver said is not kept.' }),
    nextAttemptAt: orNull(time),
    createdAt: time,
    endedAt: orNull(time),
  },
  { additionalProperties: false, $id: 'WebhookDelivery' },
)
/** A delivery as it leaves. */
export type WebhookDeliveryReply = Static<typeof WebhookDeliveryReply>

/** What the list of deliveries may be asked for. */
export const WebhookDeliveryListQuery = listQuery({
  filters: {
    status: Type.Enum(['pending', 'delivered', 'dead']),
    type: Type.Enum([...publicEvents]),
    eventId: Type.String({ pattern: UUID_PATTERN }),
  },
})
