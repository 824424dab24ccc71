import type { Static, TSchema } from 'typebox'
import type { TenantId } from '../caller.ts'
import type { Platform } from '../platform.ts'
import { newId } from '../store/row-id.ts'
import { sql, type TenantTx } from '../store/store.ts'
import { wakeLocalWorkers } from './wake.ts'

/** Which run of a job it is. `attempt` counts from 1. */
export type JobRun = { readonly id: string; readonly tenantId: TenantId; readonly attempt: number }

/** Work that outlives the request that asked for it. Made by {@link job}. */
export type Job<Payload = unknown> = {
  /** Room and verb: `events.deliver`. Stays the same for ever: rows in the queue carry it. */
  readonly name: string
  readonly payload: TSchema
  /** After so many failed runs the job is given up and kept for the operator. */
  readonly attemptsMax: number
  /** The signal is aborted then; a run that goes on regardless may meet another run of the same job. */
  readonly timeoutSeconds: number
  /** A method, so that jobs of different payloads fit into one list; the worker checks a payload before it gives it. */
  run(platform: Platform, payload: Payload, signal: AbortSignal, about: JobRun): Promise<void>
}

/**
 * Declares a job. It runs at least once, so a second run must find nothing left to do. It stops soon after `signal` is aborted. What it
 * throws leads to another attempt, after 2 s, 4 s, 8 s … up to an hour.
 */
export function job<S extends TSchema>(spec: {
  readonly name: string
  /** Ids and small facts. The payload lies in clear in the queue, so never personal data. */
  readonly payload: S
  readonly attemptsMax: number
  readonly timeoutSeconds: number
  readonly run: (platform: Platform, payload: Static<S>, signal: AbortSignal, about: JobRun) => Promise<void>
}): Job<Static<S>> {
  return spec
}

const insertJob = sql(
  'jobs.insert',
  `insert into job (tenant_id, id, name, payload, run_at, created_at) values ($1, $2, $3, $4::jsonb, $5, $6)`,
)

/**
 * Puts a job of the transaction's tenant into the queue, in the caller's transaction: no commit, no job.
 *
 * @param when `now` of the caller's clock; `runAt`: not before then.
 */
export async function enqueue<P>(
  tx: TenantTx,
  { name }: Job<P>,
  payload: P,
  { now, runAt = now }: { readonly now: Date; readonly runAt?: Date },
): Promise<void> {
  await tx.rows(insertJob, [tx.tenantId, newId(), name, JSON.stringify(payload), runAt, now])
  wakeLocalWorkers()
}
