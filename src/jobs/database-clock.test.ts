import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { platformOn } from '../../test/support/platform.ts'
import { until } from '../../test/support/until.ts'
import type { TenantId } from '../caller.ts'
import { newId } from '../store/row-id.ts'
import { sql } from '../store/store.ts'
import { openDatabaseClock } from './database-clock.ts'
import { enqueue, job } from './job.ts'
import { every, type Schedule } from './schedule.ts'
import { startWorker } from './worker.ts'

const HOUR_MS = 3_600_000
const insertTenant = sql(
  'test.clock.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const privateKeys = sql(
  'test.clock.keys',
  'select created_at as at from signing_key where tenant_id = $1 and sealed_private is not null',
)
const setNext = sql('test.clock.set_next', 'update schedule set next_run_at = $2 where name = $1')
const setLease = sql('test.clock.set_lease', 'update schedule set claim = $3, lease_until = $2 where name = $1')
const nextRun = sql('test.clock.next', 'select next_run_at as at from schedule where name = $1')

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

const masterKey = randomBytes(32)
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** A worker on a machine whose clock is ahead; `lines`: what it logs as errors. */
async function aMachine(aheadMs: number) {
  const machine = { aheadMs }
  const lines: string[] = []
  const log = { ...quiet, error: (_: object, text: string) => void lines.push(text) }
  const clock = await openDatabaseClock(db.store, { now: () => new Date(Date.now() + machine.aheadMs) }, log)
  return { machine, lines, clock, platform: platformOn({ store: db.store, clock, log, masterKey }) }
}

async function aTenant(): Promise<TenantId> {
  const tenantId = newId() as TenantId
  await db.store.across('test', (tx) => tx.rows(insertTenant, [tenantId, `t-${tenantId}`]))
  return tenantId
}

async function nextOf(name: string): Promise<Date | undefined> {
  const rows = await db.store.across('test', (tx) => tx.rows<{ at: Date }>(nextRun, [name]))
  return rows[0]?.at
}

function counted(name: string): { readonly schedule: Schedule; readonly runs: () => number } {
  let runs = 0
  const schedule = every(600, name, async () => {
    runs += 1
  })
  return { schedule, runs: () => runs }
}

test('the time of a server is that of its database, however wrong the clock of its machine is', async () => {
  for (const aheadMs of [0, 2 * HOUR_MS, -2 * HOUR_MS, 500 * 24 * HOUR_MS]) {
    const { clock } = await aMachine(aheadMs)
    assert(Math.abs(clock.now().getTime() - Date.now()) < 5000)
    assert(Math.abs(clock.differenceSeconds() - aheadMs / 1000) < 5)
  }
})

test('a server whose clock is wrong runs no sweep and no job, moves no due time, and says so once', async () => {
  const { machine, lines, clock, platform } = await aMachine(500 * 24 * HOUR_MS)
  const tenantId = await aTenant()
  let jobs = 0
  const work = job({
    name: 'test.wrong_clock',
    payload: Type.Object({}),
    attemptsMax: 1,
    timeoutSeconds: 5,
    run: async () => {
      jobs += 1
    },
  })
  await db.store.inTenant(tenantId, (tx) => enqueue(tx, work, {}, { now: clock.now() }))
  const { schedule, runs } = counted('test.wrong')
  const worker = startWorker(platform, [work], [schedule], { pollMs: 10 })
  await pause(300)
  assert.deepEqual([runs(), jobs, await nextOf('test.wrong')], [0, 0, undefined])
  assert.equal(lines.filter((line) => line.startsWith('the clocks of this server')).length, 1)
  await assert.rejects(clock.checkDifference(), /4320000\d s ahead|4319999\d s ahead/)
  machine.aheadMs = 0
  await until(() => runs() === 1 && jobs === 1)
  await clock.checkDifference()
  await worker.stop()
  const next = await nextOf('test.wrong')
  assert(next !== undefined && Math.abs(next.getTime() - Date.now() - 600_000) < 20_000)
})

for (const hours of [2, -2, 24 * 500]) {
  test(`a server ${hours} hours ahead rotates keys: no key that was retired just now is destroyed or withdrawn`, async () => {
    const [right, wrong] = [await aMachine(0), await aMachine(hours * HOUR_MS)]
    const tenantId = await aTenant()
    const kids: string[] = []
    for (const { platform } of [right, wrong, right, wrong]) {
      await platform.keys.rotate(tenantId, 'access-token')
      const current = await platform.keys.published(tenantId, ['access-token'])
      kids.push(...current.map(({ kid }) => kid).filter((kid) => !kids.includes(kid)))
    }
    for (const { platform } of [right, wrong]) {
      const published = await platform.keys.published(tenantId, ['access-token'])
      assert.deepEqual(new Set(published.map(({ kid }) => kid)), new Set(kids))
      const rows = await db.store.single(tenantId, (tx) => tx.rows<{ at: Date }>(privateKeys, [tenantId]))
      assert.equal(rows.length, kids.length)
      for (const { at } of rows) assert(Math.abs(at.getTime() - Date.now()) < 5000)
    }
  })
}

test('servers of one machine have one time, however long each took to read the clock of the database', async () => {
  const at = new Date()
  const own = { now: () => at }
  const clocks = await Promise.all([1, 2, 3].map(() => openDatabaseClock(db.store, own, quiet)))
  assert.deepEqual(
    clocks.map((clock) => clock.now()),
    [at, at, at],
  )
})

test('30 s are no difference', async () => {
  const { clock } = await aMachine(29_000)
  assert.equal(clock.agrees?.(), true)
  const other = await aMachine(-31_000)
  assert.equal(other.clock.agrees?.(), false)
})

test('a schedule that lies more than a period ahead is due, also under a lease of that time', async () => {
  const { schedule, runs } = counted('test.astray')
  const { platform } = await aMachine(0)
  const first = startWorker(platform, [], [schedule], { pollMs: 10 })
  await until(() => runs() === 1)
  await first.stop()
  const astray = new Date(Date.now() + 2 * HOUR_MS)
  await db.store.across('test', (tx) => tx.rows(setNext, ['test.astray', astray]))
  await db.store.across('test', (tx) => tx.rows(setLease, ['test.astray', astray, newId()]))
  const second = startWorker(platform, [], [schedule], { pollMs: 10 })
  await until(() => runs() === 2)
  await second.stop()
  const next = await nextOf('test.astray')
  assert(next !== undefined && next < astray)
})
