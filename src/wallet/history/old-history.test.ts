import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { idAt } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { historySchedules } from './jobs.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const insertPresentation = sql(
  'test.wallet.old_presentation',
  `insert into wallet_presentation (tenant_id, id, user_id, status, sealed_request, sealed_view, expires_at, created_at, updated_at)
   values ($1, $2, $3, $4, case when $4 = 'pending' then '\\x00'::bytea end, '\\x00', $5, $5, $6)`,
)
const insertRemoved = sql(
  'test.wallet.old_removed',
  `insert into wallet_removed_credential (tenant_id, id, user_id, sealed_view, created_at, removed_at) values ($1, $2, $3, '\\x00', $4, $5)`,
)
const listAll = sql(
  'test.wallet.history',
  'select id from wallet_presentation where tenant_id = $1 union all select id from wallet_removed_credential where tenant_id = $1 order by id',
)

test('a history is deleted ten years after it ended; what is open or ended later stays', async () => {
  const { tenantId, userId } = await bench.person()
  const { store, clock } = bench.platform
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * 86_400_000)
  const [old, young] = [daysAgo(3651), daysAgo(3649)]
  const kept: string[] = []
  await store.inTenant(tenantId, async (tx) => {
    for (const [status, ended, isKept] of [
      ['answered', old, false],
      ['rejected', old, false],
      ['pending', old, true],
      ['failed', young, true],
    ] as const) {
      const id = idAt(old)
      await tx.rows(insertPresentation, [tenantId, id, userId, status, old, ended])
      if (isKept) kept.push(id)
    }
    for (const removed of [old, young]) {
      const id = idAt(old)
      await tx.rows(insertRemoved, [tenantId, id, userId, old, removed])
      if (removed === young) kept.push(id)
    }
  })
  const [sweep] = historySchedules
  await sweep?.run(bench.platform, new AbortController().signal)
  const left = await store.inTenant(tenantId, (tx) => tx.rows<{ id: string }>(listAll, [tenantId]))
  assert.deepEqual(
    left.map(({ id }) => id),
    kept.toSorted(),
  )
})
