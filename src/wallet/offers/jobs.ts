import { Fault } from '../../fault.ts'
import type { Job } from '../../jobs/job.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import { tenantSweep } from '../../jobs/sweep-tenants.ts'
import { deliveryErrorOf } from '../delivery-records/delivery.ts'
import { settleOrder } from '../delivery-records/settle-delivery.ts'
import { deleteDueDeferred, listTenantsWithDueDeferred, listTenantsWithExpiredOrders } from './deferred-store.ts'
import { fetchDeferredJob, requeueOrders } from './fetch-deferred.ts'

/** Work on orders that outlives a request. */
export const orderJobs: readonly Job<never>[] = [fetchDeferredJob]

/** Enqueues a job for each order whose lease has expired. */
export const resumeOrders = tenantSweep(
  'tenants with orders whose lease has expired',
  listTenantsWithExpiredOrders,
  requeueOrders,
)

/** Deletes the orders whose issuer never sent the credential, and settles their deliveries. */
export const endLateOrders = tenantSweep(
  'tenants with orders whose time is over',
  listTenantsWithDueDeferred,
  async (tx, now) => {
    const outcome = { credentialIds: [], error: deliveryErrorOf(new Fault('upstream.timeout')) }
    for (const ended of await deleteDueDeferred(tx, now)) await settleOrder(tx, ended, outcome, 'system', now)
  },
)

/** Sweeps of orders. */
export const orderSchedules: readonly Schedule[] = [
  every(30, 'wallet.resume-orders', resumeOrders),
  every(3600, 'wallet.end-late-orders', endLateOrders),
]
