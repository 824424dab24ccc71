import { sql, type TenantTx } from '../../store/store.ts'

const selectHeadings = sql(
  'issuance.get_kept_headings',
  'select sealed_headings as "sealedHeadings" from issuance_batch where tenant_id = $1 and id = $2',
)
const selectRows = sql(
  'issuance.list_kept_rows',
  `select item.issuance_id as id, item.sealed_kept as "sealedKept", made.sealed_label as "sealedLabel",
     made.expires_at as "expiresAt"
   from issuance_batch_item item left join issuance made on made.tenant_id = $1 and made.id = item.issuance_id
   where item.tenant_id = $1 and item.issuance_id = any($2::uuid[])`,
)

/** What is kept of an item, and what its issuance is called in lists and ends at. */
export type SealedKeptRow = {
  /** Of the issuance. */
  readonly id: string
  readonly sealedKept: Buffer | null
  readonly sealedLabel: Buffer | null
  /** When its offer ends; null: it was not issued. */
  readonly expiresAt: Date | null
}

/** Returns the sealed headings of the columns that a batch keeps; null: it keeps none. */
export async function findKeptHeadings(tx: TenantTx, batchId: string): Promise<Buffer | null> {
  const [row] = await tx.rows<{ sealedHeadings: Buffer | null }>(selectHeadings, [tx.tenantId, batchId])
  return row?.sealedHeadings ?? null
}

/** Returns what is kept of items, in any order. @param ids Of their issuances. */
export function listKeptRows(tx: TenantTx, ids: readonly string[]): Promise<SealedKeptRow[]> {
  return tx.rows<SealedKeptRow>(selectRows, [tx.tenantId, ids])
}
