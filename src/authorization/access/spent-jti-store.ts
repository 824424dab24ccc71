import { sha256 } from '../../crypto/digest.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

const insert = sql(
  'authorization.spend_jti',
  `insert into spent_jti (tenant_id, signer, jti_hash, expires_at) values ($1, $2, $3, $4) on conflict do nothing returning signer`,
)
const deleteExpired = sql(
  'authorization.delete_spent_jti',
  `delete from spent_jti where (tenant_id, signer, jti_hash) in (
     select tenant_id, signer, jti_hash from spent_jti where expires_at < $1 limit $2) returning signer`,
)

/**
 * Spends the `jti` of a JWT that is accepted once. Returns false if it was spent before; of two concurrent requests one
 * gets true.
 *
 * @param signer The client of an assertion, or the key of a DPoP proof.
 */
export async function spendJti(
  tx: TenantTx,
  { signer, jti, expiresAt }: { readonly signer: string; readonly jti: string; readonly expiresAt: Date },
): Promise<boolean> {
  return (await tx.rows(insert, [tx.tenantId, signer, sha256(jti), expiresAt])).length === 1
}

/** Deletes at most `limit` expired rows: their JWTs have expired, too. Returns their number. */
export async function deleteSpentJtis(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteExpired, [now, limit])).length
}
