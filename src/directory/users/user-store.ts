import { isRole } from '../../caller.ts'
import { COUNTED_MAX } from '../../contract/list-query.ts'
import type { BoundedRows, PageRequest } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import {
  type BoundedPage,
  countInOrder,
  countOfIds,
  type Listing,
  pageInOrder,
  pageOfIds,
  type RowsBehind,
  readInIndexOrder,
} from '../search/bounded-page.ts'
import { allIds, type IdSource, RANGE_IDS_MAX, usersWithPart } from '../search/id-range.ts'
import { byId, type Parameter, type RowPosition, type SortOrder, type SqlCondition } from '../search/sort-order.ts'
import { foldCase, type User, type UserChange, type UserKey } from './user.ts'

/** Columns of a `User`. */
export const USER_COLUMNS = `id, username, email, first_name as "firstName", last_name as "lastName", display_name as "shownName",
  email_type as "emailType", version, external_identifier as "externalIdentifier",
  enabled, roles, created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt"`
/**
 * SQL: inserts a user, with the values of {@link newUserValues}. `onConflict` is what follows `on conflict`; it names
 * the row that is there `old`.
 */
export const insertUserSql = (onConflict: string) => `insert into user_account as old (tenant_id, id, username,
     username_folded, email, email_folded, first_name, first_name_folded, last_name, last_name_folded, display_name,
     display_name_folded, email_type, external_identifier, enabled, roles, password_hash, created_at, updated_at)
   values (:tenantId, :id, :username, :usernameFolded, :email, :emailFolded, :firstName, :firstNameFolded, :lastName,
     :lastNameFolded, :displayName, :displayNameFolded, :emailType, :externalIdentifier, coalesce(:enabled, true),
     coalesce(:roles::text[], '{}'), :passwordHash, :now, :now)
   on conflict ${onConflict}`

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

const findAll = (key: string, column: string) =>
  sql(
    `directory.find_users_by_${key}`,
    `select ${column} as value, enabled from user_account
     where tenant_id = $1 and ${column} = any($2::text[]) and deleted_at is null`,
  )
const findersOfMany = {
  username: findAll('username', 'username_folded'),
  email: findAll('email', 'email_folded'),
  externalIdentifier: findAll('external_identifier', 'external_identifier'),
}

/** Returns which of these values a user has, each with whether that user is enabled. Deleted users have none. */
export async function selectEnabled(
  tx: TenantTx,
  key: keyof typeof findersOfMany,
  values: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const isFolded = key !== 'externalIdentifier'
  const stored = new Map(values.map((value) => [value, isFolded ? foldCase(value) : value]))
  const sought = [...stored.values()].filter((value) => !value.includes('\0'))
  const rows = await tx.rows<{ value: string; enabled: boolean }>(findersOfMany[key], [tx.tenantId, sought])
  const found = new Map(rows.map(({ value, enabled }) => [value, enabled]))
  return new Map(
    [...stored].flatMap(([value, one]) => {
      const enabled = found.get(one)
      return enabled === undefined ? [] : [[value, enabled] as const]
    }),
  )
}

/**
 * SQL: a user has a role of its own. The role must be one of ours: it is part of the text, as that of its partial
 * index.
 */
export function hasRole(role: string): string {
  if (!isRole(role)) throw new Error(`no role: ${role}`)
  return `'${role}' = any(roles)`
}

/** SQL: roles of a user or a group that are more than `holder`. The first part is the condition of an index. */
const WORKING = "roles <> '{}' and not roles <@ '{holder}'"
const workingMembers = `user_group_member where tenant_id = $1
  and group_id in (select id from user_group where tenant_id = $1 and ${WORKING})`
/** Those who have such a role, of their own or by a group. */
const working: IdSource = [
  {
    from: () => `user_account where tenant_id = $1 and deleted_at is null and ${WORKING}`,
    id: 'id',
    order: 'id',
    rank: 0,
  },
  { from: () => workingMembers, id: 'user_id', order: 'group_id, user_id', rank: 0 },
]
const isWorking: SqlCondition = () => `(${WORKING} or id in (select user_id from ${workingMembers}))`

const selectNames = sql(
  'directory.list_usernames',
  'select id, username from user_account where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null',
)

/** Returns the usernames of users by their ids; those of deleted users are missing. */
export async function selectUsernames(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; username: string }>(selectNames, [tx.tenantId, ids])
  return new Map(rows.map(({ id, username }) => [id, username]))
}

/** Filters of the list of users. `name` is a part of first and last name. */
export type UserFilter = {
  readonly email?: string | undefined
  readonly username?: string | undefined
  readonly enabled?: 'true' | 'false' | undefined
  readonly role?: string | undefined
  /** A role besides `holder`, of the user or of a group. */
  readonly hasRole?: 'true' | undefined
  readonly name?: string | undefined
  /** Deleted users instead of the others. */
  readonly deleted?: 'true' | 'false' | undefined
}

const byUsername = { name: 'username', sql: 'username_folded', kind: 'text', isNullable: false } as const
const usernameOf = sql(
  'directory.find_username_of_cursor',
  'select username_folded as value, id from user_account where tenant_id = $1 and id = $2',
)

/**
 * Returns one page of the tenant's users, and one row more if there is a next page. A page by name reads a bounded
 * number of users: `continuesAfter` is the id of the last one if there are others.
 */
export async function listUserRows(
  tx: TenantTx,
  { size, after, before, sort, readDescending, total }: PageRequest,
  filter: UserFilter,
): Promise<BoundedRows<User>> {
  // PostgreSQL stores no NUL, and refuses it in a parameter.
  if (Object.values(filter).some((value) => value?.includes('\0'))) return { rows: [], continuesAfter: null }
  const cursor = after ?? before
  const isByUsername = sort.field === 'username'
  const order: SortOrder = { ...(isByUsername ? byUsername : byId), descending: readDescending }
  const [position] =
    cursor !== null && isByUsername
      ? await tx.rows<RowPosition>(usernameOf, [tx.tenantId, cursor])
      : [cursor === null ? null : { value: null, id: cursor }]
  // A row of a cursor that is gone has no place in the list any more.
  if (position === undefined) return { rows: [], continuesAfter: null }
  await readInIndexOrder(tx)
  const place = { order, after: position, size: size + 1 }
  const { rows, next, counted } = await pageOf(tx, filter, place, total !== undefined)
  if (total !== undefined) total.counted = counted
  return { rows, continuesAfter: rows.length > size ? null : (next?.id ?? null) }
}

/** `counted`: see `ListTotal`. Matches that are neither few nor frequent are not counted. */
async function pageOf(
  tx: TenantTx,
  filter: UserFilter,
  place: RowsBehind,
  hasTotal: boolean,
): Promise<BoundedPage<User> & { readonly counted: number | null }> {
  const conditions = conditionsOf(filter)
  const scope = filter.deleted === 'true' ? 'deleted_at is not null' : 'deleted_at is null'
  const within = indexedCondition(filter, place.order)
  const condition: SqlCondition = (parameter) => ['true', ...conditions.map((one) => one(parameter))].join(' and ')
  const listing: Listing = { table: 'user_account', columns: USER_COLUMNS, scope, condition }
  for (const source of sourcesOf(filter)) {
    const ids = await allIds(tx, source, RANGE_IDS_MAX)
    if (ids === null) continue
    const counted = hasTotal ? await countOfIds(tx, listing, ids) : null
    return { ...(await pageOfIds<User>(tx, listing, ids, place)), counted }
  }
  const counted = hasTotal ? await countInOrder(tx, listing, () => within, COUNTED_MAX + 1) : null
  return { ...(await pageInOrder<User>(tx, listing, place, () => within)), counted }
}

function conditionsOf({ email, username, enabled, role, hasRole: isAny, name }: UserFilter): SqlCondition[] {
  return [
    ...(email === undefined ? [] : [equals('email_folded', email)]),
    ...(username === undefined ? [] : [equals('username_folded', username)]),
    ...(enabled === undefined ? [] : [() => (enabled === 'true' ? 'enabled' : 'not enabled')]),
    ...(role === undefined ? [] : [() => hasRole(role)]),
    ...(isAny === undefined ? [] : [isWorking]),
    ...(name === undefined
      ? []
      : [
          (parameter: Parameter) =>
            `strpos(concat_ws(' ', first_name_folded, last_name_folded), ${parameter(foldCase(name))}) > 0`,
        ]),
  ]
}

const equals =
  (column: string, text: string): SqlCondition =>
  (parameter) =>
    `${column} = ${parameter(foldCase(text))}`

/** The condition of the index that has a list in an order. The primary key has every user. */
function indexedCondition({ role, enabled, deleted }: UserFilter, { kind }: SortOrder): string {
  if (deleted === 'true') return 'deleted_at is not null'
  if (role !== undefined) return `deleted_at is null and ${hasRole(role)}`
  if (kind === 'id') return enabled === 'false' ? 'not enabled' : 'true'
  return enabled === 'false' ? 'deleted_at is null and not enabled' : 'deleted_at is null'
}

/** Ids of all matches, and few others; one after the other, until one has few. */
function sourcesOf({ email, username, name, hasRole: isAny, deleted }: UserFilter): readonly IdSource[] {
  const key = username ?? email
  // Deleted users have no index of e-mail addresses, and none of roles.
  if (key === undefined || deleted === 'true') {
    const named = usersWithPart(foldCase(key ?? name ?? '')).map((one) => [one])
    return isAny === undefined || deleted === 'true' ? named : [...named, working]
  }
  const equal = equals(username === undefined ? 'email_folded' : 'username_folded', key)
  const from: SqlCondition = (parameter) =>
    `user_account where tenant_id = $1 and deleted_at is null and ${equal(parameter)}`
  return [[{ from, id: 'id', order: 'id', rank: 0 }]]
}

type Members = { readonly [Member in keyof UserChange]: UserChange[Member] | null }

/** A user to insert. It is enabled by default, and has no roles. */
type NewUser = Members & { readonly username: string; readonly passwordHash?: string | null }

/** Returns the values of {@link insertUserSql}. */
export function newUserValues({ tenantId }: TenantTx, id: string, user: NewUser, now: Date) {
  return { tenantId, id, ...userValues(user), passwordHash: user.passwordHash ?? null, now }
}

/** Returns the values of the columns that {@link UserChange} decides; what it leaves out is null. */
export function userValues(user: Members) {
  const { username = null, email = null, firstName = null, lastName = null, shownName = null } = user
  const fold = (text: string | null) => (text === null ? null : foldCase(text))
  return {
    username,
    usernameFolded: fold(username),
    email,
    emailFolded: fold(email),
    firstName,
    firstNameFolded: fold(firstName),
    lastName,
    lastNameFolded: fold(lastName),
    displayName: shownName,
    displayNameFolded: fold(shownName),
    emailType: user.emailType ?? null,
    externalIdentifier: user.externalIdentifier ?? null,
    enabled: user.enabled ?? null,
    roles: user.roles ?? null,
  }
}
