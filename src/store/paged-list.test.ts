import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Values } from './named-parameters.ts'
import { type PageRequest, pagedList } from './paged-list.ts'
import type { Sql } from './store.ts'

const page = pagedList({
  name: 'test.things',
  select: 'select id from thing where tenant_id = $1',
  parameters: 1,
  id: 'id',
  sorts: { name: 'name' },
  rows: 'thing where tenant_id = $1',
  indexed: [['kind']],
  filters: { kind: (value) => `kind = ${value}`, open: { true: 'closed_at is null', false: 'closed_at is not null' } },
})
const firstPage: PageRequest = {
  size: 2,
  after: null,
  before: null,
  sort: { field: 'createdAt' },
  readDescending: true,
}

/** What would be sent. */
async function sent(overrides: Partial<PageRequest>, filter: Parameters<typeof page>[3]) {
  const all: { statement: Sql; values: Values }[] = []
  const rows = async (statement: Sql, values: Values = []) => {
    all.push({ statement, values })
    return []
  }
  await page({ rows }, { ...firstPage, ...overrides }, ['t'], filter)
  const [one] = all
  return one === undefined
    ? null
    : { ...one.statement, text: one.statement.text.replace(/\s+/g, ' '), values: one.values }
}

test('each combination of order, cursor and filters has its own statement', async () => {
  assert.deepEqual(await sent({}, {}), {
    name: 'test.things createdAt d ',
    text: 'select id from thing where tenant_id = $1 order by id desc limit $2',
    values: ['t', 3],
  })
  const narrowed = await sent({ after: 'c' }, { kind: 'k', open: 'false' })
  assert.equal(
    narrowed?.text,
    'select id from thing where tenant_id = $1 and id < $3 and (kind = $4) and (closed_at is not null) order by id desc limit $2',
  )
  assert.deepEqual(narrowed?.values, ['t', 3, 'c', 'k'])
  const names = [{}, { kind: 'k' }, { open: 'true' }, { open: 'false' }].map(async (one) => (await sent({}, one))?.name)
  assert.equal(new Set(await Promise.all(names)).size, 4)
})

test('a total is counted by the statement of the page, by its filters and not by its cursor', async () => {
  const counted = await sent({ after: 'c', total: { counted: null } }, { kind: 'k' })
  assert.equal(counted?.name, 'test.things createdAt d p t 0')
  assert.equal(
    counted?.text,
    'select (select count(*)::int from (select id from thing where tenant_id = $1 and (kind = $4) order by id limit 1001) as counted) as "listTotal", id from thing where tenant_id = $1 and id < $3 and (kind = $4) order by id desc limit $2',
  )
  assert.deepEqual(counted?.values, ['t', 3, 'c', 'k'])
})

test('to count what a filter without an index leaves, a bounded number of rows is read', async () => {
  const counted = await sent({ total: { counted: null } }, { kind: 'k', open: 'false' })
  assert.match(
    counted?.text ?? '',
    /from thing where tenant_id = \$1 and \(kind = \$3\) order by id limit 5000\) as read\)/,
  )
})

test('in another order than that of creation ties are ordered by id', async () => {
  const sorted = await sent({ after: 'c', sort: { field: 'name' }, readDescending: false }, {})
  assert.equal(
    sorted?.text,
    'select id from thing where tenant_id = $1 and (name, id) > (select name, id from thing where tenant_id = $1 and id = $3) order by name asc, id asc limit $2',
  )
})

test('a filter with NUL finds nothing without a statement; an unknown filter value throws', async () => {
  assert.equal(await sent({}, { kind: 'a\0b' }), null)
  await assert.rejects(() => sent({}, { open: 'perhaps' }), /no condition/)
})
