import type { TenantId } from '../caller.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { AcrossTx } from '../store/store.ts'
import type { Job } from './job.ts'
import { type ClaimedJob, claimJobs, deleteJob, failJob, retryJobLater } from './job-store.ts'
import { pollingDelay } from './polling.ts'
import { claimSchedules, endSchedule, insertSchedules, type Schedule, type Turn } from './schedule.ts'

/**
 * `concurrency`: at most this many jobs at once in this process. `pollMs`: how often it polls the queue. `ofTenantMax`: at most this many of them
 * of one tenant, for jobs that may take long; by default only the order of the claims keeps tenants from delaying each other.
 */
type Options = { readonly concurrency?: number; readonly pollMs?: number; readonly ofTenantMax?: number }

/** A running worker. `stop` takes no new jobs and waits for the running ones; after `graceMs` (20 s) it aborts their signals. */
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
  { concurrency = 4, pollMs = 500, ofTenantMax }: Options = {},
): Worker {
  const { clock, log } = platform
  const running = new Map<Promise<void>, TenantId | null>()
  const claimDue = claimer(platform, jobs, schedules, { ofTenantMax, busy: () => [...running.values()] })
  const aborted = new AbortController()

  const poll = pollingDelay(pollMs, async () => {
    const free = concurrency - running.size
    if (free <= 0 || clock.agrees?.() === false) return
    const { turns, claimed } = await claimDue(free)
    for (const turn of turns) track(runTurn(platform, turn, aborted.signal), null, false)
    // Where the jobs of a tenant are bounded, the next one of the same tenant may be due.
    const mayBeMore = claimed.length === free || ofTenantMax !== undefined
    for (const one of claimed) track(runJob(platform, jobs, one, aborted.signal), one.tenantId, mayBeMore)
  })
  poll.onError((error) => log.error({ err: error }, 'the job queue could not be read'))

  function track(run: Promise<void>, tenantId: TenantId | null, mayBeMore: boolean): void {
    const tracked = run
      .catch((error: unknown) => log.error({ err: error }, 'the outcome of a job could not be written'))
      .finally(() => {
        running.delete(tracked)
        if (mayBeMore) poll.wake()
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
/** Back-off after no other tenant had a due job, because that query scans every waiting job. */
const ALONE_MS = 200

/** Returns a function that claims what is due in one transaction. Its first call inserts the rows of new schedules. */
function claimer(
  { store, clock }: Platform,
  jobs: readonly Job[],
  schedules: readonly Schedule[],
  { ofTenantMax, busy }: { readonly ofTenantMax: number | undefined; readonly busy: () => (TenantId | null)[] },
) {
  let prepared = schedules.length === 0
  /** Tenants that had a turn in this round, so that a thousand jobs of one tenant do not delay the one job of another. */
  const served = new Set<TenantId>()
  let aloneUntil = 0
  return async (free: number) => {
    const now = clock.now()
    const due = await store.across('due jobs and sweeps of all tenants', async (tx) => {
      if (!prepared) await insertSchedules(tx, schedules, now)
      const turns = schedules.length > 0 ? await claimSchedules(tx, schedules, now) : []
      if (jobs.length === 0) return { turns, claimed: [] }
      return { turns, claimed: await (ofTenantMax === undefined ? claimInTurn : claimBounded)(tx, free, now) }
    })
    prepared = true
    return due
  }

  /** Claims one job after the other, none of a tenant that has as many running as it may. */
  async function claimBounded(tx: AcrossTx, free: number, now: Date): Promise<ClaimedJob[]> {
    const claimed: ClaimedJob[] = []
    const ofTenants = busy().flatMap((tenantId) => tenantId ?? [])
    while (claimed.length < free) {
      const full = [...Map.groupBy(ofTenants, (id) => id)].filter(([, runs]) => runs.length >= (ofTenantMax ?? free))
      const [one] = await claimInTurn(
        tx,
        1,
        now,
        full.map(([id]) => id),
      )
      if (one === undefined) break
      claimed.push(one)
      ofTenants.push(one.tenantId)
    }
    return claimed
  }

  async function claimInTurn(
    tx: AcrossTx,
    free: number,
    now: Date,
    full: readonly TenantId[] = [],
  ): Promise<ClaimedJob[]> {
    const triesOthers = served.size > 0 && performance.now() >= aloneUntil
    const claimed = triesOthers ? await claimJobs(tx, jobs, now, { limit: free, without: [...served, ...full] }) : []
    if (triesOthers && claimed.length === 0) aloneUntil = performance.now() + ALONE_MS
    if (claimed.length < free) {
      // Every tenant with a due job had a turn: a new round starts.
      served.clear()
      claimed.push(...(await claimJobs(tx, jobs, now, { limit: free - claimed.length, without: full })))
    }
    if (served.size > SERVED_MAX) served.clear()
    for (const { tenantId } of claimed) served.add(tenantId)
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
