import type { Caller } from '../../caller.ts'
import type { Json } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Projection, ScimListRequest } from '../../protocols/scim/list-request.ts'
import { parsePatch } from '../../protocols/scim/parse-patch.ts'
import { applyPatch, type Resource, readResource } from '../../protocols/scim/patch.ts'
import { project } from '../../protocols/scim/project.ts'
import { groupSchema, userSchema } from '../../protocols/scim/schema.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import type { Group } from '../groups/group.ts'
import { listGroupsOf, listMembers } from '../groups/group-store.ts'
import { changeGroup, createGroup, deleteGroup, getGroup, MEMBERS_MAX } from '../groups/write-group.ts'
import { foldCase, type User, type UserChange } from '../users/user.ts'
import { selectUser } from '../users/user-store.ts'
import { changeUser, createUser, deleteUser } from '../users/write-user.ts'
import { readScimGroup, showScimGroup, splitMembers } from './scim-group.ts'
import { type Found, findGroups, findUsers } from './scim-store.ts'
import { readScimUser, showScimUser } from './scim-user.ts'

/** A request of a provisioning client. `base` is the address of the service. */
export type ScimRequest = { readonly platform: Platform; readonly caller: Caller; readonly base: string }

/** The operations on a kind of resource. Each returns the resource as it is afterwards. */
export type Operations = {
  readonly create: (work: ScimRequest, body: Json) => Promise<Resource>
  readonly get: (work: ScimRequest, id: string) => Promise<Resource>
  readonly replace: (work: ScimRequest, id: string, body: Json, version: number | undefined) => Promise<Resource>
  readonly patch: (work: ScimRequest, id: string, body: Json, version: number | undefined) => Promise<Resource>
  readonly remove: (work: ScimRequest, id: string, version: number | undefined) => Promise<void>
  readonly list: (work: ScimRequest, request: ScimListRequest) => Promise<Resource>
}

/** The members of the directory that no two users or groups share, as SCIM names them. */
const scimNames = { externalIdentifier: 'externalId', username: 'userName', email: 'emails.value' } as const

/** How often a PATCH is computed anew after another change was faster. */
const ATTEMPTS_MAX = 5

/** Users. */
export const userOperations: Operations = inScimNames({
  create: async (work, body) => {
    const user = readScimUser(readResource(userSchema, body))
    const made = await createUser(work.platform, work.caller, user, newId())
    if (!made.created) {
      const name = foldCase(made.user.username) === foldCase(user.username) ? scimNames.username : scimNames.email
      throw new Fault('state.conflict', { detail: `Another user has this ${name}.` })
    }
    return shownUser(work, made.user)
  },
  get: async (work, id) => shownUser(work, await userOf(work, id)),
  replace: async (work, id, body, version) => {
    const change = readScimUser(readResource(userSchema, body))
    return shownUser(work, await changeUser(work.platform, work.caller, { key: 'id', value: id }, change, version))
  },
  patch: async (work, id, body, version) => {
    const operations = parsePatch(body)
    return untilUnchanged(version, async () => {
      const user = await userOf(work, id)
      // A name that is only derived is no text of its own: it follows the parts of the name that change.
      const before = { ...showScimUser(user, [], work.base), displayName: user.shownName }
      const change = difference(readScimUser(before), readScimUser(applyPatch(userSchema, before, operations)))
      const expected = version ?? user.version
      return shownUser(work, await changeUser(work.platform, work.caller, { key: 'id', value: id }, change, expected))
    })
  },
  remove: ({ platform, caller }, id, version) => deleteUser(platform, caller, { key: 'id', value: id }, false, version),
  list: async (work, request) => {
    const { platform, caller, base } = work
    return platform.store.inTenant(caller.tenantId, async (tx) => {
      const found = await findUsers(tx, request)
      const groups = wants(request.projection, 'groups') ? await groupsBy(tx, found.rows) : new Map()
      return listMessage(found, request, (user) => showScimUser(user, groups.get(user.id) ?? [], base))
    })
  },
})

/** Groups. */
export const groupOperations: Operations = inScimNames({
  create: async (work, body) => {
    const group = readScimGroup(readResource(groupSchema, body))
    return shownGroup(work, await createGroup(work.platform, work.caller, group, newId()))
  },
  get: async (work, id) => shownGroup(work, await groupOf(work, id)),
  replace: async (work, id, body, version) => {
    const change = readScimGroup(readResource(groupSchema, body))
    return shownGroup(work, await changeGroup(work.platform, work.caller, id, change, version))
  },
  patch: async (work, id, body, version) => {
    const { members, rest } = splitMembers(parsePatch(body))
    return untilUnchanged(version, async () => {
      const group = await groupOf(work, id)
      const { displayName, externalIdentifier } = readScimGroup(
        applyPatch(groupSchema, showScimGroup(group, [], work.base), rest),
      )
      const change = { displayName, externalIdentifier, ...members }
      return shownGroup(work, await changeGroup(work.platform, work.caller, id, change, version ?? group.version))
    })
  },
  remove: ({ platform, caller }, id, version) => deleteGroup(platform, caller, id, version),
  list: async ({ platform, caller, base }, request) =>
    platform.store.inTenant(caller.tenantId, async (tx) => {
      const found = await findGroups(tx, request)
      const members = new Map<string, Awaited<ReturnType<typeof listMembers>>>()
      if (wants(request.projection, 'members')) {
        for (const { id } of found.rows) members.set(id, await listMembers(tx, id, MEMBERS_MAX))
      }
      return listMessage(found, request, (group) => showScimGroup(group, members.get(group.id) ?? [], base))
    }),
})

/** A conflict names the attribute as SCIM does. */
function inScimNames(run: Operations): Operations {
  const named = (error: unknown): never => {
    const [found] = error instanceof Fault && error.code === 'state.conflict' ? (error.violations ?? []) : []
    const member = found?.pointer?.slice(1) ?? ''
    if (found === undefined || !Object.hasOwn(scimNames, member)) throw error
    // One of the names, as asked above.
    const name = scimNames[member as keyof typeof scimNames]
    throw new Fault('state.conflict', { detail: found.detail.replace(member, name) })
  }
  return {
    ...run,
    create: (...request) => run.create(...request).catch(named),
    replace: (...request) => run.replace(...request).catch(named),
    patch: (...request) => run.patch(...request).catch(named),
  }
}

async function untilUnchanged<T>(version: number | undefined, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const isFaster = error instanceof Fault && error.code === 'resource.changed'
      // A caller that named a version wants to know; any other one wants its operations applied to what there is.
      if (!isFaster || version !== undefined || tries === ATTEMPTS_MAX) throw error
    }
  }
}

/** The members that differ. Roles that stay are not given anew, which the caller may not be allowed to. */
function difference(before: UserChange, after: UserChange): UserChange {
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  const old: Readonly<Record<string, unknown>> = { ...before }
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSame(old[name], value)))
}

async function userOf({ platform, caller }: ScimRequest, id: string): Promise<User> {
  const found = await platform.store.single(caller.tenantId, (tx) => selectUser(tx, 'id', id))
  if (found === null || !isUuid(id)) throw new Fault('resource.unknown', { detail: 'There is no such user.' })
  return found
}

function groupOf({ platform, caller }: ScimRequest, id: string): Promise<Group> {
  return platform.store.single(caller.tenantId, (tx) => getGroup(tx, id))
}

async function shownUser({ platform, caller, base }: ScimRequest, user: User): Promise<Resource> {
  const groups = await platform.store.single(caller.tenantId, (tx) => listGroupsOf(tx, [user.id]))
  return showScimUser(user, groups, base)
}

async function shownGroup({ platform, caller, base }: ScimRequest, group: Group): Promise<Resource> {
  const members = await platform.store.single(caller.tenantId, (tx) => listMembers(tx, group.id, MEMBERS_MAX))
  return showScimGroup(group, members, base)
}

async function groupsBy(tx: TenantTx, users: readonly User[]) {
  const all = await listGroupsOf(
    tx,
    users.map(({ id }) => id),
  )
  return Map.groupBy(all, ({ userId }) => userId)
}

function wants({ only, without }: Projection, name: string): boolean {
  return (
    (only === null || only.some((path) => path.name === name)) &&
    !without.some((path) => path.name === name && path.sub === null)
  )
}

function listMessage<Row>(
  { rows, total, nextCursor }: Found<Row>,
  { startIndex, projection }: ScimListRequest,
  show: (row: Row) => Resource,
): Resource {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    ...(total === null ? {} : { totalResults: total, startIndex }),
    itemsPerPage: rows.length,
    ...(nextCursor !== null && { nextCursor }),
    Resources: rows.map((row) => project(show(row), projection)),
  }
}
