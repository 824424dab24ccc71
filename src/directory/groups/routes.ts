import { serveList } from '../../api/serve-list.ts'
import { groups } from '../../contract/directory/groups.ts'
import { Fault } from '../../fault.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { getUser } from '../users/find-user.ts'
import type { Group } from './group.ts'
import { listGroupRows, listMemberRows } from './group-store.ts'
import { showGroup } from './show-group.ts'
import { changeGroup, createGroup, deleteGroup, getGroup } from './write-group.ts'

const listRoute = serveList(groups.list, {
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listGroupRows(tx, list, filters)),
  show: showGroup,
})

const createRoute = serve(groups.create, async ({ platform, caller, body, operation }) =>
  answer(showGroup(await createGroup(platform, caller, body, operation.newId()))),
)

const getRoute = serve(groups.get, async ({ platform, caller, params }) =>
  tagged(await platform.store.single(caller.tenantId, (tx) => getGroup(tx, params.id))),
)

const changeRoute = serve(groups.change, async ({ platform, caller, params, body, headers }) => {
  const ifMatch = headers['if-match']
  if (ifMatch === undefined) return tagged(await changeGroup(platform, caller, params.id, body))
  const now = await platform.store.single(caller.tenantId, (tx) => getGroup(tx, params.id))
  if (!isSame(ifMatch, tagOf(now))) throw new Fault('resource.changed')
  // The version that was compared is the one that is changed.
  return tagged(await changeGroup(platform, caller, params.id, body, now.version))
})

function tagged(group: Group) {
  return answer(showGroup(group), { headers: { etag: tagOf(group) } })
}

/** Of what our API changes with the group itself: its members change without it. */
function tagOf({ id, displayName, roles }: Group): string {
  return entityTagOf(JSON.stringify([id, displayName, roles]))
}

const deleteRoute = serve(groups.delete, async ({ platform, caller, params }) => {
  await deleteGroup(platform, caller, params.id)
  return answer(undefined)
})

const listMembersRoute = serveList(groups.listMembers, {
  read: ({ platform, caller, params }, list) =>
    platform.store.inTenant(caller.tenantId, async (tx) =>
      listMemberRows(tx, (await getGroup(tx, params.id)).id, list),
    ),
  show: (member) => member,
})

const addMemberRoute = serve(groups.addMember, async ({ platform, caller, params }) => {
  const user = await platform.store.single(caller.tenantId, (tx) => getUser(tx, 'username', params.username))
  await changeGroup(platform, caller, params.id, { addMembers: [user.id] })
  return answer(undefined)
})

const removeMemberRoute = serve(groups.removeMember, async ({ platform, caller, params }) => {
  const user = await platform.store.single(caller.tenantId, (tx) => getUser(tx, 'username', params.username))
  await changeGroup(platform, caller, params.id, { removeMembers: [user.id] })
  return answer(undefined)
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
