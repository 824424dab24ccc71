import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import type { Config } from '../../config.ts'
import { fromBase64url } from '../../crypto/base64url.ts'
import { encryptPushMessage } from '../../crypto/web-push/encrypt-message.ts'
import { vapidHeader, vapidKeyOf } from '../../crypto/web-push/vapid.ts'
import { Fault } from '../../fault.ts'
import { enqueue, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { isServerTrouble } from '../../trust/lookups/out-of-reach.ts'
import { callService } from './slow-hosts.ts'
import { openTarget, type PushSubscription, type PushTarget } from './subscription.ts'
import { deleteGoneSubscription, endMessage, failMessage, findQueuedSubscription } from './subscription-store.ts'
import { pushText } from './texts.ts'

const ATTEMPTS_MAX = 5
const TIMEOUT_MS = 4000
/** The body of an answer says nothing that is needed. */
const ANSWER_BYTES_MAX = 16_384
/** How long a push service keeps a message for a browser that is not connected. */
const TTL_SECONDS = 3 * 86_400
/** Messages in between are one. */
const QUIET_MS = 60_000
const PAUSE_MS = 15 * 60_000
/** A message waits at least this long for a slow push service that is being called for another one. */
const POSTPONED_MS = 15_000
/** A newer message replaces one that the browser has not got yet (RFC 8030 5.4). */
const TOPIC = 'waits'

/**
 * Sends a message to one browser. A push service that is out of order for a moment is tried again; one that is slow,
 * refuses or redirects is not, and waits a quarter of an hour before the next message. 404 and 410 delete the
 * subscription.
 *
 * @see [RFC 8030, 5](https://www.rfc-editor.org/rfc/rfc8030#section-5)
 */
export const sendPushJob = job({
  name: 'wallet.send-push',
  payload: Type.Object({ subscriptionId: Type.String() }, { additionalProperties: false }),
  attemptsMax: ATTEMPTS_MAX,
  timeoutSeconds: 15,
  run: (platform, { subscriptionId }, _signal, { tenantId, attempt }) =>
    sendPush(platform, tenantId, subscriptionId, attempt >= ATTEMPTS_MAX),
})

/** Returns the public VAPID key in base64url; null if the deployment has none. */
export function publicKeyOf({ vapidPrivateKey }: Pick<Config, 'vapidPrivateKey'>): string | null {
  return vapidPrivateKey === null ? null : vapidKeyOf(vapidPrivateKey).publicKey
}

async function sendPush(platform: Platform, tenantId: TenantId, id: string, isLast: boolean): Promise<void> {
  const { store, clock, log, sealing } = platform
  const found = await store.single(tenantId, (tx) => findQueuedSubscription(tx, id))
  if (found === null) return
  const target = await openTarget(sealing, tenantId, id, found.sealedTarget)
  const call = await callService(platform, target.endpoint, () =>
    post(platform, tenantId, target, found).catch(outcomeOf),
  )
  const now = clock.now()
  if (call === null) return postpone(platform, tenantId, id)
  const { outcome, isSlow } = call
  if (outcome === 'again' && !isLast) throw new Fault('upstream.answer')
  if (outcome === 'gone') return store.single(tenantId, (tx) => deleteGoneSubscription(tx, id))
  const notBefore = new Date(now.getTime() + (outcome !== 'sent' || isSlow ? PAUSE_MS : QUIET_MS))
  if (outcome === 'sent') return store.single(tenantId, (tx) => endMessage(tx, id, now, notBefore))
  log.info({ subscriptionId: id }, 'a push message could not be sent')
  await store.inTenant(tenantId, (tx) => failMessage(tx, id, notBefore))
}

/** Another job, so that waiting for a slow push service costs no attempt and occupies no place of the worker. */
async function postpone({ store, clock }: Platform, tenantId: TenantId, subscriptionId: string): Promise<void> {
  const now = clock.now()
  const runAt = new Date(now.getTime() + POSTPONED_MS * (1 + Math.random()))
  await store.inTenant(tenantId, (tx) => enqueue(tx, sendPushJob, { subscriptionId }, { now, runAt }))
}

type Outcome = 'sent' | 'gone' | 'again' | 'failed'

async function post(
  { clock, config, urls, fetch }: Platform,
  tenantId: TenantId,
  { endpoint, keys }: PushTarget,
  { language }: Pick<PushSubscription, 'language'>,
): Promise<Outcome> {
  if (config.vapidPrivateKey === null) return 'failed'
  const subject = config.vapidSubject ?? urls.publicUrl
  const browser = { p256dh: fromBase64url(keys.p256dh), auth: fromBase64url(keys.auth) }
  const { status } = await fetch(tenantId, endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(TTL_SECONDS),
      urgency: 'normal',
      topic: TOPIC,
      authorization: await vapidHeader(vapidKeyOf(config.vapidPrivateKey), { endpoint, subject }, clock.now()),
    },
    bytes: encryptPushMessage(Buffer.from(JSON.stringify(pushText(language))), browser),
    accept: [],
    bytesMax: ANSWER_BYTES_MAX,
    timeoutMs: TIMEOUT_MS,
  })
  if (status >= 200 && status < 300) return 'sent'
  // RFC 8030 5 and 7.3: the subscription has ended.
  if (status === 404 || status === 410) return 'gone'
  return isServerTrouble(status) ? 'again' : 'failed'
}

/** A time-out is not repeated: each attempt would occupy a place of the worker as long. */
function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof Fault)) throw error
  return error.code === 'upstream.unreachable' ? 'again' : 'failed'
}
