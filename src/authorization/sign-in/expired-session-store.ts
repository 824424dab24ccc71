import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { isUsedByClients } from './session-store.ts'

/** A session that may have expired. */
export type ExpiredSession = { readonly tenantId: TenantId; readonly id: string; readonly lastSeenAt: Date }

const COLUMNS = 'tenant_id as "tenantId", id, last_seen_at as "lastSeenAt"'
const listOld = sql(
  'authorization.list_old_sessions',
  `select ${COLUMNS} from sign_in_session where expires_at <= $1 order by expires_at limit $2`,
)
const listIdle = sql(
  'authorization.list_idle_sessions',
  `select ${COLUMNS} from sign_in_session where last_seen_at <= $1 and (last_seen_at, id) > ($2, $3) order by last_seen_at, id limit $4`,
)
const remove = sql(
  'authorization.delete_expired_sessions',
  `with gone as (
     delete from sign_in_session where tenant_id = $1 and id = any($2::uuid[])
       and (expires_at <= $3 or (last_seen_at <= $4 and not (${isUsedByClients('$3')}
         and exists (select from active_user where active_user.tenant_id = sign_in_session.tenant_id and active_user.id = user_id))))
     returning id, user_id
   )
   select id, user_id as "userId", id in (select session_id from token_family where tenant_id = $1 and session_id = any($2::uuid[])) as "hasClients"
   from gone`,
)

/** Lists at most `limit` sessions of all tenants whose lifetime is over. */
export async function listOldSessions(tx: AcrossTx, now: Date, limit: number): Promise<readonly ExpiredSession[]> {
  return tx.rows<ExpiredSession>(listOld, [now, limit])
}

/**
 * Lists at most `limit` sessions of all tenants that were last used at `idleSince` or earlier, after the last one of
 * the page before.
 */
export async function listIdleSessions(
  tx: AcrossTx,
  idleSince: Date,
  last: Pick<ExpiredSession, 'id' | 'lastSeenAt'>,
  limit: number,
): Promise<readonly ExpiredSession[]> {
  return tx.rows<ExpiredSession>(listIdle, [idleSince, last.lastSeenAt, last.id, limit])
}

/**
 * Deletes those of the sessions that have expired, and idle ones of no client or of a user who may not sign in: the job
 * that ends the sessions of such a user may be lost. `hasClients`: clients got tokens from it.
 */
export async function deleteExpiredSessions(
  tx: TenantTx,
  ids: readonly string[],
  { now, idleSince }: { readonly now: Date; readonly idleSince: Date },
) {
  type Row = { readonly id: string; readonly userId: string; readonly hasClients: boolean }
  return tx.rows<Row>(remove, [tx.tenantId, ids, now, idleSince])
}
