import { sql, type TenantTx } from '../../store/store.ts'
import { LIST_ENTRIES, LIST_FULL_ENTRIES } from './status-entries.ts'

/** Entries of a deleted issuance. `listId`: null if it had none. */
export type EndedEntries = { readonly listId: string | null; readonly entries: number }

/** Entries that one transaction deletes. */
const ENTRIES_EACH = 4096

const countEntries = sql(
  'issuance.count_ended_entries',
  'update status_list set ended_entries = ended_entries + $3 where tenant_id = $1 and id = $2',
)
// A list is closed once it has that many entries, or after a restore, when others may have entries that are not known.
const selectEnded = sql(
  'issuance.list_ended_lists',
  `select id from status_list l where tenant_id = $1 and full_at is not null and not has_lost_entries and ended_entries >= ${LIST_FULL_ENTRIES}
     and ended_entries >= (select count(*) from status_entry e where e.tenant_id = $1 and e.status_list_id = l.id) order by id limit $2`,
)
const deleteEntries = sql(
  'issuance.delete_ended_entries',
  `delete from status_entry where tenant_id = $1 and status_list_id = $2 and status_index >= $3 and status_index < $3 + ${ENTRIES_EACH} returning status_index`,
)
const deleteList = sql('issuance.delete_ended_list', 'delete from status_list where tenant_id = $1 and id = $2')

/**
 * Counts the entries of deleted issuances, list by list in the order of ids, so that it cannot deadlock with a change
 * of status.
 */
export async function countEndedEntries(tx: TenantTx, ended: readonly EndedEntries[]): Promise<void> {
  const counts = new Map<string, number>()
  for (const { listId, entries } of ended) if (listId !== null) counts.set(listId, (counts.get(listId) ?? 0) + entries)
  for (const listId of [...counts.keys()].sort())
    await tx.rows(countEntries, [tx.tenantId, listId, counts.get(listId) ?? 0])
}

/** Returns closed lists all of whose credentials were deleted. */
export async function listEndedLists(tx: TenantTx, countMax: number): Promise<string[]> {
  return (await tx.rows<{ id: string }>(selectEnded, [tx.tenantId, countMax])).map(({ id }) => id)
}

/** The first entries of the pieces in which a list is deleted. */
export const listPieces: readonly number[] = Array.from(
  { length: LIST_ENTRIES / ENTRIES_EACH },
  (_, at) => at * ENTRIES_EACH,
)

/**
 * Deletes a piece of the entries of an ended list; with the last piece the list, whose address is unknown from then on.
 */
export async function deleteListPiece(tx: TenantTx, listId: string, first: number): Promise<void> {
  await tx.rows(deleteEntries, [tx.tenantId, listId, first])
  if (first === listPieces.at(-1)) await tx.rows(deleteList, [tx.tenantId, listId])
}
