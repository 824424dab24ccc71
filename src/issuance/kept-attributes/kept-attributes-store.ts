import type { TenantId } from '../../caller.ts'
import { type AcrossTx, type Step, sql, type TenantTx } from '../../store/store.ts'
import { CLAIMS_END } from '../offers/claims-end.ts'

const insertStatement = sql(
  'issuance.insert_attributes',
  `insert into issuance_attributes (tenant_id, id, sealed_attributes)
   select $1, one.id, one.sealed_attributes from unnest($2::uuid[], $3::bytea[]) as one (id, sealed_attributes)
   returning id`,
)
// The claims of an offer that has ended wait for the sweep.
const selectStatement = sql(
  'issuance.get_attributes',
  `select i.template_id as "templateId", case when ${CLAIMS_END} > $3 then i.sealed_claims end as "sealedClaims",
     (select a.sealed_attributes from issuance_attributes a where a.tenant_id = $1 and a.id = i.id) as "sealedAttributes"
   from issuance i where i.tenant_id = $1 and i.id = $2`,
)
// One entry of the index: the attributes of a tenant may be millions.
const selectNextTenant = sql(
  'issuance.next_tenant_with_attributes',
  `select tenant_id as "tenantId" from issuance_attributes where tenant_id > $1 order by tenant_id limit 1`,
)
const deleteSome = sql(
  'issuance.delete_attributes',
  `delete from issuance_attributes where tenant_id = $1 and id in (
     select id from issuance_attributes where tenant_id = $1 order by id limit $2)
   returning id`,
)

/** The attributes of an issuance, sealed; null where the organisation keeps none. */
type Kept = { readonly id: string; readonly sealedAttributes: Buffer | null }

/**
 * Returns the step that keeps the attributes of issuances, for the transaction that inserts these; no step where none
 * are kept. One statement, for a few hundred issuances.
 */
export function keptAttributesSteps({ tenantId }: TenantTx, made: readonly Kept[]): readonly Step[] {
  const kept = made.filter(({ sealedAttributes }) => sealedAttributes !== null)
  if (kept.length === 0) return []
  const values = [tenantId, kept.map(({ id }) => id), kept.map(({ sealedAttributes }) => sealedAttributes)]
  return [{ statement: insertStatement, values }]
}

/** What is there of an issuance: its claims until they are erased, and the attributes kept for corrections. */
type SealedAttributes = {
  readonly templateId: string
  readonly sealedClaims: Buffer | null
  readonly sealedAttributes: Buffer | null
}

/** Returns what is there of the attributes of an issuance; null: it is unknown. */
export async function findAttributes(tx: TenantTx, id: string, now: Date): Promise<SealedAttributes | null> {
  return (await tx.rows<SealedAttributes>(selectStatement, [tx.tenantId, id, now]))[0] ?? null
}

/** Returns the first tenant behind another one of which attributes are kept; null: there is none. */
export async function nextTenantWithAttributes(tx: AcrossTx, after: TenantId): Promise<TenantId | null> {
  return (await tx.rows<{ tenantId: TenantId }>(selectNextTenant, [after]))[0]?.tenantId ?? null
}

/** Deletes what is kept of some issuances. @returns of how many */
export async function deleteAttributes(tx: TenantTx, limit: number): Promise<number> {
  return (await tx.rows(deleteSome, [tx.tenantId, limit])).length
}
