import type { Consent } from '../../contract/wallet/credentials.ts'
import { isFree, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'

/** An event of the notification endpoint that this wallet sends after receipt. */
export type WalletNotificationEvent = 'credential_accepted' | 'credential_deleted'

/** A notification that an issuer requested about one credential. `sealedAccess`: notification id and access token. */
export type Notification = { readonly id: string; readonly endpoint: string; readonly sealedAccess: Buffer }

/** A job run that holds the lease of a notification. */
type NotificationRun = Pick<Notification, 'id'> & Pick<Lease, 'claim'>

/** `sent`: the last event sent. `consent`: the holder's current one; null: the credential was removed. */
export type ClaimedNotification = Notification & {
  readonly credentialId: string
  readonly sent: WalletNotificationEvent | null
  readonly consent: Consent | null
}

const insertStatement = sql(
  'wallet.insert_notification',
  `insert into wallet_notification (tenant_id, id, credential_id, endpoint, sealed_access, drop_at) values ($1, $2, $3, $4, $5, $6)`,
)
const removeStatement = sql(
  'wallet.remove_notification',
  'delete from wallet_notification where tenant_id = $1 and credential_id = $2',
)
// It writes the row whether or not a job is enqueued: so a run that claims it waits for the consent, or has read the
// one before and is followed by another.
const queueStatement = sql(
  'wallet.queue_notification',
  `update wallet_notification set queued_at = coalesce(queued_at, $3)
   where tenant_id = $1 and credential_id = $2 returning id, queued_at = $3 as "isNew"`,
)
const listStatement = sql(
  'wallet.list_notified',
  'select credential_id as id from wallet_notification where tenant_id = $1 and credential_id = any($2::uuid[])',
)
const claimStatement = sql(
  'wallet.claim_notification',
  `update wallet_notification set ${take('$3', '$4')}, queued_at = null
   where tenant_id = $1 and id = $2 and ${isFree('$5')}
   returning id, credential_id as "credentialId", endpoint, sealed_access as "sealedAccess", told as sent`,
)
const consentStatement = sql(
  'wallet.get_consent',
  'select status as consent from wallet_credential where tenant_id = $1 and id = $2',
)
const isThereStatement = sql(
  'wallet.find_notification',
  'select id from wallet_notification where tenant_id = $1 and id = $2',
)
const releaseStatement = sql(
  'wallet.release_notification',
  `update wallet_notification set ${RELEASE}, told = coalesce($4, told)
   where tenant_id = $1 and id = $2 and ${isHeld('$3')}`,
)
const deleteStatement = sql(
  'wallet.delete_notification',
  `delete from wallet_notification where tenant_id = $1 and id = $2 and ${isHeld('$3')}`,
)
const requeueStatement = sql(
  'wallet.requeue_notifications',
  `update wallet_notification set queued_at = $3 where tenant_id = $1 and id in (
     select id from wallet_notification where tenant_id = $1 and queued_at <= $2 order by queued_at limit $4) returning id`,
)
const deleteDue = sql(
  'wallet.delete_due_notifications',
  'delete from wallet_notification where tenant_id = $1 and drop_at <= $2',
)

/** Returns which of these credentials have a notification that their issuer requested. */
export async function listNotified(tx: TenantTx, credentialIds: readonly string[]): Promise<string[]> {
  return (await tx.rows<{ id: string }>(listStatement, [tx.tenantId, credentialIds])).map(({ id }) => id)
}

/** Stores a notification that an issuer requested. */
export async function insertNotification(
  tx: TenantTx,
  { id, endpoint, sealedAccess }: Notification,
  credentialId: string,
  dropAt: Date,
): Promise<void> {
  await tx.rows(insertStatement, [tx.tenantId, id, credentialId, endpoint, sealedAccess, dropAt])
}

/**
 * Replaces the notification of a credential by that of its new copies, with the token that the issuer accepts now.
 * Nothing was sent of it.
 */
export async function replaceNotification(
  tx: TenantTx,
  notification: Notification,
  credentialId: string,
  dropAt: Date,
): Promise<void> {
  await tx.rows(removeStatement, [tx.tenantId, credentialId])
  await insertNotification(tx, notification, credentialId, dropAt)
}

/**
 * Marks the notification of a credential as enqueued, after its consent was changed.
 *
 * @returns its id; null if the issuer requested none, or a job is enqueued already.
 */
export async function queueNotification(tx: TenantTx, credentialId: string, now: Date): Promise<string | null> {
  const values = [tx.tenantId, credentialId, now]
  const [row] = await tx.rows<{ id: string; isNew: boolean }>(queueStatement, values)
  return row?.isNew === true ? row.id : null
}

/**
 * Leases a notification for a run of the job and reads the current consent, by a statement of its own: the first one
 * waits for a change of consent that is not committed, but sees the other tables as they were before. A later change
 * enqueues another job.
 *
 * @returns null if it is gone, or leased: see {@link isNotification}.
 */
export async function claimNotification(
  tx: TenantTx,
  id: string,
  { claim, leaseUntil }: Lease,
  now: Date,
): Promise<ClaimedNotification | null> {
  type Claimed = Omit<ClaimedNotification, 'consent'>
  const [claimed] = await tx.rows<Claimed>(claimStatement, [tx.tenantId, id, claim, leaseUntil, now])
  if (claimed === undefined) return null
  const [held] = await tx.rows<{ consent: Consent }>(consentStatement, [tx.tenantId, claimed.credentialId])
  return { ...claimed, consent: held?.consent ?? null }
}

/** Returns whether the notification still exists. */
export async function isNotification(tx: TenantTx, id: string): Promise<boolean> {
  return (await tx.rows(isThereStatement, [tx.tenantId, id])).length > 0
}

/** Releases a notification. @param sent The event that this run has sent. */
export async function releaseNotification(
  tx: TenantTx,
  { id, claim }: NotificationRun,
  sent: WalletNotificationEvent | null,
): Promise<void> {
  await tx.rows(releaseStatement, [tx.tenantId, id, claim, sent])
}

/** Deletes a notification with its access token, after its last event or a refusal. */
export async function deleteNotification(tx: TenantTx, { id, claim }: NotificationRun): Promise<void> {
  await tx.rows(deleteStatement, [tx.tenantId, id, claim])
}

/**
 * Marks notifications that were enqueued before that time, and that no run has claimed, as enqueued now.
 *
 * @returns their ids, at most `limit`; the caller enqueues the missing jobs in the same transaction.
 */
export async function requeueLateNotifications(
  tx: TenantTx,
  before: Date,
  now: Date,
  limit: number,
): Promise<string[]> {
  return (await tx.rows<{ id: string }>(requeueStatement, [tx.tenantId, before, now, limit])).map(({ id }) => id)
}

/** Lists tenants that have such notifications. The time is that before which they were enqueued. */
export const listTenantsWithLateNotifications = tenantsWith(
  'wallet.tenants_with_late_notifications',
  'from wallet_notification where queued_at <= $1',
  'queued_at',
)

/** Deletes the notifications of the tenant whose time is over. */
export async function deleteDueNotifications(tx: TenantTx, now: Date): Promise<void> {
  await tx.rows(deleteDue, [tx.tenantId, now])
}

/** Lists tenants that have notifications whose time is over. */
export const listTenantsWithDueNotifications = tenantsWith(
  'wallet.tenants_with_due_notifications',
  'from wallet_notification where drop_at <= $1',
)
