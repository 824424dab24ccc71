import type { TenantId, UserId } from '../../caller.ts'
import type { ActorColumns, AnonymousActor } from '../../events/audit/entry.ts'

/** Where a request of a browser comes from. */
export type Visit = { readonly ip: string; readonly userAgent: string; readonly requestId: string }

/** A user of a tenant. */
export type UserRef = { readonly tenantId: TenantId; readonly userId: UserId }

/** Returns the actor of an audit entry: a user who has authenticated. */
export function actorOf(userId: UserId, { ip, requestId }: Visit): ActorColumns {
  return { actor: { kind: 'user', id: userId }, actingClientId: null, ip, requestId }
}

/** Returns the actor of an audit entry: a browser that has not authenticated. */
export function anonymous({ ip, requestId }: Pick<Visit, 'ip' | 'requestId'>): AnonymousActor {
  return { kind: 'user', ip, requestId }
}
