/**
 * A position in the order of a tenant's events, which is the order of the transactions that recorded them. An event whose transaction
 * commits late keeps its early position, so a reader must not advance beyond {@link SETTLED}. `xact` is a 64-bit number.
 */
export type Position = { readonly era: number; readonly xact: string; readonly id: string }

/** Before every event. */
export const START: Position = { era: 0, xact: '0', id: '00000000-0000-0000-0000-000000000000' }
/** After every event. */
export const END: Position = {
  era: 2_147_483_647,
  xact: '18446744073709551615',
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

/** Returns the position of a row as values of a statement, in the order of `(era, xact, id)`. */
export function positionValues({ era, xact, id }: Position): [number, string, string] {
  return [era, xact, id]
}

/**
 * SQL condition on `audit_entry a`: no open transaction can still record an event before this one. Every transaction below the xmin of the
 * snapshot has ended, and its rows are visible in the snapshot. A long writing transaction anywhere on the database server delays it.
 *
 * @see [PostgreSQL, 9.27.7 Transaction ID and Snapshot Information Functions](https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT)
 */
export const SETTLED = '(a.era, a.xact) < ((select era from event_era), pg_snapshot_xmin(pg_current_snapshot()))'
