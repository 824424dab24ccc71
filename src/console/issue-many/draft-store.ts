import type { UserId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

/** A new draft; everything is sealed. */
type NewDraft = {
  readonly id: string
  readonly userId: UserId
  readonly sealedView: Buffer
  readonly sealedSource: Buffer | null
  readonly parts: readonly Buffer[]
  readonly now: Date
  readonly expiresAt: Date
}

/** A draft without its rows. */
type DraftRow = { readonly sealedView: Buffer; readonly revision: number; readonly isIssuing: boolean }

/** A change of a draft: its new view, and the parts that change with it. */
type DraftChange = {
  readonly id: string
  readonly userId: UserId
  /** The state that is changed. */
  readonly revision: number
  readonly isIssuing: boolean
  readonly sealedView: Buffer
  readonly parts: ReadonlyMap<number, Buffer>
  readonly expiresAt: Date
  /** Issuing was interrupted: another request finishes it. */
  readonly staysIssuing: boolean
  readonly now: Date
}

const insert = sql(
  'console.insert_table_draft',
  `with issuing as (
     select id from table_draft where tenant_id = :tenantId and user_id = :userId and is_issuing and expires_at > :now
   ), old as (
     delete from table_draft where tenant_id = :tenantId and not is_issuing and id in (
       select id from table_draft where tenant_id = :tenantId and user_id = :userId and not is_issuing
       order by created_at desc offset greatest(0, :countMax::int - 1 - (select count(*) from issuing)))
     returning id
   ), ins as (
     insert into table_draft (tenant_id, id, user_id, sealed_view, sealed_source, bytes, created_at, expires_at)
     select :tenantId, :id, :userId, :sealedView, :sealedSource, :bytes::int, :now, :expiresAt
     where (select coalesce(sum(bytes), 0) from table_draft where tenant_id = :tenantId
       and expires_at > :now) + :bytes::int <= :bytesMax::bigint
       and (select count(*) from issuing) < :countMax::int
     returning id
   ), parts as (
     insert into table_draft_part (tenant_id, draft_id, position, sealed_rows)
     select :tenantId, ins.id, one.at - 1, one.sealed_rows from ins
       cross join unnest(:parts::bytea[]) with ordinality as one (sealed_rows, at) returning position
   )
   select (select id from ins) is not null as "isKept", (select count(*)::int from issuing) as issuing`,
)
const find = sql(
  'console.find_table_draft',
  `select sealed_view as "sealedView", revision, is_issuing as "isIssuing" from table_draft
   where tenant_id = $1 and id = $2 and user_id = $3 and expires_at > $4`,
)
const source = sql(
  'console.find_table_source',
  `select sealed_source as "sealedSource" from table_draft where tenant_id = $1 and id = $2 and user_id = $3`,
)
const selectParts = sql(
  'console.list_table_parts',
  `select position, sealed_rows as "sealedRows" from table_draft_part
   where tenant_id = $1 and draft_id = $2 and position = any($3::int[]) order by position`,
)
const change = sql(
  'console.change_table_draft',
  `with held as (
     update table_draft set sealed_view = :sealedView, revision = revision + 1, is_issuing = :staysIssuing,
       issuing_until = :now, expires_at = :expiresAt
     where tenant_id = :tenantId and id = :id and user_id = :userId and revision = :revision and is_issuing = :isIssuing
       returning id
   ), parts as (
     update table_draft_part part set sealed_rows = one.sealed_rows
     from held cross join unnest(:positions::int[], :parts::bytea[]) as one (position, sealed_rows)
     where part.tenant_id = :tenantId and part.draft_id = held.id and part.position = one.position
   )
   select id from held`,
)
const begin = sql(
  'console.begin_table_issue',
  `update table_draft set is_issuing = true, issuing_until = $5
   where tenant_id = $1 and id = $2 and user_id = $3 and revision = $4 and (not is_issuing or issuing_until <= $6) returning id`,
)
const release = sql(
  'console.release_table_issue',
  `update table_draft set is_issuing = $5, issuing_until = $6 where tenant_id = $1 and id = $2 and user_id = $3 and revision = $4`,
)
const remove = sql(
  'console.delete_table_draft',
  'delete from table_draft where tenant_id = $1 and id = $2 and user_id = $3 and not is_issuing',
)
const removeExpired = sql(
  'console.delete_expired_table_drafts',
  `delete from table_draft where (tenant_id, id) in (
     select tenant_id, id from table_draft where expires_at <= $1 order by expires_at limit $2) returning id`,
)

/**
 * Why a draft is not kept: the drafts of the tenant would have too many bytes, or rows of all drafts of the person are
 * being issued.
 */
export type NotKept = 'full' | 'issuing'

/**
 * Inserts a draft with its parts. The person's oldest drafts beyond `countMax` are deleted, except for those whose rows
 * are being issued.
 *
 * @returns null once it is kept
 */
export async function insertDraft(
  tx: TenantTx,
  one: NewDraft,
  limits: { readonly countMax: number; readonly bytesMax: number },
): Promise<NotKept | null> {
  const { id, userId, sealedView, sealedSource, parts, now, expiresAt } = one
  const { countMax, bytesMax } = limits
  const bytes = [sealedView, sealedSource, ...parts].reduce((sum, part) => sum + (part?.length ?? 0), 0)
  const [done] = await tx.rows<{ isKept: boolean; issuing: number }>(insert, {
    tenantId: tx.tenantId,
    id,
    userId,
    sealedView,
    sealedSource,
    bytes,
    now,
    expiresAt,
    parts,
    countMax,
    bytesMax,
  })
  if (done?.isKept === true) return null
  return (done?.issuing ?? 0) >= limits.countMax ? 'issuing' : 'full'
}

/** Returns a draft of the person that has not expired. */
export async function findDraft(tx: TenantTx, id: string, userId: UserId, now: Date): Promise<DraftRow | null> {
  return (await tx.rows<DraftRow>(find, [tx.tenantId, id, userId, now]))[0] ?? null
}

/** Returns the file of a draft, as it came. */
export async function findDraftSource(tx: TenantTx, id: string, userId: UserId): Promise<Buffer | null> {
  const [row] = await tx.rows<{ sealedSource: Buffer | null }>(source, [tx.tenantId, id, userId])
  return row?.sealedSource ?? null
}

/** Returns parts of a draft that the caller has found. */
export async function listDraftParts(
  tx: TenantTx,
  id: string,
  positions: readonly number[],
): Promise<readonly { readonly position: number; readonly sealedRows: Buffer }[]> {
  return tx.rows(selectParts, [tx.tenantId, id, positions])
}

/** Changes a draft that is in the state of `revision` and `isIssuing`. Of concurrent changes one gets true. */
export async function changeDraft(tx: TenantTx, one: DraftChange): Promise<boolean> {
  const { id, userId, revision, isIssuing, sealedView, expiresAt, parts, staysIssuing, now } = one
  const changed = await tx.rows(change, {
    tenantId: tx.tenantId,
    id,
    userId,
    revision,
    isIssuing,
    sealedView,
    expiresAt,
    positions: [...parts.keys()],
    parts: [...parts.values()],
    staysIssuing,
    now,
  })
  return changed.length === 1
}

/** The state of a draft that is issued. */
type IssuedDraft = { readonly id: string; readonly userId: UserId; readonly revision: number }

/**
 * Begins issuing, or takes over what another request began and did not end by its time. From now on nothing else
 * changes the draft. Of concurrent requests one gets true.
 */
export async function beginIssuing(
  tx: TenantTx,
  { id, userId, revision }: IssuedDraft,
  now: Date,
  until: Date,
): Promise<boolean> {
  return (await tx.rows(begin, [tx.tenantId, id, userId, revision, until, now])).length === 1
}

/** Leaves issuing to another request; with `isOver` nothing was issued, and the draft may be changed again. */
export async function releaseIssuing(
  tx: TenantTx,
  { id, userId, revision }: IssuedDraft,
  now: Date,
  isOver: boolean,
): Promise<void> {
  await tx.rows(release, [tx.tenantId, id, userId, revision, !isOver, now])
}

/** Deletes a draft, unless its rows are being issued. */
export async function deleteDraft(tx: TenantTx, id: string, userId: UserId): Promise<void> {
  await tx.rows(remove, [tx.tenantId, id, userId])
}

/** Deletes expired drafts of all tenants. Returns their number. */
export async function deleteExpiredDrafts(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(removeExpired, [now, limit])).length
}
