import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import { foldCase, type User, type UserKey } from './user.ts'

/** Columns of a `User`. */
export const USER_COLUMNS = `id, username, email, first_name as "firstName", last_name as "lastName", display_name as "shownName",
  email_type as "emailType", version, external_identifier as "externalIdentifier",
  enabled, roles, created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt"`
const find = (key: string, column: string) =>
  sql(
    `directory.find_user_by_${key}`,
    `select ${USER_COLUMNS} from user_account where tenant_id = $1 and ${column} = $2 and deleted_at is null`,
  )
const finders = {
  id: find('id', 'id'),
  username: find('username', 'username_folded'),
  email: find('email', 'email_folded'),
  externalIdentifier: find('external_identifier', 'external_identifier'),
}

/** Returns the user of the transaction's tenant with that key, disabled or not, but not a deleted one. */
export async function selectUser(tx: TenantTx, key: UserKey, value: string): Promise<User | null> {
  // PostgreSQL refuses a value that the column cannot hold with an error.
  if (value.includes('\0') || (key === 'id' && !isUuid(value))) return null
  const stored = key === 'username' || key === 'email' ? foldCase(value) : value
  const [user] = await tx.rows<User>(finders[key], [tx.tenantId, stored])
  return user ?? null
}

const selectNames = sql(
  'directory.list_usernames',
  'select id, username from user_account where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null',
)

/** Returns the usernames of users by their ids; those of deleted users are missing. */
export async function selectUsernames(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; username: string }>(selectNames, [tx.tenantId, ids])
  return new Map(rows.map(({ id, username }) => [id, username]))
}

const page = pagedList({
  name: 'directory.users',
  select: `select ${USER_COLUMNS} from user_account where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  sorts: { username: 'username_folded' },
  rows: 'user_account where tenant_id = $1',
  filters: {
    email: (value) => `email_folded = ${value}`,
    username: (value) => `username_folded = ${value}`,
    enabled: { true: 'enabled', false: 'not enabled' },
    role: (value) => `roles <> '{}' and ${value}::text = any(roles)`,
    name: (value) =>
      `pieces @> longest_pieces(${value}) and strpos(concat_ws(' ', first_name_folded, last_name_folded), ${value}) > 0`,
    deleted: { true: 'deleted_at is not null', false: 'deleted_at is null' },
  },
})

/** Filters of the list of users. `name` is a part of first and last name. */
export type UserFilter = {
  readonly email?: string | undefined
  readonly username?: string | undefined
  readonly enabled?: 'true' | 'false' | undefined
  readonly role?: string | undefined
  readonly name?: string | undefined
  /** Deleted users instead of the others. */
  readonly deleted?: 'true' | 'false' | undefined
}

/** Returns one page of the tenant's users, and one row more if there is a next page. */
export async function listUserRows(tx: TenantTx, request: PageRequest, filter: UserFilter): Promise<User[]> {
  const { email, username, name, deleted = 'false', ...rest } = filter
  const fold = (text: string | undefined) => (text === undefined ? undefined : foldCase(text))
  const folded = { email: fold(email), username: fold(username), name: fold(name), deleted, ...rest }
  return page<User>(tx, request, [tx.tenantId], folded)
}
