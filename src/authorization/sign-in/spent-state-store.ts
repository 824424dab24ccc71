import { deleteOldest } from '../../store/in-pieces.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

const insert = sql(
  'authorization.spend_sign_in_state',
  `insert into spent_sign_in_state (tenant_id, state_hash, expires_at) values ($1, $2, $3) on conflict do nothing returning tenant_id`,
)
const removeStates = sql('authorization.delete_sign_in_states', deleteOldest('spent_sign_in_state'))
const removeCounts = sql('authorization.delete_sign_in_counts', deleteOldest('sign_in_count'))

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
