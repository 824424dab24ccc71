import type { TenantId } from '../../caller.ts'
import { pollingDelay } from '../../jobs/polling.ts'
import type { Release } from '../../memory/fair-places.ts'
import { places } from '../../memory/places.ts'
import type { Platform } from '../../platform.ts'
import { newLease } from '../../store/lease.ts'
import type { Store } from '../../store/store.ts'
import { type ClaimedWebhookDelivery, claimDeliveries, type DueDelivery, listDueDeliveries } from './dispatch-store.ts'
import { fanOut } from './fan-out.ts'
import { sendDelivery } from './send-delivery.ts'

/** `eachMax`: messages at once of this process to one endpoint. `pollMs`: how often it polls for new events. */
type Options = { readonly eachMax?: number; readonly pollMs?: number }

/** A due delivery that has a place. */
type Placed = { readonly one: DueDelivery; readonly release: Release }

/** Sends webhooks. `stop` claims nothing more and waits for the messages that are being sent, which is bounded. */
export type Dispatcher = {
  readonly stop: () => Promise<void>
  /** Rejects if due deliveries have not been read for a minute. */
  readonly check: () => Promise<void>
}

const PLACES = places['events.webhook_deliveries'].countMax
/** Longer than an attempt with all its timeouts. */
const LEASE_MS = 20_000

/** Starts to send webhooks. Any number of processes may do so on the same database. */
export function startDispatcher(platform: Platform, { eachMax = 16, pollMs = 500 }: Options = {}): Dispatcher {
  const { store, clock, log, memory } = platform
  const shares = memory.places('events.webhook_deliveries')
  const sending = new Map<Promise<void>, ClaimedWebhookDelivery>()
  /** Whether the last claim left out, or may have left out, a delivery that waits for a place. */
  let mayBeMore = false

  const poll = pollingDelay(pollMs, async () => {
    if (clock.agrees?.() === false) return
    const more = await fanOut(platform)
    await claim()
    if (more) setImmediate(poll.wake)
  })
  poll.onError((error) => log.error({ err: error }, 'due webhooks could not be read'))

  async function claim(): Promise<void> {
    const now = clock.now()
    const held = [...sending.values()]
    const without = busyOf(held, eachMax)
    const limits = { limit: PLACES, eachMax, tenantMax: PLACES, sending: countOf(held), without }
    const due = await store.across('due deliveries of all tenants', (tx) => listDueDeliveries(tx, limits, now))
    mayBeMore = due.length > 0 || without.length > 0
    const counts = countsOf(held)
    const placed = due.flatMap((one) => {
      const count = counts.get(one.endpointId) ?? 0
      const release = count < (one.isPoor ? 1 : eachMax) ? shares.tryTake(one.tenantId) : null
      if (release === null) return []
      counts.set(one.endpointId, count + 1)
      return { one, release }
    })
    const ofTenants = Map.groupBy(placed, ({ one }) => one.tenantId)
    for (const its of ofTenants.values()) await claimPlaced(store, its, now, send)
  }

  function send(one: ClaimedWebhookDelivery, release: Release | undefined): void {
    const sent = sendDelivery(platform, one)
      .catch((error: unknown) => log.error({ err: error }, 'the outcome of a webhook delivery could not be written'))
      .finally(() => {
        release?.()
        sending.delete(sent)
        if (mayBeMore) poll.wake()
      })
    sending.set(sent, one)
  }

  poll.wake()
  return {
    check: poll.check,
    stop: async () => {
      await poll.stop()
      await Promise.all(sending.keys())
    },
  }
}

/**
 * Claims deliveries of one tenant and sends them in their places. The places of those that another process has claimed
 * are released.
 */
async function claimPlaced(
  store: Pick<Store, 'inTenant'>,
  placed: readonly Placed[],
  now: Date,
  send: (one: ClaimedWebhookDelivery, release: Release | undefined) => void,
): Promise<void> {
  const releases = new Map(placed.map(({ one, release }) => [one.id, release]))
  const due = placed.map(({ one }) => one)
  const [first] = due
  if (first === undefined) return
  const lease = newLease(now, LEASE_MS)
  try {
    for (const one of await store.inTenant(first.tenantId, (tx) => claimDeliveries(tx, due, lease, now))) {
      send(one, releases.get(one.id))
      releases.delete(one.id)
    }
  } finally {
    for (const release of releases.values()) release()
  }
}

function countOf(sending: readonly ClaimedWebhookDelivery[]): Map<TenantId, number> {
  const counts = new Map<TenantId, number>()
  for (const { tenantId } of sending) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
  return counts
}

/** The messages that are being sent, by endpoint. */
function countsOf(sending: readonly ClaimedWebhookDelivery[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { endpointId } of sending) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
  return counts
}

/** Returns the endpoints that have reached their limit: one message if it fails or is slow, else `eachMax`. */
function busyOf(sending: readonly ClaimedWebhookDelivery[], eachMax: number): string[] {
  const counts = new Map<string, number>()
  for (const { endpointId, isPoor } of sending) {
    counts.set(endpointId, (counts.get(endpointId) ?? 0) + (isPoor ? eachMax : 1))
  }
  return [...counts].filter(([, count]) => count >= eachMax).map(([id]) => id)
}
