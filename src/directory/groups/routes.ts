import { Type } from 'typebox'
import { filtersOf, listPage } from '../../api/list.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { getUser } from '../users/find-user.ts'
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

const reading = { group: 'onboarding', tag: 'groups', scope: 'users:read', status: 200 } as const
const writing = { group: 'onboarding', tag: 'groups', scope: 'users:write' } as const

const listRoute = route({
  ...reading,
  method: 'GET',
  path: '/groups',
  summary: 'Lists the groups of users.',
  query: GroupListQuery,
  reply: Type.Array(GroupReply),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => platform.store.single(caller.tenantId, (tx) => listGroupRows(tx, list, filtersOf(query))),
      showGroup,
    ),
})

const createRoute = route({
  ...writing,
  method: 'POST',
  path: '/groups',
  summary: 'Creates a group of users, which gives its roles to its members.',
  body: GroupBody,
  status: 201,
  reply: GroupReply,
  faults: ['state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, body, operation }) =>
    answer(showGroup(await createGroup(platform, caller, body, operation.newId()))),
})

const getRoute = route({
  ...reading,
  method: 'GET',
  path: '/groups/{id}',
  summary: 'Returns a group.',
  reply: GroupReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) =>
    answer(showGroup(await platform.store.single(caller.tenantId, (tx) => getGroup(tx, params.id)))),
})

const changeRoute = route({
  ...writing,
  method: 'PATCH',
  path: '/groups/{id}',
  summary: 'Changes name or roles of a group.',
  body: GroupChangeBody,
  status: 200,
  reply: GroupReply,
  faults: ['resource.unknown', 'state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, params, body }) =>
    answer(showGroup(await changeGroup(platform, caller, params.id, body))),
})

const deleteRoute = route({
  ...writing,
  method: 'DELETE',
  path: '/groups/{id}',
  summary: 'Deletes a group; its members lose its roles.',
  status: 204,
  faults: ['resource.unknown', 'role.above_caller'],
  handle: async ({ platform, caller, params }) => {
    await deleteGroup(platform, caller, params.id)
    return answer(undefined)
  },
})

const listMembersRoute = route({
  ...reading,
  method: 'GET',
  path: '/groups/{id}/members',
  summary: 'Lists the members of a group.',
  query: MemberListQuery,
  reply: Type.Array(MemberReply),
  faults: ['resource.unknown'],
  handle: ({ platform, caller, params, query, href }) =>
    listPage(
      { query, href },
      (list) =>
        platform.store.inTenant(caller.tenantId, async (tx) =>
          listMemberRows(tx, (await getGroup(tx, params.id)).id, list),
        ),
      (member) => member,
    ),
})

const addMemberRoute = route({
  ...writing,
  method: 'PUT',
  path: '/groups/{id}/members/{username}',
  summary: 'Adds a user to a group.',
  status: 204,
  faults: ['resource.unknown', 'role.above_caller'],
  handle: async ({ platform, caller, params }) => {
    const user = await platform.store.single(caller.tenantId, (tx) => getUser(tx, 'username', params.username))
    await changeGroup(platform, caller, params.id, { addMembers: [user.id] })
    return answer(undefined)
  },
})

const removeMemberRoute = route({
  ...writing,
  method: 'DELETE',
  path: '/groups/{id}/members/{username}',
  summary: 'Removes a user from a group.',
  status: 204,
  faults: ['resource.unknown', 'role.above_caller'],
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
