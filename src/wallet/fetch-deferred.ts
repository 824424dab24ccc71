import { Type } from 'typebox'
import type { TenantId } from '../caller.ts'
import { newId } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import { enqueue, job } from '../jobs/job.ts'
import type { Platform } from '../platform.ts'
import { readCredentialResponse } from '../protocols/openid4vci/credential-response.ts'
import type { TenantTx } from '../store/store.ts'
import { type Collected, collectGiven, collectOrder, type Later } from './collect-order.ts'
import {
  claimDeferred,
  type DeferredRow,
  type DeferredRun,
  deleteDeferred,
  giveUpDeferred,
  insertDeferred,
  isDeferred,
  passOnOrders,
  releaseDeferred,
} from './deferred-store.ts'
import { deliveryErrorOf } from './delivery.ts'
import { keepCredential, type Receipt } from './keep-credentials.ts'
import { type AnyOrder, type DeferredOrder, type Given, openOrder, sealOrder } from './order.ts'
import { settleOrder } from './settle-delivery.ts'
import { bytesMax, isOk, isPassing, jsonOf } from './upstream.ts'

type Run = DeferredRow & DeferredRun & { readonly tenantId: TenantId }

const KEPT_MS = 30 * 86_400_000
const INTERVAL_SECONDS_MIN = 5
const INTERVAL_SECONDS_MAX = 86_400
/** A run has ended or died by then, however slow its issuer. Far beyond the time-out of the job: an issuer gives a credential once. */
const CLAIM_MS = 600_000

/**
 * Fetches what an issuer deferred, or what a call that died had ordered, until it is there, is refused, or 30 days are over.
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
 * Ends an order with what came of it, in one transaction: credentials, what is still to come, and the jobs for that.
 *
 * @returns false if somebody else has ended it; then nothing is written.
 */
export async function keepCollected(
  tx: TenantTx,
  id: string,
  receipt: Receipt,
  { ready, later }: Collected,
  now: Date,
): Promise<boolean> {
  // whoever ends it keeps the credentials, so that they are there once
  const gone = await deleteDeferred(tx, id)
  if (gone === null) return false
  for (const one of ready) await keepCredential(tx, receipt, one, now)
  for (const one of later) await keepDeferred(tx, one, now)
  await settleOrder(tx, gone, { credentialIds: ready.map(({ held }) => held.id), error: null }, receipt.by, now)
  return true
}

/** Makes a job for each order of a call that died. */
export async function resumeOrders(tx: TenantTx, now: Date): Promise<void> {
  for (const deferredId of await passOnOrders(tx, now)) await enqueue(tx, fetchDeferredJob, { deferredId }, { now })
}

async function keepDeferred(tx: TenantTx, later: Later, now: Date): Promise<void> {
  await insertDeferred(tx, later, { askedUntil: null, dropAt: new Date(now.getTime() + KEPT_MS), now })
  await askAgain(tx, later, now)
}

/** [W-R8] not sooner than the issuer wants to be asked */
async function askAgain(tx: TenantTx, { id, intervalSeconds }: Pick<Later, 'id' | 'intervalSeconds'>, now: Date) {
  const seconds = Math.min(Math.max(intervalSeconds, INTERVAL_SECONDS_MIN), INTERVAL_SECONDS_MAX)
  await enqueue(tx, fetchDeferredJob, { deferredId: id }, { now, runAt: new Date(now.getTime() + seconds * 1000) })
}

async function fetchDeferred(platform: Platform, tenantId: TenantId, id: string): Promise<void> {
  const { store, sealing, log } = platform
  const run = await begin(platform, tenantId, id)
  if (run === null) return
  let order = await openOrder(sealing, tenantId, id, run.sealedWork)
  try {
    if (!('datasets' in order)) {
      const answer = order.given ?? (await ask(platform, order))
      if ('intervalSeconds' in answer) return await postpone(platform, run, answer.intervalSeconds)
      order = { ...order, given: answer }
    }
    await take(platform, run, order)
  } catch (error) {
    // the other side being out of reach is tried again, with what it gave so far; what does not hold ends here
    if (isPassing(error)) {
      const sealedWork = await sealOrder(sealing, tenantId, id, order)
      await store.single(tenantId, (tx) => releaseDeferred(tx, run, sealedWork))
      throw error
    }
    log.info({ code: error instanceof Fault ? error.code : '' }, 'a credential that was to come was given up')
    const reason = deliveryErrorOf(error instanceof Fault ? error : new Fault('server.unexpected'))
    await store.inTenant(tenantId, async (tx) => {
      const outcome = { credentialIds: [], error: reason }
      await settleOrder(tx, await giveUpDeferred(tx, run), outcome, 'system', platform.clock.now())
    })
  }
}

/** @returns null if there is nothing (left) to do. @throws Fault `state.invalid` while another run is at it: then later. */
async function begin({ store, clock }: Platform, tenantId: TenantId, id: string): Promise<Run | null> {
  const claim = newId()
  const now = clock.now()
  const times = { now, staleAt: new Date(now.getTime() - CLAIM_MS) }
  const row = await store.single(tenantId, (tx) => claimDeferred(tx, { id, claim }, times))
  if (row !== null) return { ...row, tenantId, claim }
  if (await store.single(tenantId, (tx) => isDeferred(tx, id))) throw new Fault('state.invalid')
  return null
}

async function ask(
  { fetch }: Platform,
  { deferredEndpoint, transactionId, accessToken, keys }: DeferredOrder,
): Promise<Given | { readonly intervalSeconds: number }> {
  const answer = await fetch(deferredEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ transaction_id: transactionId }),
    accept: ['application/json'],
    bytesMax: bytesMax.credentials(keys.length),
  })
  if (answer.status >= 500 || answer.status === 429)
    throw new Fault('upstream.answer', { notes: `status ${answer.status}` })
  // [W-R8] credential_request_denied, invalid_transaction_id, a token that ran out: nothing will come
  if (!isOk(answer)) throw new Fault('offer.unusable')
  const response = readCredentialResponse(jsonOf(answer, 'issuer_answer.invalid'), keys.length)
  if (response.kind === 'deferred') return { intervalSeconds: response.intervalSeconds }
  return { credentials: response.credentials, notificationId: response.notificationId }
}

async function postpone({ store, clock }: Platform, run: Run, intervalSeconds: number): Promise<void> {
  await store.inTenant(run.tenantId, async (tx) => {
    const isOurs = await releaseDeferred(tx, run, run.sealedWork)
    if (isOurs) await askAgain(tx, { id: run.id, intervalSeconds }, clock.now())
  })
}

async function take(platform: Platform, { tenantId, userId, deliveryId, id }: Run, order: AnyOrder): Promise<void> {
  const by = { kind: 'issuer', id: order.credentialIssuer } as const
  const receipt = { ...order, tenantId, userId, deliveryId, by }
  const isFinal = (error: unknown) => !isPassing(error)
  const collected =
    'datasets' in order
      ? await collectOrder(platform, receipt, order, isFinal)
      : await collectGiven(platform, receipt, order, isFinal)
  await platform.store.inTenant(tenantId, (tx) => keepCollected(tx, id, receipt, collected, platform.clock.now()))
}
