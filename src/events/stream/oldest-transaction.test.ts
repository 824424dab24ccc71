import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openTestDatabase, postgresUrl, type TestDatabase } from '../../../test/support/database.ts'
import { openStore } from '../../store/opening/open-store.ts'
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
  await session.query('begin')
  const { rows } = await session.query('select pg_backend_pid() as pid, pg_current_xact_id()')
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  const watch = watchOldestTransaction({ store: db.store, log }, 20)
  const turn = () => setTimeout(200)
  await turn()
  assert.equal(watch.seconds(), 0)
  now += 59_000
  await turn()
  assert.equal(watch.seconds(), 59)
  assert.deepEqual(lines, [])
  now += 2000
  await turn()
  assert.equal(lines.length, 1)
  assert.match(
    JSON.stringify(lines[0]),
    new RegExp(`pid ${rows[0].pid} of user postgres in database postgres \\(forgotten psql\\)`),
  )
  await session.query('rollback')
  await turn()
  assert.ok(watch.seconds() < 59)
  await watch.stop()
})

test('a process that starts later knows the age of a transaction that its account may see', { skip }, async () => {
  await session.query('begin')
  await session.query('select pg_current_xact_id()')
  await session.query('select pg_sleep(2)')
  const ages = async (databaseUrl: string) => {
    const store = await openStore({ databaseUrl, dataDir: null, poolMax: 1, onIdleError: none })
    const watch = watchOldestTransaction({ store, log: { debug: none, info: none, error: none, warn: none } }, 20)
    await setTimeout(200)
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
