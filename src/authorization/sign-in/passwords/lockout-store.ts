import { sql, type TenantTx } from '../../../store/store.ts'
import { insertCountSql } from '../sign-in-count-sql.ts'

/** A count of failed sign-ins. */
export type FailureCount = { readonly key: Buffer; readonly count: number; readonly blockedUntil: Date | null }

const lock = sql('authorization.lock_failures', 'select pg_advisory_xact_lock(hashtextextended($1, 1))')
const list = sql(
  'authorization.list_failures',
  `select key, count, blocked_until as "blockedUntil" from sign_in_count where tenant_id = $1 and key = any($2::bytea[]) and expires_at > $3`,
)
const put = sql(
  'authorization.put_failure',
  insertCountSql(`count = excluded.count, blocked_until = excluded.blocked_until, expires_at = excluded.expires_at`),
)
const remove = sql('authorization.delete_failures', 'delete from sign_in_count where tenant_id = $1 and key = $2')

/**
 * Serializes the outcomes of sign-ins with one name until the transaction ends. Counts are read by a later statement,
 * so that it sees them.
 */
export async function lockFailures(tx: TenantTx, name: Buffer): Promise<void> {
  await tx.rows(lock, [name.toString('base64url')])
}

/** Returns the counts under these keys that have not expired. */
export async function listFailures(tx: TenantTx, keys: readonly Buffer[], now: Date): Promise<readonly FailureCount[]> {
  return tx.rows<FailureCount>(list, [tx.tenantId, keys, now])
}

/** Writes a count. The caller holds the lock of the name. */
export async function putFailure(
  tx: TenantTx,
  { key, count, blockedUntil }: FailureCount,
  expiresAt: Date,
): Promise<void> {
  await tx.rows(put, { tenantId: tx.tenantId, key, count, blockedUntil, expiresAt })
}

/** Deletes a count. */
export async function deleteFailures(tx: TenantTx, key: Buffer): Promise<void> {
  await tx.rows(remove, [tx.tenantId, key])
}
