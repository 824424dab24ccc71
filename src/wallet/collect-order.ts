import { newId } from '../crypto/random.ts'
import type { Platform } from '../platform.ts'
import { type Ready, type Receipt, reportRefused, sealCredentials, verifyAll } from './keep-credentials.ts'
import { type DeferredOrder, type Order, sealOrder } from './order.ts'
import { type Deferred, fetchCredentials, type Received } from './redeem-offer.ts'

/** A deferred credential that only needs to be written: everything secret in it is sealed. */
export type Later = Receipt & { readonly id: string; readonly sealedWork: Buffer; readonly intervalSeconds: number }

/** What an issuer gave, verified and sealed, and what it gives later. */
export type Collected = {
  readonly ready: readonly Ready[]
  readonly later: readonly Later[]
  readonly deferred: readonly Deferred[]
}

/**
 * Fetches, checks and seals all that was ordered: all of it or nothing. Writes nothing.
 *
 * @param isFinal Whether an error ends it for good: then the issuer hears that its credentials were not taken [W-R9].
 * @throws Fault `offer.unusable`, `issuer_answer.invalid`, `credential.invalid`, `upstream.*`
 */
export async function collectOrder(
  platform: Platform,
  receipt: Receipt,
  order: Order,
  isFinal: (error: unknown) => boolean,
): Promise<Collected> {
  const received: Received[] = []
  const deferred: Deferred[] = []
  try {
    await fetchCredentials(platform, order, (one) => {
      if ('raws' in one) received.push(one)
      else deferred.push(one)
    })
    const ready = await sealCredentials(platform, receipt, await verifyAll(platform, receipt, received))
    return { ready, later: await Promise.all(deferred.map((one) => sealLater(platform, receipt, one))), deferred }
  } catch (error) {
    if (isFinal(error)) await reportRefused(platform, receipt, received)
    throw error
  }
}

/** As {@link collectOrder}, for what an issuer gave after a while. `order.given` is there. */
export async function collectGiven(
  platform: Platform,
  receipt: Receipt,
  { configuration, keys, given }: DeferredOrder,
  isFinal: (error: unknown) => boolean,
): Promise<Collected> {
  const { credentials: raws = [], notificationId = null } = given ?? {}
  const received = [{ configuration, keys, raws, notificationId }]
  try {
    return {
      ready: await sealCredentials(platform, receipt, await verifyAll(platform, receipt, received)),
      ...{ later: [], deferred: [] },
    }
  } catch (error) {
    if (isFinal(error)) await reportRefused(platform, receipt, received)
    throw error
  }
}

async function sealLater({ sealing }: Platform, receipt: Receipt, one: Deferred): Promise<Later> {
  const { credentialIssuer, notificationEndpoint, accessToken } = receipt
  const id = newId()
  const order = { ...one, credentialIssuer, notificationEndpoint, accessToken, given: null }
  const sealedWork = await sealOrder(sealing, receipt.tenantId, id, order)
  return { ...receipt, id, sealedWork, intervalSeconds: one.intervalSeconds }
}
