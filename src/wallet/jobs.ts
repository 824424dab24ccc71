import { Fault } from '../fault.ts'
import type { Job } from '../jobs/job.ts'
import { every, type Schedule } from '../jobs/schedule.ts'
import type { Platform } from '../platform.ts'
import { deleteDueDeferred, listTenantsWithDueDeferred, listTenantsWithLeftOrders } from './deferred-store.ts'
import { deliveryErrorOf } from './delivery.ts'
import { listTenantsWithLeftDeliveries } from './delivery-store.ts'
import { fetchDeferredJob, resumeOrders } from './fetch-deferred.ts'
import { deleteDueNotifications, listTenantsWithDueNotifications } from './notification-store.ts'
import { notifyIssuerJob } from './notify-issuer.ts'
import { expirePresentations, listTenantsWithDuePresentations } from './presentation-store.ts'
import { refreshStandings } from './refresh-standing.ts'
import { resumeDeliveries, resumeDeliveryJob } from './resume-delivery.ts'
import { settleOrder } from './settle-delivery.ts'

/** Work of the wallet that outlives a request. */
export const walletJobs: readonly Job<never>[] = [notifyIssuerJob, fetchDeferredJob, resumeDeliveryJob]

/** Sweeps of the wallet. */
export const walletSchedules: readonly Schedule[] = [
  every(30, 'wallet.resume-orders', resumeLeft),
  every(30, 'wallet.resume-deliveries', resumeLeftDeliveries),
  every(60, 'wallet.expire-presentations', expireDue),
  every(300, 'wallet.refresh-standings', refreshStandings),
  every(3600, 'wallet.drop-access', dropDue),
]

/** Ends the presentations that nobody answered in time, tenant by tenant, and lets go of what was needed to answer them. */
export async function expireDue(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const due = await store.across('tenants with presentations to expire', (tx) =>
    listTenantsWithDuePresentations(tx, now),
  )
  for (const tenantId of due) {
    if (signal.aborted) return
    await store.single(tenantId, (tx) => expirePresentations(tx, now))
  }
}

/** Gives a job to the orders of calls that died. */
export async function resumeLeft(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const left = await store.across('tenants with orders of calls that died', (tx) => listTenantsWithLeftOrders(tx, now))
  for (const tenantId of left) {
    if (signal.aborted) return
    await store.inTenant(tenantId, (tx) => resumeOrders(tx, now))
  }
}

/** Gives a job to the deliveries of calls that died. */
export async function resumeLeftDeliveries(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const left = await store.across('tenants with deliveries of calls that died', (tx) =>
    listTenantsWithLeftDeliveries(tx, now),
  )
  for (const tenantId of left) {
    if (signal.aborted) return
    await store.inTenant(tenantId, (tx) => resumeDeliveries(tx, now))
  }
}

/** Drops the access tokens of issuers that were kept for news, or for credentials, which never came. */
export async function dropDue({ store, clock }: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const now = clock.now()
  const due = await store.across('tenants with notifications to drop', (tx) => listTenantsWithDueNotifications(tx, now))
  const late = await store.across('tenants with deferred credentials to give up', (tx) =>
    listTenantsWithDueDeferred(tx, now),
  )
  for (const tenantId of new Set([...due, ...late])) {
    if (signal.aborted) return
    await store.single(tenantId, (tx) => deleteDueNotifications(tx, now))
    await store.inTenant(tenantId, async (tx) => {
      const outcome = { credentialIds: [], error: deliveryErrorOf(new Fault('upstream.timeout')) }
      for (const gone of await deleteDueDeferred(tx, now)) await settleOrder(tx, gone, outcome, 'system', now)
    })
  }
}
