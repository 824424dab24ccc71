import { Fault } from '../../fault.ts'
import type { ListRequest } from '../../protocols/scim/list-request.ts'
import { groupSchema, type Schema, userSchema } from '../../protocols/scim/schema.ts'
import { composedSql, type TenantTx } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import type { Group } from '../groups/group.ts'
import { GROUP_COLUMNS } from '../groups/group-store.ts'
import type { User } from '../users/user.ts'
import { USER_COLUMNS } from '../users/user-store.ts'
import { type Columns, conditionOf, sortColumn, timeBound } from './filter-sql.ts'

const names = `nullif(concat_ws(' ', first_name_folded, last_name_folded), '')`
const groupsOf = `from user_group_member member join user_group on user_group.tenant_id = member.tenant_id and user_group.id = member.group_id
  where member.tenant_id = user_account.tenant_id and member.user_id = user_account.id`
const membersOf =
  'from user_group_member member where member.tenant_id = user_group.tenant_id and member.group_id = user_group.id'
const oneOf = (source: string, column: string) => (value: string) =>
  `exists (select ${source} and ${column} = ${value})`

const common = {
  id: { kind: 'id', sql: 'id' },
  externalid: { kind: 'text', sql: 'external_identifier', isExact: true },
  'meta.created': { kind: 'time', sql: 'created_at' },
  'meta.lastmodified': { kind: 'time', sql: 'updated_at' },
} as const
const constant = (text: string) => ({ kind: 'text', sql: `'${text.toLowerCase()}'::text` }) as const
const roles = { kind: 'set', has: (value: string) => `${value}::text = any(roles)`, isSet: "(roles <> '{}')" } as const
const groups = {
  kind: 'set',
  has: oneOf(groupsOf, 'user_group.id::text'),
  isSet: `exists (select ${groupsOf})`,
} as const
const email = { kind: 'text', sql: 'email_folded', pieces: true, isOrdered: true } as const
const members = {
  kind: 'set',
  has: oneOf(membersOf, 'member.user_id::text'),
  isSet: `exists (select ${membersOf})`,
} as const

const userColumns: Columns = {
  ...common,
  username: { kind: 'text', sql: 'username_folded', pieces: true, isOrdered: true },
  'name.givenname': { kind: 'text', sql: 'first_name_folded collate "C"', pieces: true, isOrdered: true },
  'name.familyname': { kind: 'text', sql: 'last_name_folded collate "C"', pieces: true, isOrdered: true },
  'name.formatted': { kind: 'text', sql: names, pieces: true },
  displayname: { kind: 'text', sql: `coalesce(display_name_folded, ${names}, username_folded)`, pieces: true },
  ...{ emails: email, 'emails.value': email },
  'emails.type': { kind: 'text', sql: `case when email is not null then lower(coalesce(email_type, 'work')) end` },
  'emails.primary': { kind: 'boolean', sql: '(email is not null)' },
  active: { kind: 'boolean', sql: 'enabled' },
  ...{ roles, 'roles.value': roles, groups, 'groups.value': groups },
  schemas: constant(userSchema.id),
  'meta.resourcetype': constant('User'),
}
const groupColumns: Columns = {
  ...common,
  displayname: { kind: 'text', sql: 'display_name_folded' },
  ...{ members, 'members.value': members },
  schemas: constant(groupSchema.id),
  'meta.resourcetype': constant('Group'),
}

type Source = { readonly from: string; readonly select: string; readonly columns: Columns; readonly schema: Schema }
const users: Source = {
  from: 'user_account where tenant_id = $1 and deleted_at is null',
  select: USER_COLUMNS,
  columns: userColumns,
  schema: userSchema,
}
const allGroups: Source = {
  from: 'user_group where tenant_id = $1',
  select: GROUP_COLUMNS,
  columns: groupColumns,
  schema: groupSchema,
}

/** A page of resources. `total` is null for a page by cursor: counting costs as much as all pages. */
export type Found<Row> = {
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly nextCursor: string | null
}

/** Returns a page of the users that match. @throws Fault `scim.invalid_filter`, `scim.invalid_path` */
export function findUsers(tx: TenantTx, request: ListRequest): Promise<Found<User>> {
  return find<User>(tx, users, request)
}

/** Returns a page of the groups that match. @throws Fault `scim.invalid_filter`, `scim.invalid_path` */
export function findGroups(tx: TenantTx, request: ListRequest): Promise<Found<Group>> {
  return find<Group>(tx, allGroups, request)
}

async function find<Row extends { readonly id: string }>(
  tx: TenantTx,
  { from, select, columns, schema }: Source,
  { filter, sort, count, startIndex, cursor }: ListRequest,
): Promise<Found<Row>> {
  const condition = filter === null ? null : conditionOf(filter, columns, schema, 1)
  const where = condition === null ? from : `${from} and ${condition.text}`
  const values = [tx.tenantId, ...(condition?.values ?? [])]
  const matches: Matches = { select, where, values }
  if (cursor !== null) return findByCursor<Row>(tx, matches, { time: timeBound(filter, columns), cursor, count })
  const order = sort === null ? 'id' : `${sortColumn(sort.by, columns, schema)} ${sort.descending ? 'desc' : 'asc'}, id`
  const [counted] = await tx.rows<{ total: number }>(composedSql(`select count(*)::int as total from ${where}`), values)
  const total = counted?.total ?? 0
  if (count === 0 || startIndex > total) return { rows: [], total, nextCursor: null }
  const limits = `limit $${values.length + 1} offset $${values.length + 2}`
  const text = `select ${select} from ${where} order by ${order} ${limits}`
  return { rows: await tx.rows<Row>(composedSql(text), [...values, count, startIndex - 1]), total, nextCursor: null }
}

type Matches = { readonly select: string; readonly where: string; readonly values: readonly unknown[] }

/**
 * Pages by cursor are in the order of the ids; those of a filter by time in the order of that time, since rows of one time stand together
 * nowhere else. A cursor is the id of the last row, then after the time in microseconds.
 */
async function findByCursor<Row extends { readonly id: string }>(
  tx: TenantTx,
  { select, where, values }: Matches,
  { time, cursor, count }: { readonly time: string | null; readonly cursor: string; readonly count: number },
): Promise<Found<Row>> {
  const position = time === null ? '' : `(extract(epoch from ${time}) * 1000000)::bigint::text`
  const start = cursor === '' ? [] : startOf(cursor, time !== null)
  const at = (index: number) => `$${values.length + 2 + index}`
  const keys = time === null ? ['id'] : [time, 'id']
  const limits =
    time === null ? [at(0)] : [`timestamptz 'epoch' + ${at(0)}::bigint * interval '1 microsecond'`, `${at(1)}::uuid`]
  const after = cursor === '' ? '' : ` and (${keys.join(', ')}) > (${limits.join(', ')})`
  const columns = time === null ? select : `${select}, ${position} as position`
  const text = `select ${columns} from ${where}${after} order by ${keys.join(', ')} limit $${values.length + 1}`
  const found = await tx.rows<Row & { position?: string }>(composedSql(text), [...values, count + 1, ...start])
  const rows = found.slice(0, count)
  const last = rows.at(-1)
  const next = last === undefined ? null : [last.position, last.id].filter((one) => one !== undefined).join('.')
  return { rows, total: null, nextCursor: found.length > count ? next : null }
}

/** @throws Fault `scim.invalid_cursor` */
function startOf(cursor: string, hasTime: boolean): string[] {
  const parts = cursor.split('.')
  const [microseconds = '', id = ''] = hasTime ? parts : ['0', ...parts]
  const isRight = parts.length === (hasTime ? 2 : 1) && /^\d{1,17}$/.test(microseconds) && isUuid(id)
  if (!isRight) throw new Fault('scim.invalid_cursor')
  return hasTime ? [microseconds, id] : [id]
}
