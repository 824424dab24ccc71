import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { findPostgres, type PostgresServer, startPostgres } from '../../../test/support/postgres.ts'
import type { TenantId } from '../../caller.ts'
import { openStore } from '../opening/open-store.ts'
import { newId } from '../row-id.ts'
import { type Store, sql } from '../store.ts'

// A separate server, since roles belong to the cluster. The account is the documented one: owner, but no superuser.
const skip = process.env.TEST_POSTGRES_URL === undefined || findPostgres() === null
const insertTenant = sql(
  'test.account_insert',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const slugs = sql('test.account_slugs', 'select slug from tenant order by slug')
const secrets = sql('test.account_secrets', 'select sealed from webhook_secret')

let server: PostgresServer
let store: Store
let account: pg.Client
before(async () => {
  if (skip) return
  server = await startPostgres()
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query('create role chirograph login createrole')
  await admin.query('create database chirograph owner chirograph')
  await admin.end()
  const databaseUrl = server.url.replace(/postgres@(.*)\/postgres$/, 'chirograph@$1/chirograph')
  store = await openStore({ databaseUrl, dataDir: null, poolMax: 2, onIdleError: () => undefined })
  await store.migrate()
  account = new pg.Client({ connectionString: databaseUrl })
  await account.connect()
})
after(async () => {
  await account?.end()
  await store?.close()
  await server?.stop()
})

test('a statement without a role reads and writes no row of any tenant', { skip }, async () => {
  const acme = newId() as TenantId
  await store.across('test', (tx) => tx.rows(insertTenant, [acme, 'acme']))
  assert.deepEqual(await store.single(acme, (tx) => tx.rows(slugs)), [{ slug: 'acme' }])
  const { rows: tables } = await account.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relrowsecurity and c.relkind in ('r', 'p')`,
  )
  assert.ok(tables.length > 20)
  for (const { name } of tables) {
    const { rows } = await account.query(`select from ${name}`)
    assert.equal(rows.length, 0, name)
  }
  await assert.rejects(account.query(insertTenant.text, [newId(), 'globex']), /row-level security/)
})

test('a transaction across tenants reads no sealed bytes', { skip }, async () => {
  await assert.rejects(
    store.across('test', (tx) => tx.rows(secrets)),
    /permission denied/,
  )
})

test('an account that may create no roles migrates a database where the two roles are there', { skip }, async () => {
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query('create role plain login nocreaterole in role chirograph_app, chirograph_across')
  await admin.query('create database plain owner plain')
  await admin.end()
  const databaseUrl = server.url.replace(/postgres@(.*)\/postgres$/, 'plain@$1/plain')
  const one = await openStore({ databaseUrl, dataDir: null, poolMax: 1, onIdleError: () => undefined })
  assert.ok((await one.migrate()) > 0)
  assert.equal(await one.migrate(), 0)
  assert.deepEqual(await one.across('test', (tx) => tx.rows(slugs)), [{ slug: '_platform' }])
  await one.close()
})
