import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { postgresUrl } from '../../../test/support/database.ts'
import type { Caller } from '../../caller.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { record } from '../audit/record.ts'
import { newestPositions } from '../stream/event-store.ts'
import { listEvents } from '../stream/list-events.ts'
import { anEndpoint, aTenant, type Bench, openBench, recordEvent, until } from '../test-support/events-bench.ts'
import { aReceiver } from '../test-support/receiver.ts'
import { beginEras, settleEventOrder } from './event-order.ts'

const upwards = {
  size: 100,
  after: null,
  before: null,
  readDescending: false,
  sort: { field: 'createdAt', descending: false },
}
const foreign = sql(
  'test.order.foreign',
  `insert into audit_entry (tenant_id, id, at, actor_kind, action, event_type, subject_kind, result, detail, xact)
   values ($1, $2, $3, 'system', 'user.created', 'user.created', 'user', 'done', '{}', $4::xid8)`,
)
const behind = sql('test.order.behind', `update webhook_endpoint set xact = $2::xid8, event_id = $3 where id = $1`)
const eras = sql('test.order.eras', 'select era from tenant_event_state')
const lastEvent = sql(
  'test.order.last',
  'select era from audit_entry where event_type is not null order by id desc limit 1',
)

const skip = postgresUrl === null && 'needs several sessions: PostgreSQL'

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
  assert.deepEqual(await eraOf(caller), [{ era: 2 }])
  assert.deepEqual(await eraOf(stranger), [{ era: 1 }], 'the era of another tenant ended')
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

test('a restore begins an era for every tenant, whose events come after all others', async () => {
  const { platform } = bench
  const [one, two] = [await aTenant(bench), await aTenant(bench)]
  const subjects = [await recordEvent(bench, one)]
  await beginEras(platform)
  assert.deepEqual(await Promise.all([one, two].map((each) => eraOf(each))), [[{ era: 2 }], [{ era: 2 }]])
  subjects.push(await recordEvent(bench, one))
  const listed = () => listEvents(platform, one, upwards, { types: null, subject: null })
  await until(async () => (await listed()).length === 2)
  assert.deepEqual(
    (await listed()).map(({ subjectId }) => subjectId),
    subjects,
  )
})

test('the newest event of a tenant is found before a sweep has added the row of its era', async () => {
  const { platform } = bench
  const caller = await aTenant(bench)
  const subject = await recordEvent(bench, caller)
  const newest = async () => {
    const found = await platform.store.across('test', (tx) => newestPositions(tx, [caller.tenantId]))
    return found.get(caller.tenantId)
  }
  await until(async () => (await newest()) !== undefined)
  const [event] = await listEvents(platform, caller, upwards, { types: null, subject: null })
  assert.deepEqual([event?.id, event?.subjectId], [await newest(), subject])
})

test('of servers that start together one begins the era', async () => {
  const { platform } = bench
  const caller = await aTenant(bench)
  await platform.store.single(caller.tenantId, (tx) =>
    tx.rows(foreign, [caller.tenantId, newId(), platform.clock.now(), '9000000000001']),
  )
  await Promise.all([settleEventOrder(platform), settleEventOrder(platform), settleEventOrder(platform)])
  assert.deepEqual(await eraOf(caller), [{ era: 2 }])
})

test('an era begins when every transaction that records events in the one before has ended', { skip }, async () => {
  // Of its own, since the first era that ends in a database changes a default too.
  const other = await openBench()
  const { platform } = other
  const caller = await aTenant(other)
  const { promise: isRecorded, resolve: recorded } = Promise.withResolvers<void>()
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const entry = { action: 'user.created', subject: { kind: 'user', id: newId() }, by: 'system' } as const
  const writing = platform.store.inTenant(caller.tenantId, async (tx) => {
    await record(tx, entry, platform.clock.now())
    recorded()
    await mayCommit
  })
  await isRecorded
  const begun = beginEras(platform)
  await onServer(async (client) => {
    const waiting = `select from pg_locks where relation = 'audit_entry'::regclass and not granted and database =
      (select oid from pg_database where datname = current_database())`
    await until(async () => (await client.query(waiting)).rowCount === 1)
  }, other.db.url)
  // It waits for the lock behind the beginning of the era, and reads the era after it.
  const later = recordEvent(other, caller)
  commit()
  await Promise.all([writing, begun, later])
  assert.deepEqual(await platform.store.single(caller.tenantId, (tx) => tx.rows(lastEvent)), [{ era: 2 }])
  const listed = () => listEvents(platform, caller, upwards, { types: null, subject: null })
  await until(async () => (await listed()).length === 2)
  assert.equal((await listed())[1]?.subjectId, await later)
  await other.close()
})

test('the events of a tenant that was moved to another node are settled, whatever that node has assigned', {
  skip,
}, async () => {
  const other = await openBench()
  const caller = await aTenant(other)
  const { store, clock } = other.platform
  await settleEventOrder(other.platform)
  await store.single(caller.tenantId, (tx) =>
    tx.rows(foreign, [caller.tenantId, newId(), clock.now(), '9000000000001']),
  )
  const listed = () => listEvents(other.platform, caller, upwards, { types: null, subject: null })
  assert.equal((await listed()).length, 0)
  await onServer(
    (client) =>
      client.query('create or replace function event_node() returns integer language sql stable as $$ select 1 $$'),
    other.db.url,
  )
  assert.equal((await listed()).length, 1)
  await other.close()
})

test('where nothing was moved no era ends', async () => {
  const other = await openBench()
  const caller = await aTenant(other)
  await recordEvent(other, caller)
  await settleEventOrder(other.platform)
  assert.deepEqual(await eraOf(caller, other), [{ era: 1 }])
  await other.close()
})

function eraOf({ tenantId }: Caller, { platform }: Bench = bench): Promise<unknown[]> {
  return platform.store.single(tenantId, (tx) => tx.rows(eras))
}

async function onServer(work: (client: pg.Client) => Promise<unknown>, url: string | null): Promise<void> {
  assert(url !== null)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await work(client).finally(() => client.end())
}
