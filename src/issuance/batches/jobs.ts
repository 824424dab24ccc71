import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import type { WalletPort } from '../issuances/wallet-port.ts'
import {
  deleteOldBatches,
  listTenantsWithOldBatches,
  listTenantsWithStalledBatches,
  requeueStalledBatches,
} from './batch-store.ts'
import { enqueueBatch, runBatchJob } from './run-batch.ts'

const BATCHES_KEPT_MS = 30 * 86_400_000
/** A batch that waits longer for its first run, or for the next one, gets another job: its job may have been buried. */
const UNCLAIMED_MS_MAX = 30_000

/** Runs accepted batches. @param deliveries Delivers credentials to the wallets of the tenant's users. */
export const batchJobs = (deliveries: WalletPort): readonly Job<never>[] => [runBatchJob(deliveries)]

/** Sweeps of batches: those without a live run get a new job, old ones are deleted. */
export const batchSchedules: readonly Schedule[] = [
  every(5, 'issuance.resume-batches', requeueBatches, { timeoutSeconds: 15 }),
  every(3600, 'issuance.delete-batches', deleteBatches),
]

/** Releases the batches whose run has died, or that no run has claimed for a while, and enqueues their jobs. */
export async function requeueBatches(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const unclaimedSince = new Date(now.getTime() - UNCLAIMED_MS_MAX)
  const stalled = await store.across('tenants with batches whose run has died', (tx) =>
    listTenantsWithStalledBatches(tx, now, unclaimedSince),
  )
  for (const tenantId of stalled) {
    if (signal.aborted) return
    await store.inTenant(tenantId, async (tx) => {
      for (const id of await requeueStalledBatches(tx, now, unclaimedSince)) await enqueueBatch(tx, id, now)
    })
  }
}

async function deleteBatches({ store, clock }: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - BATCHES_KEPT_MS)
  const old = await store.across('tenants with batches past retention', (tx) => listTenantsWithOldBatches(tx, before))
  for (const tenantId of old) {
    let deleted = 1
    while (deleted > 0 && !signal.aborted) deleted = await store.single(tenantId, (tx) => deleteOldBatches(tx, before))
  }
}
