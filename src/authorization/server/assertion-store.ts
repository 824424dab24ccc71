import { sha256 } from '../../crypto/digest.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

const insert = sql(
  'authorization.spend_assertion',
  `insert into spent_assertion (tenant_id, client_id, jti_hash, expires_at) values ($1, $2, $3, $4)
   on conflict do nothing returning client_id`,
)
const deleteExpired = sql('authorization.delete_assertions', 'delete from spent_assertion where expires_at < $1')

/** Spends the `jti` of a client's assertion. Returns false if it was spent before; of two concurrent requests one gets true. */
export async function spendAssertion(
  tx: TenantTx,
  { clientId, jti, expiresAt }: { clientId: string; jti: string; expiresAt: Date },
): Promise<boolean> {
  return (await tx.rows(insert, [tx.tenantId, clientId, sha256(jti), expiresAt])).length === 1
}

/** Deletes expired assertions: their `exp` refuses them from then on. */
export async function deleteExpiredAssertions(tx: AcrossTx, now: Date): Promise<void> {
  await tx.rows(deleteExpired, [now])
}
