import { type AcrossTx, sql, type TenantTx } from '../../../store/store.ts'

const put = sql(
  'authorization.put_sign_in_claims',
  `insert into sign_in_claims (tenant_id, session_id, authenticated_at, sealed_claims, expires_at)
   select $1, $2, $3, $4, $5 where exists (select from sign_in_session where tenant_id = $1 and id = $2)
   on conflict (tenant_id, session_id) do update set authenticated_at = excluded.authenticated_at, sealed_claims = excluded.sealed_claims,
     expires_at = excluded.expires_at
   returning session_id`,
)
const find = sql(
  'authorization.find_sign_in_claims',
  `select sealed_claims as "sealedClaims" from sign_in_claims
   where tenant_id = $1 and session_id = $2 and authenticated_at = $3 and expires_at > $4`,
)
const remove = sql(
  'authorization.delete_sign_in_claims',
  'delete from sign_in_claims where tenant_id = $1 and session_id = $2 returning session_id',
)
const deleteExpired = sql(
  'authorization.delete_expired_sign_in_claims',
  `delete from sign_in_claims where (tenant_id, session_id) in
     (select tenant_id, session_id from sign_in_claims where expires_at < $1 limit $2) returning session_id`,
)

/** One sign-in of a session. */
export type SignInKey = { readonly sessionId: string; readonly authenticatedAt: Date }

/**
 * Stores the claims of a sign-in instead of those of an earlier one in the session. A session that has ended keeps
 * none.
 */
export async function putClaims(
  tx: TenantTx,
  { sessionId, authenticatedAt }: SignInKey,
  sealedClaims: Buffer,
  expiresAt: Date,
): Promise<void> {
  await tx.rows(put, [tx.tenantId, sessionId, authenticatedAt, sealedClaims, expiresAt])
}

/** Returns the claims of this sign-in; null if there are none, or they have expired. */
export async function findSealedClaims(
  tx: TenantTx,
  { sessionId, authenticatedAt }: SignInKey,
  now: Date,
): Promise<Buffer | null> {
  const values = [tx.tenantId, sessionId, authenticatedAt, now]
  return (await tx.rows<{ sealedClaims: Buffer }>(find, values))[0]?.sealedClaims ?? null
}

/** Deletes the claims of a session. */
export async function deleteClaims(tx: TenantTx, sessionId: string): Promise<void> {
  await tx.rows(remove, [tx.tenantId, sessionId])
}

/** Deletes at most `limit` expired rows. Returns their number. */
export async function deleteExpiredClaims(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteExpired, [now, limit])).length
}
