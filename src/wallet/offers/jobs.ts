import { Fault } from '../../fault.ts'
import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { sweepTenants } from '../../jobs/sweep-tenants.ts'
import type { Platform } from '../../platform.ts'
import { deliveryErrorOf } from '../delivery-records/delivery.ts'
import { settleOrder } from '../delivery-records/settle-delivery.ts'
import { deleteDueDeferred, listTenantsWithDueDeferred, listTenantsWithExpiredOrders } from './deferred-store.ts'
import { fetchDeferredJob, requeueOrders } from './fetch-deferred.ts'

/** Work on orders that outlives a request. */
export const orderJobs: readonly Job<never>[] = [fetchDeferredJob]

/** Sweeps of orders. */
export const orderSchedules: readonly Schedule[] = [
  every(30, 'wallet.resume-orders', resumeOrders),
  every(3600, 'wallet.end-late-orders', endLateOrders),
]

type Needs = Pick<Platform, 'store' | 'clock'>

/** Enqueues a job for each order whose lease has expired. */
export function resumeOrders(platform: Needs, signal: AbortSignal): Promise<void> {
  const reason = 'tenants with orders whose lease has expired'
  return sweepTenants(platform, signal, reason, listTenantsWithExpiredOrders, requeueOrders)
}

/** Deletes the orders whose issuer never sent the credential, and settles their deliveries. */
export function endLateOrders(platform: Needs, signal: AbortSignal): Promise<void> {
  const outcome = { credentialIds: [], error: deliveryErrorOf(new Fault('upstream.timeout')) }
  const reason = 'tenants with orders whose time is over'
  return sweepTenants(platform, signal, reason, listTenantsWithDueDeferred, async (tx, now) => {
    for (const ended of await deleteDueDeferred(tx, now)) await settleOrder(tx, ended, outcome, 'system', now)
  })
}
