import type { Caller, TenantId, UserId } from '../../caller.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'

/** The owner of a wallet, the actor of a change, and its delivery; `deliveryId` is null if the holder is the actor. */
export type Holder = {
  readonly tenantId: TenantId
  readonly tenantSlug: string
  readonly userId: UserId
  readonly by: Actor
  readonly deliveryId: string | null
}

/**
 * Returns the user whose wallet the caller uses.
 *
 * @throws Fault `holder.missing` for a client that acts for itself: it must exchange its token for a user's first.
 */
export function holderOf({ userId }: Pick<Caller, 'userId'>): UserId {
  if (userId === null) {
    const detail =
      'A wallet belongs to a user. Exchange the client token for a token of the user (RFC 8693 token exchange at /auth/token ' +
      'with requested_subject=<username>; the client needs the scope users:impersonate).'
    throw new Fault('holder.missing', { detail })
  }
  return userId
}
