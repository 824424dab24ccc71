import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../fault.ts'
import { limits } from './limits.ts'
import { networkOf } from './network.ts'
import { RateLimiter } from './rate-limiter.ts'

const noon = new Date('2026-05-01T12:00:00Z')
const later = (ms: number) => new Date(noon.getTime() + ms)

const limit = 'verification.refusals'
const { countMax } = limits[limit]

function full(key: string): RateLimiter {
  const limiter = new RateLimiter()
  for (let times = 0; times < countMax; times += 1) limiter.count(limit, key, noon)
  return limiter
}

test('[SEC-74] a key above its limit is refused until its window ends, for that limit only', () => {
  const limiter = full('a')
  assert.throws(
    () => limiter.admit(limit, 'a', later(30_000)),
    (error) => error instanceof Fault && error.code === 'request.rate_limited' && error.meta?.retryAfterSeconds === 30,
  )
  limiter.admit(limit, 'b', later(30_000))
  limiter.admit('issuance.refusals', 'a', later(30_000))
  limiter.admit(limit, 'a', later(60_000))
  new RateLimiter().admit(limit, 'a', noon)
})

test('a refund is not counted, and the count is never below 0', () => {
  const limiter = full('a')
  limiter.count(limit, 'a', noon, -1)
  limiter.admit(limit, 'a', noon)
  limiter.count(limit, 'a', noon)
  assert.throws(() => limiter.admit(limit, 'a', noon))
  for (let times = 0; times < countMax + 5; times += 1) limiter.count(limit, 'a', noon, -1)
  for (let times = 0; times < countMax; times += 1) limiter.count(limit, 'a', noon)
  assert.throws(() => limiter.admit(limit, 'a', noon))
})

test('memory is bounded for any number of keys', () => {
  const limiter = full('first')
  for (let key = 0; key < limits[limit].keysMax; key += 1) limiter.count(limit, String(key), noon)
  limiter.admit(limit, 'first', noon)
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
  test(`${ip} is counted as ${network ?? 'loopback, not at all'}`, () => assert.equal(networkOf(ip), network))
}
