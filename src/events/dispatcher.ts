import { polling } from '../jobs/wake.ts'
import type { Platform } from '../platform.ts'
import { type ClaimedDelivery, claimDeliveries } from './dispatch-store.ts'
import { fanOut } from './fan-out.ts'
import { sendDelivery } from './send-delivery.ts'

/** `concurrency`: messages at once of this process; `eachMax`: of one endpoint. `pollMs`: how often it is looked for something new. */
type Options = { readonly concurrency?: number; readonly eachMax?: number; readonly pollMs?: number }

/** What sends webhooks. `stop` takes nothing new and waits for what is being sent, which is bounded. */
export type Dispatcher = { readonly stop: () => Promise<void> }

/** Longer than an attempt with all its bounds; after that its server must have died. */
const LEASE_MS = 20_000

/** Starts to send what happened to those who want to know. Any number of processes may do so on one database. */
export function startDispatcher(
  platform: Platform,
  { concurrency = 16, eachMax = 4, pollMs = 500 }: Options = {},
): Dispatcher {
  const { store, clock, log } = platform
  const sending = new Map<Promise<void>, ClaimedDelivery>()
  /** Whether something may wait for a place. */
  let crowded = false

  const poll = polling(pollMs, async () => {
    const more = await fanOut(platform)
    const free = concurrency - sending.size
    if (free > 0) await take(free)
    if (more) again()
  })
  poll.onError((error) => log.error({ err: error }, 'webhooks could not be read'))

  async function take(limit: number): Promise<void> {
    const now = clock.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const without = busyOf([...sending.values()], eachMax)
    const claimed = await store.across('due deliveries of all tenants', (tx) =>
      claimDeliveries(tx, { limit, eachMax, without, leaseUntil }, now),
    )
    for (const one of claimed) hold(one)
    crowded = claimed.length === limit || busyOf([...sending.values()], eachMax).length > 0
  }

  function hold(one: ClaimedDelivery): void {
    const held = sendDelivery(platform, one)
      .catch((error: unknown) => log.error({ err: error }, 'the end of a delivery could not be written'))
      .finally(() => {
        sending.delete(held)
        if (crowded) poll.wake()
      })
    sending.set(held, one)
  }

  function again(): void {
    setImmediate(poll.wake)
  }

  poll.wake()
  return {
    stop: async () => {
      await poll.stop()
      await Promise.all(sending.keys())
    },
  }
}

/** Endpoints that have as much to do as they may: one that fails one message, any other a few. */
function busyOf(sending: readonly ClaimedDelivery[], eachMax: number): string[] {
  const counts = new Map<string, number>()
  for (const { endpointId, isFailing } of sending) {
    counts.set(endpointId, (counts.get(endpointId) ?? 0) + (isFailing ? eachMax : 1))
  }
  return [...counts].filter(([, count]) => count >= eachMax).map(([id]) => id)
}
