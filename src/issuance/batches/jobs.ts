import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import type { WalletPort } from '../issuances/wallet-port.ts'
import {
  deleteOldBatches,
  listTenantsWithExpiredBatches,
  listTenantsWithOldBatches,
  requeueExpiredBatches,
} from './batch-store.ts'
import { BATCH_LEASE_MS, runBatchJob, startBatch } from './run-batch.ts'

const BATCHES_KEPT_MS = 30 * 86_400_000

/** Runs accepted batches. @param deliveries How credentials get into the wallets of the tenant's own users. */
export const batchJobs = (deliveries: WalletPort): readonly Job<never>[] => [runBatchJob(deliveries)]

/** Sweeps of batches: those whose run died get a new job, old ones are deleted. */
export const batchSchedules: readonly Schedule[] = [
  every(5, 'issuance.resume-batches', requeueBatches, { timeoutSeconds: 15 }),
  every(3600, 'issuance.delete-batches', deleteBatches),
]

/** Gives a new job to the batches whose run has died. */
export async function requeueBatches(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const left = await store.across('tenants with batches whose run has died', (tx) =>
    listTenantsWithExpiredBatches(tx, now),
  )
  for (const tenantId of left) {
    if (signal.aborted) return
    await store.inTenant(tenantId, async (tx) => {
      // Some time for the job to begin.
      const ids = await requeueExpiredBatches(tx, now, new Date(now.getTime() + 3 * BATCH_LEASE_MS))
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
