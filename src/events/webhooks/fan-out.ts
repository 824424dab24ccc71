import type { Platform } from '../../platform.ts'
import { insertDeliveries, type LaggingEndpoint, listLaggingEndpoints, listNewEvents } from './dispatch-store.ts'
import { RETRY_DAYS } from './retry-plan.ts'

const ENDPOINTS_PER_TURN = 100
const EVENTS_PER_TURN = 500
const DAY_MS = 86_400_000

/**
 * Creates a delivery for each new event of the audit trail and each endpoint whose filter includes it. Any number of
 * servers may do so concurrently.
 *
 * @returns whether there may be more.
 */
export async function fanOut({ store, clock, log }: Pick<Platform, 'store' | 'clock' | 'log'>): Promise<boolean> {
  const behind = await store.across('endpoints of all tenants with new events', (tx) =>
    listLaggingEndpoints(tx, ENDPOINTS_PER_TURN),
  )
  let more = behind.length === ENDPOINTS_PER_TURN
  for (const one of behind) {
    // A failure does not delay the other endpoints; this one is retried with the next poll.
    const isMore = await fanOutTo({ store, clock }, one).catch((error: unknown) => {
      log.error({ err: error, tenantId: one.tenantId, endpointId: one.endpointId }, 'deliveries could not be created')
      return false
    })
    more ||= isMore
  }
  return more
}

async function fanOutTo(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  endpoint: LaggingEndpoint,
): Promise<boolean> {
  const fresh = await store.single(endpoint.tenantId, (tx) => listNewEvents(tx, endpoint, EVENTS_PER_TURN))
  const last = fresh.at(-1)
  if (last === undefined) return false
  const now = clock.now()
  // Events from a time when the endpoint was disabled are sent if they are not older than a delivery can become.
  const oldest = now.getTime() - RETRY_DAYS * DAY_MS
  const { filterTypes } = endpoint
  const matching = fresh.filter(
    ({ type, at }) => at.getTime() >= oldest && (filterTypes.length === 0 || filterTypes.includes(type)),
  )
  const times = { now, triedUntil: new Date(now.getTime() + RETRY_DAYS * DAY_MS) }
  await store.single(endpoint.tenantId, (tx) => insertDeliveries(tx, endpoint, last, matching, times))
  return fresh.length === EVENTS_PER_TURN
}
