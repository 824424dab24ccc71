import type { Caller } from '../../caller.ts'
import { idAt } from '../../store/row-id.ts'
import { type AuditAction, isPublicEvent, type SubjectKind } from './vocabulary.ts'

/** A stranger at the protocol surface: its id, if any, is what it calls itself (a client id, an issuer URL). */
export type AnonymousActor = {
  readonly kind: 'wallet' | 'verifier' | 'issuer'
  readonly id?: string
  readonly ip?: string
  readonly requestId?: string
}

/** Who did it. `system`: a job or the start of the server. `client`: one that is not a Caller yet. */
export type Actor = ActorColumns | AnonymousActor | 'system' | Machine

/** As much of a caller as an entry says. */
export type ActorColumns = Pick<Caller, 'actor' | 'actingClientId' | 'ip' | 'requestId'>

type Machine = { readonly kind: 'client'; readonly id: string; readonly ip: string; readonly requestId: string }

/** What a detail may hold: ids, counts, states. Never a claim, a name, a token or a key. */
export type Detail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** One line of the audit trail. It is a public event too when its action is one of `publicEvents`. */
export type AuditEntry = {
  readonly action: AuditAction
  readonly subject: { readonly kind: SubjectKind; readonly id: string | null }
  readonly by: Actor
  /** `done` unless told. A refusal is recorded where an attempt alone matters (impersonation, transaction codes). */
  readonly result?: 'done' | 'refused'
  readonly detail?: Detail
}

/** The entry as the columns of its row, but the tenant. */
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
