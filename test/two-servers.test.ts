// Two servers in one process, on one store: neither sees what the other has cached, counted or verified.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { buildApp } from '../src/app.ts'
import { signAccessToken } from '../src/authorization/access/platform-token.ts'
import { readToken } from '../src/authorization/access/read-token.ts'
import { authenticateClient } from '../src/authorization/server/clients/authenticate-client.ts'
import { countClientAttempt } from '../src/authorization/server/clients/failed-attempts.ts'
import { platformInstance } from '../src/authorization/server/platform/platform-instance.ts'
import { readConfig } from '../src/config.ts'
import { applyBootstrap } from '../src/directory/bootstrap/apply-bootstrap.ts'
import { forgetTenants, getTenant } from '../src/directory/tenants/find-tenant.ts'
import { admitLookUp } from '../src/directory/users/look-up-user.ts'
import { caches, type EntryCacheName } from '../src/memory/caches.ts'
import { limits } from '../src/memory/limits.ts'
import type { Platform } from '../src/platform.ts'
import { platformTenantId, sql } from '../src/store/store.ts'
import { openTestDatabase, type TestDatabase } from './support/database.ts'
import { backendSecret } from './support/server.ts'

const ip = '192.0.2.1'
const quiet = () => undefined
const log = { debug: quiet, info: quiet, warn: quiet, error: console.error }
const clients = [{ clientId: 'backend', clientSecret: backendSecret, scopes: ['users:read' as const] }]
const masterKey = randomBytes(32)

let db: TestDatabase
let servers: readonly [Platform, Platform]
before(async () => {
  db = await openTestDatabase()
  const config = { ...readConfig({}), port: 0 }
  const clock = { now: () => new Date() }
  const server = () => buildApp({ config, store: db.store, masterKey, log, clock, keyDevice: null }).platform
  servers = [server(), server()]
  await applyBootstrap(servers[0], { tenants: [{ slug: 'acme', name: 'Before', clients }] })
})
after(() => db.close())

async function grantOf(server: Platform) {
  const { id } = await getTenant(server, 'acme')
  return { tenantId: id, clientId: 'backend', userId: null, isActing: false, scopes: ['users:read'] }
}

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = db.store.counts.statements
  await work()
  return db.store.counts.statements - before
}

test('a tenant that one server has cached is read by the other one', async () => {
  const [first, second] = servers
  assert.equal((await getTenant(first, 'acme')).name, 'Before')
  await applyBootstrap(second, { tenants: [{ slug: 'acme', name: 'After' }] })
  assert.equal((await getTenant(second, 'acme')).name, 'After')
  assert.equal((await getTenant(first, 'acme')).name, 'Before')
  forgetTenants(first)
  assert.equal((await getTenant(first, 'acme')).name, 'After')
})

test('a token that one server has verified is verified by the other one', async () => {
  const [first, second] = servers
  const token = await signAccessToken(first, await grantOf(first))
  await readToken(first, token)
  assert.equal(await statementsOf(() => readToken(first, token)), 0)
  assert((await statementsOf(() => readToken(second, token))) > 0)
})

test('a token is accepted by a server that loaded the keys just before another one made that key', async () => {
  const [first, second] = servers
  const grant = await grantOf(first)
  for (let turn = 0; turn < 3; turn += 1) {
    await readToken(second, await signAccessToken(first, grant))
    await first.keys.rotate(platformTenantId, 'access-token')
    const token = await signAccessToken(first, grant)
    const read = await Promise.all([readToken(second, token), readToken(second, token)])
    assert.deepEqual(
      read.map(({ clientId }) => clientId),
      ['backend', 'backend'],
    )
  }
})

test('a secret that one server has verified is hashed by the other one, and only there the client is proven', async () => {
  const [first, second] = servers
  const proof = { method: 'secret', clientId: 'backend', secret: backendSecret } as const
  await authenticateClient(first, platformInstance(first), proof, ip)
  const isProven = (server: Platform) =>
    server.memory.cache<true>('authorization.proven_clients').get('backend', server.clock.now()) === true
  assert.deepEqual(servers.map(isProven), [true, false])
  await authenticateClient(second, platformInstance(second), proof, ip)
  assert.deepEqual(servers.map(isProven), [true, true])
})

test('[SEC-74] guesses at a secret are counted by both servers together, also concurrent ones, and the right secret is not told then', async () => {
  const clientId = 'guessed at'
  const slug = 'guessed'
  const secret = `${backendSecret} of another client`
  await applyBootstrap(servers[0], {
    tenants: [{ slug, name: 'G', clients: [{ clientId, clientSecret: secret, scopes: [] }] }],
  })
  const guess = (server: Platform, text: string, from: string) =>
    authenticateClient(server, platformInstance(server), { method: 'secret', clientId, secret: text }, from)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 9 }, (_, n) => servers.map((server) => guess(server, `guess ${n}`, '192.0.2.9'))).flat(),
  )
  const codes = outcomes.map((one) => (one.status === 'rejected' ? one.reason.code : 'told'))
  assert.equal(codes.filter((code) => code === 'client.unauthenticated').length, 10)
  assert.equal(codes.filter((code) => code === 'request.rate_limited').length, 8)
  for (const server of servers) {
    await assert.rejects(guess(server, secret, '192.0.2.9'), { code: 'request.rate_limited' })
  }
  // Another address is not concerned, and once a server knows the secret it is never limited.
  await guess(servers[0], secret, '192.0.2.10')
  await guess(servers[0], secret, '192.0.2.9')
})

test('a success writes nothing where nothing failed, and resets what failed at the other server', async () => {
  const clientId = 'reset'
  const clients = [{ clientId, clientSecret: backendSecret, scopes: [] }]
  await applyBootstrap(servers[0], { tenants: [{ slug: clientId, name: 'R', clients }] })
  const [first, second] = servers
  const guess = (server: Platform, secret: string) =>
    authenticateClient(server, platformInstance(server), { method: 'secret', clientId, secret }, ip)
  const counts = () =>
    db.store.across('counts of a test', (tx) => tx.rows(sql('test.counts', 'select count from shared_count'), []))
  const before = (await counts()).length
  for (let n = 0; n < 9; n += 1) await assert.rejects(guess(first, `guess ${n}`), { code: 'client.unauthenticated' })
  assert.equal((await counts()).length, before + 1)
  await guess(second, backendSecret)
  assert.equal((await counts()).length, before)
  // The client, its cached tenant, the slow hash and one statement that finds no count.
  assert((await statementsOf(() => guess(second, backendSecret))) <= 2)
})

test('look-ups of users who do not exist are counted by both servers together, by caller', async () => {
  const { id: tenantId } = await getTenant(servers[0], 'acme')
  const caller = (id: string) => ({ tenantId, actor: { kind: 'client' as const, id } })
  const { countMax } = limits['directory.unknown_users']
  for (let n = 0; n < countMax; n += 1)
    await admitLookUp(n % 2 === 0 ? servers[0] : servers[1], caller('a')).countUnknown()
  for (const server of servers) {
    // A server hears of it at the next look-up that finds nobody, and refuses all from then on.
    await assert.rejects(async () => admitLookUp(server, caller('a')).countUnknown(), { code: 'request.rate_limited' })
    assert.throws(() => admitLookUp(server, caller('a')), { code: 'request.rate_limited' })
    await admitLookUp(server, caller('b')).countUnknown()
  }
})

test('failed attempts at one server do not count at the other one', () => {
  const [first, second] = servers
  for (let times = 1; times <= 10; times += 1) countClientAttempt(first, 'guessed', ip)
  assert.throws(() => countClientAttempt(first, 'guessed', ip), { code: 'request.rate_limited' })
  countClientAttempt(second, 'guessed', ip)
})

test('no cache of the table is shared', () => {
  const [first, second] = servers
  for (const name of Object.keys(caches) as EntryCacheName[]) {
    if (!('entriesMax' in caches[name])) continue
    first.memory.cache<string>(name).set('two servers', 'first', first.clock.now())
    assert.equal(second.memory.cache<string>(name).get('two servers', second.clock.now()), undefined, name)
  }
})
