import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Memory } from '../../memory/memory.ts'
import { callService } from './slow-hosts.ts'

const SLOW = 'https://slow.example/push/1'
const slow = async () => {
  await pause(2100)
  return 'sent'
}
const at = (addresses: (hostname: string) => Promise<readonly string[]>) => async (hostname: string) =>
  (await addresses(hostname)).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
/** Each host has an address of its own. */
const ownAddress = async (hostname: string) => [hostname.startsWith('slow') ? '192.0.2.1' : '192.0.2.2']

test('a push service that was slow is called for one message at a time for a minute, whatever path its browsers have', async () => {
  let nowMs = 0
  const needs = { memory: new Memory(), clock: { now: () => new Date(nowMs) } }
  const called = (url: string, call = async () => 'sent') => callService(needs, url, call, at(ownAddress))
  // Nothing is known of it: calls at once are made.
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

suite('host names of one domain are one push service', { concurrency: 5 }, () => {
  for (const [what, addresses] of [
    ['an address', async () => ['192.0.2.7']],
    ['one of several addresses', async (name: string) => ['192.0.2.8', `192.0.2.${name.startsWith('a') ? 9 : 10}`]],
    ['a network', async (name: string) => [`2001:db8::${name.startsWith('a') ? 1 : 2}`]],
    ['name servers that know nothing', () => Promise.reject(new Error('no such name'))],
    ['name servers that do not answer', () => new Promise<never>(() => undefined)],
  ] as const)
    test(`that have ${what} in common`, async () => {
      const needs = { memory: new Memory(), clock: { now: () => new Date(0) } }
      const called = (url: string, call = async () => 'sent') => callService(needs, url, call, at(addresses))
      assert.deepEqual(await called('https://a.evil.example/1', slow), { outcome: 'sent', isSlow: true })
      const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
      const running = called('https://a1.evil.example/2', () => {
        begun.resolve()
        return held.promise
      })
      await begun.promise
      assert.equal(await called('https://b.evil.example/3'), null, 'a name that was never called before')
      held.resolve('sent')
      assert.deepEqual(await running, { outcome: 'sent', isSlow: false })
      assert.deepEqual(await called('https://b.evil.example/3'), { outcome: 'sent', isSlow: false })
    })
})
