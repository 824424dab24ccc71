import { type Static, Type } from 'typebox'
import { UUID_PATTERN } from '../../uuid.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { EventType } from './event-types.ts'
import { publicEvents } from './vocabulary.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[^\\u0000]*$',
  description:
    'An https URL with a host name, without user and fragment. In development http to the loopback address too.',
})

const FilterTypes = Type.Array(EventType, {
  uniqueItems: true,
  maxItems: publicEvents.length,
  description: 'The event types to send; all types when absent or empty.',
})

/** Beyond it nothing is counted, so that the list of endpoints stays fast. */
export const COUNT_MAX = 1000

const Count = Type.Integer({ minimum: 0, maximum: COUNT_MAX })

/** The body that creates an endpoint. */
export const WebhookEndpointBody = Type.Object(
  { url: Url, filterTypes: Type.Optional(FilterTypes) },
  {
    additionalProperties: false,
    $id: 'WebhookEndpointBody',
    examples: [{ url: 'https://crm.example/hooks/chirograph', filterTypes: ['openid4vc.issuance.completed'] }],
  },
)

/** The validated body that creates an endpoint. */
export type WebhookEndpointBody = Static<typeof WebhookEndpointBody>

/** The body that changes an endpoint. Absent members stay unchanged. */
export const WebhookEndpointChange = Type.Object(
  {
    url: Type.Optional(Url),
    filterTypes: Type.Optional(FilterTypes),
    status: Type.Optional(
      Type.Enum(['active', 'disabled'], {
        description: '`active` enables an endpoint again, whatever disabled it.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'WebhookEndpointChange', examples: [{ status: 'active' }] },
)

/** The validated body that changes an endpoint. */
export type WebhookEndpointChange = Static<typeof WebhookEndpointChange>

/** The body that rotates the signing secret. */
const SecretRotation = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'How long the former secret signs too; a day by default. Use 0 if it has leaked.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'WebhookSecretRotation', examples: [{ overlapSeconds: 3600 }] },
)

/** The `meta` of a rotation. */
const RotatedMeta = Type.Object({ formerSecretUntil: time })

const shown = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  filterTypes: Type.Array(EventType),
  status: Type.Enum(['active', 'disabled'], { description: 'Nothing is sent to a disabled endpoint.' }),
  disabledReason: orNull(
    Type.Enum(['failing', 'gone', 'manual'], {
      description:
        '`failing`: every attempt of three days failed. `gone`: the receiver responded with 410. `manual`: by PATCH.',
    }),
  ),
  disabledAt: orNull(time),
  failingSince: orNull({ ...time, description: 'The time since which every attempt has failed.' }),
  counts: Type.Optional(
    Type.Object(
      { pending: Count, delivered: Count, dead: Count },
      {
        additionalProperties: false,
        description: `Kept deliveries by status, each counted up to ${COUNT_MAX}. Only where endpoints are read.`,
      },
    ),
  ),
  createdAt: time,
  updatedAt: time,
} as const

/** The reply schema of an endpoint. */
export const WebhookEndpointReply = Type.Object(shown, { additionalProperties: false, $id: 'WebhookEndpoint' })

/** The reply schema of an endpoint that has a new signing secret. */
const WebhookEndpointWithSecretReply = Type.Object(
  { ...shown, secret: Type.String({ description: 'The signing secret. It is shown in this response only.' }) },
  { additionalProperties: false, $id: 'WebhookEndpointWithSecret' },
)

/** An endpoint in a reply. */
export type WebhookEndpointReply = Static<typeof WebhookEndpointReply>

/** The query of the list of endpoints. */
const WebhookEndpointListQuery = listQuery({ filters: { status: Type.Enum(['active', 'disabled']) } })

const Attempt = Type.Object(
  {
    at: time,
    statusCode: orNull(Type.Integer()),
    error: orNull(Type.String({ description: 'Why there was no response, e.g. `upstream.timeout`.' })),
    durationMs: Type.Integer(),
  },
  { additionalProperties: false },
)

/** The reply schema of a delivery. */
export const WebhookDeliveryReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    eventId: Type.String({ format: 'uuid', description: 'The `webhook-id` of every attempt.' }),
    type: EventType,
    status: Type.Enum(['pending', 'delivered', 'dead'], {
      description: '`dead`: not delivered in three days, and not retried unless it is redelivered.',
    }),
    attempts: Type.Array(Attempt, { description: 'The last 50 attempts. Response bodies are not kept.' }),
    body: Type.Optional(
      orNull(
        Type.String({
          description:
            'The body that each attempt sends, byte for byte. Only where one delivery is read; null if the event is gone.',
        }),
      ),
    ),
    nextAttemptAt: orNull(time),
    createdAt: time,
    endedAt: orNull(time),
  },
  { additionalProperties: false, $id: 'WebhookDelivery' },
)

/** A delivery in a reply. */
export type WebhookDeliveryReply = Static<typeof WebhookDeliveryReply>

/** The reply schema of a test. */
const WebhookTestReply = Type.Object(
  {
    eventId: Type.String({ format: 'uuid', description: 'The `webhook-id` of the message.' }),
    body: Type.String({ description: 'The body that was sent, byte for byte.' }),
    attempt: Attempt,
  },
  { additionalProperties: false, $id: 'WebhookTest' },
)

/** The query of the list of deliveries. */
const WebhookDeliveryListQuery = listQuery({
  filters: {
    status: Type.Enum(['pending', 'delivered', 'dead']),
    type: EventType,
    eventId: Type.String({ pattern: UUID_PATTERN }),
  },
})

const ofWebhooks = operationGroup({
  group: 'creds',
  tag: 'webhooks',
  path: '/endpoints',
  scope: { read: 'events:read', write: 'webhooks:write' },
  reply: WebhookEndpointReply,
})

const ofWebhookDeliveries = operationGroup({
  group: 'creds',
  tag: 'webhooks',
  path: '/endpoints/{id}/deliveries',
  scope: { read: 'events:read', write: 'webhooks:write' },
  reply: WebhookDeliveryReply,
})

/** Webhook endpoints. */
export const webhooks = {
  create: ofWebhooks.post('', {
    operationId: 'createWebhookEndpoint',
    summary: 'Creates a webhook endpoint. Only this response contains its signing secret.',
    body: WebhookEndpointBody,
    reply: WebhookEndpointWithSecretReply,
    status: 201,
    faults: ['state.conflict'],
  }),

  list: ofWebhooks.list('', {
    summary: 'Lists webhook endpoints.',
    query: WebhookEndpointListQuery,
  }),

  get: ofWebhooks.get('/{id}', {
    summary: 'Reads a webhook endpoint.',
  }),

  change: ofWebhooks.patch('/{id}', {
    summary:
      'Changes, disables or enables a webhook endpoint. When enabled, it is sent the events of the last three days.',
    body: WebhookEndpointChange,
  }),

  delete: ofWebhooks.delete('/{id}', {
    operationId: 'deleteWebhookEndpoint',
    summary: 'Deletes a webhook endpoint with its secrets and deliveries.',
    reply: undefined,
  }),

  rotateSecret: ofWebhooks.post('/{id}/secret/rotate', {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotates the signing secret. The former one signs too until `meta.formerSecretUntil`.',
    body: SecretRotation,
    reply: WebhookEndpointWithSecretReply,
    meta: RotatedMeta,
  }),

  test: ofWebhooks.post('/{id}/test', {
    operationId: 'testWebhookEndpoint',
    summary:
      'Sends a test message, signed like an event, and returns what became of it. It is not retried, and changes nothing at the endpoint.',
    reply: WebhookTestReply,
    faults: ['request.rate_limited'],
  }),
} as const

/** Deliveries to a webhook endpoint. */
export const webhookDeliveries = {
  list: ofWebhookDeliveries.list('', {
    summary: 'Lists the deliveries to a webhook endpoint with their attempts. A finished delivery is kept for 30 days.',
    query: WebhookDeliveryListQuery,
  }),

  get: ofWebhookDeliveries.get('/{deliveryId}', {
    summary: 'Reads a delivery with its body.',
  }),

  redeliver: ofWebhookDeliveries.post('/{deliveryId}/redeliver', {
    summary: 'Sends an event again, whatever the status of its delivery.',
    status: 202,
    faults: ['state.invalid'],
  }),
} as const
