import type { TenantId } from '../caller.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { AcrossTx } from '../store/store.ts'
import type { Job } from './job.ts'
import { type ClaimedJob, claimJobs, deleteJob, failJob, retryJobLater } from './job-store.ts'
import { pollingDelay } from './polling.ts'
import { claimSchedules, endSchedule, insertSchedules, type Schedule, type Turn } from './schedule.ts'

/**
 * `concurrency`: at most this many jobs at once in this process. `ofTenantMax`: at most this many of them of one
 * tenant, by default half, so that the long jobs of one tenant leave places to the others. `pollMs`: how often it
 * polls the queue.
 */
type Options = { readonly concurrency?: number; readonly pollMs?: number; readonly ofTenantMax?: number }

/**
 * A running worker. `stop` takes no new jobs and waits for the running ones; after `graceMs` (20 s) it aborts their
 * signals.
 */
export type Worker = {
  readonly stop: (graceMs?: number) => Promise<void>
  /** Rejects if the queue has not been polled for a minute. */
  readonly check: () => Promise<void>
}

const BACK_OFF_SECONDS_MAX = 3600

/** Starts a worker for the queue and the schedules. Any number of processes may run one on the same database. */
export function startWorker(
  platform: Platform,
  jobs: readonly Job[],
  schedules: readonly Schedule[],
  { concurrency = 6, pollMs = 500, ofTenantMax = Math.ceil(concurrency / 2) }: Options = {},
): Worker {
  const { clock, log } = platform
  const running = new Map<Promise<void>, TenantId | null>()
  const busy = () => [...running.values()].flatMap((tenantId) => tenantId ?? [])
  const claimDue = claimer(platform, jobs, schedules, { ofTenantMax, busy })
  const aborted = new AbortController()

  const poll = pollingDelay(pollMs, async () => {
    const free = concurrency - running.size
    if (free <= 0 || clock.agrees?.() === false) return
    const { turns, claimed } = await claimDue(free)
    for (const turn of turns) track(runTurn(platform, turn, aborted.signal), null)
    for (const one of claimed) track(runJob(platform, jobs, one, aborted.signal), one.tenantId)
  })
  poll.onError((error) => log.error({ err: error }, 'the job queue could not be read'))

  function track(run: Promise<void>, tenantId: TenantId | null): void {
    const tracked = run
      .catch((error: unknown) => log.error({ err: error }, 'the outcome of a job could not be written'))
      .finally(() => {
        running.delete(tracked)
        // The place is free, and the next job of the same tenant may have waited for it.
        if (tenantId !== null) poll.wake()
      })
    running.set(tracked, tenantId)
  }

  poll.wake()
  return {
    check: poll.check,
    stop: async (graceMs = 20_000) => {
      await poll.stop()
      const grace = setTimeout(() => aborted.abort(), graceMs)
      await Promise.all(running.keys())
      clearTimeout(grace)
    },
  }
}

/** Tenants of one round at most, which bounds the list that is sent to the database. */
const SERVED_MAX = 1000
/** Back-off after no tenant but those that were skipped had a due job, because that query scans every job of theirs. */
const ALONE_MS = 200

/** Returns a function that claims what is due in one transaction. Its first call inserts the rows of new schedules. */
function claimer(
  { store, clock }: Platform,
  jobs: readonly Job[],
  schedules: readonly Schedule[],
  { ofTenantMax, busy }: { readonly ofTenantMax: number; readonly busy: () => TenantId[] },
) {
  let prepared = schedules.length === 0
  /**
   * Tenants that had a turn in this round, so that a thousand jobs of one tenant do not delay the one job of another.
   */
  const served = new Set<TenantId>()
  let nothingBut = { skipped: new Set<TenantId>(), until: 0 }
  return async (free: number) => {
    const now = clock.now()
    const due = await store.across('due jobs and sweeps of all tenants', async (tx) => {
      if (!prepared) await insertSchedules(tx, schedules, now)
      const turns = schedules.length > 0 ? await claimSchedules(tx, schedules, now) : []
      if (jobs.length === 0) return { turns, claimed: [] }
      return { turns, claimed: await claimBounded(tx, free, now) }
    })
    prepared = true
    return due
  }

  /** Claims no job of a tenant that has as many running as it may, and at once as many as cannot exceed that. */
  async function claimBounded(tx: AcrossTx, free: number, now: Date): Promise<ClaimedJob[]> {
    const claimed: ClaimedJob[] = []
    while (claimed.length < free) {
      const ofTenants = Map.groupBy([...busy(), ...claimed.map((one) => one.tenantId)], (id) => id)
      const counts = [...ofTenants].map(([id, runs]) => ({ id, running: runs.length }))
      const full = counts.filter((one) => one.running >= ofTenantMax).map((one) => one.id)
      const others = counts.map((one) => one.running).filter((running) => running < ofTenantMax)
      const limit = Math.min(free - claimed.length, ofTenantMax - Math.max(0, ...others))
      const some = await claimInTurn(tx, limit, now, full)
      claimed.push(...some)
      if (some.length < limit) break
    }
    return claimed
  }

  /** Claims for tenants that had no turn first. */
  async function claimInTurn(tx: AcrossTx, limit: number, now: Date, full: readonly TenantId[]): Promise<ClaimedJob[]> {
    const claimed = served.size === 0 ? [] : await claim(tx, limit, now, new Set([...served, ...full]))
    if (claimed.length < limit) {
      // Every tenant with a due job had a turn: a new round starts.
      served.clear()
      claimed.push(...(await claim(tx, limit - claimed.length, now, new Set(full))))
    }
    if (served.size > SERVED_MAX) served.clear()
    for (const { tenantId } of claimed) served.add(tenantId)
    return claimed
  }

  async function claim(tx: AcrossTx, limit: number, now: Date, skipped: Set<TenantId>): Promise<ClaimedJob[]> {
    if (performance.now() < nothingBut.until && nothingBut.skipped.isSubsetOf(skipped)) return []
    const claimed = await claimJobs(tx, jobs, now, { limit, without: [...skipped] })
    if (claimed.length === 0 && skipped.size > 0) nothingBut = { skipped, until: performance.now() + ALONE_MS }
    return claimed
  }
}

async function runJob(
  platform: Platform,
  jobs: readonly Job[],
  held: ClaimedJob,
  stopping: AbortSignal,
): Promise<void> {
  const { store, clock, log } = platform
  const { tenantId, id, name, attempt } = held
  const declared = jobs.find((one) => one.name === name)
  const error = declared === undefined ? 'unknown' : await attemptOf(platform, declared, held, stopping)
  if (error === null) return store.single(tenantId, (tx) => deleteJob(tx, held))
  const now = clock.now()
  const final = error === PAYLOAD || attempt >= (declared?.attemptsMax ?? 1)
  log.warn(
    { job: name, jobId: id, attempt, error, final },
    final ? 'a job failed for good' : 'a job failed and will be retried',
  )
  if (final) return store.single(tenantId, (tx) => failJob(tx, held, now, error))
  return store.single(tenantId, (tx) => retryJobLater(tx, held, backOff(now, attempt), error))
}

const PAYLOAD = 'payload does not match its schema'
const CRASHED = 'no attempt left: the process of the last one died'

/** Returns null when the run succeeded, else the reason in a form fit for the queue and the log. */
async function attemptOf(
  platform: Platform,
  declared: Job,
  held: ClaimedJob,
  stopping: AbortSignal,
): Promise<string | null> {
  const { tenantId, id, attempt, payload } = held
  if (attempt > declared.attemptsMax) return CRASHED
  // Loaded with the first job: the module is large, and many servers never run one.
  const { Value } = await import('typebox/value')
  if (!Value.Check(declared.payload, payload)) return PAYLOAD
  return timed(declared.timeoutSeconds, stopping, (signal) =>
    declared.run(platform, payload, signal, { id, tenantId, attempt }),
  )
}

async function runTurn(platform: Platform, turn: Turn, stopping: AbortSignal): Promise<void> {
  const { clock, store, log } = platform
  const { schedule } = turn
  const startedAt = clock.now()
  const error = await timed(schedule.timeoutSeconds, stopping, (signal) => schedule.run(platform, signal))
  if (error !== null) log.warn({ schedule: schedule.name, error }, 'a sweep failed')
  await store.across('outcome of a sweep', (tx) => endSchedule(tx, turn, { startedAt, now: clock.now(), error }))
}

async function timed(
  seconds: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<string | null> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), seconds * 1000)
  try {
    await work(AbortSignal.any([stopping, timeout.signal]))
    return null
  } catch (error) {
    return reasonOf(error)
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a code or an error name only, because the message of a foreign error may quote its input. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.code
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.name
}

function backOff(now: Date, attempt: number): Date {
  const seconds = Math.min(2 ** attempt, BACK_OFF_SECONDS_MAX)
  return new Date(now.getTime() + seconds * 1000)
}
