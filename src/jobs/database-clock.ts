import type { Clock, Log } from '../platform.ts'
import { type Store, sql } from '../store/store.ts'
import { pollingDelay } from './polling.ts'

/** The clocks of a server and of its database may differ by this much. */
const DIFFERENCE_MS_MAX = 30_000

/** The clock of the database, as a server knows it: the one clock of all servers on the database. */
export type DatabaseClock = Clock & {
  /** By how much the clock of this machine is ahead of that of the database; negative: behind. */
  readonly differenceSeconds: () => number
  /** Rejects if the two differ by more than {@link DIFFERENCE_MS_MAX}. */
  readonly checkDifference: () => Promise<void>
  /** Starts to read the clock of the database every few seconds. */
  readonly watch: () => ClockWatch
}

/** The loop that reads the clock of the database. */
export type ClockWatch = {
  /** Rejects if it has not been read for a minute. */
  readonly check: () => Promise<void>
  readonly stop: () => Promise<void>
}

const POLL_MS = 5000
/** A reading that took longer says too little. */
const READING_MS_MAX = 2000
/**
 * A clock of the machine that differs by less is taken as it is: readings over the network are less exact, and two
 * servers of one machine would give their rows different times.
 */
const SAME_MS = 1000
/** Less is noise of the readings: time would run backwards between them. */
const NOISE_MS = 100

const readTime = sql('jobs.read_time', 'select clock_timestamp() as now')

/**
 * Returns the clock of a server. It is that of the machine while that agrees with the database's within a second.
 * Beyond, it is the database's as it was last read, and time passes as the monotonic clock of the process says: a
 * machine whose clock is wrong or set changes no due time, lease, retention, lifetime or id by more than a second.
 *
 * @param own The clock of this machine. If the two differ one of them is wrong, and nothing says which.
 */
export async function openDatabaseClock(store: Store, own: Clock, log: Log): Promise<DatabaseClock> {
  let ahead = await readAhead(store)
  let agreed = true
  const databaseMs = () => ahead.ms + performance.now()
  const difference = () => own.now().getTime() - databaseMs()
  const now = () => (Math.abs(difference()) <= SAME_MS ? own.now() : new Date(databaseMs()))
  const agrees = () => Math.abs(difference()) <= DIFFERENCE_MS_MAX
  const seconds = () => Math.round(difference() / 1000)

  function report(): void {
    if (agrees() === agreed) return
    agreed = !agreed
    if (agreed) log.info({}, 'the clock of this server agrees with that of the database again')
    else
      log.error(
        { aheadSeconds: seconds() },
        'the clocks of this server and of the database differ by more than 30 s: ' +
          'this server runs no jobs, sweeps and webhooks until they agree',
      )
  }

  report()
  return {
    now,
    agrees,
    differenceSeconds: seconds,
    checkDifference: async () => {
      if (!agrees()) throw new Error(`the clock of this server is ${seconds()} s ahead of that of the database`)
    },
    watch: () => {
      const poll = pollingDelay(POLL_MS, async () => {
        const read = await readAhead(store)
        const isNews = Math.abs(read.ms - ahead.ms) > NOISE_MS + read.tookMs / 2
        if (isNews && read.tookMs <= READING_MS_MAX) ahead = read
        report()
      })
      poll.onError((error) => log.warn({ err: error }, 'the clock of the database could not be read'))
      poll.wake()
      return { check: poll.check, stop: poll.stop }
    },
  }
}

/** Returns by how much the database is ahead of the monotonic clock of the process, as of the middle of the reading. */
async function readAhead(store: Store): Promise<{ readonly ms: number; readonly tookMs: number }> {
  const begun = performance.now()
  const [row] = await store.singleAcross('the time of the database', (tx) => tx.rows<{ now: Date }>(readTime))
  if (row === undefined) throw new Error('the database answered no time')
  const tookMs = performance.now() - begun
  return { ms: row.now.getTime() - begun - tookMs / 2, tookMs }
}
