import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createDatabase, postgresUrl } from '../../../test/support/database.ts'
import type { TenantId } from '../../caller.ts'
import { newId } from '../../crypto/random.ts'
import { openStore } from '../open-store.ts'
import { type Store, sql } from '../store.ts'
import { Clients } from './clients.ts'

const skip = postgresUrl === null ? 'there is nothing to lend without a PostgreSQL server' : false
const backend = sql('test.clients.backend', 'select pg_backend_pid() as pid')
const slowly = sql('test.clients.slowly', 'select pg_backend_pid() as pid from pg_sleep(0.02)')
const fail = sql('test.clients.fail', 'select 1 / (random() * 0)::int as nothing')
const forLong = sql('test.clients.long', 'select pg_sleep(60)')

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

test('many callers at once share a few connections, and all of them are served', { skip }, async () => {
  const { store } = await aStore(3)
  const pids = await Promise.all(Array.from({ length: 60 }, () => pidOf(store, slowly)))
  assert.equal(new Set(pids).size, 3)
  await store.close()
})

test('callers one after the other use one connection', { skip }, async () => {
  const { store } = await aStore(3)
  const first = await pidOf(store)
  for (let turn = 0; turn < 5; turn += 1) assert.equal(await pidOf(store), first)
  await store.close()
})

test('a statement that fails costs no connection, also while others wait', { skip }, async () => {
  const { store } = await aStore(2)
  const failing = Array.from({ length: 20 }, () => store.single(tenant, (tx) => tx.rows(fail)))
  const inTransaction = Array.from({ length: 20 }, () => store.inTenant(tenant, (tx) => tx.rows(fail)))
  const fine = Array.from({ length: 20 }, () => pidOf(store))
  const outcomes = await Promise.allSettled([...failing, ...inTransaction])
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 40)
  assert.equal(new Set(await Promise.all(fine)).size, 2)
  await store.close()
})

test('a connection that the server ended while it was idle is replaced, and the log hears of it', {
  skip,
}, async () => {
  const { store, errors } = await aStore(2)
  const pid = await pidOf(store)
  await terminate(pid)
  while (errors.length === 0) await new Promise((done) => setTimeout(done, 10))
  assert.notEqual(await pidOf(store), pid)
  await store.close()
})

test('a connection that the server ended at work fails its statement alone; those who wait get another', {
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

test('a store that is closed while a statement runs ends when that has ended', { skip }, async () => {
  const { store } = await aStore(2)
  const last = pidOf(store, slowly)
  const second = pidOf(store, slowly)
  await store.close()
  assert.notEqual(await last, await second)
})

test('who waits for longer than is allowed is refused, and the connection serves others afterwards', {
  skip,
}, async () => {
  const pool = new pg.Pool({ connectionString: await createDatabase(postgresUrl ?? ''), max: 1 })
  const clients = new Clients(pool, { connectionsMax: 1, waitMs: 100 }, () => undefined)
  const held = await clients.take()
  await assert.rejects(async () => clients.take(), /no connection to the database was free in time/)
  clients.give(held)
  assert.equal(await clients.take(), held)
  clients.give(held)
  await clients.close()
})

test('where no connection can be made everybody who waits hears so at once', { skip }, async () => {
  const pool = new pg.Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' })
  const clients = new Clients(pool, { connectionsMax: 1, waitMs: 60_000 }, () => undefined)
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, async () => clients.take()))
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  await clients.close()
})
