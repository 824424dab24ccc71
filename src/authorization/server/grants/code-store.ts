import type { JsonObject } from '../../../crypto/json.ts'
import type { AuditEntry } from '../../../events/audit/entry.ts'
import { auditValue, insertAudit } from '../../../events/audit/recorded-sql.ts'
import { type AcrossTx, sql, type TenantTx } from '../../../store/store.ts'
import { spendJti } from '../../access/spent-jti-store.ts'
import type { Granted, SignIn, SpentConsent } from '../instance.ts'

/** What a code stands for. */
export type CodeGrant = Omit<SignIn, 'tenantId'> & {
  /** The authorization server that issues it. */
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  /** PKCE challenge; null: the request had none. */
  readonly challenge: string | null
  readonly scopes: readonly string[]
  readonly nonce: string | null
  readonly dpopJkt: string | null
  /** Thumbprint of the key of the client instance that must redeem it; null: each instance of the client may. */
  readonly instanceKey: string | null
  /** What is granted besides scopes. */
  readonly details: JsonObject | null
}

/** The row of a code or of what it brought. */
export type SecretRow = { readonly id: string; readonly hash: Buffer }

const insert = sql(
  'authorization.insert_code',
  `insert into authorization_code (tenant_id, id, hash, client_id, user_id, session_id, redirect_uri, challenge, scopes,
     nonce, dpop_jkt, authenticated_at, methods, created_at, expires_at, issuer, details, instance_jkt)
   select :tenantId, :id, :hash, :clientId, :userId, :sessionId, :redirectUri, :challenge, :scopes, :nonce, :dpopJkt,
     :authenticatedAt, :methods, :now, :expiresAt, :issuer, :details::jsonb, :instanceKey
   where exists (select from sign_in_session where tenant_id = :tenantId and id = :sessionId)
   returning id`,
)
// A request that proves less than the code requires does not spend it: a stolen code is worth nothing, and its owner
// can still use it.
const redeem = sql(
  'authorization.redeem_code',
  `with code as (
     update authorization_code set used_at = :now
     where tenant_id = :tenantId and id = :id and hash = :hash and client_id = :clientId and redirect_uri = :redirectUri
       and challenge is not distinct from :challenge
       and (dpop_jkt is null or dpop_jkt = :jkt) and (instance_jkt is null or instance_jkt = :instanceKey)
         and used_at is null and expires_at > :now and issuer = :issuer
       and exists (select from active_user where active_user.tenant_id = :tenantId and active_user.id = user_id)
       and exists (select from sign_in_session where sign_in_session.tenant_id = :tenantId
         and sign_in_session.id = session_id)
     returning *
   ), family as (
     insert into token_family (tenant_id, id, client_id, user_id, session_id, scopes, dpop_jkt, authenticated_at, methods, token_hash, created_at, expires_at, issuer,
       details, instance_jkt)
     select tenant_id, id, client_id, user_id, session_id, scopes, :boundTo, authenticated_at, methods,
       case when not :needsOffline::boolean or 'offline_access' = any(scopes) then :refreshHash::bytea end, :now,
         :familyExpiresAt, issuer, details, :instanceKey
     from code returning id
   ), audited as (
     ${insertAudit('code', ':entry', 'code.user_id::text')}
   )
   select user_id as "userId", session_id as "sessionId", scopes, nonce, authenticated_at as "authenticatedAt", methods,
     details,
     case when 'email' = any(scopes) then (
       select jsonb_build_object('email', stated.email, 'email_verified', stated.is_verified) from stated_email stated
       where stated.tenant_id = code.tenant_id and stated.id = code.user_id and stated.email is not null
     ) end as "emailClaims" from code`,
)
const deleteOfSession = sql(
  'authorization.delete_codes_of_session',
  'delete from authorization_code where tenant_id = $1 and session_id = $2 and used_at is null',
)
const deleteExpired = sql(
  'authorization.delete_expired_codes',
  `delete from authorization_code where (tenant_id, id) in
     (select tenant_id, id from authorization_code where expires_at < $1 limit $2) returning id`,
)

/**
 * `consent_used`: another code came from it. `session_ended`: the job that ends codes of the session has run, or will.
 */
type InsertedCode = 'inserted' | 'consent_used' | 'session_ended'

/**
 * Inserts a code and spends the consent that it comes from, so that of concurrent requests with one consent one gets a
 * code. With a consent that is two statements. The transaction must be rolled back if no code is inserted.
 *
 * @param consent null: other codes may come from the same consent.
 */
export async function insertCode(
  tx: TenantTx,
  { id, hash }: SecretRow,
  grant: CodeGrant,
  consent: SpentConsent | null,
  { now, expiresAt }: { readonly now: Date; readonly expiresAt: Date },
): Promise<InsertedCode> {
  const { clientId, userId, sessionId, redirectUri, challenge, scopes, nonce, dpopJkt, authenticatedAt, methods } =
    grant
  if (consent !== null) {
    const spent = { signer: 'consent', jti: consent.token, expiresAt: consent.expiresAt }
    if (!(await spendJti(tx, spent))) return 'consent_used'
  }
  const inserted = await tx.rows(insert, {
    tenantId: tx.tenantId,
    id,
    hash,
    clientId,
    userId,
    sessionId,
    redirectUri,
    challenge,
    scopes,
    nonce,
    dpopJkt,
    authenticatedAt,
    methods,
    issuer: grant.issuer,
    details: grant.details === null ? null : JSON.stringify(grant.details),
    instanceKey: grant.instanceKey,
    now,
    expiresAt,
  })
  return inserted.length === 1 ? 'inserted' : 'session_ended'
}

/** An attempt to redeem a code. */
type CodeRedemption = SecretRow & {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  /** Challenge of the verifier that was sent; null: none was. */
  readonly challenge: string | null
  /** The DPoP key that was proven. */
  readonly jkt: string | null
  /** The key of the client instance that was proven. The refresh token is bound to it. */
  readonly instanceKey: string | null
  /** The DPoP key that the refresh token is bound to. */
  readonly boundTo: string | null
  /** Digest of the refresh token; null: the client gets none. */
  readonly refreshHash: Buffer | null
  /** Whether the family gets it only if the user granted offline access. */
  readonly needsOffline: boolean
  readonly familyExpiresAt: Date
}

/** What the redemption of a code returns. */
type RedeemedCode = Pick<
  CodeGrant,
  'userId' | 'sessionId' | 'scopes' | 'nonce' | 'authenticatedAt' | 'methods' | 'details'
> &
  Pick<Granted, 'emailClaims'>

/**
 * Redeems a code for a family of tokens and records it: one statement, so of concurrent requests one gets it. null:
 * unknown, used, expired, or the request does not prove what the code requires.
 */
export async function redeemCode(
  tx: TenantTx,
  redemption: CodeRedemption,
  entry: AuditEntry,
  now: Date,
): Promise<RedeemedCode | null> {
  const { id, hash, clientId, redirectUri, challenge, jkt, instanceKey, boundTo, refreshHash } = redemption
  const [row] = await tx.rows<RedeemedCode>(redeem, {
    tenantId: tx.tenantId,
    id,
    hash,
    clientId,
    redirectUri,
    challenge,
    jkt,
    instanceKey,
    now,
    boundTo,
    refreshHash,
    familyExpiresAt: redemption.familyExpiresAt,
    issuer: redemption.issuer,
    needsOffline: redemption.needsOffline,
    entry: auditValue(entry, now),
  })
  return row ?? null
}

/** Deletes the unused codes of a session. */
export async function deleteCodesOfSession(tx: TenantTx, sessionId: string): Promise<void> {
  await tx.rows(deleteOfSession, [tx.tenantId, sessionId])
}

/** Deletes at most `limit` codes that expired before that time. Returns their number. */
export async function deleteExpiredCodes(tx: AcrossTx, before: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteExpired, [before, limit])).length
}
