import type { Platform } from '../../platform.ts'
import type { CredentialResponse } from '../../protocols/openid4vci/credential-response.ts'
import { newId } from '../../store/row-id.ts'
import { type Receipt, type SealedReceipt, sealCredentials, verifyAll } from './keep-credentials.ts'
import { type Dataset, type OpenOrder, type Order, sealOrder, withoutKeys } from './order.ts'
import { fetchCredentials, receivedOf } from './redeem-offer.ts'

/** HAIP 1.0, 4.4: a refresh token is not used more than a year after the issuance. */
const REFILL_SECONDS_MAX = 365 * 86_400
const REFILL_SECONDS_MIN = 3600

/** A credential that the issuer defers, for the same keys. */
export type Deferred = Dataset & { readonly answer: CredentialResponse & { readonly kind: 'deferred' } }

/** A deferred credential that is ready to be inserted: everything secret in it is sealed. */
export type DeferredLater = Receipt & {
  readonly id: string
  readonly sealedWork: Buffer
  readonly intervalSeconds: number
}

/** The credentials of an order, verified and sealed, and those that the issuer defers. */
export type CollectedOrder = {
  readonly ready: readonly SealedReceipt[]
  readonly later: readonly DeferredLater[]
  readonly deferred: readonly Deferred[]
}

/**
 * Fetches, verifies and seals all credentials of an order: all or none. Writes nothing.
 *
 * @throws Fault `offer.unusable`, `issuer_answer.invalid`, `credential.invalid`, `upstream.*`
 */
export async function collectOrder(platform: Platform, receipt: Receipt, open: OpenOrder): Promise<CollectedOrder> {
  await fetchCredentials({ ...platform, tenantId: receipt.tenantId }, open)
  const { order } = open
  const deferred = order.datasets.filter(isDeferred)
  // a renewed token is the one for notifications
  const renewed = { ...receipt, accessToken: order.accessToken }
  const sealed = await sealCredentials(platform, renewed, await verifyAll(platform, receipt, receivedOf(order)))
  const ready = await Promise.all(sealed.map((one) => withRefill(platform, receipt, order, one)))
  return { ready, later: await Promise.all(deferred.map((one) => sealLater(platform, receipt, order, one))), deferred }
}

function isDeferred(dataset: Dataset): dataset is Deferred {
  return dataset.answer?.kind === 'deferred'
}

/**
 * Adds what is needed to replace the copies of a batch: by a refresh token, or an access token that lives for an hour
 * or more. Not for tokens of several credentials, since one refill would use up the refresh token of the others.
 */
async function withRefill(
  { sealing, clock }: Platform,
  { tenantId }: Receipt,
  order: Order,
  one: SealedReceipt,
): Promise<SealedReceipt> {
  const { isAlone = false, accessSeconds = null, refreshToken } = order
  const seconds = refreshToken === null ? (accessSeconds ?? 0) : REFILL_SECONDS_MAX
  if (!isAlone || one.copies.length < 2 || seconds < REFILL_SECONDS_MIN) return one
  const until = clock.now().getTime() + Math.min(seconds, REFILL_SECONDS_MAX) * 1000
  const dropAt = new Date(Math.min(until, one.held.expiresAt?.getTime() ?? until))
  const sealedWork = await sealOrder(sealing, tenantId, one.held.id, withoutKeys(order), 'wallet_refill')
  return { ...one, refill: { sealedWork, dropAt } }
}

async function sealLater({ sealing }: Platform, receipt: Receipt, order: Order, one: Deferred): Promise<DeferredLater> {
  const id = newId()
  const sealedWork = await sealOrder(sealing, receipt.tenantId, id, { ...order, datasets: [one], isDeferred: true })
  return { ...receipt, id, sealedWork, intervalSeconds: one.answer.intervalSeconds }
}
