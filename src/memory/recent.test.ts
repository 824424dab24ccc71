import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent, remembered } from './recent.ts'

const noon = new Date('2026-05-01T12:00:00Z')
const later = (ms: number) => new Date(noon.getTime() + ms)

test('at most entriesMax entries are kept, those used last', async () => {
  const cache = new Recent<Promise<number>>({ entriesMax: 3, ttlMs: 1000 })
  let made = 0
  const ask = (key: string) => remembered(cache, key, noon, async () => ++made)
  for (const key of ['a', 'b', 'c', 'a', 'd']) await ask(key)
  assert.equal(made, 4)
  assert.equal(await ask('a'), 1)
  assert.equal(await ask('b'), 5)
})

test('an entry is made again when it has expired', async () => {
  const cache = new Recent<Promise<Date>>({ entriesMax: 3, ttlMs: 1000 })
  const ask = (now: Date) => remembered(cache, 'a', now, async () => now)
  assert.equal(await ask(noon), noon)
  assert.equal(await ask(later(999)), noon)
  assert.deepEqual(await ask(later(1000)), later(1000))
})

test('concurrent callers share one attempt, and a failure is not cached', async () => {
  const cache = new Recent<Promise<string>>({ entriesMax: 3, ttlMs: 1000 })
  let attempts = 0
  const ask = () =>
    remembered(cache, 'a', noon, async () => {
      attempts += 1
      if (attempts === 1) throw new Error('away')
      return 'there'
    })
  const outcomes = await Promise.allSettled([ask(), ask()])
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.equal(attempts, 1)
  assert.equal(await ask(), 'there')
})
