import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent, remembered } from './recent.ts'

const noon = new Date('2026-05-01T12:00:00Z')
const later = (ms: number) => new Date(noon.getTime() + ms)

test('at most entriesMax entries are kept, those used last', async () => {
  const cache = new Recent<Promise<number>>({ entriesMax: 3, ttlMs: 1000 })
  let made = 0
  const load = (key: string) => remembered(cache, key, noon, async () => ++made)
  for (const key of ['a', 'b', 'c', 'a', 'd']) await load(key)
  assert.equal(made, 4)
  assert.equal(await load('a'), 1)
  assert.equal(await load('b'), 5)
})

test('an entry is made again when it has expired', async () => {
  const cache = new Recent<Promise<Date>>({ entriesMax: 3, ttlMs: 1000 })
  const load = (now: Date) => remembered(cache, 'a', now, async () => now)
  assert.equal(await load(noon), noon)
  assert.equal(await load(later(999)), noon)
  assert.deepEqual(await load(later(1000)), later(1000))
})

test('concurrent callers share one attempt, and a failure is not cached', async () => {
  const cache = new Recent<Promise<string>>({ entriesMax: 3, ttlMs: 1000 })
  let attempts = 0
  const load = () =>
    remembered(cache, 'a', noon, async () => {
      attempts += 1
      if (attempts === 1) throw new Error('away')
      return 'there'
    })
  const outcomes = await Promise.allSettled([load(), load()])
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.equal(attempts, 1)
  assert.equal(await load(), 'there')
})
