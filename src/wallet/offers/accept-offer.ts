import type { Caller } from '../../caller.ts'
import type { ShownCredential } from '../../contract/wallet/credentials.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newLease } from '../../store/lease.ts'
import { newId } from '../../store/row-id.ts'
import { untilConfirmed } from '../../store/until-confirmed.ts'
import { listReceived } from '../credentials/get-credential.ts'
import { type Holder, holderOf } from '../credentials/holder.ts'
import { isTransientFault } from '../credentials/upstream.ts'
import { grantClientFor } from '../issuer-access/grant-client.ts'
import { usableGrant } from './check-grant.ts'
import { collectOrder, type Deferred } from './collect-order.ts'
import { claimOrderOf, type DeferredRun, insertDeferred, isOrdered, saveDeferred } from './deferred-store.ts'
import { endOrder, enqueueFetch, keepCollected, openedOrder } from './fetch-deferred.ts'
import { fetchOffer, fetchServerMetadata } from './fetch-offer.ts'
import type { Receipt, SealedReceipt } from './keep-credentials.ts'
import { type OpenOrder, type Order, offerHashOf, openOrder, orderOf, sealOrder } from './order.ts'
import { requestToken } from './redeem-offer.ts'
import { explainRefusal, offerTerms } from './resolve-offer.ts'

/** An offer to accept, with the transaction code that the holder typed. */
type OfferToAccept = { readonly credentialOffer: string; readonly txCode?: string | undefined }

/** The received credentials, and those that the issuer defers. */
export type Accepted = {
  readonly credentials: readonly ShownCredential[]
  readonly deferred: readonly DeferredCredential[]
  /** Credentials without claims that their issuer calls mandatory. */
  readonly incomplete: readonly { readonly credentialId: string; readonly lacks: SealedReceipt['lacks'] }[]
}

/** A credential that is still to come. */
type DeferredCredential = {
  readonly credentialConfigurationId: string
  readonly vct: string | null
  readonly intervalSeconds: number
}

/** The lease of a call. Access tokens live for minutes, so a job must be able to resume soon. */
const LEASE_MS = 90_000
/** An order that no job can finish is deleted after this time, with its keys and its token. */
const KEPT_MS = 86_400_000
/** As long as an `Idempotency-Key` is valid. */
const REPEATED_MS_MAX = 86_400_000
const BY_ITSELF = 'The credential comes by itself; a repetition of the call fetches it at once.'

/** An order with the lease of the call. */
export type OrderRun = DeferredRun & OpenOrder & { readonly receipt: Receipt }

/**
 * Redeems an offer, verifies everything that the issuer sends, and stores it as pending: all of it or nothing.
 *
 * The order is the design: what can be refused without consuming the offer is refused first. Once the code is spent,
 * keys and token are sealed in a row of their own. Only a refusal deletes that row without a credential: after a lost
 * answer, and if this process dies, a job resumes the order, or a repetition of this call. No credential is stored
 * before every copy was verified. If the answer of the commit was lost, the stored credentials are returned.
 *
 * @param about `isRepeated`: an earlier attempt of this request may have stored the credentials: then they are
 *   returned.
 * @throws Fault `holder.missing`, `issuer.untrusted`, `offer.*`, `issuer_metadata.invalid`, `issuer_answer.invalid`,
 *   `credential.invalid`, `credential.untrusted`, `upstream.*`
 */
export async function acceptOffer(
  platform: Platform,
  caller: Caller,
  input: OfferToAccept,
  { isRepeated = false, languages }: { readonly isRepeated?: boolean; readonly languages?: string | undefined } = {},
): Promise<Accepted> {
  const { tenantId, tenantSlug } = caller
  const holder = { tenantId, tenantSlug, userId: holderOf(caller), by: caller, deliveryId: null }
  const startedAt = platform.clock.now().getTime()
  const explained = (error: unknown) => explainRefusal(platform, holder, { ...input, languages }, error)
  try {
    return await receiveOffer(platform, holder, input)
  } catch (error) {
    const isRefused = error instanceof Fault
    if (isRefused && !(isRepeated && error.code === 'offer.unusable')) throw await explained(error)
    const since = new Date(isRefused ? startedAt - REPEATED_MS_MAX : startedAt)
    const credentials = await listReceived(platform, holder, offerHashOf(input.credentialOffer), since).catch(() => [])
    if (credentials.length === 0) throw await explained(error)
    return { credentials, deferred: [], incomplete: [] }
  }
}

/**
 * As {@link acceptOffer}, into the wallet of the given holder. Once there is an order, the order settles the delivery,
 * in the transaction in which it ends.
 */
export async function receiveOffer(platform: Platform, holder: Holder, input: OfferToAccept): Promise<Accepted> {
  const offerHash = offerHashOf(input.credentialOffer)
  const run =
    (await resumeOrder(platform, holder, offerHash)) ?? (await redeemOffer(platform, holder, input, offerHash))
  return receiveOrder(platform, run)
}

/**
 * Receives the credentials of an order: all or none. After a lost answer a job resumes it.
 *
 * @throws Fault as {@link acceptOffer}
 */
export async function receiveOrder(platform: Platform, run: OrderRun): Promise<Accepted> {
  try {
    return await receive(platform, run)
  } catch (error) {
    throw await outcomeOf(platform, run, error)
  }
}

/**
 * Resumes the order of an earlier call with the same offer.
 *
 * @throws Fault `offer.unusable` while a call or a job has the lease
 */
async function resumeOrder(platform: Platform, holder: Holder, offerHash: string): Promise<OrderRun | null> {
  const { store, sealing, clock } = platform
  const { tenantId, userId } = holder
  if (!(await store.single(tenantId, (tx) => isOrdered(tx, userId, offerHash)))) return null
  const now = clock.now()
  const lease = newLease(now, LEASE_MS)
  const row = await store.single(tenantId, (tx) => claimOrderOf(tx, holder, offerHash, lease, now))
  if (row === null)
    throw new Fault('offer.unusable', {
      detail: 'The offer is being redeemed by another call.',
      meta: { isBeingRedeemed: true },
    })
  const order = await openOrder(sealing, tenantId, row.id, row.sealedWork)
  const receipt = { ...order, ...holder, deliveryId: row.deliveryId }
  return runOf(platform, { id: row.id, claim: lease.claim }, order, receipt)
}

async function redeemOffer(
  platform: Platform,
  holder: Holder,
  input: OfferToAccept,
  offerHash: string,
): Promise<OrderRun> {
  const peer = { ...platform, tenantId: holder.tenantId }
  const opened = await fetchOffer(peer, input.credentialOffer, await offerTerms(platform, holder))
  const { code, txCode, hint } = usableGrant(platform, opened, input.txCode ?? null)
  const { metadata, configurations } = opened
  const server = await fetchServerMetadata(peer, metadata, hint)
  const { holding } = await findPolicyOf(platform, holder.tenantId)
  const asked = grantClientFor(platform, server, true, holding.authenticates)
  const { token, client } = await requestToken(peer, asked, code, txCode)
  return placeOrder(platform, holder, orderOf(metadata, configurations, token, { client, offerHash }))
}

/** Stores an order before it is requested: keys and token would be lost with this process, and the code is spent. */
export async function placeOrder(platform: Platform, holder: Holder, order: Order): Promise<OrderRun> {
  const { sealing, store, clock } = platform
  const receipt = { ...order, ...holder }
  const { tenantId } = holder
  const id = newId()
  const now = clock.now()
  const lease = newLease(now, LEASE_MS)
  const sealedWork = await sealOrder(sealing, tenantId, id, order)
  const times = { now, dropAt: new Date(now.getTime() + KEPT_MS) }
  const insert = () => store.single(tenantId, (tx) => insertDeferred(tx, { ...receipt, id, lease, sealedWork }, times))
  // The token is nowhere else: one lost connection must not lose it.
  await untilConfirmed(insert)
  return runOf(platform, { id, claim: lease.claim }, order, receipt)
}

function runOf(platform: Platform, run: DeferredRun, order: Order, receipt: Receipt): OrderRun {
  return { ...run, receipt, ...openedOrder(platform, receipt.tenantId, run, order) }
}

async function receive(platform: Platform, run: OrderRun): Promise<Accepted> {
  const { store, clock } = platform
  const collected = await collectOrder(platform, run.receipt, run)
  const isKept = await store.inTenant(run.receipt.tenantId, (tx) =>
    keepCollected(tx, run.id, run.receipt, collected, clock.now()),
  )
  if (!isKept) throw new Fault('upstream.timeout', { detail: `The issuer took too long. ${BY_ITSELF}` })
  return {
    credentials: collected.ready.map(({ shown }) => shown),
    deferred: collected.deferred.map(announced),
    incomplete: collected.ready
      .filter(({ lacks }) => lacks.length > 0)
      .map(({ held, lacks }) => ({ credentialId: held.id, lacks })),
  }
}

/** Hands the order to a job, or ends it. @returns the error for the caller */
async function outcomeOf(platform: Platform, run: OrderRun, error: unknown): Promise<unknown> {
  const { store, sealing, clock, log } = platform
  const { tenantId } = run.receipt
  if (error instanceof Fault && !isTransientFault(error)) {
    await endOrder(platform, run, run.receipt, run, error)
    return error
  }
  const sealedWork = await sealOrder(sealing, tenantId, run.id, run.order)
  if (!(error instanceof Fault)) {
    // An error of this server, so this may fail as well; the sweep requeues the order when the lease expires.
    await store
      .single(tenantId, (tx) => saveDeferred(tx, run, sealedWork))
      .catch(() => log.warn({}, 'an order was not saved'))
    return error
  }
  await store.inTenant(tenantId, (tx) => enqueueFetch(tx, run, sealedWork, { now: clock.now() }))
  const { detail, meta } = error
  return new Fault(error.code, { detail: [detail, BY_ITSELF].join(' ').trim(), meta, cause: error })
}

function announced({ configuration, answer }: Deferred): DeferredCredential {
  const { intervalSeconds } = answer
  return { credentialConfigurationId: configuration.id, vct: configuration.type, intervalSeconds }
}
