import type { UserId } from '../../caller.ts'
import { sql, type TenantTx } from '../../store/store.ts'

/** A session as it is stored, without its tenant and its token. */
export type SessionRow = {
  readonly sessionId: string
  readonly userId: UserId
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly authenticatedAt: Date
  readonly expiresAt: Date
  readonly methods: readonly string[]
  readonly userAgent: string
  readonly network: string
}

const COLUMNS = `id as "sessionId", user_id as "userId", created_at as "createdAt", last_seen_at as "lastSeenAt",
  authenticated_at as "authenticatedAt", expires_at as "expiresAt", methods, user_agent as "userAgent", network`
/**
 * SQL: a client has a refresh token from this session. Such a session is kept while its browser is idle, until it
 * expires, so that the user sees it, and so that its end reaches the client.
 */
export const isUsedByClients = (now: string) => `exists (select from token_family family
       where family.tenant_id = sign_in_session.tenant_id and family.session_id = sign_in_session.id
         and family.token_hash is not null and family.ended_at is null and family.expires_at > ${now})`
const insert = sql(
  'authorization.insert_session',
  `insert into sign_in_session (tenant_id, id, token_hash, user_id, created_at, last_seen_at, authenticated_at, expires_at, methods, user_agent, network)
   select $1, $2, $3, $4, $5, $5, $5, $6, $7, $8, $9 where exists (select from active_user where tenant_id = $1 and id = $4) returning id`,
)
const renew = sql(
  'authorization.renew_session',
  `update sign_in_session set token_hash = $4, last_seen_at = $5, authenticated_at = $5, expires_at = $6, methods = $7, user_agent = $8, network = $9
   where tenant_id = $1 and id = $2 and user_id = $3
     and exists (select from active_user where tenant_id = $1 and id = $3) returning id`,
)
// Last use is written only when it is older than $6, so that most requests write nothing.
const use = sql(
  'authorization.use_session',
  `with found as (
     select ${COLUMNS} from sign_in_session
     where tenant_id = $1 and id = $2 and token_hash = $3 and expires_at > $4 and last_seen_at > $5
       and exists (select from active_user where active_user.tenant_id = $1 and active_user.id = user_id)
   ), seen as (
     update sign_in_session set last_seen_at = $4 from found
     where tenant_id = $1 and id = found."sessionId" and last_seen_at < $6
   )
   select * from found`,
)
const list = sql(
  'authorization.list_sessions',
  `select ${COLUMNS} from sign_in_session where tenant_id = $1 and user_id = $2 and expires_at > $3
     and (last_seen_at > $4 or ${isUsedByClients('$3')}) order by last_seen_at desc, id`,
)
const removeOne = sql(
  'authorization.delete_session',
  'delete from sign_in_session where tenant_id = $1 and user_id = $2 and id = $3 returning id',
)
const removeOthers = sql(
  'authorization.delete_sessions',
  'delete from sign_in_session where tenant_id = $1 and user_id = $2 and id is distinct from $3 returning id',
)
const removeOldest = sql(
  'authorization.delete_oldest_sessions',
  `delete from sign_in_session where tenant_id = $1 and id in (
     select id from sign_in_session where tenant_id = $1 and user_id = $2 order by last_seen_at desc, id desc offset $3) returning id`,
)
// Its clients' tokens end with a session. The job that informs the clients deletes the rows; where it is lost, a sweep
// finds them by the time.
const endFamilies = sql(
  'authorization.end_families_of_sessions',
  'update token_family set ended_at = $3 where tenant_id = $1 and session_id = any($2::uuid[])',
)
const lock = sql('authorization.lock_sessions', 'select pg_advisory_xact_lock(hashtextextended($1, 0))')
const removeEarlier = sql(
  'authorization.delete_earlier_sessions',
  'delete from sign_in_session where tenant_id = $1 and user_id = $2 and created_at <= $3 returning id',
)

/** What a session is written with. */
export type SessionWrite = Pick<
  SessionRow,
  'sessionId' | 'userId' | 'expiresAt' | 'methods' | 'userAgent' | 'network'
> & {
  readonly tokenHash: Buffer
}

/** Inserts a session. Returns false if the user is unknown, disabled or deleted. */
export async function insertSession(tx: TenantTx, one: SessionWrite, now: Date): Promise<boolean> {
  const { sessionId, tokenHash, userId, expiresAt, methods, userAgent, network } = one
  const values = [tx.tenantId, sessionId, tokenHash, userId, now, expiresAt, methods, userAgent, network]
  return (await tx.rows(insert, values)).length === 1
}

/**
 * Gives a session of the same user a new token and a new time of authentication. Returns false if there is none any
 * more.
 */
export async function renewSession(tx: TenantTx, one: SessionWrite, now: Date): Promise<boolean> {
  const { sessionId, tokenHash, userId, expiresAt, methods, userAgent, network } = one
  const values = [tx.tenantId, sessionId, userId, tokenHash, now, expiresAt, methods, userAgent, network]
  return (await tx.rows(renew, values)).length === 1
}

/** Serializes the sign-ins of one user until the transaction ends, so that the number of sessions is bounded. */
export async function lockSessions(tx: TenantTx, userId: UserId): Promise<void> {
  await tx.rows(lock, [`sessions ${tx.tenantId} ${userId}`])
}

/**
 * `idleSince`: sessions last used before have expired. `seenBefore`: the time of last use is written if it was earlier.
 */
type Use = { readonly now: Date; readonly idleSince: Date; readonly seenBefore: Date }

/**
 * Returns the session with this token and records its use, in one statement; null if it has expired or its user may not
 * sign in.
 */
export async function useSession(tx: TenantTx, id: string, tokenHash: Buffer, at: Use): Promise<SessionRow | null> {
  const values = [tx.tenantId, id, tokenHash, at.now, at.idleSince, at.seenBefore]
  return (await tx.rows<SessionRow>(use, values))[0] ?? null
}

/** Lists the sessions of a user that have not expired, idle ones if a client uses them, the last used first. */
export async function listSessionRows(
  tx: TenantTx,
  userId: UserId,
  now: Date,
  idleSince: Date,
): Promise<readonly SessionRow[]> {
  return tx.rows<SessionRow>(list, [tx.tenantId, userId, now, idleSince])
}

/** Deletes one session of a user. Returns the ids of those deleted. */
export async function deleteSession(tx: TenantTx, userId: UserId, sessionId: string): Promise<readonly string[]> {
  return ids(await tx.rows<{ id: string }>(removeOne, [tx.tenantId, userId, sessionId]))
}

/** Deletes the sessions of a user, except one if given. Returns the ids of those deleted. */
export async function deleteSessions(tx: TenantTx, userId: UserId, except: string | null): Promise<readonly string[]> {
  return ids(await tx.rows<{ id: string }>(removeOthers, [tx.tenantId, userId, except]))
}

/** Deletes all but the `kept` sessions of a user that were used last. Returns the ids of those deleted. */
export async function deleteOldestSessions(tx: TenantTx, userId: UserId, kept: number): Promise<readonly string[]> {
  return ids(await tx.rows<{ id: string }>(removeOldest, [tx.tenantId, userId, kept]))
}

/** Deletes the sessions of a user that started at `before` or earlier. Returns the ids of those deleted. */
export async function deleteEarlierSessions(tx: TenantTx, userId: UserId, before: Date): Promise<readonly string[]> {
  return ids(await tx.rows<{ id: string }>(removeEarlier, [tx.tenantId, userId, before]))
}

/**
 * Ends the refresh tokens that clients got from sessions which the transaction has deleted. A job must be enqueued for
 * each session in it.
 */
export async function endFamiliesOf(tx: TenantTx, sessionIds: readonly string[], now: Date): Promise<void> {
  if (sessionIds.length > 0) await tx.rows(endFamilies, [tx.tenantId, sessionIds, now])
}

function ids(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id)
}
