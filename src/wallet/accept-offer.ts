import type { Caller } from '../caller.ts'
import { newId } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { IssuerMetadata } from '../protocols/openid4vci/issuer-metadata.ts'
import { collectOrder } from './collect-order.ts'
import type { ShownCredential } from './credential.ts'
import { giveUpOrder, insertDeferred } from './deferred-store.ts'
import { deliveryErrorOf } from './delivery.ts'
import { keepCollected } from './fetch-deferred.ts'
import { type Holder, holderOf } from './holder.ts'
import type { Ready, Receipt } from './keep-credentials.ts'
import { fetchServerMetadata, type OpenedOffer, openOffer } from './open-offer.ts'
import { type Order, orderOf, sealOrder } from './order.ts'
import { type Deferred, redeemCode } from './redeem-offer.ts'
import { offerTerms, shownTxCode } from './resolve-offer.ts'
import { settleOrder } from './settle-delivery.ts'

/** What a caller gives to receive credentials. */
export type OfferAsk = { readonly credentialOffer: string; readonly txCode?: string | undefined }

/** What is there already, and what the issuer gives later. */
export type Accepted = {
  readonly credentials: readonly ShownCredential[]
  readonly deferred: readonly DeferredCredential[]
  /** Credentials that lack claims which their issuer calls mandatory. */
  readonly incomplete: readonly { readonly credentialId: string; readonly lacks: Ready['lacks'] }[]
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

/**
 * Redeems an offer, checks everything that the issuer sends, and keeps it as pending: all of it or nothing.
 *
 * The order is the design: what can be refused without consuming the offer is refused first. Once the code is spent, keys and token are
 * sealed in a row of their own, so that a job can go on if this process dies; every end of this call takes that row away, and no credential
 * is written before every copy was verified.
 *
 * @throws Fault `holder.missing`, `issuer.untrusted`, `offer.*`, `issuer_metadata.invalid`, `issuer_answer.invalid`, `credential.invalid`, `upstream.*`
 */
export async function acceptOffer(platform: Platform, caller: Caller, ask: OfferAsk): Promise<Accepted> {
  const { tenantId, tenantSlug } = caller
  const holder = { tenantId, tenantSlug, userId: holderOf(caller), by: caller, deliveryId: null }
  return receiveOffer(platform, holder, ask)
}

/**
 * As {@link acceptOffer}, into the wallet of whoever is named. Once there is an order, it is the order that brings the delivery to its end:
 * in the transaction in which it is kept or given up.
 */
export async function receiveOffer(platform: Platform, holder: Holder, ask: OfferAsk): Promise<Accepted> {
  const { tenantId, userId, by, deliveryId } = holder
  const opened = await openOffer(platform, ask.credentialOffer, await offerTerms(platform, holder))
  const { code, txCode, hint } = await usableGrant(platform, opened, ask.txCode ?? null)
  const { metadata, configurations } = opened
  const server = await fetchServerMetadata(platform, metadata, hint)
  const { token, clientId } = await redeemCode(platform, server, code, txCode)
  const order = orderOf(metadata, configurations, token, clientId)
  const receipt = { ...order, tenantId, userId, by, deliveryId }
  const id = await holdOrder(platform, receipt, order)
  try {
    return await receive(platform, receipt, id, order)
  } catch (error) {
    // what is no refusal is trouble of our own; then the job goes on where this ended
    if (error instanceof Fault) await giveUp(platform, holder, id, error)
    throw error
  }
}

async function giveUp({ store, clock }: Platform, { tenantId, by }: Holder, id: string, fault: Fault): Promise<void> {
  const outcome = { credentialIds: [], error: deliveryErrorOf(fault) }
  await store.inTenant(tenantId, async (tx) => settleOrder(tx, await giveUpOrder(tx, id), outcome, by, clock.now()))
}

/** Keeps what was ordered before it is asked for: keys and token would die with this process, and the code is spent. */
async function holdOrder({ sealing, store, clock }: Platform, receipt: Receipt, order: Order): Promise<string> {
  const { tenantId, userId, deliveryId } = receipt
  const id = newId()
  const now = clock.now()
  const row = { id, userId, deliveryId, sealedWork: await sealOrder(sealing, tenantId, id, order) }
  const after = (ms: number) => new Date(now.getTime() + ms)
  const times = { askedUntil: after(ASKING_MS_MAX), dropAt: after(KEPT_MS), now }
  await store.single(tenantId, (tx) => insertDeferred(tx, row, times))
  return id
}

async function receive(platform: Platform, receipt: Receipt, id: string, order: Order): Promise<Accepted> {
  const { store, clock } = platform
  const collected = await collectOrder(platform, receipt, order, (error) => error instanceof Fault)
  const isKept = await store.inTenant(receipt.tenantId, (tx) => keepCollected(tx, id, receipt, collected, clock.now()))
  if (!isKept)
    throw new Fault('upstream.timeout', { detail: 'The issuer took too long; the credential comes by itself.' })
  return {
    credentials: collected.ready.map(({ shown }) => shown),
    deferred: collected.deferred.map(announced),
    incomplete: collected.ready
      .filter(({ lacks }) => lacks.length > 0)
      .map(({ held, lacks }) => ({ credentialId: held.id, lacks })),
  }
}

function announced({ configuration, intervalSeconds }: Deferred): DeferredCredential {
  return { credentialConfigurationId: configuration.id, vct: configuration.type, intervalSeconds }
}

/** Whether the offer can be redeemed at all, before anything of it is consumed. */
async function usableGrant(
  platform: Platform,
  { offer, metadata, configurations }: OpenedOffer,
  txCode: string | null,
) {
  const { preAuthorized } = offer
  if (preAuthorized === null)
    throw await signInNeeded(platform, metadata, offer.authorizationCode?.authorizationServer ?? null)
  // [W-O5] the presence of tx_code, even an empty one, means that a code is needed
  if (preAuthorized.txCode !== null && txCode === null) {
    const meta = { txCode: shownTxCode(preAuthorized.txCode) }
    throw new Fault('offer.tx_code_required', {
      detail: `${new URL(offer.credentialIssuer).host} asks for a transaction code.`,
      meta,
    })
  }
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

async function signInNeeded(platform: Platform, metadata: IssuerMetadata, hint: string | null): Promise<Fault> {
  const server = await fetchServerMetadata(platform, metadata, hint)
  const related = server.authorizationEndpoint ?? metadata.credentialIssuer
  return new Fault('offer.authorization_required', { links: { related } })
}

function unable(detail: string): Fault {
  return new Fault('offer.unusable', { detail })
}
