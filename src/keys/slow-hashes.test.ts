import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Memory } from '../memory/memory.ts'
import { hashSecret } from './secret-hash.ts'
import { hashInPlace } from './slow-hashes.ts'

test('networks that fill the places of callers who never authenticated leave one to another network', async () => {
  const needs = { memory: new Memory() }
  const hash = (ip: string) => hashInPlace(needs, { ip }, () => hashSecret('secret', 'secret'))
  const flood = Array.from({ length: 4 * 64 }, (_, n) => hash(`192.0.2.${n % 4}`))
  const order: string[] = []
  const note = (what: string) => () => void order.push(what)
  const ended = Promise.allSettled(flood.map((one) => one.then(note('flood'))))
  await hash('198.51.100.1').then(note('calm'))
  assert.ok(order.length <= 8, `${order.length} hashes came first`)
  const refused = (await ended).filter(({ status }) => status === 'rejected')
  assert.ok(refused.length > 4 * 64 - 64)
})
