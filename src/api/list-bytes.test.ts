// Pages of large rows end early, and paging on finds every row once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { TenantId } from '../caller.ts'
import { PAGE_BYTES_MAX, pagedList } from '../store/paged-list.ts'
import { newId } from '../store/row-id.ts'
import { composedSql } from '../store/store.ts'
import { exportList } from './export-list.ts'
import { type ListRequest, listPage, parseListQuery } from './list.ts'

type Group = { readonly id: string; readonly name: string }

const ROW_BYTES = 1_000_000
const ROWS = 20
const groups = pagedList({
  name: 'test.large_groups',
  select: `select id, repeat(display_name, ${ROW_BYTES}) as name from user_group where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: {},
})

let db: TestDatabase
const tenant = newId() as TenantId
before(async () => {
  db = await openTestDatabase()
  await db.store.inTenant(tenant, async (tx) => {
    const insert = `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'large', 'Large', now(), now())`
    await tx.rows(composedSql(insert), [tenant])
    const text = `insert into user_group (tenant_id, id, display_name, display_name_folded, created_at, updated_at)
      select $1, gen_random_uuid(), 'x', n::text, now(), now() from generate_series(1, ${ROWS}) n`
    await tx.rows(composedSql(text), [tenant])
  })
})
after(() => db.close())

const read = (request: ListRequest) => db.store.single(tenant, (tx) => groups<Group>(tx, request, [tenant], {}))

async function page(query: Record<string, string>) {
  const { data, meta } = await listPage({ query, href: 'https://example.org/groups' }, read, (row) => row)
  return { ids: data.map(({ id }) => id), data, ...Object(meta).page }
}

for (const [cursor, sort] of [
  ['after', 'createdAt'],
  ['before', '-createdAt'],
] as const) {
  test(`pages of large rows end early, and with page[${cursor}] each row is on one of them`, async () => {
    const start = cursor === 'after' ? {} : { 'page[before]': '00000000-0000-0000-0000-000000000000' }
    const ids: string[] = []
    let pages = 0
    for (let at: Record<string, string> = start; ; ) {
      const found = await page({ 'page[size]': '100', sort, ...at })
      assert.ok(JSON.stringify(found.data).length < PAGE_BYTES_MAX + 2 * ROW_BYTES)
      assert.deepEqual(Object.keys(found.data[0] ?? {}), ['id', 'name'])
      ids.push(...(cursor === 'after' ? found.ids : found.ids.toReversed()))
      pages += 1
      if (found[cursor] === null) break
      at = { [`page[${cursor}]`]: found[cursor] }
    }
    assert.equal(pages, 3)
    assert.equal(ids.length, ROWS)
    assert.deepEqual(ids, ids.toSorted())
  })
}

test('the total counts the rows of all pages, and a page that is as large as it may be by its rows does not end early', async () => {
  const first = await page({ 'page[size]': '100', 'page[total]': 'true' })
  assert.deepEqual([first.ids.length, first.total], [9, { count: ROWS, more: false }])
  const small = await page({ 'page[size]': '2', 'page[after]': first.ids[6] ?? '', sort: '-createdAt' })
  assert.deepEqual(small.ids, first.ids.slice(7, 9))
})

test('an export reads large rows in parts, and has each once', async () => {
  const reply = Type.Object({ id: Type.String() })
  const show = ({ id }: Group) => ({ id })
  const { body } = await exportList('application/x-ndjson', parseListQuery({}), { read, show, reply })
  let text = ''
  for await (const chunk of body as AsyncIterable<Buffer>) text += String(chunk)
  assert.equal(new Set(text.trim().split('\n')).size, ROWS)
})
