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
      'Bytes of the bodies of requests in progress, by network: as long as they say they are, or as long as they may be; at least 32 KiB each.',
  },
  'http.answer_bytes': {
    countMax: 134_217_728,
    waitingMax: 0,
    description:
      'Bytes of answers from 64 KiB on that are not sent yet, by caller and by tenant; without a caller by network. A stream counts 4 MiB, a stream of events 64 KiB.',
  },
} as const satisfies Record<string, PlaceBounds>

/** A name in {@link places}. */
export type PlaceName = keyof typeof places
