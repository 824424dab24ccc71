import { serveList } from '../../api/serve-list.ts'
import { users } from '../../contract/directory/users.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { anyCanSignIn } from '../accounts/account-facts.ts'
import { listUsers } from './list-users.ts'
import { lookUpUser } from './look-up-user.ts'
import { showUser, userMeta } from './show-user.ts'
import type { User } from './user.ts'
import { changeUser, createUser, deleteUser, restoreUser, type UserName } from './write-user.ts'

const listUsersRoute = serveList(users.list, {
  read: ({ platform, caller }, list, filters) => listUsers(platform, caller.tenantId, list, filters),
  show: showUser,
})

const byExternalIdentifierRoute = serve(users.getByExternalIdentifier, async ({ platform, caller, params }) =>
  answer(showUser(await lookUpUser(platform, caller, 'externalIdentifier', params.externalIdentifier))),
)

const externalIdentifierRoute = serve(users.getExternalIdentifier, async ({ platform, caller, params }) => {
  const { externalIdentifier } = await lookUpUser(platform, caller, 'username', params.username)
  if (externalIdentifier === null) throw new Fault('user.no_external_identifier')
  return answer({ externalIdentifier })
})

const createRoute = serve(users.create, async ({ platform, caller, body, operation }) => {
  const { user, created } = await createUser(platform, caller, body, operation.newId())
  return answer(showUser(user), { status: created ? 201 : 200, meta: { ...userMeta(user), created } })
})

const getRoute = serve(users.get, async ({ platform, caller, params }) => {
  const user = await lookUpUser(platform, caller, 'username', params.username)
  const canSignIn = await platform.store.single(caller.tenantId, (tx) => anyCanSignIn(tx, [user.id]))
  return answer(showUser(user), { meta: { ...userMeta(user), canSignIn } })
})

const changeRoute = serve(users.change, async ({ platform, caller, params, body }) =>
  shown(await changeUser(platform, caller, named(params.username), body)),
)

const putExternalIdentifierRoute = serve(users.setExternalIdentifier, async ({ platform, caller, params, body }) => {
  await changeUser(platform, caller, named(params.username), body)
  return answer(body)
})

const deleteRoute = serve(users.delete, async ({ platform, caller, params, query }) => {
  await deleteUser(platform, caller, named(params.username), query.purge === 'true')
  return answer(undefined)
})

const restoreRoute = serve(users.restore, async ({ platform, caller, params }) =>
  shown(await restoreUser(platform, caller, params.id)),
)

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
