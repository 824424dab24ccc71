import { type Static, Type } from 'typebox'
import type { TenantId } from '../caller.ts'
import { readOwnJson } from '../crypto/json.ts'
import { Fault } from '../fault.ts'
import { enqueue, job } from '../jobs/job.ts'
import type { Platform } from '../platform.ts'
import type { TenantTx } from '../store/store.ts'
import {
  claimNews,
  deleteNotification,
  findNotification,
  type NewsEvent,
  type Notification,
} from './notification-store.ts'
import { bytesMax, isOk, type Outward } from './upstream.ts'

/** What is needed to tell an issuer something; sealed at rest. */
export type IssuerAccess = { readonly notificationId: string; readonly accessToken: string }

const Payload = Type.Object(
  {
    notificationId: Type.String(),
    event: Type.Union([Type.Literal('credential_accepted'), Type.Literal('credential_deleted')]),
  },
  { additionalProperties: false },
)

/**
 * Tells an issuer what became of a credential. What the issuer refuses is not repeated; what did not reach it is.
 *
 * After `credential_deleted`, and after a refusal, the access token is dropped; else it waits for that last news, at most until `drop_at`.
 *
 * @see [OpenID4VCI 1.0, 11](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-notification-endpoint)
 */
export const notifyIssuerJob = job({
  name: 'wallet.notify-issuer',
  payload: Payload,
  attemptsMax: 12,
  timeoutSeconds: 30,
  run: (platform, payload, _signal, { tenantId }) => notifyIssuer(platform, tenantId, payload),
})

/**
 * Queues the news of a consent or of a removal in the caller's transaction, if the issuer asked for it and was not told before.
 */
export async function queueNews(tx: TenantTx, credentialId: string, event: NewsEvent, now: Date): Promise<void> {
  const notificationId = await claimNews(tx, credentialId, event, now)
  if (notificationId !== null) await enqueue(tx, notifyIssuerJob, { notificationId, event }, { now })
}

/**
 * Tells an issuer that its credentials were not taken. One attempt, and nothing of it is kept: a refused credential leaves nothing behind.
 */
export async function reportFailure(
  { fetch, log }: Outward & Pick<Platform, 'log'>,
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

async function notifyIssuer(platform: Platform, tenantId: TenantId, { notificationId, event }: Static<typeof Payload>) {
  const found = await platform.store.single(tenantId, (tx) => findNotification(tx, notificationId))
  if (found === null) return
  const access = await openAccess(platform, tenantId, found)
  const answer = await platform.fetch(found.endpoint, requestFor(access, event, 10_000))
  // 11.2: 204 is success. [W-R9] what a busy server could not take is sent again
  if (answer.status >= 500 || answer.status === 429)
    throw new Fault('upstream.answer', { notes: `status ${answer.status}` })
  if (!isOk(answer)) platform.log.info({ status: answer.status }, 'an issuer refused a notification')
  // [W-A6] a token that is refused, or has nothing left to say, goes
  if (event === 'credential_deleted' || !isOk(answer)) {
    await platform.store.single(tenantId, (tx) => deleteNotification(tx, notificationId))
  }
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
