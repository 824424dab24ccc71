import { routeGroup } from '../../api/route-group.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { getUser } from './find-user.ts'
import { listUsers } from './list-users.ts'
import { ExternalIdentifierReply, showUser, UserListQuery, UserReply } from './schemas.ts'

const users = routeGroup({ group: 'onboarding', scope: 'users:read', path: '/users', reply: UserReply })

const listUsersRoute = users.list('', {
  summary: 'Lists the users of the tenant.',
  query: UserListQuery,
  read: ({ platform, caller }, list, filters) => listUsers(platform, caller.tenantId, list, filters),
  show: showUser,
})

const byExternalIdentifierRoute = users.get('/by-external-identifier/{externalIdentifier}', {
  summary: 'Returns the user with this external identifier, compared exactly.',
  handle: async ({ platform, caller, params }) => {
    const user = await platform.store.single(caller.tenantId, (tx) =>
      getUser(tx, 'externalIdentifier', params.externalIdentifier),
    )
    return answer(showUser(user))
  },
})

const externalIdentifierRoute = users.get('/{username}/external-identifier', {
  summary: 'Returns the external identifier of a user.',
  reply: ExternalIdentifierReply,
  faults: ['user.no_external_identifier'],
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
