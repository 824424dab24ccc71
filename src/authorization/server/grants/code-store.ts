import { sha256 } from '../../../crypto/digest.ts'
import type { JsonObject } from '../../../crypto/json.ts'
import type { AuditEntry } from '../../../events/audit/entry.ts'
import { auditCte, auditValue, auditValues } from '../../../events/audit/recorded-sql.ts'
import { type AcrossTx, sql, type TenantTx } from '../../../store/store.ts'
import type { EndedFamily, Granted, SignIn, SpentConsent } from '../instance.ts'

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
  `with consent as (
     insert into spent_jti (tenant_id, signer, jti_hash, expires_at) select :tenantId, 'consent', :consentHash::bytea,
       :consentExpiresAt where :consentHash::bytea is not null
     on conflict do nothing returning signer
   ), code as (
     insert into authorization_code (tenant_id, id, hash, client_id, user_id, session_id, redirect_uri, challenge, scopes, nonce, dpop_jkt,
       authenticated_at, methods, created_at, expires_at, issuer, details, instance_jkt)
     select :tenantId, :id, :hash, :clientId, :userId, :sessionId, :redirectUri, :challenge, :scopes, :nonce, :dpopJkt,
       :authenticatedAt, :methods, :now, :expiresAt, :issuer, :details::jsonb, :instanceKey
     where (:consentHash::bytea is null or exists (select from consent))
       and exists (select from sign_in_session where tenant_id = :tenantId and id = :sessionId)
     returning id
   )
   select exists (select from code) as "isInserted", :consentHash::bytea is null
     or exists (select from consent) as "isFirst"`,
)
// A request that proves less than the code requires does not spend it: a stolen code is worth nothing, and its owner can still use it.
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
   ), ${auditCte({ from: 'code', subjectId: 'code.user_id' })}
   select user_id as "userId", session_id as "sessionId", scopes, nonce, authenticated_at as "authenticatedAt", methods,
     details,
     case when 'email' = any(scopes) then (
       select jsonb_build_object('email', stated.email, 'email_verified', stated.is_verified) from stated_email stated
       where stated.tenant_id = code.tenant_id and stated.id = code.user_id and stated.email is not null
     ) end as "emailClaims" from code`,
)
const endReused = sql(
  'authorization.end_reused_code',
  `with ended as (
     update token_family set ended_at = $4
     where tenant_id = $1 and id = $2 and client_id = $5 and issuer = $6 and ended_at is null
       and exists (select from authorization_code code where code.tenant_id = $1 and code.id = $2 and code.hash = $3 and code.used_at is not null)
     returning user_id, details
   ), ${auditCte({ from: 'ended', subjectId: 'ended.user_id', first: 7 })}
   select details from ended`,
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

/** `consent_used`: another code came from it. `session_ended`: the job that ends codes of the session has run, or will. */
type InsertedCode = 'inserted' | 'consent_used' | 'session_ended'

/**
 * Inserts a code and spends the consent that it comes from: one statement, so of concurrent requests with one consent one gets a code.
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
  const [row] = await tx.rows<{ isInserted: boolean; isFirst: boolean }>(insert, {
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
    consentHash: consent === null ? null : sha256(consent.token),
    consentExpiresAt: consent?.expiresAt ?? null,
  })
  if (row?.isInserted === true) return 'inserted'
  return row?.isFirst === false ? 'consent_used' : 'session_ended'
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
 * Redeems a code for a family of tokens and records it: one statement, so of concurrent requests one gets it. null: unknown, used, expired, or
 * the request does not prove what the code requires.
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
  const values = [tx.tenantId, id, hash, now, clientId, issuer, ...auditValues(entry, now)]
  const [row] = await tx.rows<Pick<EndedFamily, 'details'>>(endReused, values)
  return row === undefined ? null : { familyId: id, ...row }
}

/** Deletes the unused codes of a session. */
export async function deleteCodesOfSession(tx: TenantTx, sessionId: string): Promise<void> {
  await tx.rows(deleteOfSession, [tx.tenantId, sessionId])
}

/** Deletes at most `limit` codes that expired before that time. Returns their number. */
export async function deleteExpiredCodes(tx: AcrossTx, before: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteExpired, [before, limit])).length
}
