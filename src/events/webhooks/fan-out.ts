import type { Platform } from '../../platform.ts'
import { insertDeliveries, type LaggingEndpoint, listLaggingEndpoints, listNewEvents } from './dispatch-store.ts'
import { RETRY_DAYS } from './retry-plan.ts'

const ENDPOINTS_PER_TURN = 100
const EVENTS_PER_TURN = 500
const DAY_MS = 86_400_000

/**
 * Makes a delivery for each event and each endpoint that wants it, out of the audit trail. Any number of servers may do so at a time.
 *
 * @returns whether there may be more to do.
 */
export async function fanOut({ store, clock, log }: Pick<Platform, 'store' | 'clock' | 'log'>): Promise<boolean> {
  const behind = await store.across('endpoints of all tenants that something happened for', (tx) =>
    listLaggingEndpoints(tx, ENDPOINTS_PER_TURN),
  )
  let more = behind.length === ENDPOINTS_PER_TURN
  for (const one of behind) {
    // One that fails does not keep the others waiting; it comes again with the next turn.
    const isMore = await fanOutTo({ store, clock }, one).catch((error: unknown) => {
      log.error({ err: error, tenantId: one.tenantId, endpointId: one.endpointId }, 'no deliveries could be made')
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
  // What an endpoint missed while it was off is sent as far as it is no older than a delivery may become.
  const oldest = now.getTime() - RETRY_DAYS * DAY_MS
  const { filterTypes } = endpoint
  const wanted = fresh.filter(
    ({ type, at }) => at.getTime() >= oldest && (filterTypes.length === 0 || filterTypes.includes(type)),
  )
  const times = { now, triedUntil: new Date(now.getTime() + RETRY_DAYS * DAY_MS) }
  await store.single(endpoint.tenantId, (tx) => insertDeliveries(tx, endpoint, last, wanted, times))
  return fresh.length === EVENTS_PER_TURN
}
