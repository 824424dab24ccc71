import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TenantId } from '../../src/caller.ts'
import { openStore } from '../../src/store/opening/open-store.ts'
import { newId } from '../../src/store/row-id.ts'
import { type Store, sql } from '../../src/store/store.ts'
import { createDatabase, postgresUrl } from './database.ts'
import { type LossyDatabase, lossyDatabase } from './lossy-database.ts'

const skip = postgresUrl === null ? 'needs a PostgreSQL server' : false
const tenant = newId() as TenantId
const insert = sql(
  'test.lossy_insert',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const slugs = sql('test.lossy_slugs', `select slug from tenant where slug <> '_platform' order by slug`)

let lossy: LossyDatabase
let store: Store
before(async () => {
  if (postgresUrl === null) return
  lossy = await lossyDatabase(await createDatabase(postgresUrl))
  store = await openStore({ databaseUrl: lossy.url, dataDir: null, poolMax: 2, onIdleError: () => undefined })
})
after(async () => {
  await store?.close()
  await lossy?.close()
})

const add = (slug: string) => store.across('test', (tx) => tx.rows(insert, [newId(), slug]))
const read = () => store.across('test', async (tx) => (await tx.rows<{ slug: string }>(slugs)).map(({ slug }) => slug))

test('a statement whose request is lost had no effect, one whose answer is lost had', { skip }, async () => {
  for (const [what, there] of [
    ['request', []],
    ['answer', ['answer']],
  ] as const) {
    const lost = lossy.lose(what, { statement: 'commit', nth: 2 })
    await read()
    await assert.rejects(add(what))
    await lost
    assert.deepEqual(await read(), there)
  }
  assert.deepEqual(lossy.statements.slice(0, 4), ['test.lossy_slugs', 'commit', 'test.lossy_insert', 'commit'])
})

test('a statement in the middle of a transaction takes the transaction with it', { skip }, async () => {
  const lost = lossy.lose('answer', { statement: 'test.lossy_insert' })
  await assert.rejects(add('middle'))
  await lost
  assert.ok(!(await read()).includes('middle'))
})

test('a database that is down refuses, and is used again when it is back', { skip }, async () => {
  lossy.goDown()
  await assert.rejects(store.single(tenant, (tx) => tx.rows(slugs)))
  lossy.comeBack()
  await read()
})
