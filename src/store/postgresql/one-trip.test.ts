import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { postgresUrl } from '../../../test/support/database.ts'
import { embeddedServer } from '../../../test/support/embedded-server.ts'
import { sql } from '../store.ts'
import { OneTrip, stepOf } from './one-trip.ts'

type Row = { n: number; text: string | null; bytes: Buffer; long: string }

const before7 = sql('test.before', 'select $1::int as seven')
const rows = sql(
  'test.rows',
  `select n, case n when 2 then null else $1 || n end as text, $2::bytea as bytes, repeat('ä', n * 30000) as long from generate_series(1, 3) n`,
)
const none = sql('test.none', 'create temporary table if not exists of_this_session (n int)')
const wrong = sql('test.wrong', 'select 1 / $1::int as n')
const insert = sql('test.insert', 'insert into of_this_session values ($1) returning n')
const tenant = sql('test.tenant', `select current_setting('chirograph.tenant_id', true) as tenant`)
const begin = sql('test.begin', 'begin')
const commit = sql('test.commit', 'commit')
const count = sql('test.count', 'select count(*)::int as n from of_this_session')

// What is relied on in the library is tried in each run; on a real server too where there is one.
let embedded: { readonly url: string; readonly close: () => Promise<void> }
before(async () => {
  embedded = await embeddedServer()
})
after(() => embedded.close())

async function on<T>(url: string, work: (client: pg.Client) => Promise<T>, more: object = {}): Promise<T> {
  const client = new pg.Client({ connectionString: url, ...more })
  await client.connect()
  return work(client).finally(() => client.end())
}

async function runAround<T>(client: pg.Client, index: number, ...steps: ReturnType<typeof stepOf>[]): Promise<T[]> {
  return client.query(new OneTrip<T>(steps, 'once', index)).rows
}

async function run<T>(client: pg.Client, ...steps: ReturnType<typeof stepOf>[]): Promise<T[]> {
  return client.query(new OneTrip<T>(steps)).rows
}

for (const [name, urlOf] of [
  ['the embedded engine', () => embedded.url],
  ['PostgreSQL', () => postgresUrl ?? ''],
] as const) {
  const skip = name === 'PostgreSQL' && postgresUrl === null

  test(`the rows of the last statement are read, from ${name}`, { skip }, () =>
    on(urlOf(), async (client) => {
      const bytes = Buffer.from([0, 255, 92])
      const all = () => run<Row>(client, stepOf(before7, [7]), stepOf(rows, ['ü', bytes]))
      const wanted = [1, 2, 3].map((n) => ({ n, text: n === 2 ? null : `ü${n}`, bytes, long: 'ä'.repeat(n * 30_000) }))
      assert.deepEqual(await all(), wanted)
      assert.deepEqual(await run(client, stepOf(none, [])), [])
      await assert.rejects(run(client, stepOf(before7, [7]), stepOf(wrong, [0])), { code: '22012' })
      // a statement of the library in between, and the same connection after an error
      assert.deepEqual((await client.query('select 1 as n')).rows, [{ n: 1 }])
      assert.deepEqual(await all(), wanted)
      assert.deepEqual(await run(client, stepOf(wrong, [1])), [{ n: 1 }])
    }),
  )

  test(`all statements take effect or none, on ${name}`, { skip }, () =>
    on(urlOf(), async (client) => {
      await run(client, stepOf(none, []))
      await assert.rejects(run(client, stepOf(insert, [1]), stepOf(wrong, [0])), { code: '22012' })
      assert.deepEqual(await run(client, stepOf(insert, [2]), stepOf(count, [])), [{ n: 1 }])
    }),
  )

  test(
    `commands around a statement are in its trip, on ${name}`,
    {
      skip,
    },
    () =>
      on(urlOf(), async (client) => {
        const opening = [stepOf(begin, []), stepOf({ name: '', text: `set local chirograph.tenant_id = 'a'` }, [])]
        await run(client, stepOf(none, []))
        await run(client, stepOf({ name: '', text: 'delete from of_this_session' }, []))
        const around = (...steps: ReturnType<typeof stepOf>[]) =>
          runAround(client, 2, ...opening, ...steps, stepOf(commit, []))
        assert.deepEqual(await around(stepOf(insert, [1])), [{ n: 1 }])
        assert.deepEqual(await around(stepOf(tenant, [])), [{ tenant: 'a' }])
        assert.deepEqual(await run(client, stepOf(tenant, [])), [{ tenant: '' }])
        // After an error nothing was committed, and the session waits for the rollback.
        await assert.rejects(around(stepOf(insert, [2]), stepOf(wrong, [0])), { code: '22012' })
        await assert.rejects(run(client, stepOf(count, [])), { code: '25P02' })
        await client.query('rollback')
        assert.deepEqual(await run(client, stepOf(count, [])), [{ n: 1 }])
      }),
  )

  test(`trips on one connection run in order, and each gets its own rows, from ${name}`, { skip }, () =>
    on(urlOf(), async (client) => {
      const answers = [1, 2, 3].map((n) => run(client, stepOf(before7, [n])))
      assert.deepEqual(
        await Promise.all(answers),
        [1, 2, 3].map((n) => [{ seven: n }]),
      )
    }),
  )
}

test('a trip is sent once: its rows are not added to', () =>
  on(embedded.url, async (client) => {
    const trip = new OneTrip<{ seven: number }>([stepOf(before7, [7])])
    const first = client.query(trip).rows
    client.query(trip)
    assert.deepEqual(await first, [{ seven: 7 }])
    assert.deepEqual(await run(client, stepOf(before7, [8])), [{ seven: 8 }])
  }))

test("a connection that pipelines in the library's own way refuses a trip", () =>
  on(
    embedded.url,
    async (client) => {
      await assert.rejects(run(client, stepOf(before7, [7])), /not supported in pipeline mode/)
      const { rows: plain } = await client.query('select 1 as n')
      assert.deepEqual(plain, [{ n: 1 }])
    },
    { pipeline: true },
  ))
