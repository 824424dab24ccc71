import type { Caller } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { violatedIndex } from '../../store/unique-violation.ts'
import { isUuid } from '../../uuid.ts'
import { keepingAnOwner } from '../accounts/last-owner.ts'
import { checkRoles, grantableRoles } from '../users/authority.ts'
import type { Group, GroupChange } from './group.ts'
import { changeMembers, deleteGroupRow, findGroup, findMissingMember, insertGroup, updateGroup } from './group-store.ts'

/** How many members one request may name. */
export const MEMBERS_MAX = 10_000

type Needs = Pick<Platform, 'store' | 'clock'>

const uniqueMembers: Readonly<Record<string, string>> = {
  user_group_display_name: 'displayName',
  user_group_external_identifier: 'externalIdentifier',
}

/**
 * Creates a group.
 *
 * @throws Fault `state.conflict`, `role.above_caller`, `request.invalid` for members that are no users
 */
export async function createGroup(
  { store, clock }: Needs,
  caller: Caller,
  group: GroupChange & { readonly displayName: string },
  id: string,
): Promise<Group> {
  checkRoles(caller, group.roles)
  const entry = entryOf('user_group.created', id, caller, group)
  return store
    .inTenant(caller.tenantId, async (tx) => {
      const made = await insertGroup(tx, id, group, entry, clock.now())
      await setMembers(tx, id, group)
      return made
    })
    .catch(refuseTaken)
}

/**
 * Changes a group and its members. The row of the group is locked first, so that concurrent changes follow each other.
 *
 * @param version The version that the caller read; undefined if the change applies to every version.
 * @throws Fault `resource.unknown`, `resource.changed`, `state.conflict`, `role.above_caller`, `owner.last`,
 *   `request.invalid`
 */
export async function changeGroup(
  { store, clock }: Needs,
  caller: Caller,
  id: string,
  change: GroupChange,
  version?: number,
): Promise<Group> {
  checkRoles(caller, change.roles)
  const by = { roles: grantableRoles(caller), now: clock.now(), version }
  return store
    .inTenant(caller.tenantId, async (tx) => {
      const found = await getGroup(tx, id)
      if (version !== undefined && found.version !== version) throw new Fault('resource.changed')
      const entry = entryOf('user_group.changed', found.id, caller, change)
      const write = async () => {
        const changed = await updateGroup(tx, found.id, change, by, entry)
        if (changed === null)
          throw (await getGroup(tx, id)).version === found.version ? beyond() : new Fault('resource.changed')
        await setMembers(tx, found.id, change)
        return changed
      }
      return found.roles.includes('owner') ? keepingAnOwner(tx, write) : write()
    })
    .catch(refuseTaken)
}

/**
 * Deletes a group; its members lose its roles.
 *
 * @param version The version that the caller read; undefined if every version is to be deleted.
 * @throws Fault `resource.unknown`, `resource.changed`, `role.above_caller`, `owner.last`
 */
export async function deleteGroup(
  { store, clock }: Needs,
  caller: Caller,
  id: string,
  version?: number,
): Promise<void> {
  const by = { roles: grantableRoles(caller), now: clock.now(), version }
  await store.inTenant(caller.tenantId, async (tx) => {
    const found = await getGroup(tx, id)
    const entry = entryOf('user_group.deleted', found.id, caller, {})
    const remove = () => deleteGroupRow(tx, found.id, by, entry)
    const isDeleted = await (found.roles.includes('owner') ? keepingAnOwner(tx, remove) : remove())
    if (isDeleted) return
    const { version: stored } = await getGroup(tx, found.id)
    throw version === undefined || stored === version ? beyond() : new Fault('resource.changed')
  })
}

/** Returns the group. @throws Fault `resource.unknown` */
export async function getGroup(tx: TenantTx, id: string): Promise<Group> {
  const found = isUuid(id) ? await findGroup(tx, id) : null
  if (found === null) throw new Fault('resource.unknown', { detail: 'There is no such group.' })
  return found
}

async function setMembers(tx: TenantTx, id: string, change: GroupChange): Promise<void> {
  const { members = [], addMembers = [], removeMembers = [] } = change
  const named = [...members, ...addMembers]
  if (named.length + removeMembers.length > MEMBERS_MAX) {
    throw new Fault('request.invalid', { detail: `One request names at most ${MEMBERS_MAX} members.` })
  }
  const strange = named.find((one) => !isUuid(one)) ?? (named.length === 0 ? null : await findMissingMember(tx, named))
  if (strange !== null) {
    const detail = `${strange.slice(0, 80)} is no user. Members are users who exist already, not groups.`
    throw new Fault('request.invalid', { detail })
  }
  await changeMembers(tx, id, { ...change, removeMembers: removeMembers.filter((one) => isUuid(one)) })
}

function beyond(): Fault {
  return new Fault('role.above_caller', { detail: 'The group has a role that gives more than you may do.' })
}

function refuseTaken(error: unknown): never {
  const member = uniqueMembers[violatedIndex(error) ?? '']
  if (member === undefined) throw error
  throw new Fault('state.conflict', {
    violations: [{ pointer: `/${member}`, detail: `Another group has this ${member}.`, rule: 'unique' }],
  })
}

function entryOf(action: AuditEntry['action'], id: string, by: Caller, change: GroupChange): AuditEntry {
  const { members, addMembers, removeMembers, ...columns } = change
  const counts = Object.entries({ members, addMembers, removeMembers }).flatMap(([name, ids]) =>
    ids === undefined ? [] : [[name, ids.length] as const],
  )
  const named = Object.entries(columns).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const detail = { ...Object.fromEntries(counts), ...(named.length > 0 && { changed: named }) }
  return { action, subject: { kind: 'user_group', id }, by, detail }
}
