import type { UserId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import type { SharedLinkRow } from './card-link.ts'

/** Links of one holder: those that work, and all that the history still has. */
const linksMax = { active: 100, all: 1000 } as const
/** Hours with views that are told one by one. */
const HOURS_MAX = 100

/** A link as its holder sees it. */
export type SealedSharedLink = SharedLinkRow & { readonly sealedView: Buffer }

/** A link as the one who opens it sees it. */
type OpenedLink = SealedSharedLink & { readonly userId: UserId; readonly sealedPresentation: Buffer }

// A credential that its holder rejected is shown to nobody.
const USABLE = `exists (select from wallet_credential c
    where c.tenant_id = l.tenant_id and c.id = l.credential_id and c.user_id = l.user_id and c.status = 'accepted')`
const COLUMNS = `l.id, l.credential_id as "credentialId", ${USABLE} as "isUsable", l.views, l.viewed_at as "viewedAt",
  l.view_hours as "viewHours", l.view_counts as "viewCounts", l.expires_at as "expiresAt", l.ended_at as "endedAt",
  l.created_at as "createdAt", l.updated_at as "updatedAt", l.sealed_view as "sealedView"`
const OPENED = `${COLUMNS}, l.user_id as "userId", l.sealed_presentation as "sealedPresentation"`
const OPENS = `l.tenant_id = :tenantId and l.id = :id and l.secret_hash = :secretHash::bytea
  and l.ended_at is null and l.expires_at > :now and ${USABLE}`
const OF_USER = 'l.tenant_id = $1 and l.user_id = $2'
const END = 'secret_hash = null, sealed_presentation = null'
const OWN = 'from wallet_shared_link where tenant_id = :tenantId and user_id = :userId'

const insertStatement = sql(
  'wallet.insert_shared_link',
  `insert into wallet_shared_link (tenant_id, id, user_id, credential_id, secret_hash, sealed_view, sealed_presentation,
     expires_at, created_at, updated_at)
   select :tenantId, :id, :userId, :credentialId, :secretHash::bytea, :sealedView::bytea, :sealedPresentation::bytea,
     :expiresAt, :now, :now
   where exists (select from wallet_credential where tenant_id = :tenantId and id = :credentialId and user_id = :userId
       and status = 'accepted')
     and (select count(*) ${OWN} and ended_at is null and expires_at > :now) < ${linksMax.active}
     and (select count(*) ${OWN}) < ${linksMax.all}
   returning id`,
)
const countStatement = sql(
  'wallet.count_shared_links',
  `select count(*) filter (where ended_at is null and expires_at > $3)::int as active, count(*)::int as "all"
   from wallet_shared_link where tenant_id = $1 and user_id = $2`,
)
const deleteUntoldStatement = sql(
  'wallet.delete_untold_shared_link',
  'delete from wallet_shared_link where tenant_id = $1 and user_id = $2 and id = $3',
)
const findStatement = sql(
  'wallet.find_shared_link',
  `select ${COLUMNS} from wallet_shared_link l where ${OF_USER} and l.id = $3`,
)
const page = pagedList({
  name: 'wallet.shared_links',
  select: `select ${COLUMNS} from wallet_shared_link l where ${OF_USER}`,
  parameters: 2,
  id: 'l.id',
  filters: { credentialId: (value) => `l.credential_id = ${value}` },
})
const endStatement = sql(
  'wallet.end_shared_link',
  `update wallet_shared_link set ended_at = $4, updated_at = $4, ${END}
   where tenant_id = $1 and user_id = $2 and id = $3 and ended_at is null and expires_at > $4 returning id`,
)
const findOpenStatement = sql(
  'wallet.find_open_shared_link',
  `select ${OPENED} from wallet_shared_link l where ${OPENS}`,
)
// One statement, so that concurrent views are each counted.
const viewStatement = sql(
  'wallet.view_shared_link',
  `update wallet_shared_link l set views = l.views + 1, viewed_at = :now,
     view_hours = case when l.view_hours[cardinality(l.view_hours)] = :hour or cardinality(l.view_hours) >= ${HOURS_MAX}
       then l.view_hours else l.view_hours || :hour::timestamptz end,
     view_counts = case
       when l.view_hours[cardinality(l.view_hours)] = :hour
         then trim_array(l.view_counts, 1) || (l.view_counts[cardinality(l.view_counts)] + 1)
       when cardinality(l.view_hours) >= ${HOURS_MAX} then l.view_counts
       else l.view_counts || 1 end
   where ${OPENS} returning l.id`,
)
const expireStatement = sql(
  'wallet.expire_shared_links',
  `update wallet_shared_link set ended_at = expires_at, updated_at = expires_at, ${END}
   where tenant_id = $1 and id in (
     select id from wallet_shared_link where tenant_id = $1 and ended_at is null and expires_at <= $2 limit $3)
   returning id`,
)

/** A link to insert. */
type NewSharedLink = Pick<SharedLinkRow, 'id' | 'credentialId' | 'expiresAt'> & {
  readonly secretHash: Buffer
  readonly sealedView: Buffer
  readonly sealedPresentation: Buffer
}

/**
 * Inserts a link with its audit entry.
 *
 * @returns false, with nothing inserted, if the credential is not accepted any more, or the holder has too many links
 */
export async function insertSharedLink(
  tx: TenantTx,
  userId: UserId,
  { id, credentialId, expiresAt, secretHash, sealedView, sealedPresentation }: NewSharedLink,
  entry: AuditEntry,
  now: Date,
): Promise<boolean> {
  const values = {
    tenantId: tx.tenantId,
    userId,
    id,
    credentialId,
    expiresAt,
    secretHash,
    sealedView,
    sealedPresentation,
    now,
  }
  return (await recordChange(tx, insertStatement, values, entry, now)) !== null
}

/** Whether a holder may create no further link now. */
export async function hasTooManyLinks(tx: TenantTx, userId: UserId, now: Date): Promise<boolean> {
  const [row] = await tx.rows<{ active: number; all: number }>(countStatement, [tx.tenantId, userId, now])
  return row !== undefined && (row.active >= linksMax.active || row.all >= linksMax.all)
}

/** Deletes a link whose address was told to nobody, since the answer of its creation was lost. */
export async function deleteUntoldLink(tx: TenantTx, userId: UserId, id: string): Promise<void> {
  await tx.rows(deleteUntoldStatement, [tx.tenantId, userId, id])
}

/** @returns null also for a link of another user. */
export async function findSharedLink(tx: TenantTx, userId: UserId, id: string): Promise<SealedSharedLink | null> {
  return (await tx.rows<SealedSharedLink>(findStatement, [tx.tenantId, userId, id]))[0] ?? null
}

/** Returns one page, and one row more if there is a next page. @param credentialId null: of all credentials. */
export async function listSharedLinkRows(
  tx: TenantTx,
  userId: UserId,
  credentialId: string | null,
  list: PageRequest,
): Promise<SealedSharedLink[]> {
  return page<SealedSharedLink>(tx, list, [tx.tenantId, userId], { credentialId })
}

/** Ends a link that works, with its audit entry. @returns whether there was one */
export async function endSharedLinkRow(
  tx: TenantTx,
  userId: UserId,
  id: string,
  entry: AuditEntry,
  now: Date,
): Promise<boolean> {
  return (await recordChange(tx, endStatement, [tx.tenantId, userId, id, now], entry, now)) !== null
}

/** The secret of a link, as its row has it. */
type LinkKey = { readonly id: string; readonly secretHash: Buffer }

/** Returns the link of a secret while it works. */
export async function findOpenLink(tx: TenantTx, key: LinkKey, now: Date): Promise<OpenedLink | null> {
  return (await tx.rows<OpenedLink>(findOpenStatement, { tenantId: tx.tenantId, ...key, now }))[0] ?? null
}

/** Counts a view of a link. @returns false if it does not work any more */
export async function countView(tx: TenantTx, key: LinkKey, now: Date): Promise<boolean> {
  const hour = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000)
  return (await tx.rows(viewStatement, { tenantId: tx.tenantId, ...key, now, hour })).length > 0
}

/** Ends up to `limit` links whose time is over. @returns how many */
export async function expireSharedLinks(tx: TenantTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(expireStatement, [tx.tenantId, now, limit])).length
}

/** Lists tenants that have links whose time is over. */
export const listTenantsWithDueLinks = tenantsWith(
  'wallet.tenants_with_due_links',
  'from wallet_shared_link where ended_at is null and expires_at <= $1',
  'expires_at',
)
