import type { UserId } from '../../caller.ts'
import type { ActorColumns, AuditEntry } from '../../events/audit/entry.ts'
import { recordEach } from '../../events/audit/record.ts'
import { isFree, isHeld, type Lease, take } from '../../store/lease.ts'
import { runSteps, sql, type TenantTx } from '../../store/store.ts'
import { insertOfferedSql } from '../issuances/issuance-store.ts'
import { keptAttributesSteps } from '../kept-attributes/kept-attributes-store.ts'
import { nameWordSteps } from '../names/name-word-store.ts'
import type { ReplacementAsk } from '../replacements/replace.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import type { OwnValidity } from '../templates/validity.ts'
import type { Batch, BatchItemError } from './batch.ts'
import { BATCH_COLUMNS } from './batch-store.ts'

/** SQL: the outcomes complete the batch. */
const ENDS = '(done + failed + cardinality(:positions::int[]) + cardinality(:failedPositions::int[]) = total)'

const claimStatement = sql(
  'issuance.claim_batch',
  `update issuance_batch set ${take('$3', '$4')}, tries = tries + 1
   where tenant_id = $1 and id = $2 and ended_at is null and ${isFree('$5')}
   returning ${BATCH_COLUMNS}, claim, expires_in_seconds as "expiresInSeconds", asked_by as "askedBy", tries`,
)
const selectPending = sql(
  'issuance.list_pending_items',
  `select position, issuance_id as id, sealed_claims as "sealedClaims", sealed_recipient as "sealedRecipient", sealed_mail as "sealedMail",
     own_valid_from as "ownValidFrom", own_valid_until as "ownValidUntil", replaces from issuance_batch_item
   where tenant_id = $1 and batch_id = $2 and status = 'waiting' order by position limit $3`,
)
const insertIssued = insertOfferedSql(
  {
    id: 'due.issuance_id',
    template_id: 'made_from.id',
    template_version: 'made_from.version',
    reference: 'due.reference',
    revocable: ':revocable::boolean',
    sealed_claims: 'due.sealed_claims',
    expires_at: 'due.expires_at',
    tx_code_mac: 'due.tx_code_mac',
    created_at: 'due.created_at',
    updated_at: ':now::timestamptz',
    format: ':format::text',
    recipient_id: 'null::uuid',
    code_only: 'false',
    holder_id: 'due.holder_id',
    sealed_label: 'due.sealed_label',
    own_valid_from: 'due.own_valid_from',
    own_valid_until: 'due.own_valid_until',
  },
  'due cross join made_from',
)
// A run that lost the lease, or read an older template version, changes nothing: every part depends on `held`.
const completeStatement = sql(
  'issuance.complete_items',
  `with made_from as (
     select id, version from credential_template where tenant_id = :tenantId and id = :templateId
       and version = :templateVersion and archived_at is null
   ), held as (
     update issuance_batch set done = done + cardinality(:positions::int[]),
       failed = failed + cardinality(:failedPositions::int[]), tries = 0,
       mails = mails + :mails::int, updated_at = :now, ended_at = case when ${ENDS} then :now::timestamptz end,
       claim = case when not ${ENDS} then claim end,
       lease_until = case when not ${ENDS} then :leaseUntil::timestamptz end
     where tenant_id = :tenantId and id = :id and ${isHeld(':claim')} and ended_at is null
       and (cardinality(:positions::int[]) = 0 or exists (select from made_from))
     returning id, created_at
   ), due as (
     select one.*, item.issuance_id, coalesce(item.reference, one.old_reference) as reference, item.sealed_claims,
       item.own_valid_from, item.own_valid_until, held.created_at
     from held cross join unnest(:positions::int[], :txCodeMacs::bytea[], :deliveryIds::uuid[], :sealedLabels::bytea[],
       :offersEndAt::timestamptz[], :holderIds::uuid[], :oldReferences::text[])
       as one (position, tx_code_mac, delivery_id, sealed_label, expires_at, holder_id, old_reference)
     join issuance_batch_item item on item.tenant_id = :tenantId and item.batch_id = :id
       and item.position = one.position
     where item.status = 'waiting'
   ), ins as (
     ${insertIssued}
     returning id
   ), issued as (
     update issuance_batch_item item set status = 'done', sealed_claims = null, sealed_recipient = null, sealed_mail = null, delivery_id = due.delivery_id,
       reference = due.reference from due
     where item.tenant_id = :tenantId and item.batch_id = :id and item.position = due.position
   ), refused as (
     update issuance_batch_item item set status = 'failed', sealed_claims = null, sealed_recipient = null, sealed_mail = null, error = one.error::jsonb
     from held cross join unnest(:failedPositions::int[], :errors::text[]) as one (position, error)
     where item.tenant_id = :tenantId and item.batch_id = :id and item.position = one.position
       and item.status = 'waiting'
   )
   select exists (select from held) as "isHeld", exists (select from made_from) as "isCurrent",
     array(select id from ins) as ids`,
)
/** A batch that a run holds the lease of. */
export type LeasedBatch = Omit<Batch, 'templateName'> & {
  readonly claim: string
  readonly expiresInSeconds: number | null
  readonly askedBy: ActorColumns
  /** Runs since the last progress, this one included. */
  readonly tries: number
}

/** An item that is neither issued nor failed. */
export type PendingItem = OwnValidity & {
  readonly position: number
  readonly id: string
  readonly replaces: ReplacementAsk | null
  readonly sealedClaims: Buffer
  /** The user whose wallet receives it. */
  readonly sealedRecipient: Buffer | null
  /** Whom its offer is mailed to. */
  readonly sealedMail: Buffer | null
}

/** The outcome of some items in one step. */
export type ItemOutcome = {
  readonly issued: readonly {
    readonly id: string
    readonly position: number
    readonly txCodeMac: Buffer | null
    /** Of the issuance that it replaces: that of the new one, unless the item states its own. */
    readonly oldReference: string | null
    /** Its delivery, and the user whose wallet it is delivered to; null: none. */
    readonly delivery: { readonly id: string; readonly userId: UserId } | null
    readonly sealedLabel: Buffer | null
    /** Keyed hashes of the words of its label. */
    readonly wordMacs: readonly Buffer[]
    /** Its attributes, to be kept for corrections; null: they are not. */
    readonly sealedAttributes: Buffer | null
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

/**
 * Takes the lease of a batch. One statement, so of two runs one gets it.
 *
 * @returns null if the batch has ended or another run holds it
 */
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
 * Issues some items and fails others, with audit entries, events and the progress of the batch, and renews the lease
 * or, with the last item, releases it. An item is issued and done, or neither, and a run whose lease another run has
 * taken changes nothing.
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
  const [row] = await tx.rows<{ isHeld: boolean; isCurrent: boolean; ids: readonly string[] }>(completeStatement, {
    tenantId: tx.tenantId,
    id,
    claim,
    templateId: template.id,
    templateVersion: template.version,
    now,
    leaseUntil,
    revocable: definition.revocable,
    format: definition.format,
    positions: issued.map((one) => one.position),
    txCodeMacs: issued.map((one) => one.txCodeMac),
    offersEndAt: issued.map((one) => one.expiresAt),
    deliveryIds: issued.map((one) => one.delivery?.id ?? null),
    holderIds: issued.map((one) => one.delivery?.userId ?? null),
    sealedLabels: issued.map((one) => one.sealedLabel),
    oldReferences: issued.map((one) => one.oldReference),
    mails: issued.filter((one) => one.mail !== null).length,
    failedPositions: failed.map((one) => one.position),
    errors: failed.map((one) => JSON.stringify(one.error)),
  })
  const inserted = new Set(row?.ids)
  const written = issued.filter((one) => inserted.has(one.id))
  await runSteps(tx, [...nameWordSteps(tx, written), ...keptAttributesSteps(tx, written)])
  await recordEach(
    tx,
    written.map(({ entry }) => entry),
    now,
  )
  if (row?.isHeld === true) return 'completed'
  return issued.length > 0 && row?.isCurrent === false ? 'stale' : 'lost'
}
