import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type LossyDatabase, lossyDatabase } from '../../../test/support/lossy-database.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../../../test/support/postgres.ts'
import type { TenantId } from '../../caller.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { openStore } from '../opening/open-store.ts'
import { newId } from '../row-id.ts'
import { type Store, sql } from '../store.ts'

// Servers of its own: one is promoted, and one becomes read-only.
const skip = process.env.TEST_POSTGRES_URL === undefined || findPostgres() === null
const tenant = newId() as TenantId
const port = sql('test.hosts_port', `select current_setting('port')::int as port`)
const write = sql(
  'test.hosts_write',
  `insert into spent_jti (tenant_id, signer, jti_hash, expires_at) select $1, 'c', sha256('a'), now() where false returning 1`,
)
const backend = sql('test.hosts_backend', 'select pg_backend_pid() as pid')
const assignId = sql('test.hosts_assign', 'select pg_current_xact_id()::text as id')

let primary: PostgresServer
let standby: PostgresServer
let front: LossyDatabase
let side: LossyDatabase
before(async () => {
  if (skip) return
  primary = await startPostgres()
  const owner = await openStore({ databaseUrl: primary.url, dataDir: null, poolMax: 2, onIdleError: () => undefined })
  await owner.migrate()
  await owner.close()
  standby = await startPostgres({ standbyOf: primary.url })
  front = await lossyDatabase(primary.url)
  side = await lossyDatabase(standby.url)
})
after(async () => {
  await front?.close()
  await side?.close()
  await standby?.stop()
  await primary?.stop()
})

const both = () => {
  const { host } = new URL(side.url)
  return front.url.replace(/@([^/]+)\//, `@${host},$1/`)
}

function open(databaseUrl: string, poolMax = 4): Promise<Store> {
  return openStore({ databaseUrl, dataDir: null, poolMax, answerMsMax: 1000, onIdleError: () => undefined })
}

async function portOf(store: Store): Promise<number> {
  const [row] = await store.single(tenant, (tx) => tx.rows<{ port: number }>(port))
  return row?.port ?? 0
}

async function pidOf(store: Store): Promise<number> {
  const [row] = await store.single(tenant, (tx) => tx.rows<{ pid: number }>(backend))
  return row?.pid ?? 0
}

const writeIn = (store: Store) => store.single(tenant, (tx) => tx.rows<{ id: string }>(assignId))

async function onServer(server: PostgresServer, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  for (const one of statements) await client.query(one)
  await client.end()
}

test('of several hosts the one that accepts writes is used, also when another is refused or down', {
  skip,
}, async () => {
  const store = await open(`${both()}?target_session_attrs=read-write`)
  assert.equal(await portOf(store), Number(new URL(primary.url).port))
  side.goDown()
  const another = await open(both())
  assert.equal(await portOf(another), Number(new URL(primary.url).port))
  side.comeBack()
  await store.close()
  await another.close()
})

test('a server that became read-only is left at once: no other connection to it is tried', { skip }, async () => {
  const store = await open(`${front.url}?target_session_attrs=read-write`)
  // Both of two connections are idle when the server changes.
  await Promise.all([writeIn(store), writeIn(store)])
  await onServer(primary, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()')
  await new Promise((done) => setTimeout(done, 200))
  await assert.rejects(
    store.single(tenant, (tx) => tx.rows(write, [tenant])),
    (error) => error instanceof DatabaseUnavailable,
  )
  await onServer(
    primary,
    'set default_transaction_read_only = off',
    'alter system reset default_transaction_read_only',
    'select pg_reload_conf()',
  )
  await new Promise((done) => setTimeout(done, 200))
  assert.equal((await writeIn(store)).length, 1)
  await store.close()
})

test('a statement on a session that had ended before is sent once more, and the caller notices nothing', {
  skip,
}, async () => {
  const store = await open(front.url, 1)
  const before = await pidOf(store)
  // Synchronously, so that this process has not read yet that the session ended.
  const ended = spawnSync(join(findPostgres() ?? '', 'psql'), [
    primary.url,
    '-c',
    `select pg_terminate_backend(${before}, 5000)`,
  ])
  assert.equal(ended.status, 0)
  assert.notEqual(await pidOf(store), before)
  await store.close()
})

test('a statement that is ended while it runs is not sent again', { skip }, async () => {
  const store = await open(front.url, 1)
  const pid = await pidOf(store)
  const count = sql('test.hosts_count', `select nextval('runs'), pg_sleep(0.5)::text`)
  await onServer(primary, 'create sequence if not exists runs', 'grant all on sequence runs to public')
  const running = assert.rejects(
    store.single(tenant, (tx) => tx.rows(count)),
    DatabaseUnavailable,
  )
  await new Promise((done) => setTimeout(done, 200))
  await onServer(primary, `select pg_terminate_backend(${pid})`)
  await running
  const last = sql('test.hosts_last', 'select last_value::int as value from runs')
  assert.deepEqual(await store.single(tenant, (tx) => tx.rows(last)), [{ value: 1 }])
  await store.close()
})

test('when the primary goes silent, callers are served soon after the standby is promoted', {
  skip,
  timeout: 60_000,
}, async () => {
  const store = await open(both())
  await Promise.all(Array.from({ length: 4 }, () => portOf(store)))
  front.goSilent()
  const hanging = Promise.allSettled(Array.from({ length: 40 }, () => writeIn(store)))
  await onServer(standby, 'select pg_promote(true, 20)')
  const promotedAt = performance.now()
  const served = await untilServed(store)
  assert.equal(served, Number(new URL(standby.url).port))
  assert.ok(performance.now() - promotedAt < 5000, `${performance.now() - promotedAt} ms`)
  await hanging
  await Promise.all(Array.from({ length: 10 }, () => writeIn(store)))
  await store.close()
})

test('when one statement shows that the primary is silent, the others on it end, and waiting callers get the other server', {
  skip,
  timeout: 60_000,
}, async () => {
  front.comeBack()
  const { host } = new URL(side.url)
  // Of four connections a tenant alone may have two.
  const store = await open(front.url.replace(/@([^/]+)\//, `@$1,${host}/`), 4)
  await Promise.all([portOf(store), portOf(store)])
  front.goSilent()
  const first = assert.rejects(portOf(store), DatabaseUnavailable)
  await soon(600)
  const second = assert.rejects(portOf(store), DatabaseUnavailable)
  const waiting = portOf(store)
  await first
  // By itself the second one would end 600 ms later, and the waiting one be refused after 500 ms.
  assert.notEqual(await Promise.race([second, soon(500).then(() => 'late')]), 'late')
  assert.equal(await waiting, Number(new URL(standby.url).port))
  await store.close()
})

const soon = (ms: number) => new Promise((done) => setTimeout(done, ms))

async function untilServed(store: Store): Promise<number> {
  for (;;) {
    const found = await portOf(store).catch(() => null)
    if (found !== null) return found
    await new Promise((done) => setTimeout(done, 50))
  }
}
