import { Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { exportTypes, listQuery, PageMeta } from '../list-query.ts'
import { EVENT_STREAM } from '../media-types.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { AuditEntryReply, AuditListQuery } from './audit.ts'
import { EventType } from './event-types.ts'
import { OTHER_NAMES, publicEvents, SUBJECT_NAME } from './vocabulary.ts'

/** The reply schema of an event: ids and states, never a claim. A client fetches the rest with its own scopes. */
export const EventReply = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'The id of the event in webhooks (`webhook-id`), in the stream and in the list.',
    }),
    type: EventType,
    createdAt: time,
    subject: Type.Object(
      {
        kind: Type.String(),
        id: orNull(Type.String()),
        name: Type.Optional(Type.String({ description: SUBJECT_NAME })),
      },
      { additionalProperties: false, description: 'The resource that the event is about.' },
    ),
    detail: Type.Record(Type.String(), Type.Unsafe<Json>({}), { description: 'Ids, counts and states.' }),
    names: Type.Optional(Type.Record(Type.String(), Type.String(), { description: OTHER_NAMES })),
  },
  { additionalProperties: false, $id: 'Event' },
)

const ANY_TYPE = publicEvents.map((one) => one.replaceAll('.', '\\.')).join('|')

const Time = time

const EventListQuery = listQuery({
  filters: {
    type: Type.String({
      pattern: `^(${ANY_TYPE})(,(${ANY_TYPE}))*$`,
      maxLength: 1000,
      description: 'The event type, or several separated by commas.',
      documentedAs: { type: 'array', minItems: 1, items: EventType },
    }),
    subject: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000]*$',
      description: 'The id of the subject.',
    }),
    createdAfter: Time,
    createdBefore: Time,
  },
})

const ofEvents = operationGroup({ group: 'creds', tag: 'events', scope: 'events:read' })

/** Public events, and the audit trail. */
export const events = {
  list: ofEvents.get('/events', {
    summary:
      'Lists events; with `Accept: text/event-stream` streams them, starting after `Last-Event-ID` if it is sent.',
    query: EventListQuery,
    reply: Type.Array(EventReply),
    meta: PageMeta,
    streams: EventReply,
    faults: ['request.rate_limited'],
    produces: [EVENT_STREAM, ...exportTypes],
  }),

  listAudit: ofEvents.list('/audit', {
    summary: 'Lists audit entries: actor, action, subject, time, IP address and result. Entries cannot be changed.',
    scope: 'audit:read',
    query: AuditListQuery,
    reply: AuditEntryReply,
  }),
} as const
