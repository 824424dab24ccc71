import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { deleteOldest, inPieces } from './in-pieces.ts'
import { platformTenantId, sql } from './store.ts'

const noon = new Date('2026-01-01T12:00:00Z')
// 2,500 of them expire second by second, 1,500 at one moment; one is not over.
const insert = sql(
  'test.insert_counts',
  `insert into shared_count (tenant_id, key, count, expires_at)
   select $1, sha256(convert_to(i::text, 'UTF8')), 1, $2::timestamptz + case when i = 0 then interval '1 hour' else -least(i, 2500) * interval '1 second' end
   from generate_series(0, 4000) as i`,
)
const count = sql('test.count_counts', 'select count(*)::int as count from shared_count where tenant_id = $1')
const remove = sql('test.delete_counts', deleteOldest('shared_count'))

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  await db.store.single(platformTenantId, (tx) => tx.rows(insert, [platformTenantId, noon]))
})
after(() => db.close())

test('expired rows are deleted in pieces, also many of one moment, until none is left', async () => {
  const pieces: number[] = []
  await inPieces(db, 'test', new AbortController().signal, async (tx, limit) => {
    const removed = (await tx.rows(remove, [noon, limit])).length
    pieces.push(removed)
    return removed
  })
  assert.deepEqual(pieces, [1501, 1000, 1000, 499])
  const [left] = await db.store.single(platformTenantId, (tx) => tx.rows<{ count: number }>(count, [platformTenantId]))
  assert.equal(left?.count, 1)
})
