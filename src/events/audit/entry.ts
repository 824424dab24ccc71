import type { Caller } from '../../caller.ts'
import { type AuditAction, isPublicEvent, type SubjectKind } from '../../contract/events/vocabulary.ts'
import { idAt } from '../../store/row-id.ts'

/**
 * An unauthenticated caller of the protocol surface or the sign-in pages. Its id, if any, is self-asserted (a client
 * id, an issuer URL).
 */
export type AnonymousActor = {
  readonly kind: 'wallet' | 'verifier' | 'issuer' | 'user'
  readonly id?: string
  readonly ip?: string
  readonly requestId?: string
}

/** The actor of an entry. `system`: a job or the start of the server. `client`: a client at the token endpoint. */
export type Actor = ActorColumns | AnonymousActor | 'system' | Machine

/** The members of a caller that an entry records. */
export type ActorColumns = Pick<Caller, 'actor' | 'actingClientId' | 'ip' | 'requestId'>

type Machine = { readonly kind: 'client'; readonly id: string; readonly ip: string; readonly requestId: string }

/** Ids, counts and states. Never a claim, a name, a token or a key. */
export type Detail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** An entry to record. It is a public event too when its action is one of `publicEvents`. */
export type AuditEntry = {
  readonly action: AuditAction
  readonly subject: { readonly kind: SubjectKind; readonly id: string | null }
  readonly by: Actor
  /** `done` by default. A refusal is recorded where the attempt alone matters (impersonation, transaction codes). */
  readonly result?: 'done' | 'refused'
  readonly detail?: Detail
}

/** Returns the entry as the columns of its row, without the tenant. */
export function columnsOf({ action, subject, by, result, detail }: AuditEntry, now: Date) {
  const { kind, id, client, ip, requestId } = actorOf(by)
  return {
    id: idAt(now),
    at: now.toISOString(),
    actor_kind: kind,
    actor_id: id,
    acting_client: client,
    ip,
    request_id: requestId,
    action,
    event_type: isPublicEvent(action) ? action : null,
    subject_kind: subject.kind,
    subject_id: subject.id,
    result: result ?? 'done',
    detail: detail ?? {},
    // Members that are missing are null.
    ...(action === 'user.notification' && { notified_user: detail?.userId }),
  }
}

function actorOf(by: Actor) {
  if (by === 'system') return { kind: by, id: null, client: null, ip: null, requestId: null }
  if ('actor' in by) {
    const { actor, actingClientId: client, ip, requestId } = by
    return { kind: actor.kind, id: actor.id, client, ip, requestId }
  }
  const { kind, id = null, ip = null, requestId = null } = by
  return { kind, id, client: null, ip, requestId }
}
