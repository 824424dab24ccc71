import { routeGroup } from '../../api/route-group.ts'
import { Fault } from '../../fault.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { getUser } from '../users/find-user.ts'
import type { Group } from './group.ts'
import { listGroupRows, listMemberRows } from './group-store.ts'
import {
  GroupBody,
  GroupChangeBody,
  GroupListQuery,
  GroupReply,
  MemberListQuery,
  MemberReply,
  showGroup,
} from './schemas.ts'
import { changeGroup, createGroup, deleteGroup, getGroup } from './write-group.ts'

const groups = routeGroup({
  ...{ group: 'onboarding', tag: 'groups', path: '/groups', reply: GroupReply },
  scope: { read: 'users:read', write: 'users:write' },
})

const listRoute = groups.list('', {
  summary: 'Lists the groups of users.',
  query: GroupListQuery,
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listGroupRows(tx, list, filters)),
  show: showGroup,
})

const createRoute = groups.post('', {
  summary: 'Creates a group of users, which gives its roles to its members.',
  body: GroupBody,
  status: 201,
  faults: ['state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, body, operation }) =>
    answer(showGroup(await createGroup(platform, caller, body, operation.newId()))),
})

const getRoute = groups.get('/{id}', {
  summary: 'Returns a group.',
  replyHeaders: ['ETag'],
  handle: async ({ platform, caller, params }) =>
    tagged(await platform.store.single(caller.tenantId, (tx) => getGroup(tx, params.id))),
})

const changeRoute = groups.patch('/{id}', {
  summary: 'Changes name or roles of a group.',
  body: GroupChangeBody,
  ifMatch: true,
  replyHeaders: ['ETag'],
  faults: ['state.conflict', 'role.above_caller', 'resource.changed', 'owner.last'],
  handle: async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    if (ifMatch === undefined) return tagged(await changeGroup(platform, caller, params.id, body))
    const now = await platform.store.single(caller.tenantId, (tx) => getGroup(tx, params.id))
    if (!isSame(ifMatch, tagOf(now))) throw new Fault('resource.changed')
    // The version that was compared is the one that is changed.
    return tagged(await changeGroup(platform, caller, params.id, body, now.version))
  },
})

function tagged(group: Group) {
  return answer(showGroup(group), { headers: { etag: tagOf(group) } })
}

/** Of what our API changes with the group itself: its members change without it. */
function tagOf({ id, displayName, roles }: Group): string {
  return entityTagOf(JSON.stringify([id, displayName, roles]))
}

const deleteRoute = groups.delete('/{id}', {
  summary: 'Deletes a group; its members lose its roles.',
  reply: undefined,
  faults: ['role.above_caller', 'owner.last'],
  handle: async ({ platform, caller, params }) => {
    await deleteGroup(platform, caller, params.id)
    return answer(undefined)
  },
})

const listMembersRoute = groups.list('/{id}/members', {
  summary: 'Lists the members of a group.',
  query: MemberListQuery,
  reply: MemberReply,
  read: ({ platform, caller, params }, list) =>
    platform.store.inTenant(caller.tenantId, async (tx) =>
      listMemberRows(tx, (await getGroup(tx, params.id)).id, list),
    ),
  show: (member) => member,
})

const addMemberRoute = groups.put('/{id}/members/{username}', {
  operationId: 'addGroupMember',
  summary: 'Adds a user to a group.',
  reply: undefined,
  faults: ['role.above_caller'],
  handle: async ({ platform, caller, params }) => {
    const user = await platform.store.single(caller.tenantId, (tx) => getUser(tx, 'username', params.username))
    await changeGroup(platform, caller, params.id, { addMembers: [user.id] })
    return answer(undefined)
  },
})

const removeMemberRoute = groups.delete('/{id}/members/{username}', {
  operationId: 'removeGroupMember',
  summary: 'Removes a user from a group.',
  reply: undefined,
  faults: ['role.above_caller', 'owner.last'],
  handle: async ({ platform, caller, params }) => {
    const user = await platform.store.single(caller.tenantId, (tx) => getUser(tx, 'username', params.username))
    await changeGroup(platform, caller, params.id, { removeMembers: [user.id] })
    return answer(undefined)
  },
})

/** Groups of users, in our API. */
export const groupRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  getRoute,
  changeRoute,
  deleteRoute,
  listMembersRoute,
  addMemberRoute,
  removeMemberRoute,
]
