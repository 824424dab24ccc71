import type { TenantId } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import { retentionSchedule } from '../../jobs/retention.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import {
  clearOldResults,
  endedRequests,
  expireRequests,
  listTenantsWithDue,
  listTenantsWithOldResults,
} from './request-expiry.ts'

const REQUESTS_PER_TURN = 100
const RESULTS_PER_TURN = 500

/** Schedules that expire unanswered requests and clear results past their retention time. */
export const verificationSchedules: readonly Schedule[] = [
  every(30, 'verification.expire-requests', async (platform, signal) => {
    const { store, clock } = platform
    const tenants = await store.across('tenants with unanswered presentation requests', (tx) =>
      listTenantsWithDue(tx, clock.now()),
    )
    await untilDone(tenants, signal, REQUESTS_PER_TURN, (tenantId) => expireSome(platform, tenantId))
  }),
  every(3600, 'verification.clear-results', async ({ store, clock }, signal) => {
    const tenants = await store.across('tenants with presentation results past their retention', (tx) =>
      listTenantsWithOldResults(tx, clock.now()),
    )
    await untilDone(tenants, signal, RESULTS_PER_TURN, (tenantId) =>
      store.single(tenantId, (tx) => clearOldResults(tx, clock.now(), RESULTS_PER_TURN)),
    )
  }),
  retentionSchedule(endedRequests),
]

async function expireSome({ store, clock }: Pick<Platform, 'store' | 'clock'>, tenantId: TenantId): Promise<number> {
  const now = clock.now()
  return store.inTenant(tenantId, async (tx) => {
    const ids = await expireRequests(tx, now, REQUESTS_PER_TURN)
    for (const id of ids) {
      const subject = { kind: 'presentation_request', id } as const
      await record(tx, { action: 'openid4vc.verification.expired', subject, by: 'system' }, now)
    }
    return ids.length
  })
}

async function untilDone(
  tenants: readonly TenantId[],
  signal: AbortSignal,
  perTurn: number,
  turn: (tenantId: TenantId) => Promise<number>,
): Promise<void> {
  for (const tenantId of tenants) {
    let done = perTurn
    while (done === perTurn && !signal.aborted) done = await turn(tenantId)
  }
}
