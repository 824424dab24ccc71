import type { Role, UserId } from '../../caller.ts'
import { newId } from '../../store/row-id.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { ExternalUser, PasswordHolder, ShownNames, SignInUser } from './sign-in-user.ts'
import { insertUserSql, newUserValues } from './user-store.ts'

const ACTIVE = 'account.enabled and account.deleted_at is null'
const holders = (column: string) => `(select account.tenant_id, account.id, account.password_hash, account.created_at
     from user_account account join tenant on tenant.id = account.tenant_id and tenant.disabled_at is null
     where account.${column} = $1 and account.password_hash is not null and ${ACTIVE} order by account.created_at limit $2)`
const findHolders = sql(
  'directory.find_password_holders',
  `select tenant_id as "tenantId", id as "userId", password_hash as "passwordHash"
   from (${holders('username_folded')} union ${holders('email_folded')}) found order by created_at, tenant_id limit $2`,
)
const findHoldersIn = sql(
  'directory.find_password_holders_in',
  `select tenant_id as "tenantId", id as "userId", password_hash as "passwordHash" from user_account account
   where tenant_id = $1 and (username_folded = $2 or email_folded = $2) and password_hash is not null and ${ACTIVE}
   order by username_folded = $2 desc limit $3`,
)
const findActive = sql(
  'directory.find_sign_in_user',
  `select id as "userId", username, email, external_identifier as "externalIdentifier", email_is_new as "emailIsNew",
     username_is_new as "usernameIsNew", external_identifier_is_new as "externalIdentifierIsNew",
     coalesce(verified_email_folded = email_folded, false) as "emailIsVerified",
     first_name as "firstName", last_name as "lastName", password_hash as "passwordHash"
   from user_account account where tenant_id = $1 and id = $2 and ${ACTIVE}`,
)
const setHash = sql(
  'directory.set_password_hash',
  `update user_account account set password_hash = $3, updated_at = $4 where tenant_id = $1 and id = $2 and ${ACTIVE} returning id`,
)
const upgradeHash = sql(
  'directory.upgrade_password_hash',
  'update user_account set password_hash = $4 where tenant_id = $1 and id = $2 and password_hash = $3',
)
const confirmNames = sql(
  'directory.confirm_names_of_user',
  `update user_account account set email_is_new = email_is_new and email is distinct from $3,
     username_is_new = username_is_new and username is distinct from $4,
     external_identifier_is_new = external_identifier_is_new and external_identifier is distinct from $5
   where tenant_id = $1 and id = $2 and (email_is_new or username_is_new or external_identifier_is_new)
     and ${ACTIVE} returning id`,
)

const setVerified = sql(
  'directory.set_verified_email',
  `update user_account set verified_email_folded = $3
   where tenant_id = $1 and id = $2 and email_folded = $3 and verified_email_folded is distinct from $3`,
)
const setOpened = sql(
  'directory.set_opened_by_told_link',
  'update user_account set opened_by_told_link = $3 where tenant_id = $1 and id = $2 and opened_by_told_link <> $3',
)

const insertExternal = sql('directory.insert_external_user', insertUserSql('do nothing returning id'))
const setRoles = sql(
  'directory.set_user_roles',
  'update user_account set roles = $3, updated_at = $4, version = version + 1 where tenant_id = $1 and id = $2 and roles <> $3 returning id',
)

const putOwner = sql(
  'directory.put_owner',
  insertUserSql(`(tenant_id, username_folded) where deleted_at is null do update set updated_at = excluded.updated_at,
     version = old.version + 1,
     roles = case when 'owner' = any(old.roles) then old.roles else array_append(old.roles, 'owner') end
   where old.enabled and old.deleted_at is null
   returning id as "userId", (xmax = 0) as created`),
)
const owners = sql(
  'directory.list_owners',
  `select id as "userId" from user_account account
   where tenant_id = $1 and 'owner' = any(roles) and ${ACTIVE} order by id limit 100`,
)

/**
 * Returns the active users with a password whose username or e-mail address this is, of all tenants, the oldest
 * accounts first.
 */
export async function listPasswordHolders(tx: AcrossTx, folded: string, limit: number): Promise<PasswordHolder[]> {
  return tx.rows<PasswordHolder>(findHolders, [folded, limit])
}

/** As {@link listPasswordHolders}, of the transaction's tenant; the one with the username first. */
export async function listPasswordHoldersIn(tx: TenantTx, folded: string, limit: number): Promise<PasswordHolder[]> {
  return tx.rows<PasswordHolder>(findHoldersIn, [tx.tenantId, folded, limit])
}

/** Returns an active user. */
export async function findActiveUser(tx: TenantTx, userId: UserId): Promise<SignInUser | null> {
  return (await tx.rows<SignInUser>(findActive, [tx.tenantId, userId]))[0] ?? null
}

/** Sets the hash of a user's password. Returns false if there is no active user. */
export async function updatePasswordHash(tx: TenantTx, userId: UserId, hash: string, now: Date): Promise<boolean> {
  return (await tx.rows(setHash, [tx.tenantId, userId, hash, now])).length === 1
}

/**
 * Confirms names of an active user, each if it is still the one that was shown. Returns false if all were confirmed
 * already.
 */
export async function confirmNamesRow(tx: TenantTx, userId: UserId, shown: ShownNames): Promise<boolean> {
  const values = [tx.tenantId, userId, shown.email, shown.username, shown.externalIdentifier]
  return (await tx.rows(confirmNames, values)).length === 1
}

/** Sets the address as the verified one, if the user still has it. */
export async function updateVerifiedEmail(tx: TenantTx, userId: UserId, emailFolded: string): Promise<void> {
  await tx.rows(setVerified, [tx.tenantId, userId, emailFolded])
}

/** Sets whether the account was opened by a told link. */
export async function updateOpenedByToldLink(tx: TenantTx, userId: UserId, isTold: boolean): Promise<void> {
  await tx.rows(setOpened, [tx.tenantId, userId, isTold])
}

/** Replaces a hash by another of the same password, unless the password was changed meanwhile. */
export async function exchangePasswordHash(tx: TenantTx, userId: UserId, from: string, to: string): Promise<void> {
  await tx.rows(upgradeHash, [tx.tenantId, userId, from, to])
}

/**
 * Inserts a user that an identity provider vouches for. Returns null if the username, address or external identifier is
 * taken.
 */
export async function insertExternalUser(tx: TenantTx, user: ExternalUser, now: Date): Promise<UserId | null> {
  const [row] = await tx.rows<{ id: UserId }>(insertExternal, newUserValues(tx, newId(), user, now))
  return row?.id ?? null
}

/** Sets the roles of a user. Returns false if it has just these. */
export async function updateUserRoles(
  tx: TenantTx,
  userId: UserId,
  roles: readonly Role[],
  now: Date,
): Promise<boolean> {
  return (await tx.rows(setRoles, [tx.tenantId, userId, roles, now])).length === 1
}

/**
 * Creates a user with the role `owner`, or gives the role to the user of that name. Returns null if that one is
 * disabled or deleted.
 */
export async function putOwnerRow(
  tx: TenantTx,
  username: string,
  now: Date,
): Promise<{ readonly userId: UserId; readonly created: boolean } | null> {
  const values = newUserValues(tx, newId(), { username, roles: ['owner'] }, now)
  const [row] = await tx.rows<{ userId: UserId; created: boolean }>(putOwner, values)
  return row ?? null
}

/** Lists active users with the role `owner`, at most 100. */
export async function listOwnerRows(tx: TenantTx): Promise<UserId[]> {
  return (await tx.rows<{ userId: UserId }>(owners, [tx.tenantId])).map(({ userId }) => userId)
}
