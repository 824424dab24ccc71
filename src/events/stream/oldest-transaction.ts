import { pollingDelay } from '../../jobs/polling.ts'
import type { Platform } from '../../platform.ts'
import { sql } from '../../store/store.ts'

/** Watches the oldest transaction of the server that writes, which delays all events after it. */
export type TransactionWatch = {
  /** Seconds since this process first saw it; 0 without one. A lower bound of its age. */
  readonly seconds: () => number
  readonly check: () => Promise<void>
  readonly stop: () => Promise<void>
}

type Holder = { xid: string; session: string }

const POLL_MS = 10_000
const WARN_AFTER_MS = 60_000

// Every account may read these columns of all sessions, also of other databases; only the times are hidden from it.
const findOldest = sql(
  'events.find_oldest_transaction',
  `select xid, session from (
     select backend_xid as xid,
       format('pid %s of user %s in database %s (%s)', pid, usename, datname, coalesce(nullif(application_name, ''), 'no application name')) as session
     from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
     union all
     select transaction, format('prepared transaction %s of user %s in database %s', gid, owner, database) from pg_prepared_xacts) as open
   order by age(xid) desc limit 1`,
)

/** Starts to watch, on PostgreSQL; the embedded engine has one session. Logs a warning for each transaction that has been open for a minute. */
export function watchOldestTransaction(
  { store, log }: Pick<Platform, 'store' | 'log'>,
  pollMs = POLL_MS,
): TransactionWatch {
  let oldest: (Holder & { readonly since: number; isLogged: boolean }) | null = null
  const poll = pollingDelay(pollMs, async () => {
    const [found] = await store.across('the oldest transaction of the server', (tx) => tx.rows<Holder>(findOldest))
    if (found === undefined) oldest = null
    else if (oldest?.xid !== found.xid) oldest = { ...found, since: performance.now(), isLogged: false }
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
