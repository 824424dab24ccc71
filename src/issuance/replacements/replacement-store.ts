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
// Two are enough to know that the reference does not say which.
const findByReference = sql(
  'issuance.find_replaceable_by_reference',
  `${REPLACEABLE} where i.tenant_id = :tenantId and i.reference collate "C" = :reference and i.template_id = :templateId
     and i.standing <> 'revoked' and (${IS_OPEN} or i.issued_at is not null) and ${REPLACED_BY} is null
   order by i.id desc limit 2`,
)
const insertStatement = sql(
  'issuance.insert_replacement',
  'insert into replacement (tenant_id, id, old_id, revoke) values ($1, $2, $3, $4)',
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
   where r.tenant_id = :tenantId and r.outcome is null and (:id::uuid is null or r.id = :id)
     and (${IS_TAKEN} or ${IS_VOID} or (r.revoke <> 'never' and (r.revoke = 'atOnce' or o.status = 'offered')))
   order by r.id limit :limit`,
)
const settleStatement = sql(
  'issuance.settle_replacement',
  'update replacement set outcome = $3 where tenant_id = $1 and id = $2 and outcome is null',
)
const selectTenants = sql(
  'issuance.list_tenants_with_replacements',
  'select distinct tenant_id as "tenantId" from replacement where outcome is null limit 1000',
)

/** An issuance whose credential is to be replaced. */
type Replaceable = {
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

/**
 * Returns the newest two issuances from a template with a reference whose credential is out or on offer, is not
 * revoked, and has no replacement.
 */
export async function findReplaceableByReference(
  tx: TenantTx,
  by: { readonly reference: string; readonly templateId: string },
  now: Date,
): Promise<Replaceable[]> {
  return tx.rows<Replaceable>(findByReference, { tenantId: tx.tenantId, ...by, now })
}

/** A new issuance, and the one whose place its credential takes. */
type NewReplacement = { readonly id: string; readonly oldId: string; readonly revoke: ReplacementTime }

/**
 * Inserts a replacement.
 *
 * @throws an error of PostgreSQL, unique violation of `replacement_old`, if another one takes that place
 */
export async function insertReplacement(tx: TenantTx, { id, oldId, revoke }: NewReplacement): Promise<void> {
  await tx.rows(insertStatement, [tx.tenantId, id, oldId, revoke])
}

/**
 * A replacement with something to do. `isVoid`: the new credential came to nothing. `isOver`: when the old one is
 * withdrawn, nothing is left to do.
 */
type DueReplacement = NewReplacement & { readonly isVoid: boolean; readonly isOver: boolean }

/**
 * Returns replacements with something to do, in the order of the new issuances.
 *
 * @param takenBefore A credential that was issued by then counts as taken, whatever its wallet reported.
 * @param id Only this one; null: all.
 */
export async function listDueReplacements(
  tx: TenantTx,
  takenBefore: Date,
  limit: number,
  id: string | null = null,
): Promise<DueReplacement[]> {
  return tx.rows<DueReplacement>(listDueStatement, { tenantId: tx.tenantId, takenBefore, limit, id })
}

/** Ends a replacement. */
export async function settleReplacement(tx: TenantTx, id: string, outcome: 'done' | 'void'): Promise<void> {
  await tx.rows(settleStatement, [tx.tenantId, id, outcome])
}

/** Returns tenants with replacements that have not ended. */
export async function listTenantsWithReplacements(tx: AcrossTx): Promise<TenantId[]> {
  return (await tx.rows<{ tenantId: TenantId }>(selectTenants)).map(({ tenantId }) => tenantId)
}
