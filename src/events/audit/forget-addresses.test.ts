import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { sql } from '../../store/store.ts'
import { aTenant, type Bench, openBench } from '../test-support/events-bench.ts'
import { forgetAddresses } from './forget-addresses.ts'
import { record } from './record.ts'

const listAddresses = sql('test.addresses', 'select ip, action, actor_id from audit_entry order by id')
const change = sql('test.addresses-change', `update audit_entry set actor_id = 'x'`)

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

/** Runs the sweep as if that many days had passed; ids of entries carry the time of this machine. */
function sweepIn(days: number): Promise<void> {
  const clock = { now: () => new Date(Date.now() + days * 86_400_000) }
  const { store } = bench.platform
  return forgetAddresses({ store, clock, config: { auditAddressDays: 90 } }, new AbortController().signal)
}

async function happenTo(caller: Caller, times: number): Promise<void> {
  const { store } = bench.platform
  const entry = { action: 'user.created', subject: { kind: 'user', id: null }, by: caller } as const
  await store.inTenant(caller.tenantId, async (tx) => {
    for (let n = 0; n < times; n += 1) await record(tx, entry, new Date())
  })
}

function entriesOf({ tenantId }: Caller) {
  type Row = { ip: string | null; action: string; actor_id: string }
  return bench.platform.store.single(tenantId, (tx) => tx.rows<Row>(listAddresses))
}

test('the audit trail forgets the addresses of callers after their time, and nothing else', async () => {
  const [one, other] = [await aTenant(bench), await aTenant(bench)]
  await happenTo(one, 1100)
  await happenTo(other, 1)
  const before = await entriesOf(one)
  assert.deepEqual(new Set(before.map(({ ip }) => ip)), new Set(['192.0.2.1']))
  await sweepIn(89)
  assert.deepEqual(await entriesOf(one), before)
  await sweepIn(91)
  const cleared = before.map((row) => ({ ...row, ip: null }))
  assert.deepEqual(await entriesOf(one), cleared)
  assert.equal((await entriesOf(other))[0]?.ip, null)
  await sweepIn(91)
  assert.deepEqual(await entriesOf(one), cleared)
})

test('newer entries keep their address, and the application cannot change another member of an entry', async () => {
  const caller = await aTenant(bench)
  await happenTo(caller, 2)
  await sweepIn(89)
  assert.deepEqual(
    (await entriesOf(caller)).map(({ ip }) => ip),
    ['192.0.2.1', '192.0.2.1'],
  )
  await assert.rejects(
    bench.platform.store.single(caller.tenantId, (tx) => tx.rows(change)),
    { code: '42501' },
  )
})
