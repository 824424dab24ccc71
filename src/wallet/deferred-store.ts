import type { TenantId, UserId } from '../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'

/** A credential that is still to come. `sealedWork`: what is needed to fetch it. */
export type DeferredRow = { readonly id: string; readonly userId: UserId; readonly sealedWork: Buffer }

const insertStatement = sql(
  'wallet.insert_deferred',
  'insert into wallet_deferred (tenant_id, id, user_id, sealed_work, drop_at, created_at) values ($1, $2, $3, $4, $5, $6)',
)
const findStatement = sql(
  'wallet.find_deferred',
  'select id, user_id, sealed_work from wallet_deferred where tenant_id = $1 and id = $2',
)
const deleteStatement = sql(
  'wallet.delete_deferred',
  'delete from wallet_deferred where tenant_id = $1 and id = $2 returning id',
)
const deleteDue = sql(
  'wallet.delete_due_deferred',
  'delete from wallet_deferred where tenant_id = $1 and drop_at <= $2',
)
const tenantsDue = sql(
  'wallet.tenants_with_due_deferred',
  'select distinct tenant_id from wallet_deferred where drop_at <= $1 limit 500',
)

/** Remembers a credential that is to be fetched later. */
export async function insertDeferred(
  tx: TenantTx,
  { id, userId, sealedWork }: DeferredRow,
  dropAt: Date,
  now: Date,
): Promise<void> {
  await tx.rows(insertStatement, [tx.tenantId, id, userId, sealedWork, dropAt, now])
}

/** @returns null once it was fetched, refused or given up. */
export async function findDeferred(tx: TenantTx, id: string): Promise<DeferredRow | null> {
  type Row = { id: string; user_id: UserId; sealed_work: Buffer }
  const [row] = await tx.rows<Row>(findStatement, [tx.tenantId, id])
  return row === undefined ? null : { id: row.id, userId: row.user_id, sealedWork: row.sealed_work }
}

/** Ends it, with its keys and its token. Of two that end it one is told so. @returns whether it was there. */
export async function deleteDeferred(tx: TenantTx, id: string): Promise<boolean> {
  return (await tx.rows(deleteStatement, [tx.tenantId, id])).length > 0
}

/** Gives up what never came. */
export async function deleteDueDeferred(tx: TenantTx, now: Date): Promise<void> {
  await tx.rows(deleteDue, [tx.tenantId, now])
}

/** The tenants with something to give up. */
export async function listTenantsWithDueDeferred(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenant_id: TenantId }>(tenantsDue, [now])).map((row) => row.tenant_id)
}
