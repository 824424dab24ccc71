import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { anEndpoint, aTenant, type Bench, openBench, recordEvent, until } from '../test-support/events-bench.ts'
import { aReceiver } from '../test-support/receiver.ts'
import { settleEventOrder } from './event-order.ts'
import { listEvents } from './list-events.ts'

const upwards = {
  ...{ size: 100, after: null, before: null, readDescending: false },
  sort: { field: 'createdAt', descending: false },
}
const foreign = sql(
  'test.order.foreign',
  `insert into audit_entry (tenant_id, id, at, actor_kind, action, event_type, subject_kind, result, detail, xact)
   values ($1, $2, $3, 'system', 'user.created', 'user.created', 'user', 'done', '{}', $4::xid8)`,
)
const behind = sql('test.order.behind', `update webhook_endpoint set xact = $2::xid8, event_id = $3 where id = $1`)
const eras = sql('test.order.eras', 'select era from event_era')

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

test('data that was moved to another database server keeps its order, and what happens there comes after it', async () => {
  const { platform } = bench
  const [caller, stranger] = [await aTenant(bench), await aTenant(bench)]
  const { tenantId } = caller
  const receiver = await aReceiver()
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  const [first, second] = [newId(), newId()]
  // As a dump of a server that had run for long brings them: it numbered far ahead of this one.
  const insert = (id: string, xact: string) =>
    platform.store.single(tenantId, (tx) => tx.rows(foreign, [tenantId, id, platform.clock.now(), xact]))
  await insert(second, '9000000000002')
  await insert(first, '9000000000001')
  await platform.store.single(tenantId, (tx) => tx.rows(behind, [endpoint.id, '9000000000001', first]))
  await recordEvent(bench, stranger)
  await settleEventOrder(platform)
  await settleEventOrder(platform)
  assert.deepEqual(await platform.store.single(tenantId, (tx) => tx.rows(eras)), [{ era: 2 }])
  const subject = await recordEvent(bench, caller)
  const listed = () => listEvents(platform, caller, upwards, { types: null, subject: null })
  await until(async () => (await listed()).length === 3)
  const events = await listed()
  assert.deepEqual(
    events.slice(0, 2).map(({ id }) => id),
    [first, second],
  )
  assert.equal(events[2]?.subjectId, subject)
  bench.dispatch()
  await until(() => receiver.messages.length === 2)
  assert.deepEqual(
    receiver.messages.map(({ headers }) => headers['webhook-id']).toSorted(),
    [second, events[2]?.id].toSorted(),
  )
  await receiver.close()
})

test('where nothing was moved no era ends', async () => {
  const other = await openBench()
  const caller = await aTenant(other)
  await recordEvent(other, caller)
  await settleEventOrder(other.platform)
  assert.deepEqual(await other.platform.store.single(caller.tenantId, (tx) => tx.rows(eras)), [{ era: 1 }])
  await other.close()
})
