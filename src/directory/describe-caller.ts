import type { Caller } from '../caller.ts'
import type { Platform } from '../platform.ts'
import { findUser } from './find-user.ts'
import { displayName } from './user.ts'

/** Who the caller is, as `whoami` says it: the user, or the client that acts for itself. */
export type CallerDescription = { readonly id: string; readonly name: string; readonly email: string }

/** Looks up who asks. A user who is gone while the token still lives is described by the id alone. */
export async function describeCaller({ store }: Pick<Platform, 'store'>, caller: Caller): Promise<CallerDescription> {
  const { userId, tenantId, actor } = caller
  if (userId === null) return { id: actor.id, name: actor.id, email: '' }
  const user = await store.single(tenantId, (tx) => findUser(tx, 'id', userId))
  return { id: userId, name: user === null ? '' : displayName(user), email: user?.email ?? '' }
}
