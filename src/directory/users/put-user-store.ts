import { newId } from '../../store/row-id.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { foldCase } from './user.ts'
import { insertUserSql, newUserValues } from './user-store.ts'

/** A user to create or change. What is null stays as it is; a new user is enabled by default. */
export type UserPut = {
  readonly username: string
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly externalIdentifier: string | null
  readonly enabled: boolean | null
  readonly roles: readonly string[] | null
  /** New hash, null if the stored one matches. It replaces `replaces` only. */
  readonly passwordHash: string | null
  readonly replaces: string | null
}

const put = sql(
  'directory.put_user',
  insertUserSql(`(tenant_id, username_folded) where deleted_at is null do update set
     username = excluded.username, email = coalesce(:email, old.email),
     email_folded = coalesce(:emailFolded, old.email_folded),
     email_is_new = old.email_is_new and old.email is not distinct from coalesce(:email, old.email),
     external_identifier_is_new = old.external_identifier_is_new
       and old.external_identifier is not distinct from coalesce(:externalIdentifier, old.external_identifier),
     first_name = coalesce(:firstName, old.first_name), last_name = coalesce(:lastName, old.last_name),
     first_name_folded = coalesce(:firstNameFolded, old.first_name_folded),
     last_name_folded = coalesce(:lastNameFolded, old.last_name_folded),
     external_identifier = coalesce(:externalIdentifier, old.external_identifier),
     enabled = coalesce(:enabled, old.enabled),
     roles = coalesce(:roles, old.roles),
     password_hash = case when old.password_hash is not distinct from :replaces
       then coalesce(:passwordHash, old.password_hash) else old.password_hash end,
     updated_at = excluded.updated_at, version = old.version + 1
   where old.username <> excluded.username or old.email is distinct from coalesce(:email, old.email)
      or old.first_name is distinct from coalesce(:firstName, old.first_name)
      or old.last_name is distinct from coalesce(:lastName, old.last_name)
      or old.external_identifier is distinct from coalesce(:externalIdentifier, old.external_identifier)
      or old.enabled <> coalesce(:enabled, old.enabled)
      or old.roles <> coalesce(:roles, old.roles)
      or (:passwordHash::text is not null and old.password_hash is not distinct from :replaces)
   returning id, (xmax = 0) as created`),
)
const presence = sql(
  'directory.find_presence_of_user',
  `select exists (select from user_account where tenant_id = $1 and username_folded = $2 and deleted_at is null) as "isPresent",
     exists (select from user_account where tenant_id = $1 and username_folded = $2 and deleted_at is not null) as "isDeleted"`,
)
const passwordOf = sql(
  'directory.find_password_hash',
  'select password_hash as hash from user_account where tenant_id = $1 and username_folded = $2 and deleted_at is null',
)

/**
 * Creates the user with that username, or changes what differs. Returns null if nothing had to change.
 *
 * Throws the database's unique violation if another user has the e-mail address or the external identifier.
 */
export async function putUser(
  tx: TenantTx,
  user: UserPut,
  now: Date,
): Promise<{ id: string; created: boolean } | null> {
  const values = { ...newUserValues(tx, newId(), user, now), replaces: user.replaces }
  const [row] = await tx.rows<{ id: string; created: boolean }>(put, values)
  return row ?? null
}

/**
 * Returns whether the user with that username was deleted, its wallet is not yet destroyed, and there is no other one.
 */
export async function isDeletedUser(tx: TenantTx, username: string): Promise<boolean> {
  const [row] = await tx.rows<{ isPresent: boolean; isDeleted: boolean }>(presence, [tx.tenantId, foldCase(username)])
  return row?.isDeleted === true && !row.isPresent
}

/** Returns the password hash of a user; null if there is none. */
export async function findPasswordHash(tx: TenantTx, username: string): Promise<string | null> {
  const [row] = await tx.rows<{ hash: string | null }>(passwordOf, [tx.tenantId, foldCase(username)])
  return row?.hash ?? null
}
