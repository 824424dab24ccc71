import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { enqueue, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { isServerTrouble } from '../../trust/lookups/out-of-reach.ts'
import {
  type ClaimedNotification,
  claimNotification,
  deleteNotification,
  isNotification,
  type Notification,
  queueNotification,
  releaseNotification,
  type WalletNotificationEvent,
} from './notification-store.ts'
import { bytesMax, isOk, type OutboundPeer } from './upstream.ts'

/** What is needed to tell an issuer something; sealed at rest. */
export type IssuerAccess = { readonly notificationId: string; readonly accessToken: string }

const TIMEOUT_MS = 10_000
/** Longer than a run takes: two runs for one credential would arrive at the issuer in either order. */
const LEASE_MS = 30_000

/**
 * Tells an issuer what became of a credential: what is so right before it is sent, in one request at a time, so that the last news is the last
 * to arrive. What the issuer refuses is not repeated; what did not reach it is.
 *
 * After `credential_deleted`, and after a refusal, the access token is dropped and nothing follows; else it waits for that last news, at most
 * until `drop_at`.
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

/** Queues the news of a consent or of a removal in the caller's transaction, if the issuer asked for it and no job waits for it yet. */
export async function enqueueNotification(tx: TenantTx, credentialId: string, now: Date): Promise<void> {
  const notificationId = await queueNotification(tx, credentialId, now)
  if (notificationId !== null) await enqueue(tx, notifyIssuerJob, { notificationId }, { now })
}

/**
 * Tells an issuer that its credentials were not taken. One attempt, and nothing of it is kept: a refused credential leaves nothing behind.
 */
export async function reportFailure(
  { fetch, log }: OutboundPeer & Pick<Platform, 'log'>,
  endpoint: string,
  access: IssuerAccess,
): Promise<void> {
  try {
    await fetch(endpoint, requestFor(access, 'credential_failure', 3000))
  } catch (error) {
    log.info(
      { code: error instanceof Fault ? error.code : 'unexpected' },
      'an issuer did not hear of a refused credential',
    )
  }
}

async function notifyIssuer(platform: Platform, tenantId: TenantId, id: string): Promise<void> {
  const { store, clock } = platform
  const now = clock.now()
  const run = { id, claim: newId() }
  const times = { now, leaseUntil: new Date(now.getTime() + LEASE_MS) }
  const found = await store.single(tenantId, (tx) => claimNotification(tx, run, times))
  if (found === null) {
    // another run is telling the issuer; what is news after that comes later
    if (await store.single(tenantId, (tx) => isNotification(tx, id))) throw new Fault('state.invalid')
    return
  }
  const event = newsOf(found)
  const release = (told: WalletNotificationEvent | null) =>
    store.single(tenantId, (tx) => releaseNotification(tx, run, told))
  try {
    const isLast = event !== null && (await send(platform, tenantId, found, event))
    await (isLast ? store.single(tenantId, (tx) => deleteNotification(tx, run)) : release(event))
  } catch (error) {
    await release(null)
    throw error
  }
}

/** What the issuer has not heard yet; null: nothing. That a consent was taken back to pending is no news. */
function newsOf({ consent, told }: ClaimedNotification): WalletNotificationEvent | null {
  if (consent === null || consent === 'rejected') return 'credential_deleted'
  return consent === 'accepted' && told === null ? 'credential_accepted' : null
}

/** @returns whether nothing is left to say, or the issuer does not listen @throws Fault `upstream.*` if it did not hear it */
async function send(
  platform: Platform,
  tenantId: TenantId,
  found: Notification,
  event: WalletNotificationEvent,
): Promise<boolean> {
  const access = await openAccess(platform, tenantId, found)
  const answer = await platform.fetch(found.endpoint, requestFor(access, event, TIMEOUT_MS))
  // 11.2: 204 is success. [W-R9] what a busy server could not take is sent again
  if (isServerTrouble(answer.status)) throw new Fault('upstream.answer', { notes: `status ${answer.status}` })
  if (!isOk(answer)) platform.log.info({ status: answer.status }, 'an issuer refused a notification')
  // [W-A6] a token that is refused, or has nothing left to say, goes
  return event === 'credential_deleted' || !isOk(answer)
}

async function openAccess(
  { sealing }: Platform,
  tenantId: TenantId,
  { id, sealedAccess }: Notification,
): Promise<IssuerAccess> {
  const plain = await sealing.open(accessPlace(tenantId, id), sealedAccess)
  // Sealed by us in this very form.
  return readOwnJson(plain) as IssuerAccess
}

/** Where a notification's access is sealed to. */
export function accessPlace(tenantId: TenantId, id: string) {
  return { tenantId, table: 'wallet_notification', column: 'sealed_access', row: id }
}

function requestFor({ notificationId, accessToken }: IssuerAccess, event: string, timeoutMs: number) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ notification_id: notificationId, event }),
    accept: [],
    bytesMax: bytesMax.ignored,
    timeoutMs,
  } as const
}
