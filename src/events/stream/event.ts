import { Type } from 'typebox'
import type { Detail } from '../audit/entry.ts'
import { publicEvents } from '../audit/vocabulary.ts'
import type { Position } from './position.ts'

/** A public event as it was recorded, with its place in the order. */
export type PublishedEvent = Position & {
  readonly type: string
  readonly at: Date
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly detail: Detail
}

/** An event as it leaves: ids and states, so that a reader asks for what it may see. Never a claim. */
export const EventReply = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The same in every way that the event is told; `webhook-id` too.' }),
    type: Type.Enum([...publicEvents]),
    createdAt: Type.String({ format: 'date-time' }),
    subject: Type.Object(
      { kind: Type.String(), id: Type.Union([Type.String(), Type.Null()]) },
      { additionalProperties: false, description: 'What it happened to.' },
    ),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'Ids, counts and states that belong to it.' }),
  },
  { additionalProperties: false, $id: 'Event' },
)

/** An event in the form of {@link EventReply}. */
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
