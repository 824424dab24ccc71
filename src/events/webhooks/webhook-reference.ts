import type { WebhookReference } from '../../http/openapi/openapi.ts'

const text = (description: string) => ({ type: 'string', description })
const header = (name: string, description: string) => ({ in: 'header', name, required: true, ...text(description) })

/** The message that a webhook endpoint receives, for the API reference. `GET /creds/events` lists the same events. */
export const webhookReference: WebhookReference = {
  summary: 'One event, in the format of Standard Webhooks.',
  description: [
    'Sent to each active endpoint whose filter includes the type. `webhook-signature` is `v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`,',
    'over the received bytes of the body, with the secret decoded from the base64 after `whsec_`; during a rotation there are two, separated by a space.',
    'Refuse timestamps more than five minutes off. Delivery is at least once: an event may arrive again with the same `webhook-id`, and out of order.',
    'The type of the message that `POST /creds/endpoints/{id}/test` sends is `webhook_endpoint.test`.',
    'Any status other than 2xx, or no response within 10 seconds, is retried for three days; 410 disables the endpoint.',
  ].join(' '),
  headers: [
    header('webhook-id', 'The id of the event, the same for each attempt.'),
    header('webhook-timestamp', 'Seconds since 1970, when this attempt was made.'),
    header('webhook-signature', 'One or two signatures, separated by a space.'),
  ].map(({ type, ...rest }) => ({ ...rest, schema: { type } })),
  body: {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { $ref: '#/components/schemas/EventType', description: 'Types are added over time; ignore unknown ones.' },
      timestamp: { type: 'string', format: 'date-time', description: 'The time of the event.' },
      data: {
        type: 'object',
        required: ['id', 'subject', 'detail'],
        properties: {
          id: { type: 'string', format: 'uuid' },
          subject: {
            type: 'object',
            required: ['kind', 'id'],
            properties: { kind: text('E.g. `issuance`.'), id: { type: ['string', 'null'] } },
          },
          detail: { type: 'object', description: 'Ids, counts and states; never a claim.' },
        },
      },
    },
  },
}
