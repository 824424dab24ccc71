import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfter } from './upstream.ts'

const date = 'Fri, 27 Nov 2026 10:00:00 GMT'
for (const [stated, expected] of [
  ['0', 0],
  ['120', 120],
  ['999999', 3600],
  ['Fri, 27 Nov 2026 10:02:00 GMT', 120],
  ['Friday, 27-Nov-26 10:02:00 GMT', 120],
  ['Fri, 27 Nov 2026 09:00:00 GMT', 0],
  ['Sat, 28 Nov 2026 10:00:00 GMT', 3600],
  ['', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['2 minutes', undefined],
  ['2027', 2027],
] as const)
  test(`Retry-After: ${stated} is ${expected} seconds`, () => {
    assert.equal(retryAfter({ headers: { date, 'retry-after': stated } }).retryAfterSeconds, expected)
  })

test('a Retry-After that is a time says nothing in an answer without one', () => {
  assert.deepEqual(retryAfter({ headers: { 'retry-after': date } }), {})
})
