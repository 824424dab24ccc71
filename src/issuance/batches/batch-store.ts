import type { TenantId } from '../../caller.ts'
import type { ActorColumns, AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditEachCte, auditEachValues, auditValues } from '../../events/audit/recorded-sql.ts'
import type { WatchedKind } from '../../platform.ts'
import { hasExpired, isFree, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { firstSweep } from '../offers/claims-end.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import type { Batch, BatchForm, BatchItemError } from './batch.ts'

const COLUMNS = `id, template_id as "templateId", form, total, done, failed, created_at as "createdAt", updated_at as "updatedAt", ended_at as "endedAt",
  name, asked_by->'actor' as "createdBy", mails, mails_sent as "mailsSent", mails_failed as "mailsFailed"`
/** SQL: the outcomes complete the batch. */
const ENDS = '(done + failed + cardinality($8::int[]) + cardinality($13::int[]) = total)'

const insertStatement = sql(
  'issuance.insert_batch',
  `with ins as (
     insert into issuance_batch (tenant_id, id, template_id, form, total, expires_in_seconds, asked_by, created_at, updated_at, name)
     values ($1, $2, $3, $4, cardinality($5::uuid[]), $8, $9::jsonb, $10, $10, $12) returning id
   ), items as (
     insert into issuance_batch_item (tenant_id, batch_id, position, status, issuance_id, reference, sealed_claims, sealed_recipient, sealed_mail)
     select $1, ins.id, one.at - 1, 'waiting', one.id, one.reference, one.sealed_claims, one.sealed_recipient, one.sealed_mail
     from ins cross join unnest($5::uuid[], $6::text[], $7::bytea[], $11::bytea[], $13::bytea[]) with ordinality
       as one (id, reference, sealed_claims, sealed_recipient, sealed_mail, at) returning position
   ), ${auditCte({ from: 'ins', first: 14 })}
   select id from ins`,
)
const findStatement = sql(
  'issuance.get_batch',
  `select ${COLUMNS} from issuance_batch where tenant_id = $1 and id = $2`,
)
const claimStatement = sql(
  'issuance.claim_batch',
  `update issuance_batch set ${take('$3', '$4')}, tries = tries + 1
   where tenant_id = $1 and id = $2 and ended_at is null and ${isFree('$5')}
   returning ${COLUMNS}, claim, expires_in_seconds as "expiresInSeconds", asked_by as "askedBy", tries`,
)
const selectPending = sql(
  'issuance.list_pending_items',
  `select position, issuance_id as id, sealed_claims as "sealedClaims", sealed_recipient as "sealedRecipient", sealed_mail as "sealedMail" from issuance_batch_item
   where tenant_id = $1 and batch_id = $2 and status = 'waiting' order by position limit $3`,
)
// A run that lost the lease, or read an older template version, changes nothing: every part depends on `held`.
const completeStatement = sql(
  'issuance.complete_items',
  `with made_from as (
     select id, version from credential_template where tenant_id = $1 and id = $4 and version = $5 and archived_at is null
   ), held as (
     update issuance_batch set done = done + cardinality($8::int[]), failed = failed + cardinality($13::int[]), tries = 0,
       mails = mails + $17::int, updated_at = $6, ended_at = case when ${ENDS} then $6::timestamptz end,
       claim = case when not ${ENDS} then claim end, lease_until = case when not ${ENDS} then $7::timestamptz end
     where tenant_id = $1 and id = $2 and ${isHeld('$3')} and ended_at is null
       and (cardinality($8::int[]) = 0 or exists (select from made_from))
     returning id, created_at
   ), due as (
     select one.*, item.issuance_id, item.reference, item.sealed_claims, held.created_at
     from held cross join unnest($8::int[], $9::bytea[], $15::uuid[], $16::bytea[], $11::timestamptz[])
       as one (position, tx_code_mac, delivery_id, sealed_label, expires_at)
     join issuance_batch_item item on item.tenant_id = $1 and item.batch_id = $2 and item.position = one.position
     where item.status = 'waiting'
   ), ins as (
     insert into issuance (tenant_id, id, status, template_id, template_version, reference, credential_status, revocable,
       sealed_claims, sweep_at, expires_at, tx_code_mac, created_at, updated_at, format, sealed_label)
     select $1, due.issuance_id, 'offered', made_from.id, made_from.version, due.reference, 'offered', $10::boolean,
       due.sealed_claims, ${firstSweep('due.expires_at', '$6::timestamptz')}, due.expires_at, due.tx_code_mac, due.created_at, $6::timestamptz, $12::text, due.sealed_label
     from due cross join made_from
     returning id
   ), issued as (
     update issuance_batch_item item set status = 'done', sealed_claims = null, sealed_recipient = null, sealed_mail = null, delivery_id = due.delivery_id from due
     where item.tenant_id = $1 and item.batch_id = $2 and item.position = due.position
   ), refused as (
     update issuance_batch_item item set status = 'failed', sealed_claims = null, sealed_recipient = null, sealed_mail = null, error = one.error::jsonb
     from held cross join unnest($13::int[], $14::text[]) as one (position, error)
     where item.tenant_id = $1 and item.batch_id = $2 and item.position = one.position and item.status = 'waiting'
   ), ${auditEachCte({ from: 'ins', subjectId: 'ins.id', detail: `'{}'::jsonb`, first: 18 })}
   select exists (select from held) as "isHeld", exists (select from made_from) as "isCurrent"`,
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
  // Each has up to 1,000 items, which are deleted with it.
  `delete from issuance_batch where tenant_id = $1 and id in (
     select id from issuance_batch where tenant_id = $1 and ended_at <= $2 order by ended_at limit 5) returning id`,
)
const countFailed = sql(
  'issuance.count_failed_batches',
  'select count(*)::int as count from issuance_batch where tenant_id = $1 and failed > 0 and updated_at > $2',
)
const page = pagedList({
  name: 'issuance.list_batches',
  select: `select ${COLUMNS} from issuance_batch where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: { status: { processing: 'ended_at is null', completed: 'ended_at is not null' } },
})

/** A new batch. The claims of an item are sealed for the issuance that it becomes. */
type NewBatch = {
  readonly id: string
  readonly templateId: string
  readonly form: BatchForm
  readonly expiresInSeconds: number | null
  readonly items: readonly (Omit<PendingItem, 'position'> & { readonly reference: string | null })[]
  readonly askedBy: ActorColumns
  readonly name: string | null
}

/** A batch that a run holds the lease of. */
export type LeasedBatch = Batch & {
  readonly claim: string
  readonly expiresInSeconds: number | null
  readonly askedBy: ActorColumns
  /** Runs since the last progress, this one included. */
  readonly tries: number
}

/** An item that is neither issued nor failed. */
export type PendingItem = {
  readonly position: number
  readonly id: string
  readonly sealedClaims: Buffer
  /** The user whose wallet receives it. */
  readonly sealedRecipient: Buffer | null
  /** Whom its offer is mailed to. */
  readonly sealedMail: Buffer | null
}

/** The outcome of some items in one step. */
export type ItemOutcome = {
  readonly issued: readonly {
    readonly position: number
    readonly txCodeMac: Buffer | null
    readonly deliveryId: string | null
    readonly sealedLabel: Buffer | null
    /** When its offer ends. */
    readonly expiresAt: Date
    /** Its mail is queued by the caller, in the same transaction. */
    readonly mail: { readonly id: string; readonly sealedMail: Buffer } | null
    readonly entry: AuditEntry
  }[]
  readonly failed: readonly { readonly position: number; readonly error: BatchItemError }[]
  readonly template: CredentialTemplate
  readonly leaseUntil: Date
}

/** Inserts a batch with its items. Fails if the id exists. */
export async function insertBatch(tx: TenantTx, made: NewBatch, entry: AuditEntry, now: Date): Promise<void> {
  const { items } = made
  await tx.rows(insertStatement, [
    ...[tx.tenantId, made.id, made.templateId, made.form],
    ...[items.map((one) => one.id), items.map((one) => one.reference), items.map((one) => one.sealedClaims)],
    ...[made.expiresInSeconds, JSON.stringify(made.askedBy), now],
    items.map((one) => one.sealedRecipient),
    made.name,
    items.map((one) => one.sealedMail),
    ...auditValues(entry, now),
  ])
}

/** Returns one batch of the tenant. */
export async function findBatch(tx: TenantTx, id: string): Promise<Batch | null> {
  return (await tx.rows<Batch>(findStatement, [tx.tenantId, id]))[0] ?? null
}

/** Returns one page of batches, newest first by default, plus one row if there are more. */
export async function listBatches(
  tx: TenantTx,
  ask: PageRequest,
  filter: { readonly status?: 'processing' | 'completed' | undefined },
): Promise<Batch[]> {
  return page<Batch>(tx, ask, [tx.tenantId], filter)
}

/** Takes the lease of a batch. One statement, so of two runs one gets it. @returns null if the batch has ended or another run holds it */
export async function claimBatch(
  tx: TenantTx,
  { id, claim, leaseUntil }: Lease & { readonly id: string },
  now: Date,
): Promise<LeasedBatch | null> {
  const [row] = await tx.rows<LeasedBatch>(claimStatement, [tx.tenantId, id, claim, leaseUntil, now])
  return row ?? null
}

/** Returns the next pending items, in their order. */
export async function listPendingItems(tx: TenantTx, batchId: string, limit: number): Promise<PendingItem[]> {
  return tx.rows<PendingItem>(selectPending, [tx.tenantId, batchId, limit])
}

/**
 * Issues some items and fails others, with audit entries, events and the progress of the batch, and renews the lease or, with the last item,
 * releases it. One statement: an item is issued and done, or neither, and a run whose lease another run has taken changes nothing.
 *
 * @returns `lost` if another run holds the batch, `stale` if the template is at another version or archived
 */
export async function completeItems(
  tx: TenantTx,
  { id, claim }: LeasedBatch,
  { issued, failed, template, leaseUntil }: ItemOutcome,
  now: Date,
): Promise<'completed' | 'lost' | 'stale'> {
  const { definition } = template
  const [row] = await tx.rows<{ isHeld: boolean; isCurrent: boolean }>(completeStatement, [
    ...[tx.tenantId, id, claim, template.id, template.version, now, leaseUntil],
    ...[issued.map((one) => one.position), issued.map((one) => one.txCodeMac)],
    ...[definition.revocable, issued.map((one) => one.expiresAt), definition.format],
    ...[failed.map((one) => one.position), failed.map((one) => JSON.stringify(one.error))],
    issued.map((one) => one.deliveryId),
    issued.map((one) => one.sealedLabel),
    issued.filter((one) => one.mail !== null).length,
    ...auditEachValues(
      issued.map((one) => one.entry),
      now,
    ),
  ])
  if (row?.isHeld === true) return 'completed'
  return issued.length > 0 && row?.isCurrent === false ? 'stale' : 'lost'
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

/** Deletes a few of the batches that ended before that time; their issuances stay. Returns how many. */
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
