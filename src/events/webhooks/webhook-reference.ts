import type { WebhookReference } from '../../http/openapi/openapi.ts'
import { publicEvents } from '../audit/vocabulary.ts'

const text = (description: string) => ({ type: 'string', description })
const header = (name: string, description: string) => ({ in: 'header', name, required: true, ...text(description) })

/** What is sent to a webhook endpoint, for the reference of the API. `GET /creds/events` shows the same events. */
export const webhookReference: WebhookReference = {
  summary: 'One event, as Standard Webhooks says.',
  description: [
    'Sent to each active endpoint that wants the type. `webhook-signature` is `v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`,',
    'with the bytes of the body as they came and the secret decoded from base64 behind `whsec_`; during a rotation there are two, with a space between.',
    'Refuse time stamps more than five minutes off. An event may come more than once, with the same `webhook-id`, and out of order.',
    'Any other status than 2xx, or no answer within 10 seconds, is tried again for three days; 410 disables the endpoint.',
  ].join(' '),
  headers: [
    header('webhook-id', 'The id of the event, the same for each attempt.'),
    header('webhook-timestamp', 'Seconds since 1970, when this attempt was made.'),
    header('webhook-signature', 'One or two signatures, with a space between.'),
  ].map(({ type, ...rest }) => ({ ...rest, schema: { type } })),
  body: {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { enum: [...publicEvents], description: 'Types are added; ignore those that you do not know.' },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
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
