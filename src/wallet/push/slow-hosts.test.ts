import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Memory } from '../../memory/memory.ts'
import { callService } from './slow-hosts.ts'

const SLOW = 'https://slow.example/push/1'

test('a push service that was slow is called for one message at a time for a minute, whatever path its browsers have', async () => {
  let nowMs = 0
  const needs = { memory: new Memory(), clock: { now: () => new Date(nowMs) } }
  const called = (url: string, call = async () => 'sent') => callService(needs, url, call)
  // Nothing is known of it: calls at once are made.
  const slow = async () => {
    await pause(2100)
    return 'sent'
  }
  const first = await Promise.all([called(SLOW, slow), called(SLOW, slow)])
  assert.deepEqual(
    first,
    [1, 2].map(() => ({ outcome: 'sent', isSlow: true })),
  )
  const { promise: held, resolve: answer } = Promise.withResolvers<string>()
  const running = called(SLOW, () => held)
  assert.equal(await called('https://slow.example/push/2'), null)
  assert.deepEqual(await called('https://other.example/push/2'), { outcome: 'sent', isSlow: false })
  nowMs = 61_000
  assert.deepEqual(await called(SLOW), { outcome: 'sent', isSlow: false })
  nowMs = 0
  answer('sent')
  await running
  assert.deepEqual(await called(SLOW), { outcome: 'sent', isSlow: false })
})
