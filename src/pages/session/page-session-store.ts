import type { UserId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

/** A session of the pages as it is stored, without its secret. */
export type PageSessionRow = {
  readonly id: string
  readonly userId: UserId
  readonly sealedTokens: Buffer
  readonly tokensUntil: Date
  readonly sealedDraft: Buffer | null
  /** False: last used too long ago. Such a row only keeps a draft. */
  readonly isAlive: boolean
}

const COLUMNS = `id, user_id as "userId", sealed_tokens as "sealedTokens", tokens_until as "tokensUntil", sealed_draft as "sealedDraft"`
const insert = sql(
  'pages.insert_session',
  `insert into page_session (tenant_id, id, token_hash, sign_in_session_id, user_id, sealed_tokens, tokens_until, sealed_draft, created_at, last_seen_at, expires_at)
   select :tenantId, :id, :hash, :signInSessionId, :userId, :sealedTokens, :tokensUntil, :sealedDraft, :now, :now,
     :expiresAt
   where exists (select from live_sign_in_session where tenant_id = :tenantId and id = :signInSessionId) returning id`,
)
// Last use is written only when it is older than $6, so that most requests write nothing.
const use = sql(
  'pages.use_session',
  `with found as (
     select ${COLUMNS}, last_seen_at > $5 as "isAlive" from page_session
     where tenant_id = $1 and id = $2 and token_hash = $3 and expires_at > $4
       and exists (select from active_user where active_user.tenant_id = $1 and active_user.id = user_id)
   ), seen as (
     update page_session set last_seen_at = $4 from found
     where tenant_id = $1 and page_session.id = found.id and found."isAlive" and last_seen_at < $6
   )
   select * from found`,
)
const claim = sql(
  'pages.claim_refresh',
  `update page_session set refreshing_until = $5
   where tenant_id = $1 and id = $2 and tokens_until = $3 and (refreshing_until is null or refreshing_until < $4) returning id`,
)
const renew = sql(
  'pages.renew_tokens',
  `update page_session set sealed_tokens = $3, tokens_until = $4, refreshing_until = null where tenant_id = $1 and id = $2`,
)
const replace = sql(
  'pages.replace_tokens',
  `update page_session set sealed_tokens = $3 where tenant_id = $1 and id = $2 and tokens_until = $4`,
)
const read = sql(
  'pages.read_session',
  `select ${COLUMNS}, true as "isAlive" from page_session where tenant_id = $1 and id = $2`,
)
const keep = sql('pages.keep_draft', 'update page_session set sealed_draft = $3 where tenant_id = $1 and id = $2')
const remove = sql('pages.delete_session', 'delete from page_session where tenant_id = $1 and id = $2')
const removeExpired = sql(
  'pages.delete_expired_sessions',
  `delete from page_session where (tenant_id, id) in (
     select tenant_id, id from page_session where expires_at <= $1 order by expires_at limit $2) returning id`,
)

/** What a session is made of. */
type NewPageSession = {
  readonly id: string
  readonly hash: Buffer
  readonly signInSessionId: string
  readonly userId: UserId
  readonly sealedTokens: Buffer
  readonly tokensUntil: Date
  readonly sealedDraft: Buffer | null
  readonly now: Date
  readonly expiresAt: Date
}

/** Inserts a session. Returns false if the sign-in session has ended meanwhile. */
export async function insertPageSession(tx: TenantTx, one: NewPageSession): Promise<boolean> {
  const { id, hash, signInSessionId, userId, sealedTokens, tokensUntil, sealedDraft, now, expiresAt } = one
  const made = await tx.rows(insert, {
    tenantId: tx.tenantId,
    id,
    hash,
    signInSessionId,
    userId,
    sealedTokens,
    tokensUntil,
    sealedDraft,
    now,
    expiresAt,
  })
  return made.length === 1
}

/** Returns the session with this secret, also one that was idle too long, and records its use. */
export async function usePageSession(
  tx: TenantTx,
  { id, hash }: { readonly id: string; readonly hash: Buffer },
  at: { readonly now: Date; readonly idleSince: Date; readonly seenBefore: Date },
): Promise<PageSessionRow | null> {
  const values = [tx.tenantId, id, hash, at.now, at.idleSince, at.seenBefore]
  return (await tx.rows<PageSessionRow>(use, values))[0] ?? null
}

/** Takes the right to exchange the refresh token. Of concurrent callers one gets true. */
export async function claimRefresh(
  tx: TenantTx,
  id: string,
  tokensUntil: Date,
  now: Date,
  until: Date,
): Promise<boolean> {
  return (await tx.rows(claim, [tx.tenantId, id, tokensUntil, now, until])).length === 1
}

/** Stores the tokens that the refresh token brought. */
export async function renewTokens(tx: TenantTx, id: string, sealedTokens: Buffer, tokensUntil: Date): Promise<void> {
  await tx.rows(renew, [tx.tenantId, id, sealedTokens, tokensUntil])
}

/** Replaces what is kept beside the tokens that end at a time; nothing if others came meanwhile. */
export async function replaceTokens(tx: TenantTx, id: string, sealedTokens: Buffer, tokensUntil: Date): Promise<void> {
  await tx.rows(replace, [tx.tenantId, id, sealedTokens, tokensUntil])
}

/** Returns a session by its id, while another request renews it. */
export async function readPageSession(tx: TenantTx, id: string): Promise<PageSessionRow | null> {
  return (await tx.rows<PageSessionRow>(read, [tx.tenantId, id]))[0] ?? null
}

/** Keeps a form for the user's next session; null forgets it. */
export async function keepSealedDraft(tx: TenantTx, id: string, sealedDraft: Buffer | null): Promise<void> {
  await tx.rows(keep, [tx.tenantId, id, sealedDraft])
}

/** Deletes a session. */
export async function deletePageSession(tx: TenantTx, id: string): Promise<void> {
  await tx.rows(remove, [tx.tenantId, id])
}

/** Deletes expired sessions of all tenants, with their drafts. Returns their number. */
export async function deleteExpiredPageSessions(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(removeExpired, [now, limit])).length
}
