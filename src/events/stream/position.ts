/**
 * A place in the order of a tenant's events: what was recorded by an earlier transaction comes first. An event whose transaction ends
 * late keeps its early place, so nobody may read past a place that is not {@link SETTLED}. `xact` is a 64-bit number.
 */
export type Position = { readonly era: number; readonly xact: string; readonly id: string }

/** Before every event. */
export const START: Position = { era: 0, xact: '0', id: '00000000-0000-0000-0000-000000000000' }
/** Behind every event. */
export const END: Position = {
  era: 2_147_483_647,
  xact: '18446744073709551615',
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

/** The position of a row as values of a statement, in the order of `(era, xact, id)`. */
export function positionValues({ era, xact, id }: Position): [number, string, string] {
  return [era, xact, id]
}

/**
 * Condition on `audit_entry a`: no transaction is open any more that could put an event before this one. Every transaction below the
 * snapshot's xmin has ended, and the snapshot sees what it wrote. One that writes for long anywhere on the database server holds it up.
 *
 * @see [PostgreSQL, 9.27.7 Transaction ID and Snapshot Information Functions](https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT)
 */
export const SETTLED = '(a.era, a.xact) < ((select era from event_era), pg_snapshot_xmin(pg_current_snapshot()))'
