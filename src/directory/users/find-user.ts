import { Fault } from '../../fault.ts'
import type { TenantTx } from '../../store/store.ts'
import type { User, UserKey } from './user.ts'
import { selectUser, selectUsernames } from './user-store.ts'

/**
 * Returns the user of the transaction's tenant with that key, disabled or not; null if there is none. One statement.
 */
export async function findUser(tx: TenantTx, key: UserKey, value: string): Promise<User | null> {
  return selectUser(tx, key, value)
}

/** As {@link findUser}. @throws Fault `resource.unknown` */
export async function getUser(tx: TenantTx, key: UserKey, value: string): Promise<User> {
  const found = await selectUser(tx, key, value)
  if (found === null) throw new Fault('resource.unknown', { detail: 'There is no such user.' })
  return found
}

/** Returns the usernames of users by their ids; those of deleted users are missing. No statement for no ids. */
export async function usernamesOf(tx: TenantTx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return ids.length === 0 ? new Map() : selectUsernames(tx, [...new Set(ids)])
}
