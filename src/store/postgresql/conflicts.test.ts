import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createDatabase, postgresUrl } from '../../../test/support/database.ts'
import { lossyDatabase } from '../../../test/support/lossy-database.ts'
import { until } from '../../../test/support/until.ts'
import type { TenantId } from '../../caller.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { openStore } from '../opening/open-store.ts'
import { newId } from '../row-id.ts'
import { type Sql, type Step, type Store, sql } from '../store.ts'
import { openPostgresql } from './postgresql.ts'

const skip = postgresUrl === null ? 'needs a PostgreSQL server' : false
const lock = sql('test.conflicts_lock', 'select pg_advisory_xact_lock($1::int)')
const tenant = newId() as TenantId

let store: Store
let other: pg.Client
let observer: pg.Client
let url: string
const onIdleError = () => undefined
before(async () => {
  if (postgresUrl === null) return
  url = await createDatabase(postgresUrl)
  observer = new pg.Client({ connectionString: url })
  await observer.connect()
  // Time for the other session to wait too, before a session looks for the deadlock.
  await observer.query(`alter database ${new URL(url).pathname.slice(1)} set deadlock_timeout = '3s'`)
  store = await openStore({ databaseUrl: url, dataDir: null, poolMax: 2, onIdleError })
  other = new pg.Client({ connectionString: url })
  await other.connect()
  // The other session is never the one that PostgreSQL ends.
  await other.query(`set deadlock_timeout = '1min'`)
})
after(async () => {
  await other?.end()
  await observer?.end()
  await store?.close()
})

/** Waits until a session waits for one of the locks. */
const waitsFor = (key: number) =>
  until(async () => {
    const { rows } = await observer.query(
      `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [key],
    )
    return rows.length > 0
  })

/** Lets another session hold the second lock, and wait for the first one when it is told to. */
async function deadlocked<T>(work: (wait: () => Promise<void>) => Promise<T>): Promise<T> {
  let waiting: Promise<unknown> = Promise.resolve()
  await other.query('begin')
  await other.query(lock.text, [2])
  try {
    return await work(async () => {
      waiting = other.query(lock.text, [1]).then(() => other.query('commit'))
      await waitsFor(1)
    })
  } finally {
    await waiting
  }
}

const isConflict = (error: unknown) => error instanceof DatabaseUnavailable && /deadlock/.test(error.message)

type Run = (statement: Sql, values: readonly unknown[], then?: readonly Step[]) => Promise<unknown>
const doors: Readonly<Record<'inTenant' | 'across', (work: (run: Run) => Promise<void>) => Promise<void>>> = {
  inTenant: (work) => store.inTenant(tenant, (tx) => work(tx.rows)),
  across: (work) => store.across('test', (tx) => work(tx.rows)),
}
for (const [name, door] of Object.entries(doors)) {
  test(`${name}: a deadlock after the first statement is DatabaseUnavailable, and nothing is repeated`, {
    skip,
  }, async () => {
    let runs = 0
    const work = deadlocked((wait) =>
      door(async (run) => {
        runs += 1
        await run(lock, [1])
        await wait()
        await run(lock, [2])
      }),
    )
    await assert.rejects(work, isConflict)
    assert.equal(runs, 1)
  })

  test(`${name}: after a deadlock the first statement and its steps are sent once more`, { skip }, async () => {
    await deadlocked(async (wait) => {
      const done = door(async (run) => {
        await run(lock, [1], [{ statement: lock, values: [2] }])
      })
      await waitsFor(2)
      await wait()
      await done
    })
  })
}

test('readiness and the placement of tables are read with the time limits of every other transaction', {
  skip,
}, async () => {
  const engine = openPostgresql({ url, poolMax: 1, onIdleError })
  const limits = sql(
    'test.conflicts_limits',
    `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle, current_user as role`,
  )
  const [found] = await engine.readAsOwner((run) => run(limits))
  assert.deepEqual(found, { statement: '9s', idle: '30s', role: new URL(url).username })
  await engine.close()
})

test('readiness does not wait for a lock without end', { skip }, async () => {
  const impatient = await openStore({ databaseUrl: url, dataDir: null, poolMax: 1, answerMsMax: 1000, onIdleError })
  await other.query('begin')
  await other.query('lock table schema_migration in access exclusive mode')
  await assert.rejects(impatient.isReady(), (error) => {
    assert(error instanceof DatabaseUnavailable)
    return error.cause instanceof pg.DatabaseError && error.cause.code === '57014'
  })
  await other.query('rollback')
  assert.equal(await impatient.isReady(), true)
  await impatient.close()
})

test('a statement outside a transaction connects within the time limit, or fails', { skip }, async () => {
  const lossy = await lossyDatabase(url)
  const engine = openPostgresql({ url: lossy.url, poolMax: 1, answerMsMax: 500, onIdleError })
  const alone = engine.asOwner(async (_script, _run, run) => {
    lossy.goSilent()
    await run('select 1').finally(() => lossy.comeBack())
  })
  await assert.rejects(alone, DatabaseUnavailable)
  await engine.close()
  await lossy.close()
})
