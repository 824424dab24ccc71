import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { findUser } from '../../directory/users/find-user.ts'
import { Fault } from '../../fault.ts'
import { enqueue, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { isTransientFault } from '../credentials/upstream.ts'
import { deliveryErrorOf } from '../delivery-records/delivery.ts'
import {
  type ClaimedWalletDelivery,
  claimDelivery,
  failDelivery,
  releaseDelivery,
  requeueExpiredDeliveries,
} from '../delivery-records/delivery-store.ts'
import { failureOf } from '../delivery-records/settle-delivery.ts'
import { executeDelivery, LEASE_MS, reinstateDeliveredOffer } from './deliver.ts'

const ATTEMPTS_MAX = 8
/** When a delivery that a job has is looked at again, should the job be lost: long after its last attempt. */
const LOOK_AGAIN_MS = 3_600_000

/** Does once more what a call had begun that died before anything was ordered. What was ordered goes on by itself. */
export const resumeDeliveryJob = job({
  name: 'wallet.resume-delivery',
  payload: Type.Object({ deliveryId: Type.String() }, { additionalProperties: false }),
  attemptsMax: ATTEMPTS_MAX,
  timeoutSeconds: 120,
  run: (platform, { deliveryId }, _signal, { tenantId, attempt }) =>
    resumeDelivery(platform, tenantId, deliveryId, attempt >= ATTEMPTS_MAX),
})

/** Makes a job for each delivery of a call that died. */
export async function resumeDeliveries(tx: TenantTx, now: Date): Promise<void> {
  const lookAgainAt = new Date(now.getTime() + LOOK_AGAIN_MS)
  for (const deliveryId of await requeueExpiredDeliveries(tx, now, lookAgainAt)) {
    await enqueue(tx, resumeDeliveryJob, { deliveryId }, { now })
  }
}

/** Hands a delivery that the transaction has just written to a job. */
export async function enqueueDelivery(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedWalletDelivery, 'id' | 'claim'>,
  now: Date,
): Promise<void> {
  await releaseDelivery(tx, { id, claim, leaseUntil: new Date(now.getTime() + LOOK_AGAIN_MS) })
  await enqueue(tx, resumeDeliveryJob, { deliveryId: id }, { now })
}

async function resumeDelivery(platform: Platform, tenantId: TenantId, id: string, isLast: boolean): Promise<void> {
  const { store, clock } = platform
  const now = clock.now()
  const ours = { id, claim: newId(), leaseUntil: new Date(now.getTime() + LEASE_MS) }
  const claimed = await store.single(tenantId, (tx) => claimDelivery(tx, ours, now))
  if (claimed === null) return
  try {
    const sender = await senderFor(platform, tenantId, claimed)
    await reinstateDeliveredOffer(platform, sender, claimed)
    await executeDelivery(platform, sender, claimed)
  } catch (error) {
    // the other side being out of reach is tried again; what is refused ends here
    if (isTransientFault(error) && !isLast) {
      const leaseUntil = new Date(clock.now().getTime() + LOOK_AGAIN_MS)
      await store.single(tenantId, (tx) => releaseDelivery(tx, { ...ours, leaseUntil }))
      throw error
    }
    const reason = deliveryErrorOf(error instanceof Fault ? error : new Fault('server.unexpected'))
    const entry = failureOf(id, reason, 'system')
    await store.single(tenantId, (tx) => failDelivery(tx, ours, reason, entry, clock.now()))
  }
}

/** @throws Fault `state.invalid` if tenant or user were disabled in the meantime */
async function senderFor(platform: Platform, tenantId: TenantId, { userId }: ClaimedWalletDelivery) {
  const tenant = await findTenantOf(platform, tenantId)
  const user = await platform.store.single(tenantId, (tx) => findUser(tx, 'id', userId))
  if (tenant === null || user?.enabled !== true) throw new Fault('state.invalid', { detail: 'The user is disabled.' })
  return { tenantId, tenantSlug: tenant.slug, by: 'system' as const }
}
