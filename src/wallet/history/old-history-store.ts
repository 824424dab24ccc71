import { lowestIdAt } from '../../store/row-id.ts'
import { sql, type TenantTx } from '../../store/store.ts'

// An id carries the time of created_at, so nothing is read where nothing is old.
const deleteOld = (name: string, table: string, isOld: string) =>
  sql(
    name,
    `delete from ${table} where tenant_id = $1 and id in (select id from ${table} where tenant_id = $1 and id < $2 and ${isOld} limit $4) returning id`,
  )
const deletePresentations = deleteOld(
  'wallet.delete_old_presentations',
  'wallet_presentation',
  `status <> 'pending' and updated_at < $3`,
)
const deleteRemoved = deleteOld('wallet.delete_old_traces', 'wallet_removed_credential', 'removed_at < $3')
const deleteLinks = deleteOld('wallet.delete_old_shared_links', 'wallet_shared_link', 'ended_at < $3')

/**
 * Deletes presentations and links that ended before a time, and what is kept of credentials that were removed before
 * it, at most `limit` of each.
 *
 * @returns the largest of the three numbers
 */
export async function deleteOldHistory(tx: TenantTx, before: Date, limit: number): Promise<number> {
  const values = [tx.tenantId, lowestIdAt(before), before, limit]
  const presentations = await tx.rows(deletePresentations, values)
  const removed = await tx.rows(deleteRemoved, values)
  const links = await tx.rows(deleteLinks, values)
  return Math.max(presentations.length, removed.length, links.length)
}
