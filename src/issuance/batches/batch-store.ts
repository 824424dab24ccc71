import type { TenantId } from '../../caller.ts'
import type { ActorColumns, AuditEntry } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import type { WatchedKind } from '../../platform.ts'
import { hasExpired, RELEASE } from '../../store/lease.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { ReplacementAsk } from '../replacements/replace.ts'
import type { OwnValidity } from '../templates/validity.ts'
import type { Batch, BatchForm } from './batch.ts'

/** SQL: the columns of a {@link Batch} in its own row. */
export const BATCH_COLUMNS = `id, template_id as "templateId", form, total, done, failed, created_at as "createdAt", updated_at as "updatedAt", ended_at as "endedAt",
  name, asked_by->'actor' as "createdBy", sealed_headings is not null as "keepsColumns", mails, mails_sent as "mailsSent", mails_failed as "mailsFailed"`
const shownColumns = `${BATCH_COLUMNS},
  (select t.name from credential_template t where t.tenant_id = $1 and t.id = issuance_batch.template_id) as "templateName"`
const insertStatement = sql(
  'issuance.insert_batch',
  `insert into issuance_batch (tenant_id, id, template_id, form, total, expires_in_seconds, asked_by, created_at,
     updated_at, name, sealed_headings)
   values (:tenantId, :id, :templateId, :form, :total, :expiresInSeconds, :askedBy::jsonb, :now, :now, :name,
     :sealedHeadings)`,
)
const insertItems = sql(
  'issuance.insert_batch_items',
  `insert into issuance_batch_item (tenant_id, batch_id, position, status, issuance_id, reference, sealed_claims,
     sealed_recipient, sealed_mail, row_number, sealed_kept, own_valid_from, own_valid_until, replaces)
   select :tenantId, :id, :first::int + one.at - 1, 'waiting', one.id, one.reference, one.sealed_claims, one.sealed_recipient,
     one.sealed_mail, one.row_number, one.sealed_kept, one.own_valid_from, one.own_valid_until, one.replaces::jsonb
   from unnest(:itemIds::uuid[], :references::text[], :sealedClaims::bytea[], :sealedRecipients::bytea[],
     :sealedMails::bytea[], :rowNumbers::int[], :sealedKept::bytea[], :ownValidFroms::timestamptz[],
     :ownValidUntils::timestamptz[], :replaces::text[]) with ordinality
     as one (id, reference, sealed_claims, sealed_recipient, sealed_mail, row_number, sealed_kept, own_valid_from,
       own_valid_until, replaces, at) returning position`,
)
const findStatement = sql(
  'issuance.get_batch',
  `select ${shownColumns} from issuance_batch where tenant_id = $1 and id = $2`,
)
const selectVersions = sql(
  'issuance.list_batch_versions',
  `select tenant_id as "tenantId", id, concat_ws(' ', done, failed, mails, mails_sent, mails_failed) as version
   from issuance_batch where (tenant_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))`,
)
/** SQL condition: the run has died, or no run has begun, because the job was buried. `unclaimedSince` is SQL. */
const isStalled = (now: string, unclaimedSince: string) =>
  `ended_at is null and (${hasExpired(now)} or (claim is null and updated_at <= ${unclaimedSince}))`
const selectTenantsStalled = sql(
  'issuance.list_tenants_with_stalled_batches',
  `select distinct tenant_id as "tenantId" from issuance_batch where ${isStalled('$1', '$2')} limit 1000`,
)
const requeueStatement = sql(
  'issuance.requeue_batches',
  `update issuance_batch set ${RELEASE}, updated_at = $2 where tenant_id = $1 and ${isStalled('$2', '$3')} returning id`,
)
const selectTenantsOld = sql(
  'issuance.list_tenants_with_old_batches',
  'select distinct tenant_id as "tenantId" from issuance_batch where ended_at <= $1 limit 1000',
)
const deleteOld = sql(
  'issuance.delete_old_batches',
  // Each has up to 10,000 items, which are deleted with it.
  `delete from issuance_batch where tenant_id = $1 and id in (
     select id from issuance_batch where tenant_id = $1 and ended_at <= $2 order by ended_at limit 1) returning id`,
)
const countFailed = sql(
  'issuance.count_failed_batches',
  'select count(*)::int as count from issuance_batch where tenant_id = $1 and failed > 0 and updated_at > $2',
)
const page = pagedList({
  name: 'issuance.list_batches',
  select: `select ${shownColumns} from issuance_batch where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: {
    status: { processing: 'ended_at is null', completed: 'ended_at is not null' },
    hasFailedItems: { true: 'failed > 0' },
  },
})

/** A new batch. The claims of an item are sealed for the issuance that it becomes. */
type NewBatch = {
  readonly id: string
  readonly templateId: string
  readonly form: BatchForm
  readonly expiresInSeconds: number | null
  readonly items: readonly (OwnValidity & {
    readonly id: string
    /** Of a table: number of its row. */
    readonly row: number | null
    readonly reference: string | null
    readonly replaces: ReplacementAsk | null
    readonly sealedClaims: Buffer
    /** The user whose wallet receives it. */
    readonly sealedRecipient: Buffer | null
    /** Whom its offer is mailed to. */
    readonly sealedMail: Buffer | null
    /** What is kept of its row. */
    readonly sealedKept: Buffer | null
  })[]
  readonly askedBy: ActorColumns
  readonly name: string | null
  /** Of the kept columns. */
  readonly sealedHeadings: Buffer | null
}

/** Items that one statement inserts: their parameters are encoded in one piece. */
const ITEMS_PER_STATEMENT = 250

/** Inserts a batch with its items, in the transaction of the caller. Fails if the id exists. */
export async function insertBatch(tx: TenantTx, made: NewBatch, entry: AuditEntry, now: Date): Promise<void> {
  const { items } = made
  const batch = {
    tenantId: tx.tenantId,
    id: made.id,
    templateId: made.templateId,
    form: made.form,
    total: items.length,
    expiresInSeconds: made.expiresInSeconds,
    askedBy: JSON.stringify(made.askedBy),
    name: made.name,
    sealedHeadings: made.sealedHeadings,
    now,
  }
  const itemsFrom = (first: number) => ({
    statement: insertItems,
    values: itemValues(tx, made.id, items.slice(first, first + ITEMS_PER_STATEMENT), first),
  })
  await tx.rows(insertStatement, batch, [itemsFrom(0), auditStep(tx, entry, now)])
  for (let first = ITEMS_PER_STATEMENT; first < items.length; first += ITEMS_PER_STATEMENT) {
    const { statement, values } = itemsFrom(first)
    await tx.rows(statement, values)
  }
}

/** @param first Position of the first one. */
function itemValues({ tenantId }: TenantTx, id: string, items: NewBatch['items'], first: number) {
  return {
    tenantId,
    id,
    first,
    itemIds: items.map((one) => one.id),
    references: items.map((one) => one.reference),
    sealedClaims: items.map((one) => one.sealedClaims),
    sealedRecipients: items.map((one) => one.sealedRecipient),
    sealedMails: items.map((one) => one.sealedMail),
    rowNumbers: items.map((one) => one.row),
    sealedKept: items.map((one) => one.sealedKept),
    ownValidFroms: items.map((one) => one.ownValidFrom),
    ownValidUntils: items.map((one) => one.ownValidUntil),
    replaces: items.map((one) => one.replaces && JSON.stringify(one.replaces)),
  }
}

/** Returns one batch of the tenant. */
export async function findBatch(tx: TenantTx, id: string): Promise<Batch | null> {
  return (await tx.rows<Batch>(findStatement, [tx.tenantId, id]))[0] ?? null
}

/** Returns one page of batches, newest first by default, plus one row if there are more. */
export async function listBatches(
  tx: TenantTx,
  ask: PageRequest,
  filter: { readonly status?: 'processing' | 'completed' | undefined; readonly hasFailedItems?: 'true' | undefined },
): Promise<Batch[]> {
  return page<Batch>(tx, ask, [tx.tenantId], filter)
}

/** Returns tenants with batches whose run has died, or that no run has claimed since `unclaimedSince`. */
export async function listTenantsWithStalledBatches(
  tx: AcrossTx,
  now: Date,
  unclaimedSince: Date,
): Promise<TenantId[]> {
  const rows = await tx.rows<{ tenantId: TenantId }>(selectTenantsStalled, [now, unclaimedSince])
  return rows.map(({ tenantId }) => tenantId)
}

/** Releases such batches. @returns their ids, for each of which a job must be enqueued in the same transaction */
export async function requeueStalledBatches(tx: TenantTx, now: Date, unclaimedSince: Date): Promise<string[]> {
  return (await tx.rows<{ id: string }>(requeueStatement, [tx.tenantId, now, unclaimedSince])).map(({ id }) => id)
}

/** Returns tenants with batches that ended before that time. */
export async function listTenantsWithOldBatches(tx: AcrossTx, before: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenantId: TenantId }>(selectTenantsOld, [before])).map(({ tenantId }) => tenantId)
}

/** Deletes the oldest batch that ended before that time; its issuances stay. Returns how many. */
export async function deleteOldBatches(tx: TenantTx, before: Date): Promise<number> {
  return (await tx.rows(deleteOld, [tx.tenantId, before])).length
}

/** Batches for long polling and event streams; the version is their progress. */
export const watchedBatches: WatchedKind = {
  name: 'issuance-batch',
  versions: async (tx: AcrossTx, asked) =>
    tx.rows(selectVersions, [asked.map((one) => one.tenantId), asked.map((one) => one.id)]),
}

/** Counts the batches with failed items that changed after a time. */
export async function countFailedBatches(tx: TenantTx, since: Date): Promise<number> {
  return (await tx.rows<{ count: number }>(countFailed, [tx.tenantId, since]))[0]?.count ?? 0
}
