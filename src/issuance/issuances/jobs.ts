import type { TenantId } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import {
  deleteOldBatches,
  listTenantsWithLeftBatches,
  listTenantsWithOldBatches,
  passOnBatches,
} from '../batches/batch-store.ts'
import { BATCH_LEASE_MS, runBatchJob, startBatch } from '../batches/run-batch.ts'
import { deleteOldNonces, forgetClaims, listTenantsToForget } from './forget-store.ts'
import type { Deliveries } from './wallet-port.ts'

const ISSUANCES_PER_TURN = 100
/** Longer than NONCE_TTL_SECONDS can be; the clock of the process that made a nonce may have been ahead of ours. [SEC-80] */
const NONCES_KEPT_MS = 780_000

const BATCHES_KEPT_MS = 30 * 86_400_000

/** Work of this room that outlives a request. @param deliveries How credentials get into the wallets of the tenant's own people. */
export const issuanceJobs = (deliveries: Deliveries): readonly Job<never>[] => [runBatchJob(deliveries)]

/** Sweeps of this room: claims are forgotten and unredeemed offers end when their time is over; old nonces go. */
export const issuanceSchedules: readonly Schedule[] = [
  every(30, 'issuance.forget-claims', async (platform, signal) => {
    const { store, clock } = platform
    const tenants = await store.across('tenants that keep claims longer than they may', (tx) =>
      listTenantsToForget(tx, clock.now()),
    )
    for (const tenantId of tenants) {
      let forgotten = ISSUANCES_PER_TURN
      while (forgotten === ISSUANCES_PER_TURN && !signal.aborted) forgotten = await forgetSome(platform, tenantId)
    }
  }),
  every(600, 'issuance.delete-nonces', ({ store, clock }) =>
    store.across('nonces of all tenants that have run out', (tx) =>
      deleteOldNonces(tx, new Date(clock.now().getTime() - NONCES_KEPT_MS)),
    ),
  ),
  every(5, 'issuance.resume-batches', resumeBatches, { timeoutSeconds: 15 }),
  every(3600, 'issuance.delete-batches', deleteBatches),
]

/** Gives a new job to the batches whose run has died. */
export async function resumeBatches(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const left = await store.across('tenants with batches whose run has died', (tx) =>
    listTenantsWithLeftBatches(tx, now),
  )
  for (const tenantId of left) {
    if (signal.aborted) return
    await store.inTenant(tenantId, async (tx) => {
      // Some time for the job to begin.
      const ids = await passOnBatches(tx, now, new Date(now.getTime() + 3 * BATCH_LEASE_MS))
      for (const id of ids) await startBatch(tx, id, now)
    })
  }
}

async function deleteBatches({ store, clock }: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - BATCHES_KEPT_MS)
  const old = await store.across('tenants with batches of long ago', (tx) => listTenantsWithOldBatches(tx, before))
  for (const tenantId of old) {
    if (signal.aborted) return
    await store.single(tenantId, (tx) => deleteOldBatches(tx, before))
  }
}

async function forgetSome({ store, clock }: Pick<Platform, 'store' | 'clock'>, tenantId: TenantId): Promise<number> {
  const now = clock.now()
  return store.inTenant(tenantId, async (tx) => {
    const forgotten = await forgetClaims(tx, now, ISSUANCES_PER_TURN)
    for (const { id, credentialId, isExpired } of forgotten) {
      if (!isExpired) continue
      const subject = { kind: 'issuance', id }
      await record(tx, { action: 'openid4vc.issuance.expired', subject, by: 'system', detail: { credentialId } }, now)
    }
    return forgotten.length
  })
}
