import type { TenantId } from '../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'

/** What an issuer may be told about a credential that it issued. */
export type NewsEvent = 'credential_accepted' | 'credential_deleted'

/** Where an issuer wants to hear about one credential. `sealedAccess`: notification id and access token. */
export type Notification = { readonly id: string; readonly endpoint: string; readonly sealedAccess: Buffer }

const insertStatement = sql(
  'wallet.insert_notification',
  `insert into wallet_notification (tenant_id, id, credential_id, endpoint, sealed_access, drop_at) values ($1, $2, $3, $4, $5, $6)`,
)
const claimAccepted = sql(
  'wallet.claim_accepted',
  `update wallet_notification set accepted_at = $3 where tenant_id = $1 and credential_id = $2 and accepted_at is null returning id`,
)
const claimDeleted = sql(
  'wallet.claim_deleted',
  `update wallet_notification set deleted_at = $3 where tenant_id = $1 and credential_id = $2 and deleted_at is null returning id`,
)
const findStatement = sql(
  'wallet.find_notification',
  'select id, endpoint, sealed_access from wallet_notification where tenant_id = $1 and id = $2',
)
const deleteStatement = sql(
  'wallet.delete_notification',
  'delete from wallet_notification where tenant_id = $1 and id = $2',
)
const deleteDue = sql(
  'wallet.delete_due_notifications',
  'delete from wallet_notification where tenant_id = $1 and drop_at <= $2',
)
const tenantsDue = sql(
  'wallet.tenants_with_due_notifications',
  'select distinct tenant_id from wallet_notification where drop_at <= $1 limit 500',
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

/**
 * Takes the right to tell the issuer one thing. One statement, so each event is sent by one caller only, once.
 *
 * @returns null if the issuer did not ask to be told, or somebody has told it or is about to.
 */
export async function claimNews(
  tx: TenantTx,
  credentialId: string,
  event: NewsEvent,
  now: Date,
): Promise<string | null> {
  const statement = event === 'credential_accepted' ? claimAccepted : claimDeleted
  const [row] = await tx.rows<{ id: string }>(statement, [tx.tenantId, credentialId, now])
  return row?.id ?? null
}

/** Finds a notification; null once everything was said. */
export async function findNotification(tx: TenantTx, id: string): Promise<Notification | null> {
  type Row = { id: string; endpoint: string; sealed_access: Buffer }
  const [row] = await tx.rows<Row>(findStatement, [tx.tenantId, id])
  return row === undefined ? null : { id: row.id, endpoint: row.endpoint, sealedAccess: row.sealed_access }
}

/** Forgets the access token with everything around it: nothing is left to say, or nobody listens. */
export async function deleteNotification(tx: TenantTx, id: string): Promise<void> {
  await tx.rows(deleteStatement, [tx.tenantId, id])
}

/** Forgets the notifications of the tenant whose time is over. */
export async function deleteDueNotifications(tx: TenantTx, now: Date): Promise<void> {
  await tx.rows(deleteDue, [tx.tenantId, now])
}

/** The tenants with something to forget. */
export async function listTenantsWithDueNotifications(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  const rows = await tx.rows<{ tenant_id: TenantId }>(tenantsDue, [now])
  return rows.map((row) => row.tenant_id)
}
