/** `countMax`: how many places there are in one process. `waitingMax`: how many callers of one key may wait for a place. */
type PlaceBounds = { readonly countMax: number; readonly waitingMax: number; readonly description: string }

/**
 * Everything scarce that one caller could occupy at the cost of the others, in one process. Each is shared by {@link FairPlaces}: the key of a
 * place is the tenant, network or caller that is charged for it. Printed into `docs/limits.md`.
 */
export const places = {
  'http.outbound_calls': {
    countMax: 128,
    waitingMax: 128,
    description: 'Outbound calls in progress, by tenant.',
  },
  'tables.readings': {
    countMax: 4,
    waitingMax: 4,
    description: 'Tables that are read, two places each, by tenant: one of a tenant at a time, two of a process.',
  },
} as const satisfies Record<string, PlaceBounds>

/** A name in {@link places}. */
export type PlaceName = keyof typeof places
