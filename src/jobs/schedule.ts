import type { Platform } from '../platform.ts'
import { isFreeOrAstray, isHeld, RELEASE, take } from '../store/lease.ts'
import { newId } from '../store/row-id.ts'
import { type AcrossTx, sql } from '../store/store.ts'
import { GRACE_SECONDS } from './job-store.ts'

/** A sweep that one process at a time runs. Declared by {@link every}. */
export type Schedule = {
  readonly name: string
  readonly seconds: number
  readonly timeoutSeconds: number
  /** Whether it runs at once on a new database, or a period later. */
  readonly startsAtOnce: boolean
  readonly run: (platform: Platform, signal: AbortSignal) => Promise<void>
}

type Options = { readonly timeoutSeconds?: number; readonly startsAtOnce?: boolean }

/**
 * Declares a sweep. Of all processes on one database one runs it in each period. A run that failed is repeated after a
 * minute, one whose process died after its time-out (60 s by default) and {@link GRACE_SECONDS}. A sweep is bounded
 * work, and a second run finds nothing left.
 */
export function every(seconds: number, name: string, run: Schedule['run'], options: Options = {}): Schedule {
  return {
    name,
    seconds,
    run,
    timeoutSeconds: options.timeoutSeconds ?? 60,
    startsAtOnce: options.startsAtOnce ?? true,
  }
}

/** A sweep that this process has claimed. */
export type Turn = { readonly schedule: Schedule; readonly claim: string }

const insertMissing = sql(
  'schedule.insert_missing',
  `insert into schedule (name, next_run_at) select * from unnest($1::text[], $2::timestamptz[]) on conflict do nothing`,
)
/** Within this the clocks of two servers may differ. */
const SKEW_SECONDS = 60
const claimDue = sql(
  'schedule.claim_due',
  `with due as (
     select schedule.name, declared.seconds
     from schedule join unnest($1::text[], $2::int[], $5::int[]) as declared (name, seconds, period) using (name)
     where (next_run_at <= $3
         or next_run_at > $3::timestamptz + (declared.period + ${SKEW_SECONDS}) * interval '1 second')
       and ${isFreeOrAstray('$3', 'declared.seconds')}
     for update of schedule skip locked
   )
   update schedule set ${take('$4', `$3::timestamptz + due.seconds * interval '1 second'`)}
   from due where schedule.name = due.name returning schedule.name`,
)
const endTurn = sql(
  'schedule.end_turn',
  `update schedule set next_run_at = $3, last_run_at = $4, last_error = $5, ${RELEASE} where name = $1 and ${isHeld('$2')}`,
)

const RETRY_SECONDS = 60

/** Inserts the rows of schedules that have none. */
export async function insertSchedules(tx: AcrossTx, schedules: readonly Schedule[], now: Date): Promise<void> {
  const first = schedules.map((one) => (one.startsAtOnce ? now : later(now, one.seconds)))
  await tx.rows(insertMissing, [schedules.map((one) => one.name), first])
}

/**
 * Claims the sweeps that are due, each for its time-out and {@link GRACE_SECONDS}. One whose next run lies more than a
 * period ahead is due too: a clock that was wrong wrote it.
 */
export async function claimSchedules(tx: AcrossTx, schedules: readonly Schedule[], now: Date): Promise<Turn[]> {
  const claim = newId()
  const names = schedules.map((one) => one.name)
  const seconds = schedules.map((one) => one.timeoutSeconds + GRACE_SECONDS)
  const periods = schedules.map((one) => one.seconds)
  const rows = await tx.rows<{ name: string }>(claimDue, [names, seconds, now, claim, periods])
  const claimed = new Set(rows.map((row) => row.name))
  return schedules.filter((one) => claimed.has(one.name)).map((schedule) => ({ schedule, claim }))
}

/** Records the outcome of a run: the next one is a period after its start, or a minute from now if it failed. */
export async function endSchedule(
  tx: AcrossTx,
  { schedule, claim }: Turn,
  { startedAt, now, error }: { startedAt: Date; now: Date; error: string | null },
): Promise<void> {
  const next =
    error === null ? later(startedAt, schedule.seconds) : later(now, Math.min(RETRY_SECONDS, schedule.seconds))
  await tx.rows(endTurn, [schedule.name, claim, next, startedAt, error])
}

function later(from: Date, seconds: number): Date {
  return new Date(from.getTime() + seconds * 1000)
}
