import { EventReply } from '../../contract/events/events.ts'
import type { publicEvents } from '../../contract/events/vocabulary.ts'
import type { Detail } from '../audit/entry.ts'
import { idsInDetail, type Names, namedIn } from '../audit/names.ts'
import type { Position } from '../order/position.ts'

/** A public event as it was recorded, with its position in the order. */
export type PublishedEvent = Position & {
  readonly type: string
  readonly at: Date
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly detail: Detail
}

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
