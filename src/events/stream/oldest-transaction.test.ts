import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openTestDatabase, postgresUrl, type TestDatabase } from '../../../test/support/database.ts'
import { watchOldestTransaction } from './oldest-transaction.ts'

const skip = postgresUrl === null ? 'the embedded engine has one session' : false

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
  const none = () => undefined
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
  const turn = () => new Promise((done) => setTimeout(done, 200))
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
