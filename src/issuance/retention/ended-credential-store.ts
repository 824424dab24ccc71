import { sql, type TenantTx } from '../../store/store.ts'
import { countEndedEntries, type EndedEntries } from '../status/ended-list-store.ts'

const deleteSome = sql(
  'issuance.delete_ended_credentials',
  `delete from issuance where tenant_id = $1 and id in (
     select id from issuance where tenant_id = $1 and valid_until < $2 order by valid_until limit $3)
   returning status_list_id as "listId", coalesce(cardinality(status_indices), 0) as entries`,
)

/**
 * Deletes at most `limit` issuances of the tenant whose credential ended before a time, and counts their entries in
 * their status lists.
 *
 * @returns how many were deleted
 */
export async function deleteEndedSome(tx: TenantTx, before: Date, limit: number): Promise<number> {
  const removed = await tx.rows<EndedEntries>(deleteSome, [tx.tenantId, before, limit])
  await countEndedEntries(tx, removed)
  return removed.length
}
