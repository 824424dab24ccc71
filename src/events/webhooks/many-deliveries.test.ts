import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { COUNT_MAX } from '../../contract/events/webhooks.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { anEndpoint, aTenant, type Bench, openBench } from '../test-support/events-bench.ts'
import { listWebhookDeliveries } from './deliveries.ts'
import { withCounts } from './endpoint-counts.ts'

const EACH = 5000

const insertMany = sql(
  'test.events.many_deliveries',
  `insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, status, due_at, tried_until, ended_at, created_at)
   select $1, made.id, $2, made.event_id, 'user.created', $5, now(), now(), case when $5 = 'pending' then null else now() end, now()
   from unnest($3::uuid[], $4::uuid[]) as made (id, event_id)`,
)

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

test('of 10,000 deliveries every page of a list is read by its cursor, each delivery once, and counting stops early', async () => {
  const { store } = bench.platform
  const caller = await aTenant(bench)
  const { endpoint } = await anEndpoint(bench, caller, 'http://localhost:8/hook')
  const other = await anEndpoint(bench, caller, 'http://localhost:8/other')
  for (const status of ['delivered', 'dead']) {
    const ids = Array.from({ length: EACH }, () => newId())
    const events = ids.map(() => newId())
    await store.single(caller.tenantId, (tx) => tx.rows(insertMany, [tx.tenantId, endpoint.id, ids, events, status]))
  }
  const counted = await store.single(caller.tenantId, (tx) => withCounts(tx, [endpoint, other.endpoint]))
  assert.deepEqual(
    counted.map(({ counts }) => counts),
    [
      { pending: 0, delivered: COUNT_MAX, dead: COUNT_MAX },
      { pending: 0, delivered: 0, dead: 0 },
    ],
  )
  const seen = new Set<string>()
  const sort = { field: 'createdAt', descending: true }
  for (let after: string | null = null, pages = 0; pages < 2 * EACH; pages += 1) {
    const list = { size: 100, after, before: null, sort, readDescending: true }
    const rows: Awaited<ReturnType<typeof listWebhookDeliveries>> = await listWebhookDeliveries(
      bench.platform,
      caller,
      endpoint.id,
      list,
      { status: 'dead' },
    )
    for (const { id } of rows.slice(0, 100)) seen.add(id)
    if (rows.length <= 100) break
    after = rows[99]?.id ?? null
  }
  assert.equal(seen.size, EACH)
})
