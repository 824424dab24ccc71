import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newLease } from '../../store/lease.ts'
import { anEndpoint, aTenant, type Bench, openBench, recordEvent } from '../test-support/events-bench.ts'
import { claimDeliveries } from './dispatch-store.ts'
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
  await fanOut(platform)
  const now = platform.clock.now()
  const claim = (sending: Map<typeof busy.tenantId, number>) =>
    platform.store.across('test', (tx) =>
      claimDeliveries(tx, { limit: 2, eachMax: 4, tenantMax: 4, sending, without: [] }, newLease(now, 1000), now),
    )
  const claimed = await claim(new Map())
  assert.deepEqual(new Set(claimed.map(({ tenantId }) => tenantId)), new Set([busy.tenantId, calm.tenantId]))
  // The share of a tenant includes what is being sent.
  assert.deepEqual(await claim(new Map([[busy.tenantId, 4]])), [])
  assert.equal((await claim(new Map([[busy.tenantId, 3]]))).length, 1)
})
