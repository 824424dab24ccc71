import type { TenantId } from '../../caller.ts'
import { pollingDelay } from '../../jobs/polling.ts'
import type { Platform } from '../../platform.ts'
import { newLease } from '../../store/lease.ts'
import { type ClaimedWebhookDelivery, claimDeliveries, listDueDeliveries } from './dispatch-store.ts'
import { fanOut } from './fan-out.ts'
import { sendDelivery } from './send-delivery.ts'

/** `concurrency`: messages at once of this process; `eachMax`: to one endpoint. `pollMs`: how often it polls for new events. */
type Options = { readonly concurrency?: number; readonly eachMax?: number; readonly pollMs?: number }

/** Sends webhooks. `stop` claims nothing more and waits for the messages that are being sent, which is bounded. */
export type Dispatcher = {
  readonly stop: () => Promise<void>
  /** Rejects if due deliveries have not been read for a minute. */
  readonly check: () => Promise<void>
}

/** Longer than an attempt with all its timeouts. */
const LEASE_MS = 20_000

/** One tenant has at most 1/N of the places, so that its slow endpoints do not delay the others. */
const TENANT_SHARE = 4

/** Starts to send webhooks. Any number of processes may do so on the same database. */
export function startDispatcher(
  platform: Platform,
  { concurrency = 16, eachMax = 4, pollMs = 500 }: Options = {},
): Dispatcher {
  const { store, clock, log } = platform
  const sending = new Map<Promise<void>, ClaimedWebhookDelivery>()
  const tenantMax = Math.max(1, Math.floor(concurrency / TENANT_SHARE))
  /** Whether a due delivery may be waiting for a place. */
  let crowded = false

  const poll = pollingDelay(pollMs, async () => {
    const more = await fanOut(platform)
    const free = concurrency - sending.size
    if (free > 0) await claim(free)
    if (more) setImmediate(poll.wake)
  })
  poll.onError((error) => log.error({ err: error }, 'due webhooks could not be read'))

  async function claim(limit: number): Promise<void> {
    const now = clock.now()
    const without = busyOf([...sending.values()], eachMax)
    const limits = { limit, eachMax, tenantMax, sending: countOf([...sending.values()]), without }
    const due = await store.across('due deliveries of all tenants', (tx) => listDueDeliveries(tx, limits, now))
    const byTenant = Map.groupBy(due, ({ tenantId }) => tenantId)
    for (const [tenantId, its] of byTenant)
      for (const one of await store.inTenant(tenantId, (tx) => claimDeliveries(tx, its, newLease(now, LEASE_MS), now)))
        send(one)
    const all = [...sending.values()]
    crowded =
      due.length === limit || busyOf(all, eachMax).length > 0 || Math.max(0, ...countOf(all).values()) >= tenantMax
  }

  function send(one: ClaimedWebhookDelivery): void {
    const sent = sendDelivery(platform, one)
      .catch((error: unknown) => log.error({ err: error }, 'the outcome of a webhook delivery could not be written'))
      .finally(() => {
        sending.delete(sent)
        if (crowded) poll.wake()
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

function countOf(sending: readonly ClaimedWebhookDelivery[]): Map<TenantId, number> {
  const counts = new Map<TenantId, number>()
  for (const { tenantId } of sending) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
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
