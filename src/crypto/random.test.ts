import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from './random.ts'

test('ids sort in the order in which they were made, however many are made in a millisecond', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('an id carries the time at which it was made', async () => {
  await new Promise((resolve) => setTimeout(resolve, 50))
  const ms = Number.parseInt(newId().replace('-', '').slice(0, 12), 16)
  assert(Math.abs(Date.now() - ms) < 1000)
})
