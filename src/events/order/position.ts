/**
 * A position in the order of a tenant's events, which is the order of the transactions that recorded them. An event
 * whose transaction commits late keeps its early position, so a reader must not advance beyond the settled part
 * (`settled.ts`). `xact` is a 64-bit number.
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

/** Returns the position of a row, without its other members, as values of a statement. */
export function positionValues({ era, xact, id }: Position): Position {
  return { era, xact, id }
}
