import type { TenantId } from '../caller.ts'
import { Fault } from '../fault.ts'
import type { Job } from '../jobs/job.ts'
import { every, type Schedule } from '../jobs/schedule.ts'
import type { Platform } from '../platform.ts'
import { deleteDueNotifications, listTenantsWithDueNotifications } from './credentials/notification-store.ts'
import { notifyIssuerJob } from './credentials/notify-issuer.ts'
import { refreshStandings } from './credentials/refresh-status.ts'
import { resumeDeliveries, resumeDeliveryJob } from './deliveries/resume-delivery.ts'
import { deliveryErrorOf } from './delivery-records/delivery.ts'
import { listTenantsWithExpiredDeliveries } from './delivery-records/delivery-store.ts'
import { settleOrder } from './delivery-records/settle-delivery.ts'
import { deleteDueDeferred, listTenantsWithDueDeferred, listTenantsWithExpiredOrders } from './offers/deferred-store.ts'
import { fetchDeferredJob, resumeOrders } from './offers/fetch-deferred.ts'
import { expirePresentations, listTenantsWithDuePresentations } from './presentations/presentation-store.ts'

/** Work of the wallet that outlives a request. */
export const walletJobs: readonly Job<never>[] = [notifyIssuerJob, fetchDeferredJob, resumeDeliveryJob]

/** Sweeps of the wallet. */
export const walletSchedules: readonly Schedule[] = [
  every(30, 'wallet.resume-orders', requeueOrders),
  every(30, 'wallet.resume-deliveries', requeueDeliveries),
  every(60, 'wallet.expire-presentations', expireDue),
  every(300, 'wallet.refresh-standings', refreshStandings),
  every(3600, 'wallet.drop-access', dropExpiredAccess),
]

type Swept = Pick<Platform, 'store' | 'clock'>

/** Ends the presentations that nobody answered in time, tenant by tenant, and lets go of what was needed to answer them. */
export function expireDue(platform: Swept, signal: AbortSignal): Promise<void> {
  const [store, now] = [platform.store, platform.clock.now()]
  const due = () =>
    store.across('tenants with presentations to expire', (tx) => listTenantsWithDuePresentations(tx, now))
  return eachTenant(due, signal, (id) => store.single(id, (tx) => expirePresentations(tx, now)))
}

/** Gives a job to the orders of calls that died. */
export function requeueOrders(platform: Swept, signal: AbortSignal): Promise<void> {
  const [store, now] = [platform.store, platform.clock.now()]
  const left = () =>
    store.across('tenants with orders of calls that died', (tx) => listTenantsWithExpiredOrders(tx, now))
  return eachTenant(left, signal, (id) => store.inTenant(id, (tx) => resumeOrders(tx, now)))
}

/** Gives a job to the deliveries of calls that died. */
export function requeueDeliveries(platform: Swept, signal: AbortSignal): Promise<void> {
  const [store, now] = [platform.store, platform.clock.now()]
  const left = () =>
    store.across('tenants with deliveries of calls that died', (tx) => listTenantsWithExpiredDeliveries(tx, now))
  return eachTenant(left, signal, (id) => store.inTenant(id, (tx) => resumeDeliveries(tx, now)))
}

/** Drops the access tokens of issuers that were kept for news, or for credentials, which never came. */
export async function dropExpiredAccess(platform: Swept, signal: AbortSignal): Promise<void> {
  const [store, now] = [platform.store, platform.clock.now()]
  const due = () => store.across('tenants with notifications to drop', (tx) => listTenantsWithDueNotifications(tx, now))
  await eachTenant(due, signal, (id) => store.single(id, (tx) => deleteDueNotifications(tx, now)))
  const late = () =>
    store.across('tenants with deferred credentials to give up', (tx) => listTenantsWithDueDeferred(tx, now))
  const outcome = { credentialIds: [], error: deliveryErrorOf(new Fault('upstream.timeout')) }
  await eachTenant(late, signal, (id) =>
    store.inTenant(id, async (tx) => {
      for (const gone of await deleteDueDeferred(tx, now)) await settleOrder(tx, gone, outcome, 'system', now)
    }),
  )
}

async function eachTenant(
  list: () => Promise<readonly TenantId[]>,
  signal: AbortSignal,
  sweep: (tenantId: TenantId) => Promise<void>,
): Promise<void> {
  for (const tenantId of await list()) {
    if (signal.aborted) return
    await sweep(tenantId)
  }
}
