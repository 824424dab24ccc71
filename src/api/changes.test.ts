import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../caller.ts'
import type { WatchedKind } from '../platform.ts'
import type { Store } from '../store/store.ts'
import { openChanges } from './changes.ts'

const tenantId = '00000000-0000-7000-8000-00000000000a' as TenantId
const id = '01890000-0000-7000-8000-000000000000'
const watched: WatchedKind = { name: 'things', versions: async () => [] }
/** A database that is never read: the tests end before the first look. */
const store: Pick<Store, 'across'> = { across: () => Promise.reject(new Error('not read')) }

test('two servers of one process share nothing, also on one store: one stops, the callers of the other wait on', () => {
  const [one, other] = [openChanges(store, () => new Date()), openChanges(store, () => new Date())]
  const waiting = other.watch(watched, { tenantId, id })
  one.end()
  assert.equal(one.watch(watched, { tenantId, id }), null)
  assert.equal(waiting?.isOpen(), true)
  waiting?.close()
  assert.ok(other.watch(watched, { tenantId, id }))
  other.end()
})

test('a tenant has at most 200 waiting callers in each server', () => {
  const [one, other] = [openChanges(store, () => new Date()), openChanges(store, () => new Date())]
  for (let count = 0; count < 200; count += 1) assert.ok(one.watch(watched, { tenantId, id }))
  assert.equal(one.watch(watched, { tenantId, id }), null)
  assert.ok(other.watch(watched, { tenantId, id }))
  one.end()
  other.end()
})

test('a poll that does not end is told after a minute, and not once it has ended', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const polled = Promise.withResolvers<void>()
  const silent: Pick<Store, 'across'> = {
    across: async (_reason, work) => {
      polled.resolve()
      await promise
      return work({ rows: async () => [] } as never)
    },
  }
  const changes = openChanges(silent, () => new Date())
  const waiting = changes.watch(watched, { tenantId, id })
  await polled.promise
  await changes.check()
  const later = performance.now() + 61_000
  t.mock.method(performance, 'now', () => later)
  await assert.rejects(changes.check(), /does not end/)
  resolve()
  await waiting?.next(1000)
  await new Promise((done) => setImmediate(done))
  await changes.check()
  changes.end()
})
