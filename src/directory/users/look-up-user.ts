import { admitShared, countShared } from '../../api/failure-limit.ts'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { User, UserKey } from './user.ts'
import { selectUser } from './user-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory'>

const LIMIT = 'directory.unknown_users'

/**
 * Returns the user of the caller's tenant with that key, disabled or not: one statement, and one more if there is none.
 * Look-ups of users who do not exist are counted by caller in all processes, so that names cannot be guessed at speed.
 *
 * @throws Fault `resource.unknown`, `request.rate_limited`
 */
export async function lookUpUser(needs: Needs, caller: Caller, key: UserKey, value: string): Promise<User> {
  const { countUnknown } = admitLookUp(needs, caller)
  const found = await needs.store.single(caller.tenantId, (tx) => selectUser(tx, key, value))
  if (found !== null) return found
  await countUnknown()
  throw new Fault('resource.unknown', { detail: 'There is no such user.' })
}

/**
 * Checks the limit of look-ups by caller.
 *
 * @returns what counts a look-up that found no user. Both throw Fault `request.rate_limited`.
 */
export function admitLookUp(needs: Needs, { tenantId, actor }: Pick<Caller, 'tenantId' | 'actor'>) {
  const key = `${tenantId} ${actor.kind} ${actor.id}`
  admitShared(needs, LIMIT, key)
  return { countUnknown: () => countShared(needs, LIMIT, key) }
}
