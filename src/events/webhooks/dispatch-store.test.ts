import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newLease } from '../../store/lease.ts'
import { anEndpoint, aTenant, type Bench, openBench, recordEvent, until } from '../test-support/events-bench.ts'
import { claimDeliveries, listDueDeliveries } from './dispatch-store.ts'
import { fanOut } from './fan-out.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

test('tenants take turns: of two places one goes to the tenant whose only delivery is due last', async () => {
  const { platform } = bench
  const [busy, calm] = [await aTenant(bench), await aTenant(bench)]
  for (const caller of [busy, calm]) await anEndpoint(bench, caller, 'http://localhost:8/hook')
  for (let n = 0; n < 4; n += 1) await recordEvent(bench, busy)
  await fanOut(platform)
  bench.pass(1)
  await recordEvent(bench, calm)
  const now = platform.clock.now()
  const list = (sending: Map<typeof busy.tenantId, number>, limit = 2) =>
    platform.store.across('test', (tx) =>
      listDueDeliveries(tx, { limit, eachMax: 4, tenantMax: 4, sending, without: [] }, now),
    )
  // Any open transaction of the database server delays events.
  await until(async () => {
    await fanOut(platform)
    return (await list(new Map(), 9)).length === 5
  })
  const due = await list(new Map())
  assert.deepEqual(new Set(due.map(({ tenantId }) => tenantId)), new Set([busy.tenantId, calm.tenantId]))
  // The share of a tenant includes what is being sent.
  assert.deepEqual(
    (await list(new Map([[busy.tenantId, 4]]))).map(({ tenantId }) => tenantId),
    [calm.tenantId],
  )
  assert.equal((await list(new Map([[busy.tenantId, 3]]), 9)).length, 2)
  const its = await list(new Map([[calm.tenantId, 4]]), 9)
  const claims = Array.from({ length: 8 }, () =>
    platform.store.inTenant(busy.tenantId, (tx) => claimDeliveries(tx, its, newLease(now, 1000), now)),
  )
  const claimed = (await Promise.all(claims)).flat()
  assert.deepEqual(claimed.map(({ id }) => id).sort(), its.map(({ id }) => id).sort())
})
