import type { TenantId } from '../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'

const selectTenantsWithDue = sql(
  'issuance.forget.tenants',
  `select distinct tenant_id from issuance where sealed_claims is not null and forget_at <= $1 limit 1000`,
)
const forgetSome = sql(
  'issuance.forget',
  `with due as (
     select id from issuance where tenant_id = $1 and sealed_claims is not null and forget_at <= $2
     order by forget_at limit $3 for update skip locked
   )
   update issuance i set sealed_claims = null,
     status = case when i.status = 'offered' then 'expired' else i.status end,
     credential_status = case when i.status = 'offered' then 'expired' else i.credential_status end,
     updated_at = case when i.status = 'offered' then $2 else i.updated_at end
   from due where i.tenant_id = $1 and i.id = due.id
   returning i.id, i.credential_id, i.status`,
)
const deleteSpentNonces = sql('issuance.nonce.delete', 'delete from spent_nonce where expires_at <= $1')

/** Tenants that keep claims longer than they may. */
export async function listTenantsToForget(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  const rows = await tx.rows<{ tenant_id: TenantId }>(selectTenantsWithDue, [now])
  return rows.map((row) => row.tenant_id)
}

/** An issuance whose claims were just forgotten. `isExpired`: the credential was never handed out. */
export type Forgotten = { readonly id: string; readonly credentialId: string; readonly isExpired: boolean }

/** Forgets the claims whose time has come, and ends the issuances that nobody completed. Sweeps at the same moment share the work. */
export async function forgetClaims(tx: TenantTx, now: Date, countMax: number): Promise<Forgotten[]> {
  const rows = await tx.rows<{ id: string; credential_id: string; status: string }>(forgetSome, [
    tx.tenantId,
    now,
    countMax,
  ])
  return rows.map((row) => ({ id: row.id, credentialId: row.credential_id, isExpired: row.status === 'expired' }))
}

/** Removes the nonces that had run out by then. */
export async function deleteOldNonces(tx: AcrossTx, before: Date): Promise<void> {
  await tx.rows(deleteSpentNonces, [before])
}
