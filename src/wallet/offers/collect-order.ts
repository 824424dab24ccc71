import type { Platform } from '../../platform.ts'
import type { CredentialResponse } from '../../protocols/openid4vci/credential-response.ts'
import { newId } from '../../store/row-id.ts'
import { type Receipt, type SealedReceipt, sealCredentials, verifyAll } from './keep-credentials.ts'
import { type Dataset, type OpenOrder, type Order, sealOrder } from './order.ts'
import { fetchCredentials, receivedOf } from './redeem-offer.ts'

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
  await fetchCredentials(platform, open)
  const { order } = open
  const deferred = order.datasets.filter(isDeferred)
  // a renewed token is the one for notifications
  const renewed = { ...receipt, accessToken: order.accessToken }
  const ready = await sealCredentials(platform, renewed, await verifyAll(platform, receipt, receivedOf(order)))
  return { ready, later: await Promise.all(deferred.map((one) => sealLater(platform, receipt, order, one))), deferred }
}

function isDeferred(dataset: Dataset): dataset is Deferred {
  return dataset.answer?.kind === 'deferred'
}

async function sealLater({ sealing }: Platform, receipt: Receipt, order: Order, one: Deferred): Promise<DeferredLater> {
  const id = newId()
  const sealedWork = await sealOrder(sealing, receipt.tenantId, id, { ...order, datasets: [one], isDeferred: true })
  return { ...receipt, id, sealedWork, intervalSeconds: one.answer.intervalSeconds }
}
