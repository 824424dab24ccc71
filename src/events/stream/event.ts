import { Type } from 'typebox'
import type { Detail } from '../audit/entry.ts'
import { idsInDetail, type Names, namedIn, OTHER_NAMES, SUBJECT_NAME } from '../audit/names.ts'
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
      {
        kind: Type.String(),
        id: Type.Union([Type.String(), Type.Null()]),
        name: Type.Optional(Type.String({ description: SUBJECT_NAME })),
      },
      { additionalProperties: false, description: 'The resource that the event is about.' },
    ),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'Ids, counts and states.' }),
    names: Type.Optional(Type.Record(Type.String(), Type.String(), { description: OTHER_NAMES })),
  },
  { additionalProperties: false, $id: 'Event' },
)

/** Returns the ids of an event that may have names. */
export function idsOfEvent({ subjectKind, subjectId, detail }: PublishedEvent) {
  return [...(subjectId === null ? [] : [{ kind: subjectKind, id: subjectId }]), ...idsInDetail(detail)]
}

/** As {@link showEvent}, with names. */
export function showNamedEvent({ names, ...event }: PublishedEvent & { readonly names: Names }) {
  const { subject, ...rest } = showEvent(event)
  const name = names.of(subject.kind, subject.id)
  const others = namedIn(names, idsInDetail(event.detail))
  return { ...rest, subject: { ...subject, ...(name !== null && { name }) }, ...(others && { names: others }) }
}

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
