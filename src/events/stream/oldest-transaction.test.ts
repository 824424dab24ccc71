import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openTestDatabase, postgresUrl, type TestDatabase } from '../../../test/support/database.ts'
import type { Log } from '../../platform.ts'
import { openStore } from '../../store/opening/open-store.ts'
import type { Store } from '../../store/store.ts'
import { watchOldestTransaction } from './oldest-transaction.ts'

const skip = postgresUrl === null ? 'the embedded engine has one session' : false

const none = () => undefined

let db: TestDatabase
let session: pg.Client
before(async () => {
  if (postgresUrl === null) return
  db = await openTestDatabase()
  // Another database of the same server delays events too.
  session = new pg.Client({ connectionString: postgresUrl, application_name: 'forgotten psql' })
  await session.connect()
})
after(async () => {
  await session?.end()
  await db?.close()
})

/**
 * Watches a store. `turn` ends after two more polls, so that one has begun and ended since it was called; `found`
 * returns the session that the last one found.
 */
function watching(store: Store, log: Log) {
  let polls = 0
  let session: string | undefined
  const oldestTransaction = async () => {
    const oldest = await store.oldestTransaction()
    session = oldest?.session
    polls += 1
    return oldest
  }
  const watch = watchOldestTransaction({ store: { ...store, oldestTransaction }, log }, 20)
  const turn = async () => {
    const enough = polls + 2
    // Not by the clock, which a test may have stopped.
    for (let looks = 0; polls < enough; looks += 1) {
      assert.ok(looks < 3000, 'the watch does not poll')
      await setTimeout(20)
    }
  }
  return { watch, turn, found: () => session }
}

test('the oldest writing transaction of the server is timed, and named in the log after a minute, once', {
  skip,
}, async (t) => {
  const lines: [object, string][] = []
  const log = {
    debug: none,
    info: none,
    error: none,
    warn: (fields: object, text: string) => void lines.push([fields, text]),
  }
  // One that began before and ends soon, as other tests have on this server.
  const older = new pg.Client({ connectionString: postgresUrl ?? '' })
  await older.connect()
  await older.query('begin')
  await older.query('select pg_current_xact_id()')
  const ended = setTimeout(500).then(() => older.end())
  t.after(() => ended)
  await session.query('begin')
  const { rows } = await session.query('select pg_backend_pid() as pid, pg_current_xact_id()')
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  const { watch, turn, found } = watching(db.store, log)
  // Also after a failure: a watch keeps its process alive.
  t.after(() => watch.stop())
  for (let turns = 0; turns < 300 && found()?.includes(`pid ${rows[0].pid} `) !== true; turns += 1) await turn()
  // PostgreSQL states the age of the transaction by its own clock, which the test does not stop.
  assert.ok(watch.seconds() < 20)
  now += 40_000
  await turn()
  assert.ok(watch.seconds() >= 40 && watch.seconds() < 60)
  assert.deepEqual(lines, [])
  now += 20_000
  await turn()
  assert.equal(lines.length, 1)
  assert.match(
    JSON.stringify(lines[0]),
    new RegExp(`pid ${rows[0].pid} of user postgres in database postgres \\(forgotten psql\\)`),
  )
  await session.query('rollback')
  await turn()
  assert.ok(watch.seconds() < 60)
})

test('a process that starts later knows the age of a transaction that its account may see', { skip }, async () => {
  await session.query('begin')
  await session.query('select pg_current_xact_id()')
  await session.query('select pg_sleep(2)')
  const ages = async (databaseUrl: string) => {
    const store = await openStore({ databaseUrl, dataDir: null, poolMax: 1, onIdleError: none })
    const { watch, turn } = watching(store, { debug: none, info: none, error: none, warn: none })
    await turn()
    const seconds = watch.seconds()
    await watch.stop()
    await store.close()
    return seconds
  }
  const url = new URL(db.url ?? '')
  assert((await ages(url.href)) >= 2)
  // An account like that of a server, and the sessions of another one.
  const name = `watcher_${randomBytes(4).toString('hex')}`
  await session.query('rollback')
  await session.query(`create role ${name} login`)
  await session.query('begin')
  await session.query('select pg_current_xact_id()')
  await session.query('select pg_sleep(2)')
  url.username = name
  assert((await ages(url.href)) < 2)
  await session.query('rollback')
  await session.query(`grant pg_read_all_stats to ${name}`)
  await session.query('begin')
  await session.query('select pg_current_xact_id()')
  await session.query('select pg_sleep(2)')
  assert((await ages(url.href)) >= 2)
  await session.query('rollback')
  await session.query(`drop role ${name}`)
})
