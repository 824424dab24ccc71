import { isJsonObject, type Json } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Filter } from '../../protocols/scim/filter.ts'
import type { PatchOperation } from '../../protocols/scim/parse-patch.ts'
import type { Resource } from '../../protocols/scim/patch.ts'
import { groupSchema } from '../../protocols/scim/schema.ts'
import type { Group, GroupChange, Member } from '../groups/group.ts'
import { metaOf, textOf } from './scim-user.ts'

/** Returns a group as a SCIM resource. @param base Address of the SCIM service. */
export function showGroup(group: Group, members: readonly Member[], base: string): Resource {
  return {
    schemas: [groupSchema.id],
    id: group.id,
    displayName: group.displayName,
    externalId: group.externalIdentifier,
    members: members.map(({ id, username }) => ({ value: id, $ref: `${base}/Users/${id}`, display: username })),
    meta: metaOf('Group', group, `${base}/Groups/${group.id}`),
  }
}

/** Returns the group that a resource describes. Its roles are set in our API only. @throws Fault `scim.invalid_value` */
export function readGroup(resource: Resource): GroupChange & { readonly displayName: string } {
  const displayName = textOf(resource.displayName, 'displayName', 255)
  if (displayName === null) throw invalid('displayName is needed.')
  const externalIdentifier = textOf(resource.externalId, 'externalId', 255)
  return { displayName, externalIdentifier, members: idsIn(resource.members) }
}

/**
 * Splits the operations of a PATCH into those on members, which are changed by id without reading all members, and the rest. Operations on
 * members are merged in their order.
 *
 * @throws Fault `scim.invalid_value`, `scim.invalid_filter`
 */
export function splitMembers(operations: readonly PatchOperation[]): {
  readonly members: GroupChange
  readonly rest: readonly PatchOperation[]
} {
  const onMembers = operations.flatMap(memberOperations)
  let all: Set<string> | null = null
  const added = new Set<string>()
  const removed = new Set<string>()
  for (const { op, ids } of onMembers) {
    if (op === 'replace') {
      all = new Set(ids)
      added.clear()
      removed.clear()
    } else {
      const [into, from] = op === 'add' ? [added, removed] : [removed, added]
      for (const id of ids) {
        into.add(id)
        from.delete(id)
        if (op === 'add') all?.add(id)
        else all?.delete(id)
      }
    }
  }
  const rest = operations.flatMap((one) => (one.path?.path.name === 'members' ? [] : [withoutMembers(one)]))
  const members = all === null ? { addMembers: [...added], removeMembers: [...removed] } : { members: [...all] }
  return { members: onMembers.length === 0 ? {} : members, rest }
}

type MemberOperation = { readonly op: PatchOperation['op']; readonly ids: readonly string[] }

function memberOperations({ op, path, value }: PatchOperation): MemberOperation[] {
  if (path === null) {
    const members = isJsonObject(value) ? value.members : undefined
    return members === undefined ? [] : [{ op, ids: idsIn(members) }]
  }
  if (path.path.name !== 'members') return []
  if (path.filter !== null) return [{ op: 'remove', ids: idsOf(path.filter) }]
  if (op === 'remove' && value === undefined) return [{ op: 'replace', ids: [] }]
  return [{ op, ids: idsIn(value) }]
}

function withoutMembers(operation: PatchOperation): PatchOperation {
  if (operation.path !== null || !isJsonObject(operation.value)) return operation
  const { members: _, ...value } = operation.value
  return { ...operation, value }
}

/** The ids that a filter of equalities names, e.g. `value eq "…" or value eq "…"`. */
function idsOf(filter: Filter): string[] {
  const parts = filter.kind === 'or' ? filter.parts : [filter]
  return parts.map((part) => {
    if (
      part.kind === 'compare' &&
      part.operator === 'eq' &&
      part.path.name === 'value' &&
      typeof part.value === 'string'
    ) {
      return part.value
    }
    throw new Fault('scim.invalid_filter', { detail: 'Members are selected by value eq "id".' })
  })
}

function idsIn(value: Json | undefined): string[] {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map((one) => {
    const id = isJsonObject(one) ? one.value : one
    if (typeof id !== 'string') throw invalid('A member needs the value of the id of a user.')
    return id
  })
}

function invalid(detail: string): Fault {
  return new Fault('scim.invalid_value', { detail })
}
