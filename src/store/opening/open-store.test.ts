import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import type { TenantId } from '../../caller.ts'
import { newId } from '../row-id.ts'
import { decision, nullIfRefused, Refused, sql, type TenantTx, wrote } from '../store.ts'
import { untilConfirmed } from '../until-confirmed.ts'

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

const insertList = sql(
  'test.list',
  'insert into status_list (tenant_id, id, created_at, bits) values ($1, $2, now(), 1)',
)
const closeList = sql(
  'test.close',
  'update status_list set full_at = now() where tenant_id = $1 and id = $2 and full_at is null returning id, version',
)
const wasClosed = wrote('test.was_closed', 'status_list')
const hasKey = decision('test.has_key', 'select from tenant_key where tenant_id = $1 and version = $2')
const countKeys = sql('test.count_keys', 'select count(*)::int as n from tenant_key where version = $1')

/** Closes a status list and inserts a key, or neither. */
function closeOnce(tx: TenantTx, id: string, version: number): Promise<{ id: string }[]> {
  return tx.rows(
    closeList,
    [acme, id],
    [
      { statement: wasClosed, values: { tenantId: acme, id } },
      { statement: insertKey, values: [acme, version] },
    ],
  )
}

test('steps are one transaction in one round trip: the row that the first wrote, and what follows', async () => {
  const id = newId()
  await db.store.single(acme, (tx) => tx.rows(insertList, [acme, id]))
  const before = { ...db.store.counts }
  assert.deepEqual(await db.store.single(acme, (tx) => closeOnce(tx, id, 20)), [{ id, version: 0 }])
  assert.equal(db.store.counts.roundTrips - before.roundTrips, 1)
  assert.equal(db.store.counts.statements - before.statements, 3)
  // The list is closed now: nothing is written, and the connection stays usable.
  assert.equal(await nullIfRefused(db.store.single(acme, (tx) => closeOnce(tx, id, 21))), null)
  await assert.rejects(
    db.store.single(acme, (tx) => closeOnce(tx, newId(), 21)),
    Refused,
  )
  const [count] = await db.store.single(acme, (tx) => tx.rows<{ n: number }>(countKeys, [21]))
  assert.equal(count?.n, 0)
})

test('of parallel callers of the same steps one writes', async () => {
  const id = newId()
  await db.store.single(acme, (tx) => tx.rows(insertList, [acme, id]))
  const outcomes = Array.from({ length: 8 }, (_, at) =>
    nullIfRefused(db.store.single(acme, (tx) => closeOnce(tx, id, 30 + at))),
  )
  assert.equal((await Promise.all(outcomes)).filter((one) => one !== null).length, 1)
  const keys = await db.store.single(acme, (tx) => tx.rows<{ version: number }>(listKeys))
  assert.equal(keys.filter(({ version }) => version >= 30 && version < 40).length, 1)
})

test('a refusal is an answer of the database: it is not asked again', async () => {
  let calls = 0
  const refused = untilConfirmed(() => {
    calls += 1
    return db.store.single(acme, (tx) => closeOnce(tx, newId(), 50))
  })
  await assert.rejects(refused, Refused)
  assert.equal(calls, 1)
})

test('a refusal rolls back what the transaction wrote before, and any other error is none', async () => {
  const steps = [{ statement: hasKey, values: [acme, 99] }]
  const several = db.store.inTenant(acme, async (tx) => {
    await tx.rows(insertKey, [acme, 40])
    await tx.rows(insertKey, [acme, 41], steps)
  })
  await assert.rejects(several, Refused)
  const failed = db.store.single(acme, (tx) => tx.rows(insertKey, [acme, 40], [{ statement: failing, values: [] }]))
  await assert.rejects(failed, { code: '22012' })
  const keys = await db.store.single(acme, (tx) => tx.rows<{ version: number }>(listKeys))
  assert.equal(keys.filter(({ version }) => version >= 40).length, 0)
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
