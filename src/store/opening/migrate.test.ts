import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { createDatabase, postgresUrl } from '../../../test/support/database.ts'
import { openEmbedded } from '../embedded/embedded.ts'
import type { Engine } from '../engine.ts'
import { openPostgresql } from '../postgresql/postgresql.ts'
import { sql } from '../store.ts'
import { migrate, migrationOf, pendingMigrations, schemaOf } from './migrate.ts'
import { openStore } from './open-store.ts'

const columns = sql(
  'test.columns',
  `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
   where table_schema = 'public' order by 1, ordinal_position`,
)
const indexes = sql('test.indexes', `select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`)
const policies = sql(
  'test.policies',
  `select tablename, policyname, roles::text, qual, with_check from pg_policies order by 1, 2`,
)
const grants = sql(
  'test.grants',
  `select table_name, grantee, privilege_type from information_schema.role_table_grants where table_schema = 'public' and grantee like 'chirograph%' order by 1, 2, 3`,
)
const unprotected = sql(
  'test.unprotected',
  `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
   where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not (c.relrowsecurity and c.relforcerowsecurity)`,
)
const uniqueAcrossTenants = sql(
  'test.unique_across_tenants',
  `select c.relname as name from pg_index x join pg_class c on c.oid = x.indexrelid
     join pg_attribute a on a.attrelid = x.indrelid and a.attname = 'tenant_id'
   where x.indisunique and c.relnamespace = 'public'::regnamespace and not a.attnum = any(x.indkey) order by 1`,
)
const readableBytes = sql(
  'test.readable_bytes',
  `select concat_ws('.', c.relname, a.attname) as name from pg_attribute a
     join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
     join pg_type t on t.oid = a.atttypid and 'bytea'::regtype in (t.oid, t.typbasetype)
   where has_column_privilege('chirograph_across', c.oid, a.attnum, 'select') order by 1`,
)
const change = sql('test.change_digest', `update schema_migration set digest = 'x' where number = 1`)

async function shapeOf(engine: Engine) {
  return engine.asOwner((_script, run) => Promise.all([columns, indexes, policies, grants].map((one) => run(one))))
}

test('a database upgraded step by step equals a fresh one', async () => {
  const fresh = await openEmbedded(null)
  const upgraded = await openEmbedded(null)
  await migrate(fresh)
  const names = readdirSync(new URL('../migrations/', import.meta.url)).filter((name) => name.endsWith('.sql'))
  const last = Math.max(...names.map((name) => Number(name.slice(0, 4))))
  for (let number = 1; number <= last; number += 1) await migrate(upgraded, number)
  assert.deepEqual(await shapeOf(upgraded), await shapeOf(fresh))
  assert.equal(await pendingMigrations(upgraded), 0)
  await Promise.all([fresh.close(), upgraded.close()])
})

test('every table with a tenant has row-level security, forced, and nothing unique across tenants', async () => {
  const engine = await openEmbedded(null)
  await migrate(engine)
  assert.deepEqual(await engine.asOwner((_script, run) => run(unprotected)), [])
  // What finds the tenant of a caller.
  const directories = ['client_client_id_key', 'identity_provider_tokens']
  const unique = await engine.asOwner((_script, run) => run<{ name: string }>(uniqueAcrossTenants))
  assert.deepEqual(
    unique.map(({ name }) => name),
    directories,
  )
  await engine.close()
})

test('the role without a tenant reads no sealed or hashed columns but those granted by name', async () => {
  const engine = await openEmbedded(null)
  await migrate(engine)
  const found = await engine.asOwner((_script, run) => run<{ name: string }>(readableBytes))
  assert.deepEqual(
    found.map(({ name }) => name),
    [
      'certificate.der',
      'issuance.sealed_claims',
      'kept_answer.key_hash',
      'presentation_request.result',
      'spent_jti.jti_hash',
    ],
  )
  await engine.close()
})

test('a migration that was changed after it had been applied stops the start', async () => {
  const engine = await openEmbedded(null)
  await migrate(engine)
  await engine.asOwner((_script, run) => run(change))
  await assert.rejects(migrate(engine), /was changed after it had been applied/)
  await engine.close()
})

const journalOf = (columns: string, rows: string) =>
  `create table schema_migration (number integer primary key, name text not null, digest text not null${columns});
   insert into schema_migration values ${rows}; create table tenant (id uuid primary key)`
const before010: readonly [what: string, state: string][] = [
  ['without the column of today', journalOf('', `(1, '0001_foundation.sql', 'x')`)],
  [
    'with more migrations than the baseline has',
    journalOf(
      ', applied_at timestamptz not null default now(), runs_old_code boolean not null',
      `(1, '0001_foundation.sql', 'x', now(), true), (28, '0028_code_flow.sql', 'x', now(), false)`,
    ),
  ],
]

for (const [what, state] of before010) {
  test(`a database from before the baseline, ${what}, is refused with a sentence, and left as it is`, async () => {
    const engine = await openEmbedded(null)
    await engine.asOwner((script) => script(state))
    const before = await shapeOf(engine)
    const sentence = /from before 0\.1\.0 and cannot be upgraded: run the version that made the database, or begin with/
    for (const look of [migrate, pendingMigrations, schemaOf]) await assert.rejects(look(engine), sentence)
    assert.deepEqual(await shapeOf(engine), before)
    await engine.close()
  })
}

const newer = (name: string, answer: string, body: string) =>
  migrationOf(name, `-- ${name}\n-- Locks: none. Old code runs on it: ${answer}. Way back: none.\n${body}`)

test('a server stays ready on a newer schema that its code runs on, and on no other', async () => {
  const engine = await openEmbedded(null)
  await migrate(engine)
  await migrate(engine, 9001, [newer('9001_addition.sql', 'yes', 'create table addition (id integer);')])
  assert.equal(await pendingMigrations(engine), 0)
  assert.equal(await migrate(engine), 0)
  await migrate(engine, 9002, [newer('9002_removal.sql', 'no, it reads the table', 'drop table addition;')])
  await assert.rejects(pendingMigrations(engine), /is at migration 9002.*run the newer version/)
  await engine.close()
})

const skip = postgresUrl === null ? 'the embedded engine builds no index concurrently' : false

test('an index is built outside the transaction, once, by one of several processes', {
  skip,
}, async () => {
  const url = await createDatabase(postgresUrl ?? '')
  const engines = [1, 2].map(() => openPostgresql({ url, poolMax: 1, onIdleError: () => undefined }))
  const list = [
    newer('9001_table.sql', 'yes', 'create table addition (id integer);'),
    migrationOf(
      '9002_index.sql',
      `-- 9002\n-- Locks: none. Old code runs on it: yes.\n-- Runs: outside a transaction
       drop index concurrently if exists addition_id;\ncreate index concurrently addition_id on addition (id);`,
    ),
    newer('9003_column.sql', 'yes', 'alter table addition add column more integer;'),
  ]
  await Promise.all(engines.map((engine) => migrate(engine, 9003, list)))
  for (const engine of engines) {
    assert.equal(await pendingMigrations(engine, list), 0)
    const found = await engine.asOwner((_script, run) => run<{ indexname: string }>(indexes))
    assert.ok(found.some(({ indexname }) => indexname === 'addition_id'))
    await engine.close()
  }
})

test('the account that serves owns nothing: it reads the journal and sets the two roles', { skip }, async () => {
  const url = await createDatabase(postgresUrl ?? '')
  const owner = openPostgresql({ url, poolMax: 1, onIdleError: () => undefined })
  await owner.asOwner((script) =>
    script(`do $$ begin create role serving login; exception when duplicate_object then null; end $$;
      grant chirograph_app, chirograph_across to serving`),
  )
  await owner.close()
  const address = new URL(url)
  address.username = 'serving'
  const store = await openStore({ databaseUrl: address.href, dataDir: null, poolMax: 1, onIdleError: () => undefined })
  assert.equal(await store.migrate(), 0)
  assert.equal(await store.isReady(), true)
  const tenants = sql('test.migrate_tenants', 'select slug from tenant')
  assert.deepEqual(await store.across('test', (tx) => tx.rows(tenants)), [{ slug: '_platform' }])
  await store.close()
})
