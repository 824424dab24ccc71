import type { TenantId, UserId } from '../../caller.ts'
import type { ShownCredential } from '../../contract/wallet/credentials.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { record } from '../../events/audit/record.ts'
import type { Platform } from '../../platform.ts'
import { missingMandatoryClaims } from '../../protocols/openid4vci/claim-descriptions.ts'
import { alsoTypesOf } from '../../protocols/sd-jwt-vc/also-types.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { claimsOf, showCredential, validFromOf } from '../credentials/credential.ts'
import { insertCredential, type NewCopy, type NewCredential } from '../credentials/credential-store.ts'
import { insertNotification, type Notification } from '../credentials/notification-store.ts'
import { reportFailure, sealAccess } from '../credentials/notify-issuer.ts'
import { insertRefill, type NewRefill } from '../credentials/refill-store.ts'
import { sealCopy } from '../credentials/sealed-copy.ts'
import { walletFormatOf } from '../credentials/wallet-format.ts'
import { keepDisplay } from '../display/fetch-images.ts'
import { type KeptDisplay, readDisplay } from '../display/kept-display.ts'
import { reminderOf } from '../display/life.ts'
import type { GrantClient } from '../issuer-access/grant-client.ts'
import { checkReceived, type Verified } from './check-received.ts'
import { signerTrustOf } from './issuer-policy.ts'
import { accessOf } from './order.ts'
import type { Received } from './redeem-offer.ts'

/** The issuer, the holder, the token and the offer of received credentials. */
export type Receipt = {
  readonly tenantId: TenantId
  readonly userId: UserId
  readonly by: Actor
  /** The delivery they belong to; null: the holder accepted the offer. */
  readonly deliveryId: string | null
  readonly credentialIssuer: string
  readonly notificationEndpoint: string | null
  readonly accessToken: string
  readonly client: GrantClient
  /** What the issuer states about itself. */
  readonly display?: readonly JsonObject[]
  /** As `offerHashOf`: a repeated call finds the credentials by it. */
  readonly offerHash: string
}

/** A verified credential that is ready to be inserted: everything personal in it is sealed. */
export type SealedReceipt = {
  readonly held: NewCredential
  readonly copies: readonly NewCopy[]
  readonly notification: Notification | null
  readonly shown: ShownCredential
  readonly display: KeptDisplay
  readonly validFrom: Date
  /** What its copies are replaced with once they were used; null: they are used again. */
  readonly refill: NewRefill | null
  /** Paths of claims that its issuer calls mandatory and did not send. [W-R5] */
  readonly lacks: ReturnType<typeof missingMandatoryClaims>
}

/** The status was checked on receipt. */
const FIRST_CHECK_MS = 15 * 60_000
/** How long the access token for notifications is kept at most, in milliseconds. */
export const NOTIFICATION_KEPT_MS = 30 * 86_400_000

/**
 * Verifies all credentials of an offer. If one is refused, all are [W-R7].
 *
 * @throws Fault `credential.invalid`, `upstream.*`
 */
export async function verifyAll(
  platform: Platform,
  { tenantId, credentialIssuer }: Pick<Receipt, 'tenantId' | 'credentialIssuer'>,
  received: readonly Received[],
): Promise<Verified[]> {
  const trust = signerTrustOf(platform, tenantId, credentialIssuer)
  const peer = { ...platform, tenantId }
  const verified: Verified[] = []
  for (const one of received) verified.push(await checkReceived(peer, one, trust, platform.clock.now()))
  return verified
}

/** Notifies the issuer that its credentials were refused, if it requested that [W-R9]. */
export async function reportRefused(
  platform: Platform,
  receipt: Receipt,
  received: readonly Received[],
): Promise<void> {
  const { notificationEndpoint: endpoint } = receipt
  const ids = endpoint === null ? [] : received.flatMap((one) => one.notificationId ?? [])
  const access = accessOf(receipt)
  const peer = { ...platform, tenantId: receipt.tenantId }
  await Promise.all(ids.map((id) => reportFailure(peer, endpoint ?? '', { notificationId: id, ...access })))
}

/** Seals verified credentials, before a transaction begins. */
export function sealCredentials(
  platform: Pick<Platform, 'sealing' | 'clock' | 'urls'>,
  receipt: Receipt,
  verified: readonly Verified[],
): Promise<SealedReceipt[]> {
  return Promise.all(verified.map((one) => sealCredential(platform, receipt, one)))
}

/** Inserts a credential, the notification that its issuer requested, and the audit entry. */
export async function keepCredential(
  tx: TenantTx,
  { userId, by }: Receipt,
  ready: SealedReceipt,
  now: Date,
): Promise<void> {
  const { held, copies, notification, display, validFrom, refill } = ready
  await insertCredential(tx, userId, held, copies)
  if (refill !== null) await insertRefill(tx, held.id, refill)
  await keepDisplay(tx, held.id, display, { validFrom, now })
  if (notification !== null)
    await insertNotification(tx, notification, held.id, new Date(now.getTime() + NOTIFICATION_KEPT_MS))
  await record(
    tx,
    { action: 'wallet_credential.received', subject: { kind: 'wallet_credential', id: held.id }, by },
    now,
  )
}

async function sealCredential(
  { sealing, clock, urls }: Pick<Platform, 'sealing' | 'clock' | 'urls'>,
  receipt: Receipt,
  { received, copies, hasStatus, vct, iss, statedIss, issuedAt, expiresAt }: Verified,
): Promise<SealedReceipt> {
  const { tenantId, credentialIssuer, offerHash } = receipt
  const now = clock.now()
  const { id: configurationId, format, claims, display: credential } = received.configuration
  const held = {
    id: newId(),
    status: 'pending' as const,
    format: walletFormatOf(format),
    vct,
    issuedAt,
    expiresAt,
    iss,
    statedIss,
    credentialIssuer,
    configurationId,
    offerHash,
    createdAt: now,
    updatedAt: now,
    alsoTypes: format === 'mso_mdoc' ? [] : alsoTypesOf(claimsOf(copies[0]?.raw ?? '')),
    remindAt: reminderOf({ issuedAt, expiresAt }),
    checkAt: hasStatus ? new Date(now.getTime() + FIRST_CHECK_MS) : null,
  }
  const shown = showCredential(held, copies[0]?.raw ?? '')
  return {
    held,
    copies: await Promise.all(copies.map((copy) => sealCopy(sealing, tenantId, copy))),
    notification: await sealNotification({ sealing }, receipt, received.notificationId),
    shown,
    lacks: missingMandatoryClaims(claims, shown.claims),
    display: { ...readDisplay({ issuer: receipt.display ?? [], credential, claims }), ...typeOf(urls, format, copies) },
    validFrom: validFromOf(held, copies[0]?.raw ?? ''),
    refill: null,
  }
}

/**
 * The type whose metadata may have a picture. Ours have none, so that nothing is looked up for what this deployment
 * issues.
 */
function typeOf(
  { publicUrl }: Platform['urls'],
  format: string,
  copies: Verified['copies'],
): Pick<KeptDisplay, 'type'> {
  const { vct, 'vct#integrity': integrity } = format === 'mso_mdoc' ? {} : claimsOf(copies[0]?.raw ?? '')
  if (typeof vct !== 'string' || !/^https?:\/\//.test(vct) || vct.startsWith(`${publicUrl}/`)) return {}
  return {
    type: { vct: vct.slice(0, 2000), integrity: typeof integrity === 'string' ? integrity.slice(0, 1000) : null },
  }
}

async function sealNotification(
  { sealing }: Pick<Platform, 'sealing'>,
  receipt: Receipt,
  notificationId: string | null,
): Promise<Notification | null> {
  const { tenantId, notificationEndpoint: endpoint } = receipt
  if (endpoint === null || notificationId === null) return null
  const id = newId()
  const access = { notificationId, ...accessOf(receipt) }
  return { id, endpoint, sealedAccess: await sealAccess(sealing, tenantId, id, access) }
}
