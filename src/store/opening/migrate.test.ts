import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { openEmbedded } from '../embedded/embedded.ts'
import type { Engine } from '../engine.ts'
import { sql } from '../store.ts'
import { migrate, pendingMigrations } from './migrate.ts'

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
   where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not (c.relrowsecurity and c.relforcerowsecurity)`,
)
const readableBytes = sql(
  'test.readable_bytes',
  `select concat_ws('.', c.relname, a.attname) as name from pg_attribute a
     join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
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
  const count = readdirSync(new URL('../migrations/', import.meta.url)).length
  for (let number = 1; number <= count; number += 1) await migrate(upgraded, number)
  assert.deepEqual(await shapeOf(upgraded), await shapeOf(fresh))
  assert.equal(await pendingMigrations(upgraded), 0)
  await Promise.all([fresh.close(), upgraded.close()])
})

test('every table with a tenant has row-level security, forced', async () => {
  const engine = await openEmbedded(null)
  await migrate(engine)
  assert.deepEqual(await engine.asOwner((_script, run) => run(unprotected)), [])
  await engine.close()
})

test('the role without a tenant reads no sealed or hashed columns but those granted by name', async () => {
  const engine = await openEmbedded(null)
  await migrate(engine)
  const found = await engine.asOwner((_script, run) => run<{ name: string }>(readableBytes))
  assert.deepEqual(
    found.map(({ name }) => name),
    ['certificate.der', 'issuance.sealed_claims', 'kept_answer.key_hash', 'presentation_request.result'],
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
