import type { AcrossTx, Store } from './store.ts'

const ROWS_PER_PIECE = 1000

/**
 * Deletes rows of all tenants in pieces of 1,000, each in a transaction of its own, until a piece has fewer or the signal is aborted.
 *
 * @param reason See `Store.across`.
 * @param remove Deletes at most `limit` rows. Returns their number.
 */
export async function inPieces(
  { store }: { readonly store: Store },
  reason: string,
  signal: AbortSignal,
  remove: (tx: AcrossTx, limit: number) => Promise<number>,
): Promise<void> {
  let removed = ROWS_PER_PIECE
  while (removed === ROWS_PER_PIECE && !signal.aborted) {
    removed = await store.across(reason, (tx) => remove(tx, ROWS_PER_PIECE))
  }
}
