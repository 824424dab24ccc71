import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { CLAIMS_END } from '../offers/claims-end.ts'

const selectTenantsWithDue = sql(
  'issuance.list_tenants_to_forget',
  `select distinct tenant_id as "tenantId" from issuance where sealed_claims is not null and sweep_at <= $1 limit 1000`,
)
// Rows that end later than expected are postponed; rows that end within 90 seconds are left, which saves a write.
const forgetSome = sql(
  'issuance.forget_claims',
  `with due as (
     select id, ${CLAIMS_END} as ends_at, ${CLAIMS_END} > $2 as lives, status = 'offered' as offered from issuance
     where tenant_id = $1 and sealed_claims is not null and sweep_at <= $2 and (${CLAIMS_END} <= $2 or ${CLAIMS_END} > $2::timestamptz + interval '90 seconds')
     order by sweep_at limit $3 for update skip locked
   )
   update issuance i set sweep_at = case when lives then ends_at else i.sweep_at end,
     sealed_claims = case when lives then i.sealed_claims end,
     sealed_label = case when lives or not offered then i.sealed_label end,
     status = case when offered and not lives then 'expired' else i.status end,
     credential_status = case when offered and not lives then 'expired' else i.credential_status end,
     updated_at = case when offered and not lives then $2 else i.updated_at end
   from due where i.tenant_id = $1 and i.id = due.id
   returning i.id, i.status = 'expired' as "isExpired"`,
)
// The nonces of the oldest second; the role across tenants cannot name rows by their hash.
const deleteSpentNonces = sql(
  'issuance.delete_old_nonces',
  `delete from spent_nonce where made_at <= least($1, (select min(made_at) from spent_nonce) + interval '1 second') returning made_at`,
)

/** Returns tenants with claims past their retention. */
export async function listTenantsToForget(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  const rows = await tx.rows<{ tenantId: TenantId }>(selectTenantsWithDue, [now])
  return rows.map(({ tenantId }) => tenantId)
}

/** An issuance that the sweep updated. `isExpired`: it ended without a credential. */
type Swept = { readonly id: string; readonly isExpired: boolean }

/** Erases the claims past their retention and expires open issuances. Concurrent sweeps share the work. */
export async function forgetClaims(tx: TenantTx, now: Date, countMax: number): Promise<Swept[]> {
  return tx.rows<Swept>(forgetSome, [tx.tenantId, now, countMax])
}

/** Deletes the nonces of the oldest second, if they were made before that time. Returns whether there were any. */
export async function deleteOldNonces(tx: AcrossTx, before: Date): Promise<boolean> {
  return (await tx.rows(deleteSpentNonces, [before])).length > 0
}
