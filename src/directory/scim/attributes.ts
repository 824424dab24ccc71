import { isRole } from '../../caller.ts'
import { groupSchema, type Schema, userSchema } from '../../protocols/scim/schema.ts'
import { isUuid } from '../../uuid.ts'
import { GROUP_COLUMNS } from '../groups/group-store.ts'
import { type IdRange, usersWithPart } from '../search/id-range.ts'
import { byId, type SortOrder } from '../search/sort-order.ts'
import { hasRole, USER_COLUMNS } from '../users/user-store.ts'
import type { Lookups } from './filter-plan.ts'
import type { Columns } from './filter-sql.ts'

/** A kind of resource: its table, and how its attributes are compared and found. */
export type Source = {
  readonly table: string
  readonly scope: string
  readonly select: string
  readonly columns: Columns
  readonly schema: Schema
  readonly lookups: Lookups
  /** The condition and the order of an index that has all resources. */
  readonly whole: { readonly condition: string; readonly order: string }
}

const names = `coalesce(first_name_folded || ' ' || last_name_folded, first_name_folded, last_name_folded)`
const groupsOf =
  'from user_group_member member where member.tenant_id = user_account.tenant_id and member.user_id = user_account.id'
const membersOf =
  'from user_group_member member where member.tenant_id = user_group.tenant_id and member.group_id = user_group.id'
/** Not "exists", which PostgreSQL may turn into a join that reads all memberships: this is looked up for each row. */
const some = (source: string) => `coalesce((select true ${source} limit 1), false)`
const oneOf = (source: string, column: string) => (value: string) => some(`${source} and ${column} = ${value}::uuid`)

const common = {
  id: { kind: 'id', sql: 'id' },
  externalid: { kind: 'text', sql: 'external_identifier', isExact: true },
  'meta.created': { kind: 'time', sql: 'created_at' },
  'meta.lastmodified': { kind: 'time', sql: 'updated_at' },
} as const
const constant = (text: string) => ({ kind: 'constant', text: text.toLowerCase() }) as const
const roles = { kind: 'set', has: (value: string) => `${value}::text = any(roles)`, isSet: "(roles <> '{}')" } as const
const groups = {
  kind: 'set',
  isId: true,
  has: oneOf(groupsOf, 'member.group_id'),
  isSet: some(groupsOf),
} as const
const members = {
  kind: 'set',
  isId: true,
  has: oneOf(membersOf, 'member.user_id'),
  isSet: some(membersOf),
} as const
const email = { kind: 'text', sql: 'email_folded' } as const

const userColumns: Columns = {
  ...common,
  username: { kind: 'text', sql: 'username_folded' },
  'name.givenname': { kind: 'text', sql: 'first_name_folded' },
  'name.familyname': { kind: 'text', sql: 'last_name_folded' },
  'name.formatted': { kind: 'text', sql: names },
  displayname: { kind: 'text', sql: 'shown_name_folded' },
  emails: email,
  'emails.value': email,
  'emails.type': { kind: 'text', sql: `case when email is not null then lower(coalesce(email_type, 'work')) end` },
  'emails.primary': { kind: 'boolean', sql: '(email is not null)' },
  active: { kind: 'boolean', sql: 'enabled' },
  roles,
  'roles.value': roles,
  groups,
  'groups.value': groups,
  schemas: constant(userSchema.id),
  'meta.resourcetype': constant('User'),
}
const groupColumns: Columns = {
  ...common,
  displayname: { kind: 'text', sql: 'display_name_folded' },
  members,
  'members.value': members,
  schemas: constant(groupSchema.id),
  'meta.resourcetype': constant('Group'),
}

const order = (name: string, sql: string, kind: SortOrder['kind'], isNullable = false): SortOrder => ({
  name,
  sql,
  kind,
  isNullable,
  descending: false,
})
const rows = 'user_account where tenant_id = $1 and deleted_at is null'
const usersWhere = (condition: string, rank: number): IdRange => ({
  from: () => `${rows} and ${condition}`,
  id: 'id',
  order: 'id',
  rank,
})
const byUuid = (from: string, column: string, id: string, rank: number) => (value: string | boolean) =>
  isUuid(String(value))
    ? ({
        from: (parameter) => `${from} and ${column} = ${parameter(value)}::uuid`,
        id,
        order: id,
        rank,
      } satisfies IdRange)
    : null

const named = (name: string, column: string) => ({
  order: order(name, column, 'text', true),
  withPart: usersWithPart,
  withNone: usersWhere(`${column} is null`, 4),
})
const mail = { ...named('email', 'email_folded'), isUnique: true } as const
const roleLookup = {
  withValue: (value: string | boolean) => (isRole(String(value)) ? usersWhere(hasRole(String(value)), 3) : null),
  withAny: usersWhere("roles <> '{}'", 5),
}
const memberships = 'user_group_member where tenant_id = $1'
const groupLookup = {
  withValue: byUuid(memberships, 'group_id', 'user_id', 3),
  withAny: { from: () => memberships, id: 'user_id', order: 'user_id', rank: 5 },
}
const userLookups: Lookups = {
  id: { withValue: byUuid(rows, 'id', 'id', 0) },
  externalid: {
    order: order('external', 'external_identifier', 'text', true),
    isUnique: true,
    withNone: usersWhere('external_identifier is null', 4),
  },
  'meta.created': { order: order('created', 'created_at', 'time') },
  'meta.lastmodified': { order: order('updated', 'updated_at', 'time') },
  username: { order: order('username', 'username_folded', 'text'), isUnique: true, withPart: usersWithPart },
  'name.givenname': named('given', 'first_name_folded'),
  'name.familyname': named('family', 'last_name_folded'),
  'name.formatted': { withPart: usersWithPart },
  displayname: { order: order('shown', 'shown_name_folded', 'text'), withPart: usersWithPart },
  emails: mail,
  'emails.value': mail,
  active: { withValue: (value) => (value === false ? usersWhere('not enabled', 4) : undefined) },
  roles: roleLookup,
  'roles.value': roleLookup,
  groups: groupLookup,
  'groups.value': groupLookup,
}
const memberLookup = { withValue: byUuid(memberships, 'user_id', 'group_id', 3) }
const groupLookups: Lookups = {
  id: { withValue: byUuid('user_group where tenant_id = $1', 'id', 'id', 0) },
  externalid: { order: order('external', 'external_identifier', 'text', true), isUnique: true },
  displayname: { order: order('shown', 'display_name_folded', 'text'), isUnique: true },
  members: memberLookup,
  'members.value': memberLookup,
}

/** Users. */
export const userSource: Source = {
  table: 'user_account',
  scope: 'deleted_at is null',
  select: USER_COLUMNS,
  columns: userColumns,
  schema: userSchema,
  lookups: userLookups,
  whole: { condition: `deleted_at is null and created_at >= '-infinity'`, order: 'created_at, id' },
}

/** Groups. */
export const allGroups: Source = {
  table: 'user_group',
  scope: 'true',
  select: GROUP_COLUMNS,
  columns: groupColumns,
  schema: groupSchema,
  lookups: groupLookups,
  whole: { condition: 'true', order: 'id' },
}

/** Returns the order by an attribute, and whether an index has it. @param name As `columns` has it. */
export function sortOrderOf(
  { columns, lookups }: Source,
  name: string,
  descending: boolean,
): { readonly order: SortOrder; readonly isIndexed: boolean } {
  const indexed = Object.hasOwn(lookups, name) ? lookups[name]?.order : undefined
  const column = columns[name]
  if (indexed !== undefined) return { order: { ...indexed, descending }, isIndexed: true }
  if (column?.kind === 'id') return { order: { ...byId, descending }, isIndexed: true }
  if (column === undefined || column.kind === 'set' || column.kind === 'constant') throw new Error(`no order: ${name}`)
  const kind = column.kind === 'time' ? 'time' : 'text'
  const sql = column.kind === 'boolean' ? `${column.sql}::text` : column.sql
  return { order: { name, sql, kind, isNullable: true, descending }, isIndexed: false }
}
