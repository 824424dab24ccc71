import { emptyStatusList, setStatus } from '../../protocols/status-list/packed-list.ts'
import type { Step, TenantTx } from '../../store/store.ts'
import { type ListEntries, writeStatusBits } from './credential-status-store.ts'
import { LIST_ENTRIES } from './status-entries.ts'

/**
 * Writes one status into entries of status lists, in the order of list ids, so that concurrent callers cannot deadlock.
 *
 * @param then Steps that are sent with the first list; not at all without entries.
 */
export async function markEntries(
  tx: TenantTx,
  entries: readonly ListEntries[],
  status: number,
  then: readonly Step[] = [],
): Promise<void> {
  const byList = Map.groupBy(entries, ({ listId }) => listId)
  for (const [at, listId] of [...byList.keys()].sort().entries())
    await writeStatusBits(tx, listId, masksOf(byList.get(listId) ?? [], status), at === 0 ? then : [])
}

function masksOf(entries: readonly ListEntries[], status: number) {
  const bits = entries[0]?.bits ?? 1
  const [set, cleared] = [emptyStatusList(bits, LIST_ENTRIES), emptyStatusList(bits, LIST_ENTRIES)]
  for (const index of entries.flatMap(({ indices }) => indices)) {
    setStatus(set, index, status)
    setStatus(cleared, index, (1 << bits) - 1)
  }
  return { set: set.packed, cleared: cleared.packed }
}
