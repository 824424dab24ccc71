import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { fc } from '../../test/support/fast-check.ts'
import { platformTenantId, sql } from './store.ts'
import { toWire } from './wire-values.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

const echo = sql(
  'test.echo',
  `select $1::text[] as texts, $2::bytea[] as bytes, $3::int[] as numbers, $4::timestamptz as at, $5::boolean as flag, $6::jsonb as json,
     $7::bytea as one, $8::text as text, $9::timestamptz[] as times`,
)

type Echo = {
  texts: string[]
  bytes: Buffer[]
  numbers: number[]
  at: Date
  flag: boolean
  json: unknown
  one: Buffer
  text: string | null
  times: Date[]
}

test('values round-trip through both engines', async () => {
  const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'))
  const bytes = fc.uint8Array().map((one) => Buffer.from(one))
  const date = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  const values = fc.tuple(
    fc.array(text),
    fc.array(bytes),
    fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    date,
    fc.boolean(),
    fc.jsonValue(),
    bytes,
    fc.option(text),
    fc.array(date),
  )
  await fc.assert(
    fc.asyncProperty(values, async ([texts, list, numbers, at, flag, json, one, plain, times]) => {
      if (/\\u0000|__proto__/.test(JSON.stringify(json))) return
      const sent = [texts, list, numbers, at, flag, JSON.stringify(json), one, plain, times]
      const [back] = await db.store.single(platformTenantId, (tx) => tx.rows<Echo>(echo, sent))
      assert.deepEqual(back?.texts, texts)
      assert.deepEqual(
        back?.bytes.map((found) => Buffer.from(found)),
        list,
      )
      assert.deepEqual(back?.numbers, numbers)
      assert.deepEqual(back?.at, at)
      assert.equal(back?.flag, flag)
      assert.deepEqual(back?.one, one)
      assert.equal(back?.text, plain)
      assert.deepEqual(back?.times, times)
    }),
    { numRuns: 60 },
  )
})

test('an object is refused: JSON is serialized by the caller', () => {
  assert.throws(() => toWire({ a: 1 }), TypeError)
})

test('a value that cannot be sent leaves the connection usable', async () => {
  await assert.rejects(db.store.single(platformTenantId, (tx) => tx.rows(echo, [Symbol('x')])))
  const [back] = await db.store.single(platformTenantId, (tx) =>
    tx.rows<Echo>(
      echo,
      Array.from({ length: 9 }, () => null),
    ),
  )
  assert.equal(back?.text, null)
})
