import type { AcrossTx, Store } from './store.ts'

const ROWS_PER_PIECE = 1000

/**
 * SQL: deletes the oldest rows that expired by $1, $2 or a few more of the same moment. For tables whose keys the role
 * across tenants may not read, so that it cannot name rows.
 */
export function deleteOldest(table: string): string {
  return `delete from ${table} where expires_at <= (
     select max(expires_at) from (select expires_at from ${table} where expires_at <= $1 order by expires_at limit $2) as oldest) returning expires_at`
}

/**
 * Deletes rows of all tenants in pieces of about 1,000, each in a transaction of its own, until a piece has fewer or
 * the signal is aborted.
 *
 * @param reason See `Store.across`.
 * @param remove Deletes about `limit` rows. Returns their number.
 */
export async function inPieces(
  { store }: { readonly store: Store },
  reason: string,
  signal: AbortSignal,
  remove: (tx: AcrossTx, limit: number) => Promise<number>,
): Promise<void> {
  let removed = ROWS_PER_PIECE
  while (removed >= ROWS_PER_PIECE && !signal.aborted) {
    removed = await store.across(reason, (tx) => remove(tx, ROWS_PER_PIECE))
  }
}
