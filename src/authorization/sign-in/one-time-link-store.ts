import type { Role, UserId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { Way } from '../acting/ways.ts'

/** What a link is for. */
export type LinkPurpose = 'welcome' | 'reset' | 'owner'

/** The ways that links are. */
export type LinkWay = Extract<Way, `${string}_link`>

/** A link that has not expired. */
export type LinkRow = {
  readonly userId: UserId
  readonly purpose: LinkPurpose
  readonly expiresAt: Date
  /** By which way it opens the account. */
  readonly way: LinkWay
  /** Roles that the maker of the link could give; null: every role. */
  readonly makerRoles: readonly Role[] | null
  /** The e-mail address of the user when the link was made, in the form in which addresses are compared. */
  readonly emailFolded: string | null
  /** Whether the user could sign in when the link was made. */
  readonly couldSignIn: boolean
}

/** A link to insert. */
export type NewLink = LinkRow & { readonly id: string; readonly tokenHash: Buffer }

const COLUMNS = `user_id as "userId", purpose, expires_at as "expiresAt", way, maker_roles as "makerRoles",
  email_folded as "emailFolded", could_sign_in as "couldSignIn"`
const put = sql(
  'authorization.put_link',
  `insert into one_time_link (tenant_id, id, token_hash, user_id, purpose, created_at, expires_at, way, maker_roles,
     email_folded, could_sign_in, is_told)
   values (:tenantId, :id, :tokenHash, :userId, :purpose, :now, :expiresAt, :way, :makerRoles, :emailFolded,
     :couldSignIn, :way in ('told_link', 'impersonated_link'))
   on conflict (tenant_id, user_id, purpose) do update set id = excluded.id, token_hash = excluded.token_hash,
     created_at = excluded.created_at, expires_at = excluded.expires_at, way = excluded.way,
     maker_roles = excluded.maker_roles, email_folded = excluded.email_folded,
     could_sign_in = excluded.could_sign_in, is_told = excluded.is_told`,
)
const VALID = 'tenant_id = $1 and id = $2 and token_hash = $3 and expires_at > $4'
const find = sql('authorization.find_link', `select ${COLUMNS} from one_time_link where ${VALID}`)
const spend = sql('authorization.spend_link', `delete from one_time_link where ${VALID} returning ${COLUMNS}`)
const removeAll = sql('authorization.delete_links', 'delete from one_time_link where tenant_id = $1 and user_id = $2')
const removeExpired = sql(
  'authorization.delete_expired_links',
  `delete from one_time_link where (tenant_id, id) in (select tenant_id, id from one_time_link where expires_at <= $1 limit $2) returning id`,
)

/** Inserts a link; an older one of the same purpose ends. */
export async function putLink(tx: TenantTx, link: NewLink, now: Date): Promise<void> {
  const { id, tokenHash, userId, purpose, expiresAt, way, makerRoles, emailFolded, couldSignIn } = link
  await tx.rows(put, {
    tenantId: tx.tenantId,
    id,
    tokenHash,
    userId,
    purpose,
    now,
    expiresAt,
    way,
    makerRoles,
    emailFolded,
    couldSignIn,
  })
}

/** Returns a link; null if it is unknown, used or expired. Whether its way is open is NOT checked. */
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
