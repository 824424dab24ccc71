import type { UserId } from '../../../caller.ts'
import type { JsonObject } from '../../../crypto/json.ts'
import type { AuditEntry } from '../../../events/audit/entry.ts'
import { record } from '../../../events/audit/record.ts'
import { type AcrossTx, type Sql, sql, type TenantTx } from '../../../store/store.ts'
import type { EndedFamily, SignIn } from '../instance.ts'
import type { SecretRow } from './code-store.ts'

/** What a refresh token stands for. */
type TokenFamily = Omit<SignIn, 'tenantId'> & {
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date
  /** What was granted besides scopes. */
  readonly details: JsonObject | null
}

const COLUMNS = `client_id as "clientId", user_id as "userId", session_id as "sessionId", scopes, authenticated_at as "authenticatedAt", methods,
  expires_at as "expiresAt", details`
/**
 * SQL: the presented token is the current one, or its predecessor whose answer may have been lost. `since` is when the
 * grace began.
 */
const isCurrent = (hash: string, since: string) =>
  `(token_hash = ${hash} or coalesce(previous_hash = ${hash} and rotated_at > ${since}, false))`

const rotate = sql(
  'authorization.rotate_refresh_token',
  `update token_family set previous_hash = :hash, token_hash = :nextHash,
    rotated_at = case when token_hash = :hash then :now else rotated_at end
   where tenant_id = :tenantId and id = :id and client_id = :clientId and (dpop_jkt is null or dpop_jkt = :jkt)
     and (instance_jkt is null or instance_jkt = :instanceKey) and ended_at is null and expires_at > :now
     and ${isCurrent(':hash', ':graceSince')} and :scopes::text[] <@ scopes and issuer = :issuer
     and exists (select from active_user where active_user.tenant_id = :tenantId and active_user.id = user_id)
   returning ${COLUMNS}`,
)
const endReused = sql(
  'authorization.end_reused_family',
  `update token_family set ended_at = $4
   where tenant_id = $1 and id = $2 and client_id = $6 and issuer = $7 and token_hash is not null and ended_at is null
     and not ${isCurrent('$3', '$5')}
   returning user_id as "userId", details`,
)
const endOfCode = sql(
  'authorization.end_reused_code',
  `update token_family set ended_at = $4
   where tenant_id = $1 and id = $2 and client_id = $5 and issuer = $6 and ended_at is null
     and exists (select from authorization_code code
       where code.tenant_id = $1 and code.id = $2 and code.hash = $3 and code.used_at is not null)
   returning user_id as "userId", details`,
)
const revoke = sql(
  'authorization.revoke_family',
  `update token_family set ended_at = $4
   where tenant_id = $1 and id = $2 and client_id = $3 and ended_at is null
     and (token_hash = $5 or previous_hash = $5) and issuer = $6
   returning user_id as "userId", details`,
)
const find = sql(
  'authorization.find_family',
  `select ${COLUMNS} from token_family
   where tenant_id = $1 and id = $2 and token_hash = $3 and ended_at is null and expires_at > $4 and issuer = $5
     and exists (select from active_user where active_user.tenant_id = $1 and active_user.id = user_id)`,
)
const listClients = sql(
  'authorization.list_clients_of_session',
  'select distinct client_id as "clientId" from token_family where tenant_id = $1 and session_id = $2',
)
const deleteOfSession = sql(
  'authorization.delete_families_of_session',
  'delete from token_family where tenant_id = $1 and session_id = $2',
)
const deleteExpired = sql(
  'authorization.delete_expired_families',
  `delete from token_family where (tenant_id, id) in (select tenant_id, id from token_family where expires_at < $1 limit $2) returning id`,
)

/** The use of a refresh token. `id` and `hash` are those of the presented token. */
export type Refresh = SecretRow & {
  readonly issuer: string
  readonly nextHash: Buffer
  readonly clientId: string
  /** The DPoP key that was proven. */
  readonly jkt: string | null
  /** The key of the client instance that was proven. */
  readonly instanceKey: string | null
  /** Requested scopes; none: those that were granted. */
  readonly scopes: readonly string[]
  readonly now: Date
  /** A predecessor that was replaced after this time is accepted once more. */
  readonly graceSince: Date
}

/**
 * Replaces a refresh token by the next: one statement. Of concurrent requests with one token each may succeed, but only
 * the token of the last one lives. null: unknown, used, ended, expired, of another client, client instance or key, for
 * more scopes than were granted, or its user may not sign in.
 */
export async function rotateRefreshToken(tx: TenantTx, refresh: Refresh): Promise<TokenFamily | null> {
  const { id, hash, nextHash, clientId, jkt, instanceKey, scopes, now, graceSince, issuer } = refresh
  const [row] = await tx.rows<TokenFamily>(rotate, {
    tenantId: tx.tenantId,
    id,
    hash,
    nextHash,
    clientId,
    jkt,
    instanceKey,
    scopes,
    now,
    graceSince,
    issuer,
  })
  return row ?? null
}

/**
 * Ends a family whose replaced token its client presents again, and records it. Whether the hash was ever that of a
 * token of the family is NOT checked. Returns what it was; null: nothing ended.
 */
export async function endReusedFamily(tx: TenantTx, refresh: Refresh, entry: AuditEntry): Promise<EndedFamily | null> {
  const { id, hash, now, graceSince, clientId, issuer } = refresh
  return endFamily(tx, endReused, [tx.tenantId, id, hash, now, graceSince, clientId, issuer], id, entry, now)
}

/**
 * Ends what a code brought, if its client presents it again, and records it. Returns what it was; null: nothing ended.
 * Another client that presents the code ends nothing: it may have seen the code, and has no right to the tokens.
 */
export async function endReusedCode(
  tx: TenantTx,
  { id, hash, clientId, issuer }: SecretRow & { readonly clientId: string; readonly issuer: string },
  entry: AuditEntry,
  now: Date,
): Promise<EndedFamily | null> {
  return endFamily(tx, endOfCode, [tx.tenantId, id, hash, now, clientId, issuer], id, entry, now)
}

async function endFamily(
  tx: TenantTx,
  statement: Sql,
  values: readonly unknown[],
  familyId: string,
  entry: AuditEntry,
  now: Date,
): Promise<EndedFamily | null> {
  const [row] = await tx.rows<Pick<EndedFamily, 'details'> & { readonly userId: UserId }>(statement, values)
  if (row === undefined) return null
  await record(tx, { ...entry, subject: { ...entry.subject, id: row.userId } }, now)
  return { familyId, details: row.details }
}

/** Ends a family by one of its last two tokens, for its client, and records it. */
export async function revokeFamily(
  tx: TenantTx,
  { id, hash, clientId, issuer }: SecretRow & { readonly clientId: string; readonly issuer: string },
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  await endFamily(tx, revoke, [tx.tenantId, id, clientId, now, hash, issuer], id, entry, now)
}

/** Returns the family of a current refresh token. */
export async function findFamily(
  tx: TenantTx,
  { id, hash, issuer }: SecretRow & { readonly issuer: string },
  now: Date,
): Promise<TokenFamily | null> {
  return (await tx.rows<TokenFamily>(find, [tx.tenantId, id, hash, now, issuer]))[0] ?? null
}

/** Returns the clients that have families of a session, each once. */
export async function listClientsOfSession(tx: TenantTx, sessionId: string): Promise<string[]> {
  const rows = await tx.rows<{ clientId: string }>(listClients, [tx.tenantId, sessionId])
  return rows.map(({ clientId }) => clientId)
}

/** Deletes the families of a session. */
export async function deleteFamiliesOfSession(tx: TenantTx, sessionId: string): Promise<void> {
  await tx.rows(deleteOfSession, [tx.tenantId, sessionId])
}

/** Deletes at most `limit` expired families. Returns their number. */
export async function deleteExpiredFamilies(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteExpired, [now, limit])).length
}
