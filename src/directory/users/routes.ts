import { routeGroup } from '../../api/route-group.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { listUsers } from './list-users.ts'
import { lookUpUser } from './look-up-user.ts'
import {
  ExternalIdentifierBody,
  ExternalIdentifierReply,
  showUser,
  UserBody,
  UserChangeBody,
  UserDeletionQuery,
  UserListQuery,
  UserMeta,
  UserReply,
  userMeta,
} from './schemas.ts'
import type { User } from './user.ts'
import { changeUser, createUser, deleteUser, restoreUser, type UserName } from './write-user.ts'

const users = routeGroup({
  ...{ group: 'onboarding', path: '/users', reply: UserReply },
  scope: { read: 'users:read', write: 'users:write' },
})

const listUsersRoute = users.list('', {
  summary: 'Lists the users of the tenant.',
  query: UserListQuery,
  read: ({ platform, caller }, list, filters) => listUsers(platform, caller.tenantId, list, filters),
  show: showUser,
})

const byExternalIdentifierRoute = users.get('/by-external-identifier/{externalIdentifier}', {
  operationId: 'getUserByExternalIdentifier',
  summary: 'Returns the user with this external identifier, compared exactly.',
  faults: ['request.rate_limited'],
  handle: async ({ platform, caller, params }) =>
    answer(showUser(await lookUpUser(platform, caller, 'externalIdentifier', params.externalIdentifier))),
})

const externalIdentifierRoute = users.get('/{username}/external-identifier', {
  operationId: 'getExternalIdentifier',
  summary: 'Returns the external identifier of a user.',
  reply: ExternalIdentifierReply,
  faults: ['user.no_external_identifier', 'request.rate_limited'],
  handle: async ({ platform, caller, params }) => {
    const { externalIdentifier } = await lookUpUser(platform, caller, 'username', params.username)
    if (externalIdentifier === null) throw new Fault('user.no_external_identifier')
    return answer({ externalIdentifier })
  },
})

const createRoute = users.post('', {
  summary: 'Creates a user. A user with this username or e-mail address is returned unchanged, with status 200.',
  body: UserBody,
  status: 201,
  otherStatuses: [200],
  meta: UserMeta,
  faults: ['state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, body, operation }) => {
    const { user, created } = await createUser(platform, caller, body, operation.newId())
    return answer(showUser(user), { status: created ? 201 : 200, meta: { ...userMeta(user), created } })
  },
})

const getRoute = users.get('/{username}', {
  summary: 'Returns a user; `meta` has the external identifier.',
  meta: UserMeta,
  faults: ['request.rate_limited'],
  handle: async ({ platform, caller, params }) =>
    shown(await lookUpUser(platform, caller, 'username', params.username)),
})

const changeRoute = users.patch('/{username}', {
  summary: 'Changes the members of a user that the body names; null clears one.',
  meta: UserMeta,
  body: UserChangeBody,
  faults: ['state.conflict', 'role.above_caller', 'owner.last'],
  handle: async ({ platform, caller, params, body }) =>
    shown(await changeUser(platform, caller, named(params.username), body)),
})

const putExternalIdentifierRoute = users.put('/{username}/external-identifier', {
  operationId: 'replaceExternalIdentifier',
  summary: 'Sets the external identifier of a user.',
  body: ExternalIdentifierBody,
  reply: ExternalIdentifierReply,
  faults: ['state.conflict', 'role.above_caller'],
  handle: async ({ platform, caller, params, body }) => {
    await changeUser(platform, caller, named(params.username), body)
    return answer(body)
  },
})

const deleteRoute = users.delete('/{username}', {
  summary:
    'Deletes a user. The wallet and its keys are destroyed after 30 days, or at once with `purge=true`; with it the path may also have the id of a user who is deleted already.',
  query: UserDeletionQuery,
  reply: undefined,
  faults: ['role.above_caller', 'owner.last'],
  handle: async ({ platform, caller, params, query }) => {
    await deleteUser(platform, caller, named(params.username), query.purge === 'true')
    return answer(undefined)
  },
})

const restoreRoute = users.post('/{id}/restore', {
  summary: 'Restores a user who was deleted less than 30 days ago, with the wallet.',
  meta: UserMeta,
  faults: ['state.conflict', 'role.above_caller'],
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
