import type { Bounds } from './fair-places.ts'

/** Places of one process; with `each` of each tenant in one process. */
type PlaceBounds = Bounds & { readonly each?: 'tenant'; readonly description: string }

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
  'http.outbound_calls_of_tenant': {
    countMax: 64,
    waitingMax: 128,
    each: 'tenant',
    description: 'Outbound calls of one tenant in progress, by host.',
  },
} as const satisfies Record<string, PlaceBounds>

/** A name in {@link places}. */
export type PlaceName = keyof typeof places

/** Places of which each tenant has its own number. */
export type GroupedPlaceName = {
  [K in PlaceName]: (typeof places)[K] extends { readonly each: 'tenant' } ? K : never
}[PlaceName]
