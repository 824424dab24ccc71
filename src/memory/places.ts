import type { Bounds } from './fair-places.ts'

/** Places of one process; with `each` of each tenant in one process. */
type PlaceBounds = Bounds & { readonly each?: 'tenant'; readonly description: string }

/**
 * Everything scarce that one caller could occupy at the cost of the others, in one process. Each is shared by
 * {@link FairPlaces}: the key of a place is the tenant, network or caller that is charged for it. Printed into
 * `docs/limits.md`.
 */
export const places = {
  'store.connections': {
    countMax: 10,
    waitingMax: 1000,
    description:
      'Connections to PostgreSQL in use, by tenant; work without a tenant is one of them. As many as ' +
      'DATABASE_POOL_MAX says. The embedded database has one.',
  },
  'store.searches': {
    countMax: 3,
    waitingMax: 1000,
    description:
      'Transactions on PostgreSQL whose statements follow from a filter, by tenant. A third of ' +
      'DATABASE_POOL_MAX, at least 2: they may read thousands of rows.',
  },
  'events.webhook_deliveries': {
    countMax: 64,
    waitingMax: 0,
    description:
      'Webhook messages that are being sent, by tenant; others stay in the database. At most 16 of one endpoint.',
  },
  'api.watched_rows': {
    countMax: 2000,
    waitingMax: 0,
    description: 'Callers that wait for a change of a row (`Prefer: wait`), by tenant. Others are answered at once.',
  },
  'events.streams': {
    countMax: 500,
    waitingMax: 0,
    description: 'Open event streams, by tenant; at most 20 of the events of a tenant and 3 of those of a person.',
  },
  'http.outbound_calls': {
    countMax: 128,
    waitingMax: 128,
    description: 'Outbound calls in progress, by tenant.',
  },
  'http.connections': {
    countMax: 10_000,
    waitingMax: 0,
    description: 'Open connections, by network; with `TRUST_PROXY` in all only, since all are those of the proxy.',
  },
  'http.requests': {
    countMax: 4_096,
    waitingMax: 0,
    description: 'Requests in progress, by network, event streams and requests that wait for a change included.',
  },
  'http.request_bytes': {
    countMax: 134_217_728,
    waitingMax: 0,
    description:
      'Bytes of the bodies of requests in progress, by network: as long as they say they are, or as long as ' +
      'they may be; at least 32 KiB each.',
  },
  'http.answer_bytes': {
    countMax: 134_217_728,
    waitingMax: 0,
    description:
      'Bytes of answers from 64 KiB on that are not sent yet, by caller and by tenant; without a caller by ' +
      'network. A stream counts 4 MiB, a stream of events 64 KiB.',
  },
  'http.outbound_calls_of_tenant': {
    countMax: 64,
    waitingMax: 128,
    each: 'tenant',
    description: 'Outbound calls of one tenant in progress, by host.',
  },
  'keys.slow_hashes': {
    countMax: 3,
    waitingMax: 32,
    description:
      'Slow hashes of passwords and client secrets that are computed, by tenant; those of callers that never ' +
      'authenticated by network. One alone computes two. Each occupies one of the four threads of a process.',
  },
  'keys.unproven_hashes': {
    countMax: 64,
    waitingMax: 0,
    description: 'Callers of these that never authenticated, by network, those that wait included.',
  },
  'tables.readings': {
    countMax: 4,
    waitingMax: 4,
    description: 'Tables that are read, two places each, by tenant: one of a tenant at a time, two of a process.',
  },
  'print.documents': {
    countMax: 4,
    waitingMax: 4,
    description: 'Documents that are printed, two places each, by tenant: one of a tenant at a time, two of a process.',
  },
} as const satisfies Record<string, PlaceBounds>

/** A name in {@link places}. */
export type PlaceName = keyof typeof places

/** Places of which each tenant has its own number. */
export type GroupedPlaceName = {
  [K in PlaceName]: (typeof places)[K] extends { readonly each: 'tenant' } ? K : never
}[PlaceName]
