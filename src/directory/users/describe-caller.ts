import type { Caller } from '../../caller.ts'
import { derivedId } from '../../crypto/derived-id.ts'
import type { Platform } from '../../platform.ts'
import { findUser } from './find-user.ts'
import { displayName } from './user.ts'

/** The same time for all, so that the id of a client never changes. */
const CLIENT_IDS = new Date(0)

/** The caller in the reply of `whoami`: the user, or the client that acts for itself. */
type CallerDescription = { readonly id: string; readonly name: string; readonly email: string }

/**
 * Describes the caller. A user who was deleted while the token is still valid is described by the id alone. The id of a
 * client is a UUID derived from its tenant and client id.
 */
export async function describeCaller({ store }: Pick<Platform, 'store'>, caller: Caller): Promise<CallerDescription> {
  const { userId, tenantId, actor } = caller
  if (userId === null) return { id: derivedId(CLIENT_IDS, `client ${tenantId} ${actor.id}`), name: actor.id, email: '' }
  const user = await store.single(tenantId, (tx) => findUser(tx, 'id', userId))
  return { id: userId, name: user === null ? '' : displayName(user), email: user?.email ?? '' }
}
