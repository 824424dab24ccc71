import { Type } from 'typebox'
import { filtersOf, listPage } from '../../api/list.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { getUser } from './find-user.ts'
import { listUsers } from './list-users.ts'
import {
  ExternalIdentifierBody,
  ExternalIdentifierReply,
  showUser,
  UserBody,
  UserChangeBody,
  UserDeletionQuery,
  UserListQuery,
  UserReply,
  userMeta,
} from './schemas.ts'
import type { User } from './user.ts'
import { changeUser, createUser, deleteUser, restoreUser, type UserName } from './write-user.ts'

const listUsersRoute = route({
  group: 'onboarding',
  method: 'GET',
  path: '/users',
  summary: 'Lists the users of the tenant.',
  scope: 'users:read',
  query: UserListQuery,
  status: 200,
  reply: Type.Array(UserReply),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage({ query, href }, (list) => listUsers(platform, caller.tenantId, list, filtersOf(query)), showUser),
})

const byExternalIdentifierRoute = route({
  group: 'onboarding',
  method: 'GET',
  path: '/users/by-external-identifier/{externalIdentifier}',
  summary: 'Returns the user with this external identifier, compared exactly.',
  scope: 'users:read',
  status: 200,
  reply: UserReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => {
    const user = await platform.store.single(caller.tenantId, (tx) =>
      getUser(tx, 'externalIdentifier', params.externalIdentifier),
    )
    return answer(showUser(user))
  },
})

const externalIdentifierRoute = route({
  group: 'onboarding',
  method: 'GET',
  path: '/users/{username}/external-identifier',
  summary: 'Returns the external identifier of a user.',
  scope: 'users:read',
  status: 200,
  reply: ExternalIdentifierReply,
  faults: ['resource.unknown', 'user.no_external_identifier'],
  handle: async ({ platform, caller, params }) => {
    const { externalIdentifier } = await platform.store.single(caller.tenantId, (tx) =>
      getUser(tx, 'username', params.username),
    )
    if (externalIdentifier === null) throw new Fault('user.no_external_identifier')
    return answer({ externalIdentifier })
  },
})

const createRoute = route({
  group: 'onboarding',
  method: 'POST',
  path: '/users',
  summary: 'Creates a user. A user with this username or e-mail address is returned unchanged, with status 200.',
  scope: 'users:write',
  body: UserBody,
  status: 201,
  reply: UserReply,
  faults: ['state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, body, operation }) => {
    const { user, created } = await createUser(platform, caller, body, operation.newId())
    return answer(showUser(user), { status: created ? 201 : 200, meta: { ...userMeta(user), created } })
  },
})

const getRoute = route({
  group: 'onboarding',
  method: 'GET',
  path: '/users/{username}',
  summary: 'Returns a user; `meta` has the external identifier.',
  scope: 'users:read',
  status: 200,
  reply: UserReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) =>
    shown(await platform.store.single(caller.tenantId, (tx) => getUser(tx, 'username', params.username))),
})

const changeRoute = route({
  group: 'onboarding',
  method: 'PATCH',
  path: '/users/{username}',
  summary: 'Changes the members of a user that the body names; null clears one.',
  scope: 'users:write',
  body: UserChangeBody,
  status: 200,
  reply: UserReply,
  faults: ['resource.unknown', 'state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, params, body }) =>
    shown(await changeUser(platform, caller, named(params.username), body)),
})

const putExternalIdentifierRoute = route({
  group: 'onboarding',
  method: 'PUT',
  path: '/users/{username}/external-identifier',
  summary: 'Sets the external identifier of a user.',
  scope: 'users:write',
  body: ExternalIdentifierBody,
  status: 200,
  reply: ExternalIdentifierReply,
  faults: ['resource.unknown', 'state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, params, body }) => {
    await changeUser(platform, caller, named(params.username), body)
    return answer(body)
  },
})

const deleteRoute = route({
  group: 'onboarding',
  method: 'DELETE',
  path: '/users/{username}',
  summary:
    'Deletes a user. The wallet and its keys are destroyed after 30 days, or at once with `purge=true`; with it the path may also have the id of a user who is deleted already.',
  scope: 'users:write',
  query: UserDeletionQuery,
  status: 204,
  faults: ['resource.unknown', 'role.above_caller'],
  handle: async ({ platform, caller, params, query }) => {
    await deleteUser(platform, caller, named(params.username), query.purge === 'true')
    return answer(undefined)
  },
})

const restoreRoute = route({
  group: 'onboarding',
  method: 'POST',
  path: '/users/{id}/restore',
  summary: 'Restores a user who was deleted less than 30 days ago, with the wallet.',
  scope: 'users:write',
  status: 200,
  reply: UserReply,
  faults: ['resource.unknown', 'state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, params }) => shown(await restoreUser(platform, caller, params.id)),
})

function named(username: string): UserName {
  return { key: 'username', value: username }
}

function shown(user: User) {
  return answer(showUser(user), { meta: userMeta(user) })
}

/** Users, in our API. */
export const directoryRoutes: readonly Route[] = [
  listUsersRoute,
  createRoute,
  byExternalIdentifierRoute,
  getRoute,
  changeRoute,
  deleteRoute,
  restoreRoute,
  externalIdentifierRoute,
  putExternalIdentifierRoute,
]
