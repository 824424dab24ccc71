import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import type { TenantId } from '../../caller.ts'
import { sql } from '../store.ts'

const acme = '00000000-0000-7000-8000-00000000000a' as TenantId
const other = '00000000-0000-7000-8000-00000000000b' as TenantId
const insertTenant = sql(
  'test.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const insertKey = sql(
  'test.key',
  `insert into tenant_key (tenant_id, version, wrapped, created_at) values ($1, $2, '\\x00', now()) returning version`,
)
const listKeys = sql('test.keys', 'select tenant_id, version, wrapped, created_at from tenant_key order by version')
const listTenants = sql('test.tenants', 'select slug from tenant')
const failing = sql('test.failing', 'select 1 / 0')

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  await db.store.across('test set-up', async (tx) => {
    await tx.rows(insertTenant, [acme, 'acme'])
    await tx.rows(insertTenant, [other, 'other'])
  })
})
after(() => db.close())

test('a tenant sees its own rows only, in one statement and in many', async () => {
  await db.store.single(acme, (tx) => tx.rows(insertKey, [acme, 1]))
  await db.store.inTenant(other, async (tx) => {
    await tx.rows(insertKey, [other, 2])
    const keys = await tx.rows<{ version: number; wrapped: Buffer; created_at: Date }>(listKeys)
    assert.deepEqual(
      keys.map((key) => key.version),
      [2],
    )
    assert(Buffer.isBuffer(keys[0]?.wrapped))
    assert(keys[0]?.created_at instanceof Date)
  })
  const keys = await db.store.single(acme, (tx) => tx.rows<{ tenant_id: string }>(listKeys))
  assert.deepEqual(
    keys.map((key) => key.tenant_id),
    [acme],
  )
})

test('a tenant cannot write a row of another', async () => {
  await assert.rejects(
    db.store.single(acme, (tx) => tx.rows(insertKey, [other, 9])),
    /row-level security/,
  )
})

test('a transaction across tenants has only the rights of the migrations', async () => {
  const tenants = await db.store.across('test', (tx) => tx.rows(listTenants))
  assert.equal(tenants.length, 3)
  await assert.rejects(
    db.store.across('test', (tx) => tx.rows(listKeys)),
    /permission denied/,
  )
})

test('a failed transaction is rolled back, and the connection stays usable', async () => {
  await assert.rejects(
    db.store.inTenant(acme, async (tx) => {
      await tx.rows(insertKey, [acme, 5])
      await tx.rows(failing)
    }),
    /division by zero/,
  )
  await assert.rejects(
    db.store.single(acme, (tx) => tx.rows(failing)),
    /division by zero/,
  )
  const keys = await db.store.single(acme, (tx) => tx.rows<{ version: number }>(listKeys))
  assert.deepEqual(
    keys.map((key) => key.version),
    [1],
  )
})

test('a swallowed error does not commit', async () => {
  const swallowed = db.store.inTenant(acme, async (tx) => {
    await tx.rows(insertKey, [acme, 6])
    await tx.rows(failing).catch(() => undefined)
  })
  if (db.store.kind === 'postgresql') await assert.rejects(swallowed, /rolled back/)
  else await swallowed.catch(() => undefined)
  const keys = await db.store.single(acme, (tx) => tx.rows<{ version: number }>(listKeys))
  assert.deepEqual(
    keys.map((key) => key.version),
    [1],
  )
})

test('a single statement is one round trip, a second one in it is refused', async () => {
  const before = db.store.counts.roundTrips
  await db.store.single(acme, (tx) => tx.rows(listKeys))
  assert.equal(db.store.counts.roundTrips - before, 1)
  await assert.rejects(
    db.store.single(acme, async (tx) => {
      await tx.rows(listKeys)
      await tx.rows(listKeys)
    }),
    /second statement/,
  )
})

test('a single statement across tenants is one round trip with the rights of that role, a second one in it is refused', async () => {
  const before = db.store.counts.roundTrips
  const tenants = await db.store.singleAcross('test', (tx) => tx.rows(listTenants))
  assert.equal(db.store.counts.roundTrips - before, 1)
  assert(tenants.length > 0)
  await assert.rejects(
    db.store.singleAcross('test', (tx) => tx.rows(listKeys)),
    /permission denied/,
  )
  await assert.rejects(
    db.store.singleAcross('test', async (tx) => {
      await tx.rows(listTenants)
      await tx.rows(listTenants)
    }),
    /second statement/,
  )
})

test('migrating again changes nothing, also concurrently', async () => {
  await Promise.all([db.store.migrate(), db.store.migrate(), db.store.migrate()])
  assert.equal(await db.store.isReady(), true)
})
