import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pollingDelay } from './polling.ts'

test('a loop is alive while it turns, also if each run fails, and not when a run has not ended for a minute', async (t) => {
  let waits = false
  const { promise, resolve } = Promise.withResolvers<void>()
  const loop = pollingDelay(10, async () => {
    if (waits) return promise
    throw new Error('the database is away')
  })
  loop.wake()
  await sleep(50)
  await loop.check()
  waits = true
  await sleep(50)
  await loop.check()
  const later = performance.now() + 61_000
  t.mock.method(performance, 'now', () => later)
  await assert.rejects(loop.check(), /does not turn/)
  resolve()
  await loop.stop()
  await loop.check()
})
