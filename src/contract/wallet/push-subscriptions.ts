import { type Static, Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { allLanguages } from '../languages.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'

const EXAMPLE_ENDPOINT = 'https://push.example/w/dGhlLWJyb3dzZXI'

const Time = time

const MessageLanguage = Type.Enum(allLanguages, { description: 'Language of the messages.' })

const Endpoint = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Address of the browser at its push service.',
})

/** A subscription in the examples of the reference: the keys of RFC 8291, appendix A. */
export const examplePushSubscription = {
  endpoint: EXAMPLE_ENDPOINT,
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  language: 'en',
} as const

/** Body of a new subscription: the `PushSubscription` of the browser as JSON, with a language. */
export const PushSubscriptionBody = Type.Object(
  {
    endpoint: Endpoint,
    keys: Type.Object(
      {
        p256dh: Type.String({
          pattern: '^[A-Za-z0-9_-]{87}$',
          description: 'Public key of the browser: an uncompressed point on P-256.',
        }),
        auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', description: 'Authentication secret of 16 bytes.' }),
      },
      { additionalProperties: false },
    ),
    expirationTime: Type.Optional(
      Type.Union([Type.Number(), Type.Null()], {
        description: 'As browsers state it. Not used: the push service says when a subscription has ended.',
      }),
    ),
    language: Type.Optional(MessageLanguage),
  },
  {
    additionalProperties: false,
    $id: 'PushSubscriptionBody',
    examples: [examplePushSubscription],
  },
)

/** The type of {@link PushSubscriptionBody}. */
export type PushSubscriptionBody = Static<typeof PushSubscriptionBody>

/** A subscription as the API shows it, without its keys. */
export const PushSubscriptionReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    endpoint: Endpoint,
    language: MessageLanguage,
    createdAt: Time,
    sentAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'When its push service took the last message.' }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'PushSubscription',
    examples: [
      {
        id: '01937b5a-7c2e-7d10-9f3a-4b6c8d0e1f22',
        endpoint: EXAMPLE_ENDPOINT,
        language: 'en',
        createdAt: '2026-03-02T09:30:00.000Z',
      },
    ],
  },
)

/** The type of {@link PushSubscriptionReply}. */
export type PushSubscriptionReply = Static<typeof PushSubscriptionReply>

/** What the list says besides. */
const PushMeta = Type.Object({
  applicationServerKey: Type.Optional(
    Type.String({
      description:
        'The `applicationServerKey` with which a browser subscribes: the public VAPID key. Absent where the deployment sends no messages.',
    }),
  ),
})

const ofPushSubscriptions = operationGroup({
  group: 'wallet',
  tag: 'push',
  path: '/v2/push-subscriptions',
  params: IdParams,
  reply: PushSubscriptionReply,
  faults: ['holder.missing'],
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

/** Browsers that are sent messages. */
export const pushSubscriptions = {
  list: ofPushSubscriptions.get('', {
    operationId: 'listPushSubscriptions',
    summary: "Lists the caller's browsers that are sent a message when something waits, at most 10, the newest first.",
    reply: Type.Array(PushSubscriptionReply),
    meta: PushMeta,
  }),

  subscribe: ofPushSubscriptions.post('', {
    operationId: 'createPushSubscription',
    summary:
      'Sends a message to a browser when an offer or a request waits, or the status of a credential changed. The message says nothing of either.',
    body: PushSubscriptionBody,
    status: 201,
    faults: ['push.off', 'request.invalid', 'encoding.invalid'],
  }),

  unsubscribe: ofPushSubscriptions.delete('/{id}', {
    operationId: 'deletePushSubscription',
    summary: 'Ends the messages to a browser.',
    reply: undefined,
  }),
} as const
