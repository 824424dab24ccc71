import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsSoon, reminderOf } from './life.ts'

test('the reminder is 30 days before the end, of a short life at its last quarter', () => {
  const issuedAt = new Date('2026-01-01T00:00:00Z')
  const until = (text: string | null) => ({ issuedAt, expiresAt: text === null ? null : new Date(text) })
  const long = until('2028-01-01T00:00:00Z')
  assert.equal(reminderOf(long)?.toISOString(), '2027-12-02T00:00:00.000Z')
  assert.equal(reminderOf(until('2026-01-05T00:00:00Z'))?.toISOString(), '2026-01-04T00:00:00.000Z')
  assert.equal(reminderOf(until(null)), null)
  assert.equal(reminderOf(until('2025-12-01T00:00:00Z'))?.toISOString(), '2025-12-01T00:00:00.000Z')
  for (const [now, soon] of [
    ['2027-12-01T23:59:59Z', false],
    ['2027-12-02T00:00:00Z', true],
    ['2028-01-01T00:00:00Z', false],
  ] as const)
    assert.equal(endsSoon(long, new Date(now)), soon, now)
})
