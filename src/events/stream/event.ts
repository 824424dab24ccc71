import { Type } from 'typebox'
import type { Detail } from '../audit/entry.ts'
import { publicEvents } from '../audit/vocabulary.ts'
import type { Position } from '../order/position.ts'

/** A public event as it was recorded, with its position in the order. */
export type PublishedEvent = Position & {
  readonly type: string
  readonly at: Date
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly detail: Detail
}

/** The reply schema of an event: ids and states, never a claim. A client fetches the rest with its own scopes. */
export const EventReply = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'The id of the event in webhooks (`webhook-id`), in the stream and in the list.',
    }),
    type: Type.Enum([...publicEvents]),
    createdAt: Type.String({ format: 'date-time' }),
    subject: Type.Object(
      { kind: Type.String(), id: Type.Union([Type.String(), Type.Null()]) },
      { additionalProperties: false, description: 'The resource that the event is about.' },
    ),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'Ids, counts and states.' }),
  },
  { additionalProperties: false, $id: 'Event' },
)

/** Returns an event in the form of {@link EventReply}. */
export function showEvent({ id, type, at, subjectKind, subjectId, detail }: PublishedEvent) {
  return {
    id,
    // Only public events have a type, and the list of them only grows.
    type: type as (typeof publicEvents)[number],
    createdAt: at.toISOString(),
    subject: { kind: subjectKind, id: subjectId },
    detail: { ...detail },
  }
}
