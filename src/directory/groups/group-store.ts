import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { foldCase } from '../users/user.ts'
import type { Group, GroupChange, Member } from './group.ts'

/** Columns of a `Group`. */
export const GROUP_COLUMNS = `id, display_name as "displayName", external_identifier as "externalIdentifier", roles, created_at as "createdAt",
  updated_at as "updatedAt", version`

const find = sql('directory.find_group', `select ${GROUP_COLUMNS} from user_group where tenant_id = $1 and id = $2`)
const insert = sql(
  'directory.create_group',
  `insert into user_group (tenant_id, id, display_name, display_name_folded, external_identifier, roles, created_at,
    updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)
   returning ${GROUP_COLUMNS}`,
)
const update = sql(
  'directory.change_group',
  `update user_group set display_name = coalesce(:displayName, display_name),
     display_name_folded = coalesce(:displayNameFolded, display_name_folded),
     external_identifier = case when :isIdentifierGiven then :externalIdentifier else external_identifier end,
     roles = coalesce(:roles::text[], roles), updated_at = :now,
     version = version + 1
   where tenant_id = :tenantId and id = :id and version = coalesce(:version, version) and roles <@ :mayHold::text[]
   returning ${GROUP_COLUMNS}`,
)
const remove = sql(
  'directory.delete_group',
  `delete from user_group where tenant_id = $1 and id = $2 and roles <@ $3::text[]
     and version = coalesce($4, version) returning id`,
)
const members = sql(
  'directory.list_group_members',
  `select account.id, account.username from user_group_member member
     join user_account account on account.tenant_id = member.tenant_id and account.id = member.user_id
   where member.tenant_id = $1 and member.group_id = $2 and account.deleted_at is null order by account.id limit $3`,
)
const addMembers = sql(
  'directory.add_group_members',
  `insert into user_group_member (tenant_id, group_id, user_id)
   select $1, $2, account.id from user_account account
     where account.tenant_id = $1 and account.id = any($3::uuid[]) and account.deleted_at is null
   on conflict do nothing returning user_id`,
)
const missing = sql(
  'directory.find_missing_members',
  `select wanted as id from unnest($2::uuid[]) as wanted
   where not exists (select from user_account where tenant_id = $1 and id = wanted and deleted_at is null) limit 1`,
)
const removeMembers = sql(
  'directory.remove_group_members',
  'delete from user_group_member where tenant_id = $1 and group_id = $2 and user_id = any($3::uuid[])',
)
const keepMembers = sql(
  'directory.keep_group_members',
  'delete from user_group_member where tenant_id = $1 and group_id = $2 and user_id <> all($3::uuid[])',
)
const ofUser = sql(
  'directory.list_groups_of_users',
  `select member.user_id as "userId", user_group.id, user_group.display_name as "displayName" from user_group_member member
     join user_group on user_group.tenant_id = member.tenant_id and user_group.id = member.group_id
   where member.tenant_id = $1 and member.user_id = any($2::uuid[]) order by user_group.id`,
)

const page = pagedList({
  name: 'directory.groups',
  select: `select ${GROUP_COLUMNS} from user_group where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  sorts: { displayName: 'display_name_folded' },
  rows: 'user_group where tenant_id = $1',
  filters: { displayName: (value) => `display_name_folded = ${value}` },
})

const memberPage = pagedList({
  name: 'directory.group_members',
  select: `select account.id, account.username from user_group_member member
     join user_account account on account.tenant_id = member.tenant_id and account.id = member.user_id
   where member.tenant_id = $1 and member.group_id = $2 and account.deleted_at is null`,
  parameters: 2,
  id: 'account.id',
  filters: {},
})

/** Returns one page of the members of a group, and one row more if there is a next page. */
export async function listMemberRows(tx: TenantTx, groupId: string, request: PageRequest): Promise<Member[]> {
  return memberPage<Member>(tx, request, [tx.tenantId, groupId], {})
}

/** Returns the group; null if there is none. The id must be a UUID. */
export async function findGroup(tx: TenantTx, id: string): Promise<Group | null> {
  const [found] = await tx.rows<Group>(find, [tx.tenantId, id])
  return found ?? null
}

/** Returns one page of the groups, and one row more if there is a next page. */
export async function listGroupRows(
  tx: TenantTx,
  request: PageRequest,
  { displayName }: { readonly displayName?: string | undefined },
): Promise<Group[]> {
  const folded = displayName === undefined ? undefined : foldCase(displayName)
  return page<Group>(tx, request, [tx.tenantId], { displayName: folded })
}

/** Inserts a group without members. Throws the database's unique violation. */
export async function insertGroup(
  tx: TenantTx,
  id: string,
  group: GroupChange & { readonly displayName: string },
  entry: AuditEntry,
  now: Date,
): Promise<Group> {
  const { displayName, externalIdentifier = null, roles = [] } = group
  const values = [tx.tenantId, id, displayName, foldCase(displayName), externalIdentifier, roles, now]
  const [made] = await tx.rows<Group>(insert, values, [auditStep(tx, entry, now)])
  if (made === undefined) throw new Error('the database returned no row for an insert')
  return made
}

/** What a caller may touch, and since when the change holds. */
type GroupAuthority = {
  /** The roles that a group may have to be changed by the caller. */
  readonly roles: readonly string[]
  readonly now: Date
  /** The version that the caller read; undefined if the change applies to every version. */
  readonly version?: number | undefined
}

/**
 * Changes a group, but not its members. Returns null if it is unknown, changed meanwhile or beyond the caller's
 * authority.
 */
export async function updateGroup(
  tx: TenantTx,
  id: string,
  { displayName, externalIdentifier, roles }: GroupChange,
  by: GroupAuthority,
  entry: AuditEntry,
): Promise<Group | null> {
  const folded = displayName === undefined ? null : foldCase(displayName)
  const values = {
    tenantId: tx.tenantId,
    id,
    displayName: displayName ?? null,
    displayNameFolded: folded,
    isIdentifierGiven: externalIdentifier !== undefined,
    externalIdentifier: externalIdentifier ?? null,
    roles: roles ?? null,
    now: by.now,
    version: by.version ?? null,
    mayHold: by.roles,
  }
  return recordChange<Group>(tx, update, values, entry, by.now)
}

/** Deletes a group. Returns whether it was there and within the caller's authority. */
export async function deleteGroupRow(
  tx: TenantTx,
  id: string,
  by: GroupAuthority,
  entry: AuditEntry,
): Promise<boolean> {
  return (await recordChange(tx, remove, [tx.tenantId, id, by.roles, by.version ?? null], entry, by.now)) !== null
}

/** Returns the first members of a group, in the order of their ids. */
export async function listMembers(tx: TenantTx, groupId: string, countMax: number): Promise<Member[]> {
  return tx.rows<Member>(members, [tx.tenantId, groupId, countMax])
}

/**
 * Changes the members of a group. The ids must be UUIDs; those that are there already, or gone already, are no fault.
 */
export async function changeMembers(tx: TenantTx, groupId: string, change: GroupChange): Promise<void> {
  const run = (statement: typeof addMembers, ids: readonly string[] | undefined) =>
    ids === undefined ? null : tx.rows(statement, [tx.tenantId, groupId, ids])
  await run(keepMembers, change.members)
  await run(removeMembers, change.removeMembers)
  await run(addMembers, change.addMembers ?? change.members)
}

/** Returns one of the ids that is no user of the tenant; null if all are. */
export async function findMissingMember(tx: TenantTx, ids: readonly string[]): Promise<string | null> {
  const [found] = await tx.rows<{ id: string }>(missing, [tx.tenantId, ids])
  return found?.id ?? null
}

/** Returns the groups of some users. */
export async function listGroupsOf(
  tx: TenantTx,
  userIds: readonly string[],
): Promise<{ userId: string; id: string; displayName: string }[]> {
  return tx.rows(ofUser, [tx.tenantId, userIds])
}
