import type { Caller } from '../../caller.ts'
import { isLanguage, type Language, languages } from '../../contract/languages.ts'
import type { PushSubscriptionBody, PushSubscriptionReply } from '../../contract/wallet/push-subscriptions.ts'
import { fromBase64url } from '../../crypto/base64url.ts'
import { sha256 } from '../../crypto/digest.ts'
import { isPushPoint } from '../../crypto/web-push/encrypt-message.ts'
import { Fault } from '../../fault.ts'
import { type AddressPolicy, vettedUrl } from '../../http/outbound/vetted-address.ts'
import { preferredLanguage } from '../../http/routes/accept.ts'
import type { Platform } from '../../platform.ts'
import { holderOf } from '../credentials/holder.ts'
import { openTarget, type PushSubscription, sealTarget } from '../push/subscription.ts'
import { deleteSubscription, insertSubscription, listSubscriptions } from '../push/subscription-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'config'>

/**
 * Stores the browser of the caller as one that messages are sent to. Subscribing the same browser again replaces its
 * subscription.
 *
 * @throws Fault `holder.missing`, `push.off`, `request.invalid`
 */
export async function subscribe(
  { store, sealing, clock, config }: Needs,
  caller: Caller,
  { endpoint, keys, language }: PushSubscriptionBody,
  { id, acceptLanguage }: { readonly id: string; readonly acceptLanguage: string | undefined },
): Promise<PushSubscriptionReply> {
  const userId = holderOf(caller)
  if (config.vapidPrivateKey === null) throw new Fault('push.off')
  refuseAddress(endpoint, config)
  if (!isPushPoint(fromBase64url(keys.p256dh)))
    throw invalid('/keys/p256dh', 'It is not an uncompressed point on P-256.')
  fromBase64url(keys.auth)
  const chosen = language ?? named(preferredLanguage(acceptLanguage, Object.keys(languages)))
  const one = {
    id,
    userId,
    language: chosen,
    endpointHash: sha256(endpoint),
    createdAt: clock.now(),
    sealedTarget: await sealTarget(sealing, caller.tenantId, id, { endpoint, keys }),
  }
  await store.inTenant(caller.tenantId, (tx) => insertSubscription(tx, one))
  return { id, endpoint, language: chosen, createdAt: one.createdAt.toISOString() }
}

/** Lists the browsers of the caller that messages are sent to. @throws Fault `holder.missing` */
export async function listOwnSubscriptions(needs: Needs, caller: Caller): Promise<PushSubscriptionReply[]> {
  const userId = holderOf(caller)
  const rows = await needs.store.single(caller.tenantId, (tx) => listSubscriptions(tx, userId))
  return Promise.all(rows.map((one) => show(needs, caller, one)))
}

/** Ends the messages to one browser of the caller. @throws Fault `holder.missing`, `resource.unknown` */
export async function unsubscribe({ store }: Pick<Needs, 'store'>, caller: Caller, id: string): Promise<void> {
  const userId = holderOf(caller)
  const isDeleted = await store.single(caller.tenantId, (tx) => deleteSubscription(tx, userId, id))
  if (!isDeleted) throw new Fault('resource.unknown')
}

async function show(
  { sealing }: Pick<Needs, 'sealing'>,
  { tenantId }: Caller,
  { id, sealedTarget, language, createdAt, sentAt }: PushSubscription,
): Promise<PushSubscriptionReply> {
  const { endpoint } = await openTarget(sealing, tenantId, id, sealedTarget)
  const sent = sentAt === null ? {} : { sentAt: sentAt.toISOString() }
  return { id, endpoint, language: named(language), createdAt: createdAt.toISOString(), ...sent }
}

function named(language: string | null): Language {
  return isLanguage(language) ? language : 'en'
}

/** What a push service is: another host than ours, with a public https address. */
function refuseAddress(endpoint: string, config: Platform['config']): void {
  const { origin } = vettedEndpoint(endpoint, config)
  const ours = [config.publicUrl, config.walletBaseUrl, config.credsBaseUrl, config.onboardingBaseUrl]
  if (ours.some((one) => new URL(one).origin === origin)) throw invalid('/endpoint', 'It is an address of this server.')
}

function vettedEndpoint(endpoint: string, policy: AddressPolicy): URL {
  try {
    return vettedUrl(endpoint, policy)
  } catch (error) {
    if (error instanceof Fault) throw invalid('/endpoint', error.detail ?? 'The address may not be called.')
    throw error
  }
}

function invalid(pointer: string, detail: string): Fault {
  return new Fault('request.invalid', { violations: [{ pointer, detail }] })
}
