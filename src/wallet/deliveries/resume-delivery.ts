import { Type } from 'typebox'
import type { TenantId, UserId } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { findUser } from '../../directory/users/find-user.ts'
import { Fault } from '../../fault.ts'
import { enqueue, enqueueMissing, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { jobCheckAt, jobRecheckAt, newLease } from '../../store/lease.ts'
import type { TenantTx } from '../../store/store.ts'
import { isTransientFault } from '../credentials/upstream.ts'
import { claimDelivery, releaseDelivery, requeueExpiredDeliveries } from '../delivery-records/delivery-store.ts'
import { endFailed } from '../delivery-records/settle-delivery.ts'
import { LEASE_MS, type LeasedDelivery, repeatDelivery } from './execute-delivery.ts'

const ATTEMPTS_MAX = 8

/**
 * Resumes a delivery whose call ended before anything was ordered. What was ordered is resumed by the job of the order.
 */
export const resumeDeliveryJob = job({
  name: 'wallet.resume-delivery',
  payload: Type.Object({ deliveryId: Type.String() }, { additionalProperties: false }),
  attemptsMax: ATTEMPTS_MAX,
  timeoutSeconds: 120,
  run: (platform, { deliveryId }, _signal, { tenantId, attempt }) =>
    resumeDelivery(platform, tenantId, deliveryId, attempt >= ATTEMPTS_MAX),
})

/** Releases the deliveries whose lease has expired, and enqueues a job for each that has none. */
export async function requeueDeliveries(tx: TenantTx, now: Date, limit: number): Promise<number> {
  const ids = await requeueExpiredDeliveries(tx, now, jobRecheckAt(now), limit)
  const payloads = ids.map((deliveryId) => ({ deliveryId }))
  await enqueueMissing(tx, resumeDeliveryJob, payloads, now)
  return ids.length
}

/** Releases a delivery and enqueues a job for it. Does nothing if the lease was taken over. */
export async function enqueueDelivery(
  tx: TenantTx,
  attempt: Pick<LeasedDelivery, 'id' | 'claim'>,
  now: Date,
): Promise<void> {
  if (await releaseDelivery(tx, attempt, jobCheckAt(now)))
    await enqueue(tx, resumeDeliveryJob, { deliveryId: attempt.id }, { now })
}

async function resumeDelivery(platform: Platform, tenantId: TenantId, id: string, isLast: boolean): Promise<void> {
  const { store, clock } = platform
  const now = clock.now()
  const attempt = await store.single(tenantId, (tx) => claimDelivery(tx, id, newLease(now, LEASE_MS), now))
  if (attempt === null) return
  try {
    await repeatDelivery(platform, await senderFor(platform, tenantId, attempt.userId), attempt)
  } catch (error) {
    if (isTransientFault(error) && !isLast) {
      await store.single(tenantId, (tx) => releaseDelivery(tx, attempt, jobCheckAt(clock.now())))
      throw error
    }
    const fault = error instanceof Fault ? error : new Fault('server.unexpected')
    await store.inTenant(tenantId, (tx) => endFailed(tx, attempt, fault, 'system', clock.now()))
  }
}

/** @throws Fault `state.invalid` if tenant or user were disabled in the meantime */
async function senderFor(platform: Platform, tenantId: TenantId, userId: UserId) {
  const tenant = await findTenantOf(platform, tenantId)
  const user = await platform.store.single(tenantId, (tx) => findUser(tx, 'id', userId))
  if (tenant === null || user?.enabled !== true) throw new Fault('state.invalid', { detail: 'The user is disabled.' })
  return { tenantId, tenantSlug: tenant.slug, by: 'system' as const }
}
