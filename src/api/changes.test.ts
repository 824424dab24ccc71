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

test('tenants with all their waiting callers leave places to another, and a closed watch is free again', () => {
  const changes = openChanges(store, () => new Date())
  const watches = []
  try {
    for (const name of ['a', 'b', 'c', 'd']) {
      const row = { tenantId: name as TenantId, id }
      for (let one = changes.watch(watched, row); one !== null; one = changes.watch(watched, row)) watches.push(one)
    }
    assert.ok(watches.length > 1500 && watches.length < 1750, String(watches.length))
    const own = changes.watch(watched, { tenantId, id })
    assert.ok(own)
    own.close()
    assert.equal(changes.watch(watched, { tenantId: 'a' as TenantId, id }), null)
  } finally {
    changes.end()
  }
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
