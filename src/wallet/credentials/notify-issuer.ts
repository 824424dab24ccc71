import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { enqueue, enqueueMissing, job } from '../../jobs/job.ts'
import { sealedJson } from '../../keys/sealed-column.ts'
import type { Platform } from '../../platform.ts'
import { newLease } from '../../store/lease.ts'
import type { TenantTx } from '../../store/store.ts'
import { isServerTrouble } from '../../trust/lookups/out-of-reach.ts'
import { type IssuerAccess, sendWithToken } from '../issuer-access/send-protected.ts'
import {
  type ClaimedNotification,
  claimNotification,
  deleteNotification,
  isNotification,
  type Notification,
  queueNotification,
  releaseNotification,
  requeueLateNotifications,
  type WalletNotificationEvent,
} from './notification-store.ts'
import { lookUpOlderStandings } from './refresh-status.ts'
import { bytesMax, isOk, type OutboundPeer } from './upstream.ts'

/** What a request to the notification endpoint needs; sealed at rest. */
type NotificationAccess = IssuerAccess & { readonly notificationId: string }

/** What a request to the notification endpoint needs. */
export const { seal: sealAccess, open: openAccess } = sealedJson<NotificationAccess>(
  'wallet_notification',
  'sealed_access',
)

const TIMEOUT_MS = 10_000
/** Longer than a run takes: events of two concurrent runs could arrive in either order. */
const LEASE_MS = 30_000
const LATE_MS = 600_000

/**
 * Sends an issuer the current consent for a credential, one request at a time, so that events arrive in order. Retries
 * when the issuer is out of reach, not when it refuses.
 *
 * After `credential_deleted`, and after a refusal, the access token is deleted; else it is kept for that last event, at
 * most until `drop_at`. After `credential_accepted` the status of what the credential may replace is checked.
 *
 * @see [OpenID4VCI 1.0, 11](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-notification-endpoint)
 */
export const notifyIssuerJob = job({
  name: 'wallet.notify-issuer',
  payload: Type.Object({ notificationId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 12,
  timeoutSeconds: 30,
  run: (platform, { notificationId }, _signal, { tenantId }) => notifyIssuer(platform, tenantId, notificationId),
})

/**
 * Enqueues the notification of a consent or removal in the caller's transaction, if the issuer requested it and no job
 * is enqueued yet.
 */
export async function enqueueNotification(tx: TenantTx, credentialId: string, now: Date): Promise<void> {
  const notificationId = await queueNotification(tx, credentialId, now)
  if (notificationId !== null) await enqueue(tx, notifyIssuerJob, { notificationId }, { now })
}

/**
 * Enqueues the missing jobs of notifications that have waited for long: without one, no later consent would be sent
 * either.
 */
export async function requeueNotifications(tx: TenantTx, now: Date, limit: number): Promise<number> {
  const ids = await requeueLateNotifications(tx, lateBefore(now), now, limit)
  const payloads = ids.map((notificationId) => ({ notificationId }))
  await enqueueMissing(tx, notifyIssuerJob, payloads, now)
  return ids.length
}

/** Returns the time by which a notification was enqueued whose job may be lost. */
export function lateBefore(now: Date): Date {
  return new Date(now.getTime() - LATE_MS)
}

/** Sends `credential_failure` to an issuer whose credentials were refused. One attempt; nothing is stored. */
export async function reportFailure(
  platform: OutboundPeer & Pick<Platform, 'log' | 'clock'>,
  endpoint: string,
  access: NotificationAccess,
): Promise<void> {
  try {
    await sendWithToken(platform, endpoint, access, requestFor(access, 'credential_failure', 3000))
  } catch (error) {
    platform.log.info(
      { code: error instanceof Fault ? error.code : 'unexpected' },
      'the issuer of a refused credential could not be notified',
    )
  }
}

async function notifyIssuer(platform: Platform, tenantId: TenantId, id: string): Promise<void> {
  const { store, clock } = platform
  const now = clock.now()
  const run = { id, ...newLease(now, LEASE_MS) }
  const found = await store.inTenant(tenantId, (tx) => claimNotification(tx, id, run, now))
  if (found === null) {
    // another run holds the lease; the queue retries this one
    if (await store.single(tenantId, (tx) => isNotification(tx, id))) throw new Fault('state.invalid')
    return
  }
  const event = nextEvent(found)
  const release = (sent: WalletNotificationEvent | null) =>
    store.single(tenantId, (tx) => releaseNotification(tx, run, sent))
  try {
    const isLast = event !== null && (await send(platform, tenantId, found, event))
    await (isLast ? store.single(tenantId, (tx) => deleteNotification(tx, run)) : release(event))
  } catch (error) {
    await release(null)
    throw error
  }
  if (event === 'credential_accepted') await lookUpOlderStandings(platform, tenantId, found.credentialId)
}

/** Returns the event that is still to be sent, or null. There is none for a consent that is pending again. */
function nextEvent({ consent, sent }: ClaimedNotification): WalletNotificationEvent | null {
  if (consent === null || consent === 'rejected') return 'credential_deleted'
  return consent === 'accepted' && sent === null ? 'credential_accepted' : null
}

/**
 * @returns whether this was the last event, or the issuer refused it
 * @throws Fault `upstream.*` if it was not received
 */
async function send(
  platform: Platform,
  tenantId: TenantId,
  found: Notification,
  event: WalletNotificationEvent,
): Promise<boolean> {
  const access = await openAccess(platform.sealing, tenantId, found.id, found.sealedAccess)
  const answer = await sendWithToken(
    { ...platform, tenantId },
    found.endpoint,
    access,
    requestFor(access, event, TIMEOUT_MS),
  )
  // OpenID4VCI 1.0, 11.2: 204 is success. [W-R9] retried when the server is out of order
  if (isServerTrouble(answer.status)) throw new Fault('upstream.answer', { notes: `status ${answer.status}` })
  if (!isOk(answer)) platform.log.info({ status: answer.status }, 'an issuer refused a notification')
  // [W-A6] a token that was refused, or is not needed any more, is deleted
  return event === 'credential_deleted' || !isOk(answer)
}

function requestFor({ notificationId }: NotificationAccess, event: string, timeoutMs: number) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ notification_id: notificationId, event }),
    accept: [],
    bytesMax: bytesMax.ignored,
    timeoutMs,
  } as const
}
