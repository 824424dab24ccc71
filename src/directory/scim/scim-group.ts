import { isJsonObject, type Json } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Filter } from '../../protocols/scim/filter.ts'
import type { PatchOperation } from '../../protocols/scim/parse-patch.ts'
import { type PathOperation, type Resource, withPaths } from '../../protocols/scim/patch.ts'
import { groupSchema } from '../../protocols/scim/schema.ts'
import { memberNamed } from '../../protocols/scim/values.ts'
import type { Group, GroupChange, Member } from '../groups/group.ts'
import { metaOf, textOf } from './scim-user.ts'

/** Returns a group as a SCIM resource. @param base Address of the SCIM service. */
export function showScimGroup(group: Group, members: readonly Member[], base: string): Resource {
  return {
    schemas: [groupSchema.id],
    id: group.id,
    displayName: group.displayName,
    externalId: group.externalIdentifier,
    members: members.map(({ id, username }) => ({ value: id, $ref: `${base}/Users/${id}`, display: username })),
    meta: metaOf('Group', group, `${base}/Groups/${group.id}`),
  }
}

/**
 * Returns the group that a resource describes. Its roles are set in our API only.
 *
 * @throws Fault `scim.invalid_value`
 */
export function readScimGroup(resource: Resource): GroupChange & { readonly displayName: string } {
  const displayName = textOf(resource.displayName, 'displayName', 255)
  if (displayName === null) throw invalid('displayName is needed.')
  const externalIdentifier = textOf(resource.externalId, 'externalId', 255)
  return { displayName, externalIdentifier, members: idsIn(resource.members) }
}

/**
 * Splits the operations of a PATCH into those on members, which are changed by id without reading all members, and the
 * rest. Operations on members are merged in their order.
 *
 * @throws Fault `scim.invalid_value`, `scim.invalid_filter`
 */
export function splitMembers(operations: readonly PatchOperation[]): {
  readonly members: GroupChange
  readonly rest: readonly PatchOperation[]
} {
  const all = withPaths(groupSchema, operations)
  const onMembers = all.filter(isOnMembers).flatMap(memberOperations)
  let only: Set<string> | null = null
  const added = new Set<string>()
  const removed = new Set<string>()
  for (const { op, ids } of onMembers) {
    if (op === 'replace') {
      only = new Set(ids)
      added.clear()
      removed.clear()
    } else {
      const [into, from] = op === 'add' ? [added, removed] : [removed, added]
      for (const id of ids) {
        into.add(id)
        from.delete(id)
        if (op === 'add') only?.add(id)
        else only?.delete(id)
      }
    }
  }
  const rest = all.filter((one) => !isOnMembers(one))
  const members = only === null ? { addMembers: [...added], removeMembers: [...removed] } : { members: [...only] }
  return { members: onMembers.length === 0 ? {} : members, rest }
}

type MemberOperation = { readonly op: PatchOperation['op']; readonly ids: readonly string[] }

function isOnMembers({ path: { path } }: PathOperation): boolean {
  return path.name === 'members' && (path.schema === null || path.schema === groupSchema.id.toLowerCase())
}

function memberOperations({ op, path: { filter, sub }, value }: PathOperation): readonly MemberOperation[] {
  if (filter === null)
    return [op === 'remove' && value === undefined ? { op: 'replace', ids: [] } : { op, ids: idsIn(value) }]
  // What else a member has is derived from the user.
  if (sub !== null && sub !== 'value') return []
  const ids = idsOf(filter)
  if (op !== 'replace') return [{ op, ids }]
  return [
    { op: 'remove', ids },
    { op: 'add', ids: idsIn(value) },
  ]
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
    const id = isJsonObject(one) ? memberNamed(one, 'value') : one
    if (typeof id !== 'string') throw invalid('A member needs the value of the id of a user.')
    return id
  })
}

function invalid(detail: string): Fault {
  return new Fault('scim.invalid_value', { detail })
}
