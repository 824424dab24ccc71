import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase()
})
after(() => database.close())

test('a database that is no Citus coordinator is whole, and is refused in words', async () => {
  assert.deepEqual(await database.store.distribution(), { kind: 'whole', missing: [] })
  await assert.rejects(database.store.distribute(), /is not on a Citus coordinator.*see docs\/distribution\.md/)
})
