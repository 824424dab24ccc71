import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import type { User, UserChange } from './user.ts'
import { insertUserSql, newUserValues, USER_COLUMNS, userValues } from './user-store.ts'

/** SQL: the user `account` has no role, of its own or of a group, besides those of an array parameter. */
const holdsOnly = (roles: string) => `account.roles <@ ${roles}::text[] and not exists (
       select from user_group_member member
         join user_group on user_group.tenant_id = member.tenant_id and user_group.id = member.group_id
       where member.tenant_id = account.tenant_id and member.user_id = account.id and not user_group.roles <@ ${roles}::text[])`

const insert = sql('directory.create_user', `${insertUserSql('do nothing')} returning ${USER_COLUMNS}`)
const given = (member: string, value: string, column: string) =>
  `${column} = case when '${member}' = any(:members::text[]) then ${value} else account.${column} end`
/**
 * SQL: what a way to the account matches was changed, by a caller who may not act for the user if `:marksNew` is true.
 */
const renamed = (member: string, isOther: string, column: string) =>
  given(member, `case when ${isOther} then :marksNew else account.${column} end`, column)
const update = sql(
  'directory.change_user',
  `update user_account account set
     ${given('username', ':username', 'username')}, ${given('username', ':usernameFolded', 'username_folded')},
     ${given('email', ':email', 'email')}, ${given('email', ':emailFolded', 'email_folded')},
     ${renamed('username', 'account.username_folded is distinct from :usernameFolded', 'username_is_new')},
     ${renamed('email', 'account.email_folded is distinct from :emailFolded', 'email_is_new')},
     ${renamed(
       'externalIdentifier',
       'account.external_identifier is distinct from :externalIdentifier',
       'external_identifier_is_new',
     )},
     ${given('firstName', ':firstName', 'first_name')},
     ${given('firstName', ':firstNameFolded', 'first_name_folded')},
     ${given('lastName', ':lastName', 'last_name')}, ${given('lastName', ':lastNameFolded', 'last_name_folded')},
     ${given('shownName', ':displayName', 'display_name')},
     ${given('shownName', ':displayNameFolded', 'display_name_folded')},
     ${given('emailType', ':emailType', 'email_type')},
     ${given('externalIdentifier', ':externalIdentifier', 'external_identifier')},
     ${given('enabled', ':enabled', 'enabled')}, ${given('roles', ':roles::text[]', 'roles')}, updated_at = :now,
     version = account.version + 1
   where tenant_id = :tenantId and id = :id and deleted_at is null and version = coalesce(:version, version)
     and ${holdsOnly(':mayHold')}
   returning ${USER_COLUMNS}`,
)
const markDeleted = sql(
  'directory.delete_user',
  `update user_account account set deleted_at = $3
   where tenant_id = $1 and id = $2 and deleted_at is null and ${holdsOnly('$4')}
     and version = coalesce($5, version)
   returning id`,
)
const markRestored = sql(
  'directory.restore_user',
  `update user_account account set deleted_at = null, updated_at = $3
   where tenant_id = $1 and id = $2 and deleted_at is not null and ${holdsOnly('$4')}
   returning ${USER_COLUMNS}`,
)
const destroy = sql(
  'directory.destroy_user',
  `delete from user_account account where tenant_id = $1 and id = $2 and deleted_at <= $3 and ${holdsOnly('$4')}
   returning id`,
)
const listDeleted = sql(
  'directory.list_deleted_users',
  'select id from user_account where tenant_id = $1 and deleted_at <= $2 order by deleted_at limit 100',
)
const findDeleted = sql(
  'directory.find_deleted_user',
  `select ${USER_COLUMNS} from user_account where tenant_id = $1 and id = $2 and deleted_at is not null`,
)

/**
 * Creates a user and its audit entry. Returns null if the username, the e-mail address or the external identifier is
 * taken.
 */
export async function insertUser(
  tx: TenantTx,
  id: string,
  user: UserChange & { readonly username: string },
  entry: AuditEntry,
  now: Date,
): Promise<User | null> {
  return recordChange<User>(tx, insert, newUserValues(tx, id, user, now), entry, now)
}

/** Whose roles a caller may touch, and since when the change holds. */
export type Authority = {
  /** Names of the roles that a user may have to be changed by the caller. */
  readonly roles: readonly string[]
  readonly now: Date
  /** Whether the caller may act for users, so that names and addresses that it sets need no confirmation. */
  readonly mayImpersonate: boolean
  /** The version that the caller read; undefined if the change applies to every version. */
  readonly version?: number | undefined
}

type Owning = Pick<Authority, 'roles' | 'now' | 'version'>

/**
 * Changes the members that `change` names, with the audit entry. Returns null if there is no such user, or if the user
 * has a role beyond the caller's authority, or is no longer of the given version. Throws the database's unique
 * violation.
 */
export async function updateUser(
  tx: TenantTx,
  id: string,
  change: UserChange,
  { roles, now, version, mayImpersonate }: Authority,
  entry: AuditEntry,
): Promise<User | null> {
  const members = Object.entries(change).flatMap(([member, value]) => (value === undefined ? [] : [member]))
  const values = {
    tenantId: tx.tenantId,
    id,
    members,
    ...userValues(change),
    now,
    version: version ?? null,
    mayHold: roles,
    marksNew: !mayImpersonate,
  }
  return recordChange<User>(tx, update, values, entry, now)
}

/** Marks a user as deleted. Returns false as {@link updateUser} returns null. */
export async function deleteUserRow(tx: TenantTx, id: string, by: Owning, entry: AuditEntry): Promise<boolean> {
  const values = [tx.tenantId, id, by.now, by.roles, by.version ?? null]
  return (await recordChange(tx, markDeleted, values, entry, by.now)) !== null
}

/**
 * Restores a deleted user. Returns null as {@link updateUser} does. Throws the database's unique violation if a name is
 * taken meanwhile.
 */
export async function restoreUserRow(tx: TenantTx, id: string, by: Owning, entry: AuditEntry): Promise<User | null> {
  return recordChange<User>(tx, markRestored, [tx.tenantId, id, by.now, by.roles], entry, by.now)
}

/**
 * Destroys a user who was deleted by `deletedBy` at the latest: the row, the wallet and its keys. Returns whether there
 * was one.
 */
export async function destroyUserRow(
  tx: TenantTx,
  id: string,
  deletedBy: Date,
  by: Owning,
  entry: AuditEntry,
): Promise<boolean> {
  return (await recordChange(tx, destroy, [tx.tenantId, id, deletedBy, by.roles], entry, by.now)) !== null
}

/** Returns tenants with users who were deleted by then and are not destroyed yet. */
export const listTenantsWithDeletedUsers = tenantsWith(
  'directory.list_tenants_of_deleted_users',
  'from user_account where deleted_at <= $1',
)

/** Returns some users who were deleted by then and are not destroyed yet. */
export async function listDeletedUsers(tx: TenantTx, deletedBy: Date): Promise<string[]> {
  return (await tx.rows<{ id: string }>(listDeleted, [tx.tenantId, deletedBy])).map(({ id }) => id)
}

/** Returns a deleted user whose wallet is not yet destroyed; null if there is none with this id. */
export async function findDeletedUser(tx: TenantTx, id: string): Promise<User | null> {
  const [found] = await tx.rows<User>(findDeleted, [tx.tenantId, id])
  return found ?? null
}
