import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../fault.ts'
import { Allowance, networkOf } from './allowance.ts'

const noon = new Date('2026-05-01T12:00:00Z')
const later = (ms: number) => new Date(noon.getTime() + ms)

test('[SEC-74] what happened too often is refused until its window is over, for its key only', () => {
  const allowance = new Allowance({ countMax: 2, windowMs: 60_000, keysMax: 10 })
  allowance.count('a', noon)
  allowance.count('a', later(10_000))
  assert.throws(
    () => allowance.admit('a', later(30_000)),
    (error) => error instanceof Fault && error.code === 'request.rate_limited' && error.meta?.retryAfterSeconds === 30,
  )
  allowance.admit('b', later(30_000))
  allowance.admit('a', later(60_000))
})

test('what is given back does not count, and never more is given back than was counted', () => {
  const allowance = new Allowance({ countMax: 1, windowMs: 60_000, keysMax: 10 })
  allowance.count('a', noon, -1)
  allowance.count('a', noon)
  allowance.count('a', noon, -1)
  allowance.count('a', noon, -1)
  allowance.admit('a', noon)
  allowance.count('a', noon)
  assert.throws(() => allowance.admit('a', noon))
})

test('however many keys there are, memory is bounded', () => {
  const allowance = new Allowance({ countMax: 1, windowMs: 60_000, keysMax: 2 })
  for (const key of ['a', 'b', 'c']) allowance.count(key, noon)
  allowance.admit('a', noon)
  assert.throws(() => allowance.admit('c', noon))
})

for (const [ip, network] of [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['2001:db8::', '2001:db8:0:0'],
  ['127.0.0.1', null],
  ['::ffff:127.0.0.1', null],
  ['::1', null],
] as const) {
  test(`${ip} is counted as ${network ?? 'the machine itself, not at all'}`, () => assert.equal(networkOf(ip), network))
}
