import { sql, type TenantTx } from '../../../store/store.ts'
import { tenantsWith } from '../../../store/tenants-with.ts'

/**
 * SQL: a family that ended with its session, whose job should have deleted it. Families that end otherwise keep their
 * time while the session lives: no more than those of a day are read.
 */
const UNFINISHED = (
  now: string,
) => `ended_at <= ${now}::timestamptz - interval '2 minutes' and ended_at > ${now}::timestamptz - interval '1 day'
     and not exists (select from sign_in_session s where s.tenant_id = family.tenant_id and s.id = family.session_id)`

const requeue = sql(
  'authorization.requeue_session_ends',
  `update token_family set ended_at = $2 where tenant_id = $1 and id in (
     select id from token_family family where tenant_id = $1 and ${UNFINISHED('$2')} order by ended_at limit $3)
   returning session_id as "sessionId", user_id as "userId"`,
)

/**
 * Postpones the look for the jobs of sessions whose end should be over.
 *
 * @returns the session of each family, at most `limit`; the caller enqueues the missing jobs in the same transaction.
 */
export async function requeueUnfinishedEnds(tx: TenantTx, now: Date, limit: number) {
  return tx.rows<{ sessionId: string; userId: string }>(requeue, [tx.tenantId, now, limit])
}

/** Lists tenants in which sessions have ended whose end should be over. */
export const listTenantsWithUnfinishedEnds = tenantsWith(
  'authorization.tenants_with_unfinished_session_ends',
  `from token_family family where ${UNFINISHED('$1')}`,
  'ended_at',
)
