import { sha256 } from '../../crypto/digest.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

const insert = sql(
  'authorization.spend_assertion',
  `insert into spent_assertion (tenant_id, client_id, jti_hash, expires_at) values ($1, $2, $3, $4)
   on conflict do nothing returning client_id`,
)
const deleteExpired = sql('authorization.delete_assertions', 'delete from spent_assertion where expires_at < $1')

/** Uses up the `jti` of a client's assertion. @returns false if it was used before; of two requests at once one gets true. */
export async function spendAssertion(
  tx: TenantTx,
  { clientId, jti, expiresAt }: { clientId: string; jti: string; expiresAt: Date },
): Promise<boolean> {
  return (await tx.rows(insert, [tx.tenantId, clientId, sha256(jti), expiresAt])).length === 1
}

/** Forgets the assertions that have run out: their `exp` refuses them now. */
export async function deleteExpiredAssertions(tx: AcrossTx, now: Date): Promise<void> {
  await tx.rows(deleteExpired, [now])
}
