import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TxCode } from '../../protocols/openid4vci/credential-offer.ts'
import type { IssuerMetadata } from '../../protocols/openid4vci/issuer-metadata.ts'
import { newId } from '../../store/row-id.ts'
import type { ShownCredential } from '../credentials/credential.ts'
import { type Holder, holderOf } from '../credentials/holder.ts'
import { isTransientFault } from '../credentials/upstream.ts'
import { collectOrder, type Deferred } from './collect-order.ts'
import {
  type AskedClaim,
  claimOrderOf,
  type DeferredRun,
  insertDeferred,
  isOrdered,
  releaseDeferred,
  saveDeferred,
} from './deferred-store.ts'
import { CLAIM_MS, endOrder, enqueueFetch, keepCollected } from './fetch-deferred.ts'
import { type FetchedOffer, fetchOffer, fetchServerMetadata } from './fetch-offer.ts'
import type { Receipt, SealedReceipt } from './keep-credentials.ts'
import { type OpenOrder, type Order, offerHashOf, openOrder, orderOf, sealOrder } from './order.ts'
import { requestToken } from './redeem-offer.ts'
import { offerTerms, shownTxCode } from './resolve-offer.ts'

/** What a caller gives to receive credentials. */
export type OfferInput = { readonly credentialOffer: string; readonly txCode?: string | undefined }

/** What is there already, and what the issuer gives later. */
export type Accepted = {
  readonly credentials: readonly ShownCredential[]
  readonly deferred: readonly DeferredCredential[]
  /** Credentials that lack claims which their issuer calls mandatory. */
  readonly incomplete: readonly { readonly credentialId: string; readonly lacks: SealedReceipt['lacks'] }[]
}

/** A credential that is still to come. */
export type DeferredCredential = {
  readonly credentialConfigurationId: string
  readonly vct: string | null
  readonly intervalSeconds: number
}

/** How long a call may ask, check and write before a job may do it as well. Access tokens live for minutes, so it is short. */
const ASKING_MS_MAX = 90_000
/** An order that no job can finish goes, with its keys and its token. */
const KEPT_MS = 86_400_000
const BY_ITSELF = 'The credential comes by itself; a repetition of the call fetches it at once.'

/** An order with the claim of the call that is at work on it. */
type OrderRun = DeferredRun & OpenOrder & { readonly receipt: Receipt }

/**
 * Redeems an offer, checks everything that the issuer sends, and keeps it as pending: all of it or nothing.
 *
 * The order is the design: what can be refused without consuming the offer is refused first. Once the code is spent, keys and token are
 * sealed in a row of their own. Only a refusal takes that row away without a credential: after an answer that was lost, and if this process
 * dies, a job asks again, or a repetition of this call. No credential is written before every copy was verified.
 *
 * @throws Fault `holder.missing`, `issuer.untrusted`, `offer.*`, `issuer_metadata.invalid`, `issuer_answer.invalid`, `credential.invalid`,
 * `credential.untrusted`, `upstream.*`
 */
export async function acceptOffer(platform: Platform, caller: Caller, ask: OfferInput): Promise<Accepted> {
  const { tenantId, tenantSlug } = caller
  const holder = { tenantId, tenantSlug, userId: holderOf(caller), by: caller, deliveryId: null }
  return receiveOffer(platform, holder, ask)
}

/**
 * As {@link acceptOffer}, into the wallet of the holder that is named. Once there is an order, it is the order that brings the delivery to its
 * end: in the transaction in which it is kept or given up.
 */
export async function receiveOffer(platform: Platform, holder: Holder, ask: OfferInput): Promise<Accepted> {
  const offerHash = offerHashOf(ask.credentialOffer)
  const run = (await resumeOrder(platform, holder, offerHash)) ?? (await redeemOffer(platform, holder, ask, offerHash))
  try {
    return await receive(platform, run)
  } catch (error) {
    throw await outcomeOf(platform, run, error)
  }
}

/** The order that an earlier call with the same offer has left. @throws Fault `offer.unusable` while another call or a job has it */
async function resumeOrder(platform: Platform, holder: Holder, offerHash: string): Promise<OrderRun | null> {
  const { store, sealing } = platform
  const { tenantId, userId } = holder
  if (!(await store.single(tenantId, (tx) => isOrdered(tx, userId, offerHash)))) return null
  const claim = claimOf(platform)
  const times = { ...claim, staleAt: new Date(claim.now.getTime() - CLAIM_MS) }
  const row = await store.single(tenantId, (tx) => claimOrderOf(tx, holder, offerHash, times))
  if (row === null) throw new Fault('offer.unusable', { detail: 'The offer is being redeemed by another call.' })
  const order = await openOrder(sealing, tenantId, row.id, row.sealedWork)
  return { id: row.id, claim: claim.claim, order, receipt: { ...order, ...holder, deliveryId: row.deliveryId } }
}

async function redeemOffer(platform: Platform, holder: Holder, ask: OfferInput, offerHash: string): Promise<OrderRun> {
  const opened = await fetchOffer(platform, ask.credentialOffer, await offerTerms(platform, holder))
  const { code, txCode, hint } = await usableGrant(platform, opened, ask.txCode ?? null)
  const { metadata, configurations } = opened
  const server = await fetchServerMetadata(platform, metadata, hint)
  const { token, clientId } = await requestToken(platform, server, code, txCode)
  const order = orderOf(metadata, configurations, token, { clientId, offerHash })
  return insertOrder(platform, { ...order, ...holder }, order)
}

/** Keeps what was ordered before it is asked for: keys and token would die with this process, and the code is spent. */
async function insertOrder(platform: Platform, receipt: Receipt, order: Order): Promise<OrderRun> {
  const { sealing, store } = platform
  const { tenantId } = receipt
  const id = newId()
  const asked = claimOf(platform)
  const row = {
    ...receipt,
    id,
    asked,
    offerHash: order.offerHash,
    sealedWork: await sealOrder(sealing, tenantId, id, order),
  }
  const times = { now: asked.now, dropAt: new Date(asked.now.getTime() + KEPT_MS) }
  const insert = () => store.single(tenantId, (tx) => insertDeferred(tx, row, times))
  // The token is nowhere else: one connection that is lost must not lose it.
  await insert().catch(insert)
  return { id, claim: asked.claim, order, receipt }
}

function claimOf({ clock }: Platform): AskedClaim {
  const now = clock.now()
  return { claim: newId(), now, askedUntil: new Date(now.getTime() + ASKING_MS_MAX) }
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

/** Leaves the order to a job, or ends it. @returns what the caller is told */
async function outcomeOf(platform: Platform, run: OrderRun, error: unknown): Promise<unknown> {
  const { store, sealing, clock, log } = platform
  const { tenantId } = run.receipt
  if (error instanceof Fault && !isTransientFault(error)) {
    await endOrder(platform, run, run.receipt, run, error)
    return error
  }
  const sealedWork = await sealOrder(sealing, tenantId, run.id, run.order)
  if (!(error instanceof Fault)) {
    // Trouble of our own, so this may fail as well; the sweep takes the order when the claim runs out.
    await store
      .single(tenantId, (tx) => saveDeferred(tx, run, sealedWork))
      .catch(() => log.warn({}, 'an order was not saved'))
    return error
  }
  await store.inTenant(tenantId, async (tx) => {
    if (await releaseDeferred(tx, run, sealedWork)) await enqueueFetch(tx, run.id, clock.now())
  })
  const { detail, meta } = error
  return new Fault(error.code, { detail: [detail, BY_ITSELF].join(' ').trim(), ...(meta && { meta }), cause: error })
}

function announced({ configuration, answer }: Deferred): DeferredCredential {
  const { intervalSeconds } = answer
  return { credentialConfigurationId: configuration.id, vct: configuration.type, intervalSeconds }
}

/** Whether the offer can be redeemed at all, before anything of it is consumed. */
async function usableGrant(
  platform: Platform,
  { offer, metadata, configurations }: FetchedOffer,
  txCode: string | null,
) {
  const { preAuthorized } = offer
  if (preAuthorized === null)
    throw await signInNeeded(platform, metadata, offer.authorizationCode?.authorizationServer ?? null)
  if (preAuthorized.txCode !== null) checkTxCode(new URL(offer.credentialIssuer).host, preAuthorized.txCode, txCode)
  if (metadata.encryptionRequired)
    throw unable('The issuer demands encrypted messages, which this wallet does not send.')
  // [MD-6] an mdoc is bound to a key; without a proof it would be somebody else's
  if (configurations.some(({ format, proofAlgs }) => format === 'mso_mdoc' && proofAlgs === null))
    throw unable('The issuer wants no key proof for an mdoc, so it could not be shown.')
  // [W-C2] a proof type of theirs, an algorithm of their list
  const isProvable = configurations.every((one) => !one.proofUnsupported && (one.proofAlgs?.includes('ES256') ?? true))
  if (!isProvable) throw unable('The issuer wants a key proof of a kind that this wallet does not make.')
  return {
    code: preAuthorized.code,
    // [VCI-T9] a code that was not asked for makes the request invalid
    txCode: preAuthorized.txCode === null ? null : txCode,
    hint: preAuthorized.authorizationServer,
  }
}

/**
 * [W-O5] The presence of tx_code, even an empty one, means that a code is needed. What cannot be the right one is not sent: it would cost a try.
 *
 * @throws Fault `offer.tx_code_required`
 */
function checkTxCode(host: string, wanted: TxCode, given: string | null): void {
  const { inputMode, length } = wanted
  const isDigits = inputMode === 'numeric'
  const refuse = (detail: string) =>
    new Fault('offer.tx_code_required', { detail, meta: { txCode: shownTxCode(wanted) } })
  if (given === null) throw refuse(`${host} asks for a transaction code.`)
  if (isDigits && !/^[0-9]+$/.test(given)) throw refuse('The transaction code has digits only.')
  if (length !== null && [...given].length !== length)
    throw refuse(`The transaction code has ${length} ${isDigits ? 'digits' : 'characters'}.`)
}

async function signInNeeded(platform: Platform, metadata: IssuerMetadata, hint: string | null): Promise<Fault> {
  const server = await fetchServerMetadata(platform, metadata, hint)
  const related = server.authorizationEndpoint ?? metadata.credentialIssuer
  return new Fault('offer.authorization_required', { links: { related } })
}

function unable(detail: string): Fault {
  return new Fault('offer.unusable', { detail })
}
