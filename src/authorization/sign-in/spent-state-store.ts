import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

const insert = sql(
  'authorization.spend_sign_in_state',
  `insert into spent_sign_in_state (tenant_id, state_hash, expires_at) values ($1, $2, $3) on conflict do nothing returning tenant_id`,
)
const removeStates = sql(
  'authorization.delete_sign_in_states',
  'delete from spent_sign_in_state where expires_at <= $1',
)
const removeCounts = sql('authorization.delete_sign_in_counts', 'delete from sign_in_count where expires_at <= $1')

/** Spends a state. Returns false if it was spent before; of two concurrent requests one gets true. */
export async function insertSpentState(tx: TenantTx, hash: Buffer, expiresAt: Date): Promise<boolean> {
  return (await tx.rows(insert, [tx.tenantId, hash, expiresAt])).length === 1
}

/** Deletes what was kept of expired states and counts, of all tenants. */
export async function deleteExpiredStates(tx: AcrossTx, now: Date): Promise<void> {
  await tx.rows(removeStates, [now])
  await tx.rows(removeCounts, [now])
}
