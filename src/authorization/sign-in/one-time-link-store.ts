import type { UserId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

/** What a link is for. */
export type LinkPurpose = 'welcome' | 'reset' | 'owner'

/** A link that can be used. */
export type LinkRow = {
  readonly userId: UserId
  readonly purpose: LinkPurpose
  readonly expiresAt: Date
  /** Whether it was told to the caller who invited, instead of mailed to the user. */
  readonly isTold: boolean
}

/** A link to insert. */
export type NewLink = LinkRow & { readonly id: string; readonly tokenHash: Buffer }

const COLUMNS = 'user_id as "userId", purpose, expires_at as "expiresAt", is_told as "isTold"'
const put = sql(
  'authorization.put_link',
  `insert into one_time_link (tenant_id, id, token_hash, user_id, purpose, created_at, expires_at, is_told)
   select $1, $2, $3, $4, $5, $6, $7, $8 where exists (select from active_user where tenant_id = $1 and id = $4)
   on conflict (tenant_id, user_id, purpose) do update set id = excluded.id, token_hash = excluded.token_hash,
     created_at = excluded.created_at, expires_at = excluded.expires_at, is_told = excluded.is_told returning id`,
)
const VALID = `tenant_id = $1 and id = $2 and token_hash = $3 and expires_at > $4
     and exists (select from active_user where active_user.tenant_id = $1 and active_user.id = user_id)`
const find = sql('authorization.find_link', `select ${COLUMNS} from one_time_link where ${VALID}`)
const spend = sql('authorization.spend_link', `delete from one_time_link where ${VALID} returning ${COLUMNS}`)
const removeAll = sql('authorization.delete_links', 'delete from one_time_link where tenant_id = $1 and user_id = $2')
const removeExpired = sql(
  'authorization.delete_expired_links',
  `delete from one_time_link where (tenant_id, id) in (select tenant_id, id from one_time_link where expires_at <= $1 limit $2) returning id`,
)

/** Inserts a link; an older one of the same purpose ends. Returns false if the user is unknown, disabled or deleted. */
export async function putLink(tx: TenantTx, link: NewLink, now: Date): Promise<boolean> {
  const { id, tokenHash, userId, purpose, expiresAt, isTold } = link
  return (await tx.rows(put, [tx.tenantId, id, tokenHash, userId, purpose, now, expiresAt, isTold])).length === 1
}

/** Returns a link that can be used; null if it is unknown, used or expired, or its user may not sign in. */
export async function findLinkRow(tx: TenantTx, id: string, tokenHash: Buffer, now: Date): Promise<LinkRow | null> {
  return (await tx.rows<LinkRow>(find, [tx.tenantId, id, tokenHash, now]))[0] ?? null
}

/** Uses a link. Of two concurrent requests one gets it, the other null. */
export async function spendLink(tx: TenantTx, id: string, tokenHash: Buffer, now: Date): Promise<LinkRow | null> {
  return (await tx.rows<LinkRow>(spend, [tx.tenantId, id, tokenHash, now]))[0] ?? null
}

/** Ends all links of a user. */
export async function deleteLinks(tx: TenantTx, userId: UserId): Promise<void> {
  await tx.rows(removeAll, [tx.tenantId, userId])
}

/** Deletes at most `limit` expired links of all tenants. Returns their number. */
export async function deleteExpiredLinks(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(removeExpired, [now, limit])).length
}
