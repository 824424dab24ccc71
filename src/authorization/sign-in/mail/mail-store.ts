import { sql, type TenantTx } from '../../../store/store.ts'
import { insertCountSql } from '../sign-in-count-sql.ts'

const count = sql(
  'authorization.count_mail',
  insertCountSql(`count = case when old.expires_at <= :now then excluded.count else old.count + excluded.count end,
     expires_at = case when old.expires_at <= :now then excluded.expires_at else old.expires_at end
   where old.expires_at <= :now or old.count < :countMax returning count`),
)

/**
 * Counts a mail under a key in a window that starts with its first mail. Returns false, and counts nothing, if the
 * limit is reached.
 */
export async function countMail(
  tx: TenantTx,
  key: Buffer,
  { now, endsAt, countMax }: { readonly now: Date; readonly endsAt: Date; readonly countMax: number },
): Promise<boolean> {
  const values = { tenantId: tx.tenantId, key, count: 1, blockedUntil: null, expiresAt: endsAt, now, countMax }
  return (await tx.rows(count, values)).length === 1
}
