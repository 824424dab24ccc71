import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { Consent } from './credential.ts'

/** What an issuer may be told about a credential that it issued. */
export type WalletNotificationEvent = 'credential_accepted' | 'credential_deleted'

/** Where an issuer wants to hear about one credential. `sealedAccess`: notification id and access token. */
export type Notification = { readonly id: string; readonly endpoint: string; readonly sealedAccess: Buffer }

/** A run of the job that tells an issuer. */
export type NotificationRun = Pick<Notification, 'id'> & { readonly claim: string }

/** `told`: what the issuer has heard. `consent`: that of the holder at this moment; null: the credential was removed. */
export type ClaimedNotification = Notification & {
  readonly told: WalletNotificationEvent | null
  readonly consent: Consent | null
}

const insertStatement = sql(
  'wallet.insert_notification',
  `insert into wallet_notification (tenant_id, id, credential_id, endpoint, sealed_access, drop_at) values ($1, $2, $3, $4, $5, $6)`,
)
const queueStatement = sql(
  'wallet.queue_notification',
  'update wallet_notification set queued_at = $3 where tenant_id = $1 and credential_id = $2 and queued_at is null returning id',
)
const claimStatement = sql(
  'wallet.claim_notification',
  `update wallet_notification n set claim = $3, lease_until = $4, queued_at = null
   where tenant_id = $1 and id = $2 and (claim is null or lease_until <= $5)
   returning id, endpoint, sealed_access as "sealedAccess", told,
     (select status from wallet_credential c where c.tenant_id = n.tenant_id and c.id = n.credential_id) as consent`,
)
const isThereStatement = sql(
  'wallet.find_notification',
  'select id from wallet_notification where tenant_id = $1 and id = $2',
)
const releaseStatement = sql(
  'wallet.release_notification',
  `update wallet_notification set claim = null, lease_until = null, told = coalesce($4, told)
   where tenant_id = $1 and id = $2 and claim = $3`,
)
const deleteStatement = sql(
  'wallet.delete_notification',
  'delete from wallet_notification where tenant_id = $1 and id = $2 and claim = $3',
)
const deleteDue = sql(
  'wallet.delete_due_notifications',
  'delete from wallet_notification where tenant_id = $1 and drop_at <= $2',
)
const tenantsDue = sql(
  'wallet.tenants_with_due_notifications',
  'select distinct tenant_id as id from wallet_notification where drop_at <= $1 limit 500',
)

/** Remembers what an issuer wants to hear about a credential. */
export async function insertNotification(
  tx: TenantTx,
  { id, endpoint, sealedAccess }: Notification,
  credentialId: string,
  dropAt: Date,
): Promise<void> {
  await tx.rows(insertStatement, [tx.tenantId, id, credentialId, endpoint, sealedAccess, dropAt])
}

/** Notes that a job is to look at a credential for its issuer. @returns null if no issuer asked to be told, or a job waits already. */
export async function queueNotification(tx: TenantTx, credentialId: string, now: Date): Promise<string | null> {
  const [row] = await tx.rows<{ id: string }>(queueStatement, [tx.tenantId, credentialId, now])
  return row?.id ?? null
}

/**
 * Takes a notification for a run of the job, with the consent as it is now: what changes later finds no job waiting, and makes one.
 *
 * @returns null if it is gone, or another run has it: see {@link isNotification}.
 */
export async function claimNotification(
  tx: TenantTx,
  { id, claim }: NotificationRun,
  { now, leaseUntil }: { readonly now: Date; readonly leaseUntil: Date },
): Promise<ClaimedNotification | null> {
  const [row] = await tx.rows<ClaimedNotification>(claimStatement, [tx.tenantId, id, claim, leaseUntil, now])
  return row ?? null
}

/** Whether there is something left that the issuer may be told. */
export async function isNotification(tx: TenantTx, id: string): Promise<boolean> {
  return (await tx.rows(isThereStatement, [tx.tenantId, id])).length > 0
}

/** Releases a notification. `told`: what the issuer has heard in this run. */
export async function releaseNotification(
  tx: TenantTx,
  { id, claim }: NotificationRun,
  told: WalletNotificationEvent | null,
): Promise<void> {
  await tx.rows(releaseStatement, [tx.tenantId, id, claim, told])
}

/** Forgets the access token with everything around it: nothing is left to say, or the issuer does not listen. */
export async function deleteNotification(tx: TenantTx, { id, claim }: NotificationRun): Promise<void> {
  await tx.rows(deleteStatement, [tx.tenantId, id, claim])
}

/** Forgets the notifications of the tenant whose time is over. */
export async function deleteDueNotifications(tx: TenantTx, now: Date): Promise<void> {
  await tx.rows(deleteDue, [tx.tenantId, now])
}

/** The tenants with something to forget. */
export async function listTenantsWithDueNotifications(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ id: TenantId }>(tenantsDue, [now])).map(({ id }) => id)
}
