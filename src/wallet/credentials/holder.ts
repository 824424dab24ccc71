import type { Caller, TenantId, UserId } from '../../caller.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'

/** Whose wallet something is put into, by whom, and for which delivery; `deliveryId` is null if the holder does it. */
export type Holder = {
  readonly tenantId: TenantId
  readonly tenantSlug: string
  readonly userId: UserId
  readonly by: Actor
  readonly deliveryId: string | null
}

/**
 * Whose wallet the caller works with.
 *
 * @throws Fault `holder.missing` for a client that acts for itself: it has to exchange its token for a user's first.
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
