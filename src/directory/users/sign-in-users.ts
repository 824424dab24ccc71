import type { Role, TenantId, UserId } from '../../caller.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { record } from '../../events/audit/record.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { isOnlyOwner } from '../accounts/last-owner.ts'
import type { ExternalUser, PasswordHolder, ShownNames, SignInUser } from './sign-in-user.ts'
import {
  confirmNamesRow,
  exchangePasswordHash,
  findActiveUser,
  insertExternalUser,
  listOwnerRows,
  listPasswordHolders,
  listPasswordHoldersIn,
  putOwnerRow,
  updateOpenedByToldLink,
  updatePasswordHash,
  updateUserRoles,
  updateVerifiedEmail,
} from './sign-in-user-store.ts'
import { foldCase } from './user.ts'
import { insertUser } from './write-user-store.ts'

const NAME_CHARS_MAX = 320

/**
 * Returns the active users with a password whose username or e-mail address is `name`, in one statement.
 *
 * @param tenantId null: of all tenants, the oldest accounts first, so that a tenant that adds the name later displaces
 *   nobody.
 */
export async function findPasswordHolders(
  { store }: Pick<Platform, 'store'>,
  name: string,
  tenantId: TenantId | null,
  limit: number,
): Promise<readonly PasswordHolder[]> {
  // PostgreSQL refuses NUL with an error; it is replaced, so that the look-up takes place for every name.
  const folded = foldCase(name)
    .replaceAll('\0', '\ufffd')
    .slice(0, 2 * NAME_CHARS_MAX)
  if (tenantId !== null) return store.single(tenantId, (tx) => listPasswordHoldersIn(tx, folded, limit))
  return store.across('people who sign in without naming a tenant', (tx) => listPasswordHolders(tx, folded, limit))
}

/** Returns a user who may sign in; null if there is none, or it is disabled or deleted. */
export function findSignInUser(tx: TenantTx, userId: UserId): Promise<SignInUser | null> {
  return findActiveUser(tx, userId)
}

/** Sets the hash of a user's password. Returns false if there is no active user. */
export function setPasswordHash(tx: TenantTx, userId: UserId, hash: string, now: Date): Promise<boolean> {
  return updatePasswordHash(tx, userId, hash, now)
}

/** Records that a user confirmed the names that callers set. One that is another meanwhile is not confirmed. */
export async function confirmNames(
  tx: TenantTx,
  userId: UserId,
  shown: ShownNames,
  by: Actor,
  now: Date,
): Promise<void> {
  if (!(await confirmNamesRow(tx, userId, shown))) return
  await record(tx, { action: 'user.names_confirmed', subject: { kind: 'user', id: userId }, by }, now)
}

/** Records that a user has proven an e-mail address, in whatever case. It counts as long as it is that of the user. */
export function setVerifiedEmail(tx: TenantTx, userId: UserId, email: string): Promise<void> {
  return updateVerifiedEmail(tx, userId, foldCase(email))
}

/** Records whether the link by which a user got in was told to the caller who invited, and not mailed. */
export function setOpenedByToldLink(tx: TenantTx, userId: UserId, isTold: boolean): Promise<void> {
  return updateOpenedByToldLink(tx, userId, isTold)
}

/** Replaces an outdated hash by a new one of the same password. */
export function upgradePasswordHash(tx: TenantTx, userId: UserId, from: string, to: string): Promise<void> {
  return exchangePasswordHash(tx, userId, from, to)
}

/**
 * Creates a user that an identity provider vouches for. Returns null if the username, address or external identifier is
 * taken.
 */
export async function createExternalUser(tx: TenantTx, user: ExternalUser, now: Date): Promise<UserId | null> {
  const id = await insertExternalUser(tx, user, now)
  if (id !== null) await record(tx, { action: 'user.created', subject: { kind: 'user', id }, by: 'system' }, now)
  return id
}

/** Creates a user of this id and username, unless there is one of either. */
export async function createNamedUser(
  tx: TenantTx,
  userId: UserId,
  username: string,
  by: Actor,
  now: Date,
): Promise<void> {
  const entry = { action: 'user.created', subject: { kind: 'user', id: userId }, by } as const
  await insertUser(tx, userId, { username }, entry, now)
}

/** Sets the roles of a user to those that an identity provider states. The last owner of the tenant stays one. */
export async function setUserRoles(tx: TenantTx, userId: UserId, stated: readonly Role[], now: Date): Promise<void> {
  const isKept = !stated.includes('owner') && (await isOnlyOwner(tx, userId))
  const roles = isKept ? [...stated, 'owner' as const].toSorted() : stated
  if (!(await updateUserRoles(tx, userId, roles, now))) return
  await record(
    tx,
    { action: 'user.changed', subject: { kind: 'user', id: userId }, by: 'system', detail: { roles } },
    now,
  )
}

/**
 * Creates a user with the role `owner`, or gives the role to the user of that name. Returns null if that one is
 * disabled or deleted.
 */
export async function ensureOwner(tx: TenantTx, username: string, now: Date): Promise<UserId | null> {
  const row = await putOwnerRow(tx, username, now)
  if (row === null) return null
  const action = row.created ? 'user.created' : 'user.changed'
  const subject = { kind: 'user', id: row.userId } as const
  await record(tx, { action, subject, by: 'system', detail: { roles: ['owner'] } }, now)
  return row.userId
}

/** Lists active users with the role `owner` of their own, at most 100. */
export function listOwners(tx: TenantTx): Promise<readonly UserId[]> {
  return listOwnerRows(tx)
}
