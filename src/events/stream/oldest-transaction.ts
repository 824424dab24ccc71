import { pollingDelay } from '../../jobs/polling.ts'
import type { Platform } from '../../platform.ts'
import type { OpenTransaction } from '../../store/store.ts'

/** Watches the oldest transaction of the server that writes, which delays all events after it. */
export type TransactionWatch = {
  /**
   * Its age; where the server hides that, the seconds since this process first saw it: a lower bound. 0 without one.
   */
  readonly seconds: () => number
  readonly check: () => Promise<void>
  readonly stop: () => Promise<void>
}

const POLL_MS = 10_000
const WARN_AFTER_MS = 60_000

/**
 * Starts to watch, on PostgreSQL; the embedded engine has one session. Logs a warning for each transaction that has
 * been open for a minute.
 */
export function watchOldestTransaction(
  { store, log }: Pick<Platform, 'store' | 'log'>,
  pollMs = POLL_MS,
): TransactionWatch {
  let oldest: (OpenTransaction & { since: number; isLogged: boolean }) | null = null
  const poll = pollingDelay(pollMs, async () => {
    const found = await store.oldestTransaction()
    if (found === null) oldest = null
    else if (oldest?.xid !== found.xid) oldest = { ...found, since: performance.now(), isLogged: false }
    if (oldest !== null && found !== null)
      oldest.since = Math.min(oldest.since, performance.now() - (found.seconds ?? 0) * 1000)
    if (oldest === null || oldest.isLogged || performance.now() - oldest.since < WARN_AFTER_MS) return
    oldest.isLogged = true
    log.warn(
      { session: oldest.session },
      'a transaction has been open for a minute: no event that came after it is delivered',
    )
  })
  poll.onError((error) => log.warn({ err: error }, 'the oldest transaction could not be read'))
  poll.wake()
  return {
    seconds: () => (oldest === null ? 0 : Math.round((performance.now() - oldest.since) / 1000)),
    check: poll.check,
    stop: poll.stop,
  }
}
