import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Caller, Scope, TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import { buildServer, type Server } from '../../http/server/server.ts'
import { Memory } from '../../memory/memory.ts'
import { newId } from '../../store/row-id.ts'
import { applyBootstrap } from '../bootstrap/apply-bootstrap.ts'
import { getTenant } from '../tenants/find-tenant.ts'
import { describeCaller } from './describe-caller.ts'
import { findUser } from './find-user.ts'
import { directoryRoutes } from './routes.ts'

const clock = { now: () => new Date('2026-05-01T12:00:00.000Z') }
const memory = new Memory()
const strange = 'a/b+c@d é%2F'

let db: TestDatabase
let server: Server
const tenants = new Map<string, TenantId>()
before(async () => {
  db = await openTestDatabase()
  server = aServer()
})
after(async () => {
  await server.close()
  await db.close()
})

/** A server whose tokens are `slug scope`. */
function aServer(): Server {
  return buildServer({
    platform: platformOn({ store: db.store, config: { ...readConfig({}), port: 0 }, clock }),
    routes: directoryRoutes,
    endpoints: [],
    authenticate: async ({ headers: { authorization = '' } }) => {
      const [slug = '', scope] = authorization.split(' ')
      return aCaller(tenants.get(slug) ?? ('' as TenantId), slug, scope as Scope)
    },
  })
}

function aCaller(tenantId: TenantId, tenantSlug: string, scope: Scope): Caller {
  const actor = { kind: 'client', id: 'backend' } as const
  const rest = { userId: null, clientId: 'backend', actingClientId: null, requestId: 'r', ip: '127.0.0.1' }
  return { tenantId, tenantSlug, actor, scopes: new Set([scope]), ...rest }
}

async function aTenant(users: { username: string; [name: string]: unknown }[]): Promise<string> {
  const slug = `t-${newId()}`
  await applyBootstrap({ store: db.store, clock, memory }, { tenants: [{ slug, name: 'Acme', users }] })
  tenants.set(slug, (await getTenant({ store: db.store, clock, memory }, slug)).id)
  return slug
}

async function ask(slug: string, path: string, scope: Scope = 'users:read') {
  const headers = { authorization: `${slug} ${scope}` }
  const { status, body } = await server.dispatch({ method: 'GET', path: `/onboarding${path}`, headers })
  return { status, body: JSON.parse(body.toString()) }
}

test('a user is found by external identifier, and the external identifier by username', async () => {
  const slug = await aTenant([
    { username: strange, email: 'x@example.org', firstName: 'É', externalIdentifier: `E ${strange}` },
    { username: 'none' },
  ])
  const found = await ask(slug, `/users/by-external-identifier/${encodeURIComponent(`E ${strange}`)}`)
  assert.equal(found.status, 200)
  assert.deepEqual(
    { ...found.body.data, id: '' },
    { id: '', username: strange, email: 'x@example.org', firstName: 'É', lastName: '', enabled: true },
  )
  const back = await ask(slug, `/users/${encodeURIComponent(strange.toUpperCase())}/external-identifier`)
  assert.deepEqual(back.body.data, { externalIdentifier: `E ${strange}` })
  const none = await ask(slug, '/users/none/external-identifier')
  assert.deepEqual([none.status, none.body.errors[0].code], [404, 'NO_EXTERNAL_IDENTIFIER'])
})

test('an unknown user and the user of another tenant are the same 404', async () => {
  const one = await aTenant([{ username: 'ann', externalIdentifier: 'E1' }])
  const other = await aTenant([])
  for (const path of [
    '/users/by-external-identifier/E1',
    '/users/ann/external-identifier',
    '/users/%00/external-identifier',
  ]) {
    const { status, body } = await ask(other, path)
    assert.deepEqual([status, body.errors[0].code], [404, 'NOT_FOUND'])
  }
  assert.deepEqual((await ask(other, '/users')).body.data, [])
  assert.equal((await ask(one, '/users')).body.data.length, 1)
  assert.equal((await ask(one, '/users/by-external-identifier/e1')).status, 404)
})

test('every look-up asks for users:read', async () => {
  const slug = await aTenant([])
  for (const path of ['/users', '/users/by-external-identifier/x', '/users/x/external-identifier']) {
    assert.equal((await ask(slug, path, 'issuance:read')).status, 403)
    assert.equal((await ask(slug, path, 'tenant:admin')).status, path === '/users' ? 200 : 404)
  }
})

test('the list of users is filtered, searched, sorted and paged', async () => {
  const names = ['eve', 'bob', 'Dan', 'ann', 'cat']
  const slug = await aTenant(
    names.map((username) => ({
      username,
      email: `${username}@example.org`,
      firstName: 'Zoë',
      enabled: username !== 'bob',
    })),
  )
  const listed = async (query: string) =>
    (await ask(slug, `/users${query}`)).body.data.map((one: { username: string }) => one.username)
  assert.deepEqual(await listed(''), ['cat', 'ann', 'Dan', 'bob', 'eve'])
  assert.deepEqual(await listed('?sort=createdAt'), names)
  assert.deepEqual(await listed('?sort=username'), ['ann', 'bob', 'cat', 'Dan', 'eve'])
  assert.deepEqual(await listed('?filter[email]=DAN@example.org'), ['Dan'])
  assert.deepEqual(await listed('?filter[username]=dan'), ['Dan'])
  assert.deepEqual(await listed('?filter[enabled]=false'), ['bob'])
  assert.deepEqual(await listed('?search[name]=ZO%C3%8B&filter[enabled]=false'), ['bob'])
  assert.deepEqual(await listed('?filter[username]=%00'), [])
  const first = await ask(slug, '/users?sort=username&page[size]=2')
  assert.equal(first.body.data.length, 2)
  const next = new URL(first.body.links.next)
  const second = await ask(slug, `/users${next.search}`)
  assert.deepEqual(
    second.body.data.map((one: { username: string }) => one.username),
    ['cat', 'Dan'],
  )
  const prev = new URL(second.body.links.prev)
  assert.deepEqual(await listed(prev.search), ['ann', 'bob'])
  const unknown = await ask(slug, '/users?filter[x]=1')
  assert.deepEqual([unknown.status, unknown.body.errors[0].source.parameter], [400, 'filter[x]'])
})

test('a caller is described as the user, or as the client that acts for itself', async () => {
  const slug = await aTenant([{ username: 'ann', email: 'ann@example.org', firstName: 'Ann', lastName: 'Other' }])
  const tenantId = tenants.get(slug) ?? ('' as TenantId)
  const client = aCaller(tenantId, slug, 'users:read')
  const described = await describeCaller({ store: db.store }, client)
  assert.match(described.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(described, { id: described.id, name: 'backend', email: '' })
  assert.deepEqual(await describeCaller({ store: db.store }, client), described)
  const namesake = { ...client, tenantId: newId() as TenantId }
  assert.notEqual((await describeCaller({ store: db.store }, namesake)).id, described.id)
  const user = await db.store.single(tenantId, (tx) => findUser(tx, 'username', 'ann'))
  assert(user !== null)
  assert.deepEqual(await describeCaller({ store: db.store }, { ...client, userId: user.id }), {
    id: user.id,
    name: 'Ann Other',
    email: 'ann@example.org',
  })
})
