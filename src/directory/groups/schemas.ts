import { Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { isRole, type Role, roles } from '../../caller.ts'
import type { Group } from './group.ts'

// Object.keys loses the type of the keys.
const Roles = Type.Array(Type.Enum(Object.keys(roles) as Role[]), {
  uniqueItems: true,
  maxItems: 20,
  description: 'Roles that every member has.',
})
const name = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$', description })
const displayName = name('Unique in the tenant, case-insensitive.')

/** A group in our API. */
export const GroupReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    displayName: Type.String(),
    externalIdentifier: Type.String({ description: 'Empty if there is none.' }),
    roles: Roles,
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Group', additionalProperties: false },
)

/** Body of a new group. */
export const GroupBody = Type.Object(
  {
    displayName,
    externalIdentifier: Type.Optional(name("The group's id in the organisation's own systems, unique in the tenant.")),
    roles: Type.Optional(Roles),
  },
  { $id: 'GroupBody', additionalProperties: false, examples: [{ displayName: 'Registrars', roles: ['issuer'] }] },
)

/** Body of a change: members that are not named stay as they are. */
export const GroupChangeBody = Type.Object(
  { displayName: Type.Optional(displayName), roles: Type.Optional(Roles) },
  { $id: 'GroupChangeBody', additionalProperties: false, examples: [{ roles: ['issuer', 'verifier'] }] },
)

/** A member of a group. */
export const MemberReply = Type.Object(
  { id: Type.String({ format: 'uuid' }), username: Type.String() },
  { $id: 'GroupMember', additionalProperties: false },
)

/** Query of the list of groups. */
export const GroupListQuery = listQuery({
  filters: { displayName: Type.String({ minLength: 1, maxLength: 255 }) },
  sorts: ['createdAt', 'displayName'],
})

/** Query of the list of members. */
export const MemberListQuery = listQuery({})

/** Returns a group as our API shows it. */
export function showGroup({ id, displayName: shown, externalIdentifier, roles: names, createdAt, updatedAt }: Group) {
  return {
    id,
    displayName: shown,
    externalIdentifier: externalIdentifier ?? '',
    roles: names.filter(isRole),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
