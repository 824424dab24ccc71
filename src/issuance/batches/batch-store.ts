import type { TenantId } from '../../caller.ts'
import type { ActorColumns, AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditEachCte, auditEachValues, auditValues } from '../../events/audit/recorded-sql.ts'
import type { WatchedKind } from '../../platform.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { firstSweep } from '../issuances/issuance-store.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import type { Batch, BatchForm, BatchItemError } from './batch.ts'

type Row = {
  id: string
  template_id: string
  form: BatchForm
  total: number
  done: number
  failed: number
  created_at: Date
  updated_at: Date
  ended_at: Date | null
}

const COLUMNS = 'id, template_id, form, total, done, failed, created_at, updated_at, ended_at'

const insertStatement = sql(
  'issuance.batch.insert',
  `with ins as (
     insert into issuance_batch (tenant_id, id, template_id, form, total, expires_in_seconds, asked_by, lease_until, created_at, updated_at)
     values ($1, $2, $3, $4, cardinality($5::uuid[]), $8, $9::jsonb, $10, $11, $11) returning id
   ), items as (
     insert into issuance_batch_item (tenant_id, batch_id, position, status, issuance_id, reference, sealed_claims, sealed_recipient)
     select $1, ins.id, one.at - 1, 'waiting', one.id, one.reference, one.sealed_claims, one.sealed_recipient
     from ins cross join unnest($5::uuid[], $6::text[], $7::bytea[], $12::bytea[]) with ordinality
       as one (id, reference, sealed_claims, sealed_recipient, at)
   ), ${auditCte({ from: 'ins', first: 13 })}
   select id from ins`,
)
const findStatement = sql(
  'issuance.batch.get',
  `select ${COLUMNS} from issuance_batch where tenant_id = $1 and id = $2`,
)
const takeStatement = sql(
  'issuance.batch.take',
  `update issuance_batch set claim = $3, lease_until = $4, tries = tries + 1
   where tenant_id = $1 and id = $2 and ended_at is null and (claim is null or lease_until <= $5)
   returning ${COLUMNS}, expires_in_seconds, asked_by, tries`,
)
const selectWaiting = sql(
  'issuance.batch.waiting',
  `select position, issuance_id as id, sealed_claims as "sealedClaims", sealed_recipient as "sealedRecipient" from issuance_batch_item
   where tenant_id = $1 and batch_id = $2 and status = 'waiting' order by position limit $3`,
)
// Who lost the claim, or knows an older template, changes nothing: everything hangs on `held`.
const settleStatement = sql(
  'issuance.batch.settle',
  `with made_from as (
     select id, version from credential_template where tenant_id = $1 and id = $4 and version = $5 and archived_at is null
   ), held as (
     update issuance_batch set done = done + cardinality($8::int[]), failed = failed + cardinality($14::int[]), tries = 0,
       lease_until = $7, updated_at = $6,
       ended_at = case when done + failed + cardinality($8::int[]) + cardinality($14::int[]) = total then $6::timestamptz end
     where tenant_id = $1 and id = $2 and claim = $3 and ended_at is null
       and (cardinality($8::int[]) = 0 or exists (select from made_from))
     returning id, created_at
   ), due as (
     select one.*, item.issuance_id, item.reference, item.sealed_claims, held.created_at
     from held cross join unnest($8::int[], $9::uuid[], $10::bytea[], $16::uuid[])
       as one (position, credential_id, tx_code_mac, delivery_id)
     join issuance_batch_item item on item.tenant_id = $1 and item.batch_id = $2 and item.position = one.position
     where item.status = 'waiting'
   ), ins as (
     insert into issuance (tenant_id, id, status, template_id, template_version, reference, credential_id, credential_status, revocable,
       sealed_claims, sweep_at, expires_at, tx_code_mac, created_at, updated_at, format)
     select $1, due.issuance_id, 'offered', made_from.id, made_from.version, due.reference, due.credential_id, 'offered', $11::boolean,
       due.sealed_claims, ${firstSweep('$12::timestamptz', '$6::timestamptz')}, $12, due.tx_code_mac, due.created_at, $6::timestamptz, $13::text
     from due cross join made_from
     returning id
   ), issued as (
     update issuance_batch_item item set status = 'done', sealed_claims = null, sealed_recipient = null, delivery_id = due.delivery_id from due
     where item.tenant_id = $1 and item.batch_id = $2 and item.position = due.position
   ), refused as (
     update issuance_batch_item item set status = 'failed', sealed_claims = null, sealed_recipient = null, error = one.error::jsonb
     from held cross join unnest($14::int[], $15::text[]) as one (position, error)
     where item.tenant_id = $1 and item.batch_id = $2 and item.position = one.position and item.status = 'waiting'
   ), ${auditEachCte({ from: 'ins', subjectId: 'ins.id', detail: `'{}'::jsonb`, first: 17 })}
   select exists (select from held) as settled, exists (select from made_from) as "isCurrent"`,
)
const selectVersions = sql(
  'issuance.batch.versions',
  `select tenant_id as "tenantId", id, concat_ws(' ', done, failed) as version
   from issuance_batch where (tenant_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))`,
)
const selectTenantsLeft = sql(
  'issuance.batch.tenants_left',
  'select distinct tenant_id from issuance_batch where ended_at is null and lease_until <= $1 limit 1000',
)
const passOnStatement = sql(
  'issuance.batch.pass_on',
  `update issuance_batch set claim = null, lease_until = $3 where tenant_id = $1 and ended_at is null and lease_until <= $2 returning id`,
)
const selectTenantsOld = sql(
  'issuance.batch.tenants_old',
  'select distinct tenant_id from issuance_batch where ended_at <= $1 limit 1000',
)
const deleteOld = sql('issuance.batch.delete', 'delete from issuance_batch where tenant_id = $1 and ended_at <= $2')
const page = pagedList({
  name: 'issuance.batch.list',
  select: `select ${COLUMNS} from issuance_batch where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  filters: { status: { processing: 'ended_at is null', completed: 'ended_at is not null' } },
})

/** A batch that begins. The claims of an item are sealed for the issuance that it becomes. */
export type NewBatch = {
  readonly id: string
  readonly templateId: string
  readonly form: BatchForm
  readonly expiresInSeconds: number | null
  readonly items: readonly (Omit<PendingItem, 'position'> & { readonly reference: string | null })[]
  readonly askedBy: ActorColumns
  /** When a sweep looks after it, if nobody has begun by then. */
  readonly lookAgainAt: Date
}

/** A batch that a run is at work on. */
export type LeasedBatch = Batch & {
  readonly claim: string
  readonly expiresInSeconds: number | null
  readonly askedBy: ActorColumns
  /** How many runs there were since the last progress, this one included. */
  readonly tries: number
}

/** An item that waits. */
export type PendingItem = {
  readonly position: number
  readonly id: string
  readonly sealedClaims: Buffer
  /** Whose wallet it is delivered into. */
  readonly sealedRecipient: Buffer | null
}

/** What becomes of some items in one step. */
export type ItemOutcome = {
  readonly issued: readonly {
    readonly position: number
    readonly credentialId: string
    readonly txCodeMac: Buffer | null
    readonly deliveryId: string | null
    readonly entry: AuditEntry
  }[]
  readonly failed: readonly { readonly position: number; readonly error: BatchItemError }[]
  readonly template: CredentialTemplate
  readonly expiresAt: Date
  readonly leaseUntil: Date
}

/** Accepts a batch with its items. Fails if the id is taken. */
export async function insertBatch(tx: TenantTx, made: NewBatch, entry: AuditEntry, now: Date): Promise<void> {
  const { items } = made
  await tx.rows(insertStatement, [
    ...[tx.tenantId, made.id, made.templateId, made.form],
    ...[items.map((one) => one.id), items.map((one) => one.reference), items.map((one) => one.sealedClaims)],
    ...[made.expiresInSeconds, JSON.stringify(made.askedBy), made.lookAgainAt, now],
    items.map((one) => one.sealedRecipient),
    ...auditValues(entry, now),
  ])
}

/** One batch of the tenant. */
export async function findBatch(tx: TenantTx, id: string): Promise<Batch | null> {
  const [row] = await tx.rows<Row>(findStatement, [tx.tenantId, id])
  return row === undefined ? null : batchOf(row)
}

/** One page of batches, newest first unless told, and one row more if there are more. */
export async function listBatches(
  tx: TenantTx,
  ask: PageRequest,
  filter: { readonly status?: 'processing' | 'completed' | undefined },
): Promise<Batch[]> {
  return (await page<Row>(tx, ask, [tx.tenantId], filter)).map(batchOf)
}

/** Takes a batch that nobody is at work on. One statement, so of two runs one gets it. @returns null if it has ended, or is somebody's */
export async function claimBatch(
  tx: TenantTx,
  { id, claim, leaseUntil }: { readonly id: string; readonly claim: string; readonly leaseUntil: Date },
  now: Date,
): Promise<LeasedBatch | null> {
  type Held = Row & { expires_in_seconds: number | null; asked_by: ActorColumns; tries: number }
  const [row] = await tx.rows<Held>(takeStatement, [tx.tenantId, id, claim, leaseUntil, now])
  if (row === undefined) return null
  return { ...batchOf(row), claim, expiresInSeconds: row.expires_in_seconds, askedBy: row.asked_by, tries: row.tries }
}

/** The next items that wait, in their order. */
export async function listPendingItems(tx: TenantTx, batchId: string, limit: number): Promise<PendingItem[]> {
  return tx.rows<PendingItem>(selectWaiting, [tx.tenantId, batchId, limit])
}

/**
 * Issues some items and fails others, with their audit entries and events and with the progress of the batch. One statement: an item is issued
 * and done, or neither, and a run that was taken for dead changes nothing.
 *
 * @returns `lost` if another run has the batch, `stale` if the template is not, or no longer, at that version, or archived
 */
export async function completeItems(
  tx: TenantTx,
  { id, claim }: LeasedBatch,
  { issued, failed, template, expiresAt, leaseUntil }: ItemOutcome,
  now: Date,
): Promise<'settled' | 'lost' | 'stale'> {
  const { definition } = template
  const [row] = await tx.rows<{ settled: boolean; isCurrent: boolean }>(settleStatement, [
    ...[tx.tenantId, id, claim, template.id, template.version, now, leaseUntil],
    ...[issued.map((one) => one.position), issued.map((one) => one.credentialId), issued.map((one) => one.txCodeMac)],
    ...[definition.revocable, expiresAt, definition.format],
    ...[failed.map((one) => one.position), failed.map((one) => JSON.stringify(one.error))],
    issued.map((one) => one.deliveryId),
    ...auditEachValues(
      issued.map((one) => one.entry),
      now,
    ),
  ])
  if (row?.settled === true) return 'settled'
  return issued.length > 0 && row?.isCurrent === false ? 'stale' : 'lost'
}

/** Tenants with batches whose run has died, or never began. */
export async function listTenantsWithExpiredBatches(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenant_id: TenantId }>(selectTenantsLeft, [now])).map((row) => row.tenant_id)
}

/** Takes batches from runs that died. @returns their ids, each of which wants a job in the same transaction */
export async function requeueExpiredBatches(tx: TenantTx, now: Date, lookAgainAt: Date): Promise<string[]> {
  return (await tx.rows<{ id: string }>(passOnStatement, [tx.tenantId, now, lookAgainAt])).map(({ id }) => id)
}

/** Tenants with batches that ended before that time. */
export async function listTenantsWithOldBatches(tx: AcrossTx, before: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenant_id: TenantId }>(selectTenantsOld, [before])).map((row) => row.tenant_id)
}

/** Removes the batches that ended before that time; what they issued stays. */
export async function deleteOldBatches(tx: TenantTx, before: Date): Promise<void> {
  await tx.rows(deleteOld, [tx.tenantId, before])
}

/** Batches whose progress can be waited for. */
export const watchedBatches: WatchedKind = {
  name: 'issuance-batch',
  versions: async (tx: AcrossTx, asked) =>
    tx.rows(selectVersions, [asked.map((one) => one.tenantId), asked.map((one) => one.id)]),
}

function batchOf(row: Row): Batch {
  return {
    id: row.id,
    templateId: row.template_id,
    form: row.form,
    total: row.total,
    done: row.done,
    failed: row.failed,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  }
}
