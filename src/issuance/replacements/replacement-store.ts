import type { TenantId } from '../../caller.ts'
import type { ReplacementTime } from '../../contract/issuance/issuances.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { isOfferOver } from '../issuances/issuance-store.ts'

const IS_OPEN = `(i.status = 'offered' and not ${isOfferOver(':now')})`
/** SQL: the issuance that takes, or took, the place of `i`; null: none. */
const REPLACED_BY = `(select r.id from replacement r where r.tenant_id = :tenantId and r.old_id = i.id
   and r.outcome is distinct from 'void')`
const REPLACEABLE = `select i.id, i.reference, i.revocable, i.issued_at is not null as "isIssued",
     ${IS_OPEN} as "isOpen", ${REPLACED_BY} as "replacedBy"
   from issuance i`
const findById = sql(
  'issuance.find_replaceable',
  `${REPLACEABLE} where i.tenant_id = :tenantId and i.id = any(:ids::uuid[])`,
)
/** SQL condition: an item of the batch `:batchId`, if any, became this issuance. `id` is SQL. */
const isOfBatch = (id: string) =>
  `exists (select from issuance_batch_item b where b.tenant_id = :tenantId and b.issuance_id = ${id}
     and b.batch_id = :batchId::uuid)`
// Two of a reference are enough to know that it does not say which. What a batch issued and replaced itself changes
// nothing for its later items: they mean what was there before it.
const findByReferences = sql(
  'issuance.find_replaceable_by_references',
  `select found.* from unnest(:references::text[]) as asked (reference) cross join lateral (
     ${REPLACEABLE} where i.tenant_id = :tenantId and i.reference collate "C" = asked.reference
       and i.template_id = :templateId and i.standing <> 'revoked' and (${IS_OPEN} or i.issued_at is not null)
       and (${REPLACED_BY} is null or ${isOfBatch(REPLACED_BY)}) and not ${isOfBatch('i.id')}
     order by i.id desc limit 2) found`,
)
// In one order, so that transactions that replace the same credentials wait for each other and do not deadlock.
const insertStatement = sql(
  'issuance.insert_replacements',
  `insert into replacement (tenant_id, id, old_id, revoke)
   select $1, one.* from unnest($2::uuid[], $3::uuid[], $4::text[]) as one (id, old_id, revoke)
   order by one.old_id returning id`,
)
const IS_VOID = `(n.status in ('failed', 'expired', 'canceled') or n.credential_status = 'rejected')`
// Many wallets never report that their holder accepted a credential, so time counts too.
const IS_TAKEN = '(n.accepted_at is not null or n.issued_at <= :takenBefore)'
const listDueStatement = sql(
  'issuance.list_due_replacements',
  `select r.id, r.old_id as "oldId", r.revoke, ${IS_VOID} as "isVoid",
     coalesce(${IS_TAKEN}, false) or r.revoke = 'atOnce' as "isOver"
   from replacement r join issuance n on n.tenant_id = :tenantId and n.id = r.id
     join issuance o on o.tenant_id = :tenantId and o.id = r.old_id
   where r.tenant_id = :tenantId and r.outcome is null and (:ids::uuid[] is null or r.id = any(:ids::uuid[]))
     and (:after::uuid is null or r.id > :after::uuid)
     and (${IS_TAKEN} or ${IS_VOID} or (r.revoke <> 'never' and (r.revoke = 'atOnce' or o.status = 'offered')))
   order by r.id limit :limit`,
)
const endStatement = sql(
  'issuance.end_replacements',
  `update replacement set outcome = one.outcome from unnest($2::uuid[], $3::text[]) as one (id, outcome)
   where replacement.tenant_id = $1 and replacement.id = one.id and replacement.outcome is null`,
)
const selectTenants = sql(
  'issuance.list_tenants_with_replacements',
  'select distinct tenant_id as "tenantId" from replacement where outcome is null limit 1000',
)

/** An issuance whose credential is to be replaced. */
export type Replaceable = {
  readonly id: string
  readonly reference: string | null
  readonly revocable: boolean
  readonly isIssued: boolean
  /** Its offer can still be taken. */
  readonly isOpen: boolean
  /** The issuance that takes its place already; null: none. */
  readonly replacedBy: string | null
}

/** Returns the issuances of the tenant with one of these ids. */
export async function findReplaceable(tx: TenantTx, ids: readonly string[], now: Date): Promise<Replaceable[]> {
  return tx.rows<Replaceable>(findById, { tenantId: tx.tenantId, ids, now })
}

/** How credentials are found by their references. */
type ReferencesAsk = {
  readonly references: readonly string[]
  readonly templateId: string
  /** The batch whose items replace them: what its items issued and replaced is seen as it was before. */
  readonly batchId: string | null
}

/**
 * Returns, for each of these references, the newest two issuances from a template whose credential is out or on offer,
 * is not revoked, and has no replacement.
 */
export async function findReplaceableByReferences(tx: TenantTx, by: ReferencesAsk, now: Date): Promise<Replaceable[]> {
  return tx.rows<Replaceable>(findByReferences, { tenantId: tx.tenantId, ...by, now })
}

/** A new issuance, and the one whose place its credential takes. */
export type NewReplacement = { readonly id: string; readonly oldId: string; readonly revoke: ReplacementTime }

/**
 * Inserts replacements.
 *
 * @throws an error of PostgreSQL, unique violation of `replacement_old`, if another one takes such a place
 */
export async function insertReplacements(tx: TenantTx, made: readonly NewReplacement[]): Promise<void> {
  await tx.rows(insertStatement, [
    tx.tenantId,
    made.map(({ id }) => id),
    made.map(({ oldId }) => oldId),
    made.map(({ revoke }) => revoke),
  ])
}

/**
 * A replacement with something to do. `isVoid`: the new credential came to nothing. `isOver`: when the old one is
 * withdrawn, nothing is left to do.
 */
type DueReplacement = NewReplacement & { readonly isVoid: boolean; readonly isOver: boolean }

/** Which replacements are looked at. */
export type DueAsk = {
  /** Only these; null: all. */
  readonly ids: readonly string[] | null
  /** Those behind this one; null: from the first. */
  readonly after: string | null
  readonly limit: number
}

/**
 * Returns replacements with something to do, in the order of the new issuances.
 *
 * @param takenBefore A credential that was issued by then counts as taken, whatever its wallet reported.
 */
export async function listDueReplacements(tx: TenantTx, takenBefore: Date, ask: DueAsk): Promise<DueReplacement[]> {
  return tx.rows<DueReplacement>(listDueStatement, { tenantId: tx.tenantId, takenBefore, ...ask })
}

/** A replacement that has ended. */
type EndedReplacement = { readonly id: string; readonly outcome: 'done' | 'void' }

/** Ends replacements. */
export async function endReplacements(tx: TenantTx, ended: readonly EndedReplacement[]): Promise<void> {
  await tx.rows(endStatement, [tx.tenantId, ended.map(({ id }) => id), ended.map(({ outcome }) => outcome)])
}

/** Returns tenants with replacements that have not ended. */
export async function listTenantsWithReplacements(tx: AcrossTx): Promise<TenantId[]> {
  return (await tx.rows<{ tenantId: TenantId }>(selectTenants)).map(({ tenantId }) => tenantId)
}
