import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { TenantId } from '../../src/caller.ts'
import { openStore } from '../../src/store/opening/open-store.ts'
import { newId } from '../../src/store/row-id.ts'
import { type Store, sql } from '../../src/store/store.ts'
import { createDatabase, openTestDatabase, postgresUrl } from './database.ts'
import { lossyDatabase, lossyStore } from './lossy-database.ts'

const noServer = postgresUrl === null ? 'needs a PostgreSQL server' : false
const insertTenant = sql(
  'test.lossy_tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const insert = sql(
  'test.lossy_insert',
  `insert into user_account (tenant_id, id, username, username_folded, enabled, created_at, updated_at)
   values ($1, $2, $3, $3, true, now(), now())`,
)
const names = sql('test.lossy_names', 'select username as name from user_account')

async function aProxy(context: TestContext) {
  const lossy = await lossyDatabase(await createDatabase(postgresUrl ?? ''))
  const options = { databaseUrl: lossy.url, dataDir: null, poolMax: 2, onIdleError: () => undefined }
  const store = await openStore(options)
  context.after(async () => {
    lossy.comeBack()
    await store.close()
    await lossy.close()
  })
  return { ...lossy, store }
}

async function aLossyStore(context: TestContext) {
  const { store, close } = await openTestDatabase()
  context.after(close)
  return lossyStore(store)
}

/** What adds and reads users of a new tenant. */
async function aTenant(store: Store) {
  const tenantId = newId() as TenantId
  await store.across('test', (tx) => tx.rows(insertTenant, [tenantId, `t-${tenantId}`]))
  return {
    add: (name: string) => store.inTenant(tenantId, (tx) => tx.rows(insert, [tenantId, newId(), name])),
    addSingle: (name: string) => store.single(tenantId, (tx) => tx.rows(insert, [tenantId, newId(), name])),
    read: () =>
      store.inTenant(tenantId, async (tx) => (await tx.rows<{ name: string }>(names)).map(({ name }) => name)),
  }
}

for (const [what, make, skip] of [
  ['proxy', aProxy, noServer],
  ['store', aLossyStore, false],
] as const) {
  test(`${what}: a commit whose request is lost has no effect, one whose answer is lost has`, {
    skip,
  }, async (context) => {
    const { store, lose, statements } = await make(context)
    const { add, read } = await aTenant(store)
    statements.length = 0
    for (const [way, there] of [
      ['request', []],
      ['answer', ['answer']],
    ] as const) {
      const lost = lose(way, { statement: 'commit', nth: 2 })
      await read()
      await assert.rejects(add(way))
      await lost
      assert.deepEqual(await read(), there)
    }
    assert.deepEqual(statements.slice(0, 4), ['test.lossy_names', 'commit', 'test.lossy_insert', 'commit'])
  })

  test(`${what}: a statement in the middle of a transaction takes the transaction with it`, {
    skip,
  }, async (context) => {
    const { store, lose } = await make(context)
    const { add, read } = await aTenant(store)
    for (const way of ['request', 'answer'] as const) {
      const lost = lose(way, { statement: 'test.lossy_insert' })
      await assert.rejects(add('middle'))
      await lost
    }
    assert.deepEqual(await read(), [])
  })

  test(`${what}: a single statement whose answer is lost has its effect; so many in a row are lost`, {
    skip,
  }, async (context) => {
    const { store, lose } = await make(context)
    const { addSingle, read } = await aTenant(store)
    void lose('answer', { statement: 'test.lossy_insert', times: 2 })
    for (const name of ['first', 'second']) await assert.rejects(addSingle(name))
    await addSingle('third')
    assert.deepEqual((await read()).sort(), ['first', 'second', 'third'])
  })
}

test('a database that is down refuses, and is used again when it is back', { skip: noServer }, async (context) => {
  const lossy = await aProxy(context)
  const { addSingle } = await aTenant(lossy.store)
  lossy.goDown()
  await assert.rejects(addSingle('down'))
  lossy.comeBack()
  await addSingle('up')
})
