import type { Static, TSchema } from 'typebox'
import type { TenantId } from '../caller.ts'
import type { Platform } from '../platform.ts'
import { newId } from '../store/row-id.ts'
import { sql, type TenantTx } from '../store/store.ts'

/** One run of a job. `attempt` counts from 1. */
type JobRun = { readonly id: string; readonly tenantId: TenantId; readonly attempt: number }

/** Work that outlives the request that enqueued it. Declared by {@link job}. */
export type Job<Payload = unknown> = {
  /** Room and verb: `events.deliver`. It never changes, because rows in the queue carry it. */
  readonly name: string
  readonly payload: TSchema
  /** After this many failed runs the job is dead and kept for the operator. */
  readonly attemptsMax: number
  /** Then the signal is aborted. A run that ignores it may overlap the next run of the same job. */
  readonly timeoutSeconds: number
  /**
   * A method, so that jobs of different payloads fit into one list; the worker validates a payload before it passes it.
   */
  run(platform: Platform, payload: Payload, signal: AbortSignal, about: JobRun): Promise<void>
}

/**
 * Declares a job. It runs at least once, so a second run must find nothing left to do. It stops soon after `signal` is
 * aborted. A run that throws is retried after 2 s, 4 s, 8 s … up to an hour.
 */
export function job<S extends TSchema>(spec: {
  readonly name: string
  /** Ids and small values, never personal data: the payload is stored unsealed. */
  readonly payload: S
  readonly attemptsMax: number
  readonly timeoutSeconds: number
  readonly run: (platform: Platform, payload: Static<S>, signal: AbortSignal, about: JobRun) => Promise<void>
}): Job<Static<S>> {
  return spec
}

/** SQL: inserts a job for each of `:ids`, `:payloads` and `:runAt` that meets a condition. */
const insertSql = (condition: string) => `insert into job (tenant_id, id, name, payload, run_at, created_at)
   select :tenantId, one.id, :name, one.payload::jsonb, one.run_at, :now
   from unnest(:ids::uuid[], :payloads::text[], :runAt::timestamptz[]) as one (id, payload, run_at)
   where ${condition} returning id`
const insertJobs = sql('jobs.insert_each', insertSql('true'))
const insertMissing = sql(
  'jobs.insert_missing',
  insertSql(`not exists (
     select from job
     where tenant_id = :tenantId and name = :name and payload = one.payload::jsonb and dead_at is null)`),
)

/**
 * Enqueues a job of the transaction's tenant in the caller's transaction: no commit, no job. A worker claims it when it
 * next polls.
 *
 * @param when `now` of the caller's clock; `runAt` is the earliest start.
 */
export async function enqueue<P>(
  tx: TenantTx,
  { name }: Job<P>,
  payload: P,
  when: { readonly now: Date; readonly runAt?: Date },
): Promise<void> {
  await enqueueNamed(tx, name, payload, when)
}

/** As {@link enqueue}, for several jobs of one kind; one statement. @param when `runAt`: the earliest start of each */
export async function enqueueEach<P>(
  tx: TenantTx,
  { name }: Job<P>,
  payloads: readonly P[],
  { now, runAt = payloads.map(() => now) }: { readonly now: Date; readonly runAt?: readonly Date[] },
): Promise<void> {
  if (payloads.length > 0) await tx.rows(insertJobs, valuesOf(tx, name, payloads, runAt, now))
}

/**
 * As {@link enqueueEach}, without those for which a job with the same payload waits or runs. For sweeps, of which one
 * runs at a time.
 */
export async function enqueueMissing<P>(
  tx: TenantTx,
  { name }: Job<P>,
  payloads: readonly P[],
  now: Date,
): Promise<void> {
  const runAt = payloads.map(() => now)
  if (payloads.length > 0) await tx.rows(insertMissing, valuesOf(tx, name, payloads, runAt, now))
}

/** As {@link enqueue}, for a job that a folder above the caller's declares under this name. */
export async function enqueueNamed(
  tx: TenantTx,
  name: string,
  payload: unknown,
  { now, runAt = now }: { readonly now: Date; readonly runAt?: Date },
): Promise<void> {
  await tx.rows(insertJobs, valuesOf(tx, name, [payload], [runAt], now))
}

function valuesOf(
  { tenantId }: TenantTx,
  name: string,
  payloads: readonly unknown[],
  runAt: readonly Date[],
  now: Date,
) {
  const ids = payloads.map(() => newId())
  return { tenantId, name, ids, payloads: payloads.map((one) => JSON.stringify(one)), runAt, now }
}
