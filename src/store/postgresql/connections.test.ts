import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createDatabase, postgresUrl } from '../../../test/support/database.ts'
import { type LossyDatabase, lossyDatabase } from '../../../test/support/lossy-database.ts'
import { until } from '../../../test/support/until.ts'
import type { TenantId } from '../../caller.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { openStore } from '../opening/open-store.ts'
import { newId } from '../row-id.ts'
import { composedSql, plannedOnce, type Store, sql } from '../store.ts'

const skip = postgresUrl === null ? 'there is nothing to lend without a PostgreSQL server' : false
const backend = sql('test.connections_backend', 'select pg_backend_pid() as pid')
const slowly = sql('test.connections_slowly', 'select pg_backend_pid() as pid from pg_sleep(0.02)')
const fail = sql('test.connections_fail', 'select 1 / (random() * 0)::int as nothing')
const forLong = sql('test.connections_long', 'select pg_sleep(60)')

const keepalives = sql(
  'test.connections_keepalives',
  `select (select setting from pg_settings where name = 'tcp_keepalives_idle') as idle,
     (select setting from pg_settings where name = 'tcp_user_timeout') as unanswered`,
)

const tenant = newId() as TenantId

async function aStore(poolMax: number): Promise<{ store: Store; errors: Error[] }> {
  const errors: Error[] = []
  const databaseUrl = await createDatabase(postgresUrl ?? '')
  const store = await openStore({
    databaseUrl,
    dataDir: null,
    poolMax,
    onIdleError: (error) => void errors.push(error),
  })
  return { store, errors }
}

async function aLossyStore(): Promise<{ store: Store; lossy: LossyDatabase }> {
  const lossy = await lossyDatabase(await createDatabase(postgresUrl ?? ''))
  const options = { databaseUrl: lossy.url, dataDir: null, poolMax: 2, answerMsMax: 500, onIdleError: () => undefined }
  return { store: await openStore(options), lossy }
}

const isUnavailable = (error: unknown) => error instanceof DatabaseUnavailable

async function terminate(pid: number): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl ?? '' })
  await client.connect()
  await client.query('select pg_terminate_backend($1)', [pid])
  await client.end()
}

async function pidOf(store: Store, statement = backend): Promise<number> {
  const [row] = await store.single(tenant, (tx) => tx.rows<{ pid: number }>(statement))
  return row?.pid ?? 0
}

test('PostgreSQL is told when to end a session whose peer is dead', { skip }, async () => {
  const { store } = await aStore(2)
  assert.deepEqual(await store.across('test', (tx) => tx.rows(keepalives)), [{ idle: '10', unanswered: '30000' }])
  await store.close()
})

test('a server whose disk was full is not ready for a while', { skip }, async (t) => {
  const { store } = await aStore(2)
  let at = 0
  t.mock.method(performance, 'now', () => at)
  assert.equal(await store.isReady(), true)
  const fill = composedSql(`do $$ begin raise exception using errcode = 'disk_full'; end $$`)
  await assert.rejects(store.single(tenant, (tx) => tx.rows(fill)))
  await assert.rejects(store.isReady(), /the database takes no writes: its disk is full/)
  at += 10_000
  assert.equal(await store.isReady(), true)
  await store.close()
})

test('a server that became read-only is not ready until it takes writes again', { skip }, async () => {
  const url = await createDatabase(postgresUrl ?? '')
  const database = new URL(url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: postgresUrl ?? '' })
  await admin.connect()
  const isReady = async (mode: 'on' | 'off') => {
    await admin.query(`alter database ${database} set default_transaction_read_only = ${mode}`)
    const store = await openStore({ databaseUrl: url, dataDir: null, poolMax: 1, onIdleError: () => undefined })
    return store.isReady().finally(() => store.close())
  }
  await assert.rejects(isReady('on'), /the database takes no writes: it is read-only/)
  assert.equal(await isReady('off'), true)
  await admin.end()
})

test('concurrent callers share a few connections, and all are served', { skip }, async () => {
  // Of five connections a tenant alone may have three.
  const { store } = await aStore(5)
  const pids = await Promise.all(Array.from({ length: 60 }, () => pidOf(store, slowly)))
  assert.equal(new Set(pids).size, 3)
  await store.close()
})

test('sequential callers use one connection', { skip }, async () => {
  const { store } = await aStore(3)
  const first = await pidOf(store)
  for (let turn = 0; turn < 5; turn += 1) assert.equal(await pidOf(store), first)
  await store.close()
})

test('a failed statement loses no connection, also while others wait', { skip }, async () => {
  const { store } = await aStore(2)
  const failing = Array.from({ length: 20 }, () => store.single(tenant, (tx) => tx.rows(fail)))
  const inTransaction = Array.from({ length: 20 }, () => store.inTenant(tenant, (tx) => tx.rows(fail)))
  const fine = Array.from({ length: 20 }, () => pidOf(store))
  const outcomes = await Promise.allSettled([...failing, ...inTransaction])
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 40)
  // A connection that is lost is replaced by a third one. On a busy machine one of the two may serve them all.
  assert.ok(new Set(await Promise.all(fine)).size <= 2)
  await store.close()
})

test('a connection that the server ended while it was idle is replaced and logged', {
  skip,
}, async () => {
  const { store, errors } = await aStore(2)
  const pid = await pidOf(store)
  await terminate(pid)
  await until(() => errors.length > 0)
  assert.notEqual(await pidOf(store), pid)
  await store.close()
})

test('a connection that the server closes during a statement fails only that statement; waiting callers get another connection', {
  skip,
}, async () => {
  const { store } = await aStore(1)
  const pid = await pidOf(store)
  const refused = assert.rejects(store.single(tenant, (tx) => tx.rows(forLong)))
  const waiting = pidOf(store)
  await new Promise((done) => setTimeout(done, 100))
  await terminate(pid)
  await refused
  assert.notEqual(await waiting, pid)
  await store.close()
})

test('a store that is closed during a statement closes after it', { skip }, async () => {
  // Of four connections a tenant alone may have two.
  const { store } = await aStore(4)
  const last = pidOf(store, slowly)
  const second = pidOf(store, slowly)
  await store.close()
  assert.notEqual(await last, await second)
})

test('without a connection every caller gets DatabaseUnavailable at once', async () => {
  const databaseUrl = 'postgresql://nobody@127.0.0.1:1/nothing'
  const store = await openStore({ databaseUrl, dataDir: null, poolMax: 1, onIdleError: () => undefined })
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => pidOf(store)))
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isUnavailable(outcome.reason))
  await store.close()
})

test('a lost response is DatabaseUnavailable, and the next caller is served', { skip }, async () => {
  const { store, lossy } = await aLossyStore()
  for (const what of ['request', 'answer'] as const) {
    const lost = lossy.lose(what, { statement: backend.name })
    await assert.rejects(pidOf(store), isUnavailable)
    await lost
    assert.ok((await pidOf(store)) > 0)
  }
  const lost = lossy.lose('answer', { statement: 'commit' })
  await assert.rejects(
    store.inTenant(tenant, (tx) => tx.rows(backend)),
    isUnavailable,
  )
  await lost
  await store.close()
  await lossy.close()
})

test('a database that is down is unavailable, and is used again when it is back', { skip }, async () => {
  const { store, lossy } = await aLossyStore()
  await pidOf(store)
  lossy.goDown()
  await assert.rejects(pidOf(store), isUnavailable)
  lossy.comeBack()
  assert.ok((await pidOf(store)) > 0)
  await store.close()
  await lossy.close()
})

test('an unresponsive database blocks no caller and no connection for ever', { skip, timeout: 20_000 }, async () => {
  const { store, lossy } = await aLossyStore()
  await pidOf(store)
  lossy.goSilent()
  const inTransaction = store.inTenant(tenant, (tx) => tx.rows(backend))
  const outcomes = await Promise.allSettled([pidOf(store), inTransaction, pidOf(store), store.isReady()])
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isUnavailable(outcome.reason))
  lossy.comeBack()
  assert.ok((await pidOf(store)) > 0)
  await store.close()
  await lossy.close()
})

test('PostgreSQL ends a transaction whose statement is slow or whose client is idle', { skip }, async () => {
  const { store } = await aStore(1)
  const limits = sql(
    'test.connections_limits',
    `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`,
  )
  assert.deepEqual(await store.single(tenant, (tx) => tx.rows(limits)), [{ statement: '9s', idle: '30s' }])
  await store.close()
})

test('a statement that is planned once has one plan for all values, and others are planned as before', {
  skip,
}, async () => {
  const { store } = await aStore(1)
  const [once, often] = [plannedOnce, sql].map((define, at) =>
    define(`test.connections_plan_${at}`, 'select $1::int as n'),
  )
  assert(once !== undefined && often !== undefined)
  const plans = composedSql(
    `select name, generic_plans as generic, custom_plans as custom from pg_prepared_statements where name like 'test.connections_plan%' order by name`,
  )
  for (let n = 0; n < 3; n += 1) {
    await store.single(tenant, (tx) => tx.rows(once, [n]))
    await store.inTenant(tenant, (tx) => tx.rows(often, [n]))
  }
  assert.deepEqual(await store.across('which plans there are', (tx) => tx.rows(plans)), [
    { name: once.name, generic: '3', custom: '0' },
    { name: often.name, generic: '0', custom: '3' },
  ])
  await store.close()
})

/** Returns the address of a new database for an account that may have so many connections. */
async function urlOfRole(role: string, connectionsMax: number): Promise<string> {
  const admin = new pg.Client({ connectionString: postgresUrl ?? '' })
  await admin.connect()
  await admin.query(`do $$ begin
    create role ${role} login in role chirograph_app, chirograph_across connection limit ${connectionsMax};
    exception when duplicate_object then null; end $$`)
  await admin.end()
  const url = new URL(await createDatabase(postgresUrl ?? ''))
  url.username = role
  return url.href
}

test('a caller waits for a connection that works where the server takes no more of them', { skip }, async () => {
  const databaseUrl = await urlOfRole('crowded', 2)
  const options = { databaseUrl, dataDir: null, answerMsMax: 3000, onIdleError: () => undefined }
  const store = await openStore({ ...options, poolMax: 10 })
  // Connections that opened the store may end on the server only after it has answered.
  await until(() => pidOf(store).catch(() => undefined))
  const tenants = Array.from({ length: 40 }, () => newId() as TenantId)
  const asked = tenants.map((one) => store.single(one, (tx) => tx.rows<{ pid: number }>(slowly)))
  const pids = (await Promise.all(asked)).map(([row]) => row?.pid)
  assert.equal(new Set(pids).size, 2)
  await store.close()
})

test('without a connection that works, a server that takes no more of them is unavailable at once', {
  skip,
}, async () => {
  const databaseUrl = await urlOfRole('shut_out', 0)
  const store = await openStore({ databaseUrl, dataDir: null, poolMax: 10, onIdleError: () => undefined })
  const begun = performance.now()
  await assert.rejects(pidOf(store), isUnavailable)
  assert.ok(performance.now() - begun < 2000)
  await store.close()
})
