import { type Caller, holds } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { violatedIndex } from '../../store/unique-violation.ts'
import { isUuid } from '../../uuid.ts'
import { keepingAnOwner } from '../accounts/last-owner.ts'
import { checkRoles, grantableRoles } from './authority.ts'
import { GRACE_DAYS } from './destroy-user.ts'
import { enqueueEndOfSessions, enqueueLogouts } from './end-sign-in.ts'
import { getUser } from './find-user.ts'
import { foldCase, type User, type UserChange, type UserKey } from './user.ts'
import { selectUser } from './user-store.ts'
import {
  type Authority,
  deleteUserRow,
  destroyUserRow,
  findDeletedUser,
  insertUser,
  restoreUserRow,
  updateUser,
} from './write-user-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>
type NewUser = Omit<UserChange, 'username'> & { readonly username?: string | undefined }

/** Members of which no two users of a tenant have the same value, by the index that sees to it. */
const uniqueMembers: Readonly<Record<string, string>> = {
  user_account_username: 'username',
  user_account_email: 'email',
  user_account_external_identifier: 'externalIdentifier',
}

/**
 * Creates a user, or returns the one who has the username or the e-mail address already, unchanged. The username is the
 * e-mail address by default. Concurrent calls create one user.
 *
 * @throws Fault `request.invalid` without username and e-mail address; `state.conflict` if the identifiers are those of
 *   several users or differ from those of the user; `role.above_caller`
 */
export async function createUser(
  { store, clock }: Needs,
  caller: Caller,
  user: NewUser,
  id: string,
): Promise<{ readonly user: User; readonly created: boolean }> {
  const username = user.username ?? user.email
  if (username === undefined || username === null) {
    throw new Fault('request.invalid', {
      violations: [{ pointer: '/username', detail: 'username or email is needed.', rule: 'user.name_needed' }],
    })
  }
  checkRoles(caller, user.roles)
  const named = { ...user, username }
  const now = clock.now()
  const entry = entryOf('user.created', id, caller)
  return store.inTenant(caller.tenantId, async (tx) => {
    const made = await insertUser(tx, id, named, entry, now)
    return made === null ? { user: await existing(tx, named), created: false } : { user: made, created: true }
  })
}

/** Names a user by one of the keys. */
export type UserName = { readonly key: UserKey; readonly value: string }

/**
 * Changes a user. One who is disabled is signed out of every browser and client.
 *
 * @param version The version that the caller read; undefined if the change applies to every version.
 * @throws Fault `resource.unknown`, `resource.changed`, `state.conflict`, `role.above_caller`, `owner.last`
 */
export async function changeUser(
  needs: Needs,
  caller: Caller,
  { key, value }: UserName,
  change: UserChange,
  version?: number,
): Promise<User> {
  checkRoles(caller, change.roles)
  const members = Object.entries(change).flatMap(([member, one]) => (one === undefined ? [] : [member]))
  const by = { ...authorityOf(caller, needs.clock.now()), version }
  return needs.store
    .inTenant(caller.tenantId, async (tx) => {
      const user = await getUser(tx, key, value)
      if (version !== undefined && user.version !== version) throw new Fault('resource.changed')
      if (members.length === 0) return user
      const entry = entryOf('user.changed', user.id, caller, { members })
      const write = () => updateUser(tx, user.id, change, by, entry)
      const mayEndOwner = change.enabled === false || change.roles?.includes('owner') === false
      const changed = mayEndOwner ? await keepingAnOwner(tx, write) : await write()
      if (changed !== null && change.enabled === false) await enqueueEndOfSessions(tx, user.id, by.now)
      if (changed !== null) return changed
      return (await getUser(tx, 'id', user.id)).version === user.version ? refuse() : refuseChanged()
    })
    .catch(refuseTaken)
}

/**
 * Deletes a user: no look-up finds the user from then on, and the wallet is destroyed after {@link GRACE_DAYS} days, or
 * at once.
 *
 * @param user With `purge` a username may also be the id of a user who is deleted already.
 * @param version The version that the caller read; undefined if every version is to be deleted.
 * @throws Fault `resource.unknown`, `resource.changed`, `role.above_caller`, `owner.last`
 */
export async function deleteUser(
  needs: Needs,
  caller: Caller,
  { key, value }: UserName,
  purge: boolean,
  version?: number,
): Promise<void> {
  const now = needs.clock.now()
  const by = { ...authorityOf(caller, now), version }
  await needs.store.inTenant(caller.tenantId, async (tx) => {
    const deleted = purge && isUuid(value) ? await findDeletedUser(tx, value) : null
    const { id } = deleted ?? (await getUser(tx, key, value))
    const destroyAt = purge ? now : new Date(now.getTime() + GRACE_DAYS * 86_400_000)
    const entry = entryOf('user.deleted', id, caller, { destroyAt: destroyAt.toISOString() })
    const isThere = deleted === null
    if (isThere && !(await keepingAnOwner(tx, () => deleteUserRow(tx, id, by, entry)))) {
      const { version: stored } = await getUser(tx, 'id', id)
      return version === undefined || stored === version ? refuse() : refuseChanged()
    }
    if (purge) await enqueueLogouts(tx, id, now)
    if (purge && !(await destroyUserRow(tx, id, now, by, entryOf('user.destroyed', id, caller)))) refuse()
    if (!purge) await enqueueEndOfSessions(tx, id, now)
  })
}

/** Restores a deleted user with the wallet. @throws Fault `resource.unknown`, `state.conflict`, `role.above_caller` */
export async function restoreUser(needs: Needs, caller: Caller, id: string): Promise<User> {
  return needs.store
    .inTenant(caller.tenantId, async (tx) => {
      const found = isUuid(id) ? await findDeletedUser(tx, id) : null
      if (found === null) throw new Fault('resource.unknown', { detail: 'There is no deleted user with this id.' })
      const entry = entryOf('user.restored', found.id, caller)
      return (await restoreUserRow(tx, found.id, authorityOf(caller, needs.clock.now()), entry)) ?? refuse()
    })
    .catch(refuseTaken)
}

function authorityOf(caller: Caller, now: Date): Authority {
  return { roles: grantableRoles(caller), now, mayImpersonate: holds(caller, 'users:impersonate') }
}

function refuseChanged(): never {
  throw new Fault('resource.changed')
}

/** The user is there and unchanged, so the authority was missing. */
function refuse(): never {
  throw new Fault('role.above_caller', { detail: 'The user has a role that gives more than you may do.' })
}

/** Returns the user who has the identifiers already. */
async function existing(tx: TenantTx, { email, externalIdentifier, ...user }: NewUser & { readonly username: string }) {
  const byName = await selectUser(tx, 'username', user.username)
  const found = byName ?? (typeof email === 'string' ? await selectUser(tx, 'email', email) : null)
  if (found === null) throw taken('externalIdentifier')
  if (byName === null && user.username !== email) throw taken('email')
  if (typeof email === 'string' && foldCase(found.email ?? '') !== foldCase(email)) throw taken('username')
  if (typeof externalIdentifier === 'string' && found.externalIdentifier !== externalIdentifier) {
    throw taken(byName === null ? 'email' : 'username')
  }
  return found
}

function refuseTaken(error: unknown): never {
  const member = uniqueMembers[violatedIndex(error) ?? '']
  throw member === undefined ? error : taken(member)
}

function taken(member: string): Fault {
  return new Fault('state.conflict', {
    violations: [{ pointer: `/${member}`, detail: `Another user has this ${member}.`, rule: 'unique' }],
  })
}

function entryOf(action: AuditEntry['action'], id: string, by: Caller, detail: AuditEntry['detail'] = {}): AuditEntry {
  return { action, subject: { kind: 'user', id }, by, detail }
}
