import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { enqueue, enqueueMissing, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { jobCheckAt, jobRecheckAt, newLease } from '../../store/lease.ts'
import type { TenantTx } from '../../store/store.ts'
import { isTransientFault } from '../credentials/upstream.ts'
import { deliveryErrorOf } from '../delivery-records/delivery.ts'
import { settleOrder } from '../delivery-records/settle-delivery.ts'
import { type CollectedOrder, collectOrder, type DeferredLater } from './collect-order.ts'
import {
  abandonDeferred,
  claimDeferred,
  type DeferredRow,
  type DeferredRun,
  deleteDeferred,
  holdDeferred,
  insertDeferred,
  isDeferred,
  releaseOrder,
  requeueExpiredOrders,
  saveDeferred,
} from './deferred-store.ts'
import { keepCredential, type Receipt, reportRefused } from './keep-credentials.ts'
import { type OpenOrder, type Order, openOrder, sealOrder } from './order.ts'
import { receivedOf } from './redeem-offer.ts'

type Run = DeferredRow & DeferredRun

const KEPT_MS = 30 * 86_400_000
const INTERVAL_SECONDS_MIN = 5
const INTERVAL_SECONDS_MAX = 86_400
/** The lease of a job run. Far beyond the time-out of the job: an issuer may send a credential only once. */
const LEASE_MS = 600_000

/**
 * Fetches what an issuer deferred, or what a call that died had ordered, until it is received or refused, or 30 days
 * are over.
 *
 * @see [OpenID4VCI 1.0, 9](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-deferred-credential-endpoin)
 */
export const fetchDeferredJob = job({
  name: 'wallet.fetch-deferred',
  payload: Type.Object({ deferredId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 20,
  timeoutSeconds: 60,
  run: (platform, { deferredId }, _signal, { tenantId }) => fetchDeferred(platform, tenantId, deferredId),
})

/**
 * Ends an order in one transaction: stores its credentials, its deferred credentials, and their jobs.
 *
 * @returns false if another run has ended it; then nothing is written.
 */
export async function keepCollected(
  tx: TenantTx,
  id: string,
  receipt: Receipt,
  { ready, later }: CollectedOrder,
  now: Date,
): Promise<boolean> {
  // the run that deletes the order stores the credentials, so that they are stored once
  const ended = await deleteDeferred(tx, id)
  if (ended === null) return false
  for (const one of ready) await keepCredential(tx, receipt, one, now)
  for (const one of later) await keepDeferred(tx, one, now)
  await settleOrder(tx, ended, { credentialIds: ready.map(({ held }) => held.id), error: null }, receipt.by, now)
  return true
}

/**
 * Releases the orders whose lease has expired, and enqueues a job for each that has none, also where its poll was due
 * and its job is lost.
 */
export async function requeueOrders(tx: TenantTx, now: Date, limit: number): Promise<number> {
  const ids = await requeueExpiredOrders(tx, now, jobRecheckAt(now), limit)
  const payloads = ids.map((deferredId) => ({ deferredId }))
  await enqueueMissing(tx, fetchDeferredJob, payloads, now)
  return ids.length
}

/** Releases an order and enqueues a job for it. Does nothing if the lease was taken over. */
export async function enqueueFetch(
  tx: TenantTx,
  run: DeferredRun,
  sealedWork: Buffer,
  { now, runAt = now }: { readonly now: Date; readonly runAt?: Date },
): Promise<void> {
  if (await releaseOrder(tx, run, sealedWork, jobCheckAt(runAt)))
    await enqueue(tx, fetchDeferredJob, { deferredId: run.id }, { now, runAt })
}

/**
 * Ends an order that was refused, and its delivery. If only trust is missing, the order stays sealed, with what the
 * issuer sent, until the holder repeats the offer. Else its keys and its token are deleted, and the issuer is notified
 * of the failure [W-R9].
 */
export async function endOrder(
  platform: Platform,
  run: DeferredRun,
  receipt: Receipt,
  { order }: OpenOrder,
  error: unknown,
): Promise<void> {
  const { store, sealing, clock } = platform
  const { tenantId, by } = receipt
  const isHeld = error instanceof Fault && error.code === 'credential.untrusted'
  const { offerHash } = order
  const kept = { sealedWork: await sealOrder(sealing, tenantId, run.id, order), offerHash, keptSeconds: KEPT_MS / 1000 }
  if (!isHeld) await reportRefused(platform, receipt, receivedOf(order))
  const reason = deliveryErrorOf(error instanceof Fault ? error : new Fault('server.unexpected'))
  await store.inTenant(tenantId, async (tx) => {
    const ended = isHeld ? await holdDeferred(tx, run, kept) : await abandonDeferred(tx, run)
    await settleOrder(tx, ended, { credentialIds: [], error: reason }, by, clock.now())
  })
}

/** Returns an order in progress that is saved under the lease of a run. */
export function openedOrder(
  { store, sealing }: Pick<Platform, 'store' | 'sealing'>,
  tenantId: TenantId,
  { id, claim }: DeferredRun,
  order: Order,
): OpenOrder {
  const save = async (changed: Order) => {
    const sealedWork = await sealOrder(sealing, tenantId, id, changed)
    await store.single(tenantId, (tx) => saveDeferred(tx, { id, claim }, sealedWork))
  }
  return { order, save }
}

async function keepDeferred(tx: TenantTx, later: DeferredLater, now: Date): Promise<void> {
  const { id, intervalSeconds } = later
  const dropAt = new Date(now.getTime() + KEPT_MS)
  const runAt = pollAt(intervalSeconds, now)
  const lease = { claim: id, leaseUntil: jobCheckAt(runAt) }
  await insertDeferred(tx, { ...later, offerHash: null, lease }, { dropAt, now })
  await enqueue(tx, fetchDeferredJob, { deferredId: id }, { now, runAt })
}

/** [W-R8] Polls not sooner than the interval of the issuer. */
function pollAt(intervalSeconds: number, now: Date): Date {
  const seconds = Math.min(Math.max(intervalSeconds, INTERVAL_SECONDS_MIN), INTERVAL_SECONDS_MAX)
  return new Date(now.getTime() + seconds * 1000)
}

async function fetchDeferred(platform: Platform, tenantId: TenantId, id: string): Promise<void> {
  const { store, sealing, clock, log } = platform
  const run = await begin(platform, tenantId, id)
  if (run === null) return
  const open = openedOrder(platform, tenantId, run, await openOrder(sealing, tenantId, id, run.sealedWork))
  const by = { kind: 'issuer', id: open.order.credentialIssuer } as const
  const receipt = { ...open.order, ...run, tenantId, by }
  try {
    const collected = await collectOrder(platform, receipt, open)
    const [again] = open.order.isDeferred ? collected.deferred : []
    if (again !== undefined) return await postpone(platform, receipt, run, open, again.answer.intervalSeconds)
    await store.inTenant(tenantId, (tx) => keepCollected(tx, id, receipt, collected, clock.now()))
  } catch (error) {
    // an issuer out of reach is retried, for what it did not send yet; a refusal ends the order
    if (isTransientFault(error)) {
      const sealedWork = await sealOrder(sealing, tenantId, id, open.order)
      await store.single(tenantId, (tx) => releaseOrder(tx, run, sealedWork, jobCheckAt(clock.now())))
      throw error
    }
    log.info({ code: error instanceof Fault ? error.code : '' }, 'a deferred credential was refused')
    await endOrder(platform, run, receipt, open, error)
  }
}

/**
 * @returns null if the order has ended
 * @throws Fault `state.invalid` while another run holds the lease; the queue retries
 */
async function begin({ store, clock }: Platform, tenantId: TenantId, id: string): Promise<Run | null> {
  const now = clock.now()
  const lease = newLease(now, LEASE_MS)
  const row = await store.single(tenantId, (tx) => claimDeferred(tx, id, lease, now))
  if (row !== null) return { ...row, claim: lease.claim }
  if (await store.single(tenantId, (tx) => isDeferred(tx, id))) throw new Fault('state.invalid')
  return null
}

async function postpone(
  { store, sealing, clock }: Platform,
  { tenantId }: Receipt,
  run: DeferredRun,
  { order }: OpenOrder,
  intervalSeconds: number,
): Promise<void> {
  const sealedWork = await sealOrder(sealing, tenantId, run.id, order)
  const now = clock.now()
  const when = { now, runAt: pollAt(intervalSeconds, now) }
  await store.inTenant(tenantId, (tx) => enqueueFetch(tx, run, sealedWork, when))
}
