import { sql, type TenantTx } from '../store/store.ts'

/** An entry of a status list that is not 0. */
export type SetEntry = { readonly index: number; readonly status: number }

const selectEntries = sql(
  'issuance.status_list.entries',
  `select list.id, copy.status_index, copy.status from status_list list
   left join issued_copy copy on copy.tenant_id = $1 and copy.status_list_id = list.id and copy.status <> 0
   where list.tenant_id = $1 and list.id = $2`,
)

/** The entries of a list that are not 0; null if there is no such list. */
export async function findSetEntries(tx: TenantTx, listId: string): Promise<SetEntry[] | null> {
  const rows = await tx.rows<{ status_index: number | null; status: number | null }>(selectEntries, [
    tx.tenantId,
    listId,
  ])
  if (rows.length === 0) return null
  return rows.flatMap(({ status_index: index, status }) =>
    index === null || status === null ? [] : [{ index, status }],
  )
}
