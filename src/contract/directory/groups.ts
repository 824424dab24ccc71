import { Type } from 'typebox'
import { type Role, roles } from '../../caller.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'

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
const GroupReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    displayName: Type.String(),
    externalIdentifier: Type.String({ description: 'Empty if there is none.' }),
    roles: Roles,
    createdAt: time,
    updatedAt: time,
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
const MemberReply = Type.Object(
  { id: Type.String({ format: 'uuid' }), username: Type.String() },
  { $id: 'GroupMember', additionalProperties: false },
)

/** Query of the list of groups. */
const GroupListQuery = listQuery({
  filters: { displayName: Type.String({ minLength: 1, maxLength: 255 }) },
  sorts: ['createdAt', 'displayName'],
})

/** Query of the list of members. */
const MemberListQuery = listQuery({})
const ofGroups = operationGroup({
  group: 'onboarding',
  tag: 'groups',
  path: '/groups',
  reply: GroupReply,
  scope: { read: 'users:read', write: 'users:write' },
})

/** Groups of users, and their members. */
export const groups = {
  list: ofGroups.list('', {
    summary: 'Lists the groups of users.',
    query: GroupListQuery,
  }),

  create: ofGroups.post('', {
    summary: 'Creates a group of users, which gives its roles to its members.',
    body: GroupBody,
    status: 201,
    faults: ['state.conflict', 'role.above_caller'],
  }),

  get: ofGroups.get('/{id}', {
    summary: 'Returns a group.',
    replyHeaders: ['ETag'],
  }),

  change: ofGroups.patch('/{id}', {
    summary: 'Changes name or roles of a group.',
    body: GroupChangeBody,
    ifMatch: true,
    replyHeaders: ['ETag'],
    faults: ['state.conflict', 'role.above_caller', 'resource.changed', 'owner.last'],
  }),

  delete: ofGroups.delete('/{id}', {
    summary: 'Deletes a group; its members lose its roles.',
    reply: undefined,
    faults: ['role.above_caller', 'owner.last'],
  }),

  listMembers: ofGroups.list('/{id}/members', {
    summary: 'Lists the members of a group.',
    query: MemberListQuery,
    reply: MemberReply,
  }),

  addMember: ofGroups.put('/{id}/members/{username}', {
    operationId: 'addGroupMember',
    summary: 'Adds a user to a group.',
    reply: undefined,
    faults: ['role.above_caller'],
  }),

  removeMember: ofGroups.delete('/{id}/members/{username}', {
    operationId: 'removeGroupMember',
    summary: 'Removes a user from a group.',
    reply: undefined,
    faults: ['role.above_caller', 'owner.last'],
  }),
} as const
