import type { UserId } from '../../caller.ts'
import type { WatchedKind } from '../../platform.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import type { DeliveryError } from '../delivery-records/delivery.ts'
import type { IssuanceSessionRow } from './session.ts'

const OPEN_MAX = 20
const shown = (now: string) => `case when status = 'pending' and expires_at <= ${now} then 'expired' else status end`
const columns = (now: string) => `id, user_id as "userId", ${shown(now)} as status, sealed_work as "sealedWork",
  offer_hash as "offerHash", credential_issuer as "credentialIssuer", credential_ids as "credentialIds", error,
  expires_at as "expiresAt", created_at as "createdAt", updated_at as "updatedAt"`

// The bound is not exact for concurrent calls of one user.
const insertStatement = sql(
  'wallet.insert_issuance_session',
  `insert into wallet_issuance_session
     (tenant_id, id, user_id, status, state_hash, sealed_work, offer_hash, credential_issuer, expires_at, created_at, updated_at)
   select $1, $2, $3, 'pending', $4, $5, $6, $7, $8, $9, $9
   where (select count(*) from wallet_issuance_session
          where tenant_id = $1 and user_id = $3 and status in ('pending', 'redeeming') and expires_at > $9) < ${OPEN_MAX}
   returning id`,
)
const findStatement = sql(
  'wallet.find_issuance_session',
  `select ${columns('$4')} from wallet_issuance_session where tenant_id = $1 and user_id = $2 and id = $3`,
)
const takeStatement = sql(
  'wallet.take_issuance_session',
  `with mine as (
     select id, sealed_work from wallet_issuance_session
     where tenant_id = $1 and id = $2 and user_id = $3 and state_hash = $4 and status = 'pending' and expires_at > $5
       and exists (select from active_user where active_user.tenant_id = $1 and active_user.id = user_id) for update
   )
   update wallet_issuance_session s set status = 'redeeming', sealed_work = null, updated_at = $5
   from mine where s.tenant_id = $1 and s.id = mine.id
   returning mine.sealed_work as "sealedWork", s.offer_hash as "offerHash"`,
)
const isOursStatement = sql(
  'wallet.is_issuance_session_of',
  'select id from wallet_issuance_session where tenant_id = $1 and id = $2 and user_id = $3 and state_hash = $4',
)
const endStatement = sql(
  'wallet.end_issuance_session',
  `update wallet_issuance_session set status = $3, credential_ids = $4, error = $5::jsonb, updated_at = $6
   where tenant_id = $1 and id = $2 and status = 'redeeming'`,
)
const versionsStatement = sql(
  'wallet.list_issuance_session_versions',
  `select tenant_id as "tenantId", id, concat_ws(' ', ${shown('$3')}, updated_at) as version
   from wallet_issuance_session where (tenant_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))`,
)
// What a process that died had ordered is received by a job; without an order the code is lost.
const endStuckStatement = sql(
  'wallet.end_stuck_issuance_sessions',
  `update wallet_issuance_session s set updated_at = $2,
     status = case when is_ordered then 'deferred' else 'failed' end, error = case when is_ordered then null else $4::jsonb end
   from (
     select id, exists (select from wallet_deferred d where d.tenant_id = w.tenant_id and d.user_id = w.user_id and d.offer_hash = w.offer_hash)
       or exists (select from wallet_credential c where c.tenant_id = w.tenant_id and c.user_id = w.user_id and c.offer_hash = w.offer_hash
                  and c.created_at >= w.created_at) as is_ordered
     from wallet_issuance_session w where tenant_id = $1 and status = 'redeeming' and updated_at <= $3
   ) stuck where s.tenant_id = $1 and s.id = stuck.id and s.status = 'redeeming'`,
)
const clearStatement = sql(
  'wallet.clear_issuance_sessions',
  `update wallet_issuance_session set sealed_work = null
   where tenant_id = $1 and status = 'pending' and expires_at <= $2 and sealed_work is not null`,
)
const deleteStatement = sql(
  'wallet.delete_issuance_sessions',
  'delete from wallet_issuance_session where tenant_id = $1 and created_at <= $2',
)

/** A new session. `stateHash`: SHA-256 of `state`. */
type NewSession = Pick<IssuanceSessionRow, 'id' | 'userId' | 'offerHash' | 'credentialIssuer' | 'expiresAt'> & {
  readonly stateHash: Buffer
  readonly sealedWork: Buffer
}

/** Inserts a pending session. @returns false if the user has 20 open ones. */
export async function insertIssuanceSession(tx: TenantTx, one: NewSession, now: Date): Promise<boolean> {
  const { id, userId, stateHash, sealedWork, offerHash, credentialIssuer, expiresAt } = one
  const values = [tx.tenantId, id, userId, stateHash, sealedWork, offerHash, credentialIssuer, expiresAt, now]
  return (await tx.rows(insertStatement, values)).length > 0
}

/** @returns null also for a session of another user. */
export async function findIssuanceSession(
  tx: TenantTx,
  userId: UserId,
  id: string,
  now: Date,
): Promise<IssuanceSessionRow | null> {
  return (await tx.rows<IssuanceSessionRow>(findStatement, [tx.tenantId, userId, id, now]))[0] ?? null
}

/** The parameter `state` of a callback, and the user who is signed in. */
type Callback = { readonly id: string; readonly hash: Buffer; readonly userId: UserId }

/**
 * Takes a pending session for the one callback that redeems its code. One statement, so of two callbacks, in whatever
 * process, one gets it.
 *
 * @returns null if there is none of this user with this `state`, it was taken, it has expired, or the user may not sign
 *   in any more.
 */
export async function takeSession(
  tx: TenantTx,
  { id, hash, userId }: Callback,
  now: Date,
): Promise<{ readonly sealedWork: Buffer; readonly offerHash: string } | null> {
  const values = [tx.tenantId, id, userId, hash, now]
  return (await tx.rows<{ sealedWork: Buffer; offerHash: string }>(takeStatement, values))[0] ?? null
}

/** Returns whether the user has a session with this `state`, in whatever status. */
export async function isSessionOf(tx: TenantTx, { id, hash, userId }: Callback): Promise<boolean> {
  return (await tx.rows(isOursStatement, [tx.tenantId, id, userId, hash])).length > 0
}

/** Ends a session that a callback took. Does nothing if it was ended already. */
export async function endIssuanceSession(
  tx: TenantTx,
  id: string,
  outcome: {
    readonly status: 'completed' | 'deferred' | 'failed'
    readonly credentialIds: readonly string[]
    readonly error: DeliveryError | null
  },
  now: Date,
): Promise<void> {
  const error = outcome.error === null ? null : JSON.stringify(outcome.error)
  await tx.rows(endStatement, [tx.tenantId, id, outcome.status, outcome.credentialIds, error, now])
}

/** Long polling of issuance sessions. */
export const watchedSessions: WatchedKind = {
  name: 'issuance session',
  versions: async (tx, watched, now) =>
    tx.rows(versionsStatement, [watched.map((one) => one.tenantId), watched.map((one) => one.id), now]),
}

/**
 * The limits of a sweep. `stuckBefore`: callbacks of before that have died. `keptSince`: older sessions are deleted.
 */
type Sweep = { readonly now: Date; readonly stuckBefore: Date; readonly keptSince: Date; readonly error: DeliveryError }

/** Ends the sessions whose callback died, deletes the secrets of expired ones, and old ones as a whole. */
export async function sweepSessionRows(tx: TenantTx, { now, stuckBefore, keptSince, error }: Sweep): Promise<void> {
  await tx.rows(endStuckStatement, [tx.tenantId, now, stuckBefore, JSON.stringify(error)])
  await tx.rows(clearStatement, [tx.tenantId, now])
  await tx.rows(deleteStatement, [tx.tenantId, keptSince])
}

/** Lists tenants whose sessions are to be swept: open ones that have expired, and any older than a day. */
export const listTenantsWithDueSessions = tenantsWith(
  'wallet.tenants_with_due_issuance_sessions',
  `from wallet_issuance_session
   where (status in ('pending', 'redeeming') and expires_at <= $1) or created_at <= $1::timestamptz - interval '1 day'`,
)
