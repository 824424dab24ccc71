import { Type } from 'typebox'
import { filtersOf, listPage } from '../../api/list.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { getUser } from './find-user.ts'
import { listUsers } from './list-users.ts'
import { ExternalIdentifierReply, showUser, UserListQuery, UserReply } from './schemas.ts'

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

/** Users, in our API. */
export const directoryRoutes: readonly Route[] = [listUsersRoute, byExternalIdentifierRoute, externalIdentifierRoute]
