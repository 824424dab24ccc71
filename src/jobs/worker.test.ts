import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { platformOn } from '../../test/support/platform.ts'
import { until } from '../../test/support/until.ts'
import type { TenantId } from '../caller.ts'
import { newId } from '../store/row-id.ts'
import { sql } from '../store/store.ts'
import { enqueue, type Job, job } from './job.ts'
import { every } from './schedule.ts'
import { startWorker, type Worker } from './worker.ts'

const insertTenant = sql(
  'test.jobs.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const listJobs = sql('test.jobs.list', 'select name, attempts, last_error, dead_at, run_at from job')
const crash = sql('test.jobs.crash', 'update job set attempts = 1, lease_until = $1, claim = $2')

let db: TestDatabase
let time = Date.parse('2026-05-01T12:00:00.000Z')
const workers: Worker[] = []
before(async () => {
  db = await openTestDatabase()
})
after(async () => {
  await Promise.all(workers.map((one) => one.stop()))
  await db.close()
})

function start(
  jobs: readonly Job[],
  schedules: Parameters<typeof startWorker>[2] = [],
  options: Parameters<typeof startWorker>[3] = {},
): Worker {
  const worker = startWorker(platformOn({ store: db.store, clock: { now: () => new Date(time) } }), jobs, schedules, {
    pollMs: 20,
    ...options,
  })
  workers.push(worker)
  return worker
}

async function aTenant(): Promise<TenantId> {
  const id = newId() as TenantId
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [id, `t-${id}`]))
  return id
}

function jobsOf(tenant: TenantId) {
  type Row = { attempts: number; last_error: string | null; dead_at: Date | null; run_at: Date }
  return db.store.single(tenant, (tx) => tx.rows<Row>(listJobs))
}

function counting(name: string, run: Job<{ n: number }>['run'], attemptsMax = 3) {
  return job({ name, payload: Type.Object({ n: Type.Integer() }), attemptsMax, timeoutSeconds: 5, run })
}

function put(tenant: TenantId, what: Job<{ n: number }>, n: number, runAt?: Date) {
  const now = new Date(time)
  return db.store.inTenant(tenant, (tx) => enqueue(tx, what, { n }, runAt === undefined ? { now } : { now, runAt }))
}

test('many workers do each job once', async () => {
  const tenant = await aTenant()
  const seen: number[] = []
  const running = new Set<number>()
  const what = counting('test.many', async (_platform, { n }, _signal, about) => {
    assert.equal(about.tenantId, tenant)
    assert(!running.has(n), 'the job runs already')
    running.add(n)
    await new Promise((resolve) => setTimeout(resolve, 3))
    running.delete(n)
    seen.push(n)
  })
  const all = Array.from({ length: 60 }, (_, n) => n)
  await Promise.all(all.map((n) => put(tenant, what, n)))
  const crowd = [start([what]), start([what]), start([what]), start([what])]
  await until(async () => (await jobsOf(tenant)).length === 0)
  await Promise.all(crowd.map((one) => one.stop()))
  assert.deepEqual(
    seen.sort((a, b) => a - b),
    all,
  )
})

test('one job of a tenant does not wait for the many of others', async () => {
  const [crowd, other, alone] = [await aTenant(), await aTenant(), await aTenant()]
  const order: TenantId[] = []
  const what = counting('test.turns', async (_platform, _payload, _signal, { tenantId }) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    order.push(tenantId)
  })
  for (let n = 0; n < 30; n += 1) for (const tenant of [crowd, other]) await put(tenant, what, n)
  time += 1000
  await put(alone, what, 1)
  const worker = start([what])
  await until(() => order.length === 61)
  await worker.stop()
  // Six run at once. The first six are of both; then it is the turn of the third.
  assert.ok(order.indexOf(alone) < 12, `it was done as number ${order.indexOf(alone) + 1}`)
})

test('a tenant has as many jobs running at once as the worker allows, and all of them are done', async () => {
  const [crowd, alone] = [await aTenant(), await aTenant()]
  const running: TenantId[] = []
  const done: TenantId[] = []
  const gate = Promise.withResolvers<void>()
  let mostOfCrowd = 0
  const what = counting('test.bounded', async (_platform, _payload, _signal, { tenantId }) => {
    running.push(tenantId)
    mostOfCrowd = Math.max(mostOfCrowd, running.filter((one) => one === crowd).length)
    if (tenantId === crowd) await gate.promise
    running.splice(running.indexOf(tenantId), 1)
    done.push(tenantId)
  })
  for (let n = 0; n < 9; n += 1) await put(crowd, what, n)
  time += 1000
  const worker = start([what], [], { concurrency: 4, ofTenantMax: 2 })
  await until(() => mostOfCrowd === 2)
  await put(alone, what, 1)
  // It waits for none of those that are stuck.
  await until(() => done.includes(alone))
  gate.resolve()
  await until(() => done.length === 10)
  await worker.stop()
  assert.equal(mostOfCrowd, 2)
})

test('the long jobs of one tenant leave half of the places to the others', async () => {
  const [crowd, alone] = [await aTenant(), await aTenant()]
  const gate = Promise.withResolvers<void>()
  const done: TenantId[] = []
  let started = 0
  const what = counting('test.long', async (_platform, _payload, _signal, { tenantId }) => {
    if (tenantId === crowd) {
      started += 1
      await gate.promise
    }
    done.push(tenantId)
  })
  for (let n = 0; n < 20; n += 1) await put(crowd, what, n)
  const worker = start([what])
  await until(() => started === 3)
  for (let n = 0; n < 10; n += 1) await put(alone, what, n)
  await until(() => done.length === 10)
  assert.equal(started, 3)
  gate.resolve()
  await until(() => done.length === 30)
  await worker.stop()
})

test('what a transaction undoes was never in the queue', async () => {
  const tenant = await aTenant()
  const what = counting('test.undone', async () => undefined)
  const undone = db.store.inTenant(tenant, async (tx) => {
    await enqueue(tx, what, { n: 1 }, { now: new Date(time) })
    throw new Error('undo')
  })
  await assert.rejects(undone, /undo/)
  assert.deepEqual(await jobsOf(tenant), [])
})

test('a failed job is tried again later and later, then kept for the operator', async () => {
  const tenant = await aTenant()
  let runs = 0
  const what = counting('test.failing', async () => {
    runs += 1
    throw new TypeError('do not tell this')
  })
  await put(tenant, what, 1)
  const worker = start([what])
  for (const [attempt, seconds] of [
    [1, 2],
    [2, 4],
  ] as const) {
    await until(async () => (await jobsOf(tenant))[0]?.last_error === 'TypeError' && runs === attempt)
    await until(async () => (await jobsOf(tenant))[0]?.run_at.getTime() === time + seconds * 1000)
    time += seconds * 1000
  }
  await until(async () => (await jobsOf(tenant))[0]?.dead_at !== null)
  await worker.stop()
  assert.equal(runs, 3)
})

test('a job whose worker died is taken over, and not before its time has passed', async () => {
  const tenant = await aTenant()
  let runs = 0
  const what = counting('test.crashed', async () => {
    runs += 1
  })
  await put(tenant, what, 1)
  await db.store.single(tenant, (tx) => tx.rows(crash, [new Date(time + 35_000), newId()]))
  const worker = start([what])
  await new Promise((resolve) => setTimeout(resolve, 80))
  assert.equal(runs, 0)
  time += 35_000
  await until(async () => (await jobsOf(tenant)).length === 0)
  await worker.stop()
  assert.equal(runs, 1)
})

test('a job for later waits', async () => {
  const tenant = await aTenant()
  let runs = 0
  const what = counting('test.later', async () => {
    runs += 1
  })
  await put(tenant, what, 1, new Date(time + 60_000))
  const worker = start([what])
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.equal(runs, 0)
  time += 60_000
  await until(() => runs === 1)
  await worker.stop()
})

test('a stopping worker ends what it has begun', async () => {
  const tenant = await aTenant()
  let state = 'none'
  const what = counting('test.stopping', async () => {
    state = 'begun'
    await new Promise((resolve) => setTimeout(resolve, 50))
    state = 'ended'
  })
  await put(tenant, what, 1)
  const worker = start([what])
  await until(() => state === 'begun')
  await worker.stop()
  assert.equal(state, 'ended')
  assert.deepEqual(await jobsOf(tenant), [])
})

test('a payload that no longer fits is given up at once', async () => {
  const tenant = await aTenant()
  await put(
    tenant,
    counting('test.changed', async () => undefined),
    1,
  )
  const changed = job({
    name: 'test.changed',
    payload: Type.Object({ other: Type.String() }),
    attemptsMax: 3,
    timeoutSeconds: 5,
    run: () => assert.fail('must not run'),
  })
  const worker = start([changed])
  await until(async () => (await jobsOf(tenant))[0]?.dead_at !== null)
  await worker.stop()
})

test('of many processes one does a sweep in each period', async () => {
  let runs = 0
  const sweep = every(60, 'test.sweep', async () => {
    runs += 1
  })
  const crowd = [start([], [sweep]), start([], [sweep]), start([], [sweep])]
  await until(() => runs === 1)
  await new Promise((resolve) => setTimeout(resolve, 80))
  assert.equal(runs, 1)
  time += 60_000
  await until(() => runs === 2)
  await new Promise((resolve) => setTimeout(resolve, 60))
  await Promise.all(crowd.map((one) => one.stop()))
  assert.equal(runs, 2)
})

test('a sweep that failed is repeated before its period ends', async () => {
  let runs = 0
  const sweep = every(86_400, 'test.sweep-failing', async () => {
    runs += 1
    if (runs === 1) throw new Error('once')
  })
  const worker = start([], [sweep])
  await until(() => runs === 1)
  await new Promise((resolve) => setTimeout(resolve, 60))
  time += 61_000
  await until(() => runs === 2)
  await worker.stop()
})

test('a sweep that outlasts its time-out is not started by another process before its grace time is over', async () => {
  let runs = 0
  let end: () => void = () => undefined
  const first = new Promise<void>((resolve) => {
    end = resolve
  })
  const sweep = every(
    86_400,
    'test.sweep-late',
    async () => {
      runs += 1
      if (runs === 1) await first
    },
    { timeoutSeconds: 5 },
  )
  const crowd = [start([], [sweep]), start([], [sweep])]
  await until(() => runs === 1)
  time += 5_000
  await new Promise((resolve) => setTimeout(resolve, 80))
  assert.equal(runs, 1)
  time += 30_000
  await until(() => runs === 2)
  end()
  await Promise.all(crowd.map((one) => one.stop()))
})
