import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { postgresUrl } from '../../test/support/database.ts'
import { AnswerSocket } from './answer-socket.ts'
import { OneTrip, stepOf } from './one-trip.ts'
import { sql } from './store.ts'

type Row = { n: number; text: string | null; bytes: Buffer; long: string }

const before = sql('test.before', 'select $1::int as seven')
const rows = sql(
  'test.rows',
  `select n, case n when 2 then null else $1 || n end as text, $2::bytea as bytes, repeat('ä', n * 30000) as long from generate_series(1, 3) n`,
)
const none = sql('test.none', 'create temporary table if not exists of_this_session (n int)')
const wrong = sql('test.wrong', 'select 1 / $1::int as n')

async function ask<T>(client: pg.Client, ...steps: ReturnType<typeof stepOf>[]): Promise<T[]> {
  const trip = new OneTrip<T>(steps)
  client.query(trip as unknown as pg.Submittable)
  return trip.rows
}

// By our own socket, and by the library's, which TLS needs.
for (const [name, stream] of [
  ['ours', () => new AnswerSocket()],
  ["the library's", () => new Socket()],
] as const) {
  test(`the rows of the last statement are read, by a socket that is ${name}`, {
    skip: postgresUrl === null,
  }, async () => {
    const client = new pg.Client({ connectionString: postgresUrl ?? '', stream })
    await client.connect()
    try {
      const bytes = Buffer.from([0, 255, 92])
      const all = () => ask<Row>(client, stepOf(before, [7]), stepOf(rows, ['ü', bytes]))
      const wanted = [1, 2, 3].map((n) => ({ n, text: n === 2 ? null : `ü${n}`, bytes, long: 'ä'.repeat(n * 30_000) }))
      assert.deepEqual(await all(), wanted)
      assert.deepEqual(await ask(client, stepOf(none, [])), [])
      await assert.rejects(ask(client, stepOf(before, [7]), stepOf(wrong, [0])), { code: '22012' })
      // what comes by the library in between, and the same connection after an error
      assert.deepEqual((await client.query('select 1 as n')).rows, [{ n: 1 }])
      assert.deepEqual(await Promise.all([all(), all()]), [wanted, wanted])
      assert.deepEqual(await ask(client, stepOf(wrong, [1])), [{ n: 1 }])
    } finally {
      await client.end()
    }
  })
}
