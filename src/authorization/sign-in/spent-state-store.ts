import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

const insert = sql(
  'authorization.spend_sign_in_state',
  `insert into spent_sign_in_state (tenant_id, state_hash, expires_at) values ($1, $2, $3) on conflict do nothing returning tenant_id`,
)
const removeStates = sql(
  'authorization.delete_sign_in_states',
  `delete from spent_sign_in_state where (tenant_id, state_hash) in
     (select tenant_id, state_hash from spent_sign_in_state where expires_at <= $1 limit $2) returning expires_at`,
)
const removeCounts = sql(
  'authorization.delete_sign_in_counts',
  `delete from sign_in_count where (tenant_id, key) in (select tenant_id, key from sign_in_count where expires_at <= $1 limit $2) returning expires_at`,
)

/** Spends a state. Returns false if it was spent before; of two concurrent requests one gets true. */
export async function insertSpentState(tx: TenantTx, hash: Buffer, expiresAt: Date): Promise<boolean> {
  return (await tx.rows(insert, [tx.tenantId, hash, expiresAt])).length === 1
}

/** Deletes at most `limit` expired states of all tenants. Returns their number. */
export async function deleteExpiredStates(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(removeStates, [now, limit])).length
}

/** Deletes at most `limit` expired counts of failed sign-ins and mails. Returns their number. */
export async function deleteExpiredCounts(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(removeCounts, [now, limit])).length
}
