// Lists count their rows up to a bound, on both engines.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { TenantId } from '../caller.ts'
import { COUNTED_MAX } from '../contract/list-query.ts'
import { pagedList } from '../store/paged-list.ts'
import { newId } from '../store/row-id.ts'
import { composedSql } from '../store/store.ts'
import { listPage } from './list.ts'

const groups = pagedList({
  name: 'test.groups',
  select: `
    select id, display_name as name from user_group where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: { name: (value) => `display_name = ${value}`, first: (value) => `display_name like ${value} || '%'` },
  indexed: [['name']],
})

let db: TestDatabase
const [tenant, other] = [newId() as TenantId, newId() as TenantId]
before(async () => {
  db = await openTestDatabase()
  for (const id of [tenant, other])
    await db.store.inTenant(id, (tx) =>
      tx.rows(
        composedSql(
          'insert into tenant (id, slug, name, created_at, updated_at) values ($1, $1::uuid::text, $1::uuid::text, now(), now())',
        ),
        [id],
      ),
    )
})
after(() => db.close())

/** Adds so many groups. */
function add(to: TenantId, count: number, first: string): Promise<unknown> {
  const text = `insert into user_group (tenant_id, id, display_name, display_name_folded, created_at, updated_at)
    select $1, gen_random_uuid(), $2 || n, $2 || n, now(), now() from generate_series(1, $3::int) n`
  return db.store.inTenant(to, (tx) => tx.rows(composedSql(text), [to, first, count]))
}

/** What the list of a tenant answers. */
async function list(query: Record<string, string>, filter: Record<string, string> = {}) {
  const { data, meta } = await listPage(
    { query: { 'page[total]': 'true', ...query }, href: 'https://example.org/groups' },
    (request) => db.store.single(tenant, (tx) => groups<{ id: string; name: string }>(tx, request, [tenant], filter)),
    (row) => row,
  )
  return { data, page: Object(meta).page }
}

test('a list counts the rows that match, those of its tenant only, and beyond the bound says that there are more', async () => {
  await add(other, 3, 'x')
  assert.deepEqual((await list({})).page.total, { count: 0, more: false })
  await add(tenant, 1, 'a')
  assert.deepEqual((await list({})).page.total, { count: 1, more: false })
  await add(tenant, COUNTED_MAX - 1, 'b')
  assert.deepEqual((await list({})).page.total, { count: COUNTED_MAX, more: false })
  assert.deepEqual((await list({ 'page[size]': '1' }, { first: 'b' })).page.total, {
    count: COUNTED_MAX - 1,
    more: false,
  })
  await add(tenant, 1, 'c')
  const { data, page } = await list({})
  assert.deepEqual(page.total, { count: COUNTED_MAX, more: true })
  assert.deepEqual(Object.keys(data[0] ?? {}).sort(), ['id', 'name'])
  assert.deepEqual((await list({ 'page[after]': page.after })).page.total, page.total)
  assert.deepEqual((await list({}, { name: 'c1' })).page.total, { count: 1, more: false })
  assert.deepEqual((await list({}, { name: 'nothing' })).page.total, { count: 0, more: false })
})

test('what would need too many rows to be read is not counted, unless it is already more than the bound', async () => {
  await add(tenant, 5000, 'd')
  assert.equal((await list({ 'page[size]': '1' }, { first: 'b' })).page.total, undefined)
  assert.deepEqual((await list({}, { first: 'd' })).page.total, { count: COUNTED_MAX, more: true })
  assert.deepEqual((await list({}, { name: 'c1' })).page.total, { count: 1, more: false })
})

test('a page behind the last row does not tell a total', async () => {
  const { data, page } = await list({ 'page[after]': 'ffffffff-ffff-ffff-ffff-ffffffffffff', sort: 'createdAt' })
  assert.equal(data.length, 0)
  assert.equal(page.total, undefined)
})
