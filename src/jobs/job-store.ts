import type { TenantId } from '../caller.ts'
import { isFreeOrAstray, isHeld, RELEASE, take } from '../store/lease.ts'
import { newId } from '../store/row-id.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'
import type { Job } from './job.ts'

/** A job that this process has claimed. */
export type ClaimedJob = {
  readonly tenantId: TenantId
  readonly id: string
  readonly name: string
  readonly payload: unknown
  readonly attempt: number
  readonly claim: string
}

/** How long the run of a job or sweep may go on after its time-out before another worker takes it over. */
export const GRACE_SECONDS = 30

const claimDue = sql(
  'jobs.claim_due',
  `with due as (
     select job.tenant_id, job.id, declared.seconds
     from job join unnest($1::text[], $2::int[]) as declared (name, seconds) using (name)
     where job.dead_at is null and job.run_at <= $3 and ${isFreeOrAstray('$3', 'declared.seconds')}
       and job.tenant_id <> all($6::uuid[])
     order by job.run_at limit $4 for update of job skip locked
   )
   update job set attempts = job.attempts + 1, ${take('$5', `$3::timestamptz + due.seconds * interval '1 second'`)}
   from due where job.tenant_id = due.tenant_id and job.id = due.id
   returning job.tenant_id as "tenantId", job.id, job.name, job.payload, job.attempts as attempt, job.claim`,
)
const HELD = `tenant_id = $1 and id = $2 and ${isHeld('$3')}`
const deleteDone = sql('jobs.delete_done', `delete from job where ${HELD}`)
const postpone = sql('jobs.postpone', `update job set run_at = $4, last_error = $5, ${RELEASE} where ${HELD}`)
const markDead = sql('jobs.mark_dead', `update job set dead_at = $4, last_error = $5, ${RELEASE} where ${HELD}`)
const deleteDead = sql(
  'jobs.delete_dead',
  `delete from job where (tenant_id, id) in (select tenant_id, id from job where dead_at < $1 order by dead_at limit $2) returning id`,
)

/** `limit`: at most this many jobs. `without`: tenants to skip. */
type JobClaim = { readonly limit: number; readonly without: readonly TenantId[] }

/**
 * Claims due jobs in the order of their due times, only those that this process declares. A job whose worker died is
 * due again after its time-out and {@link GRACE_SECONDS}. One worker gets a job: rows that another transaction has
 * locked are skipped.
 */
export async function claimJobs(
  tx: AcrossTx,
  jobs: readonly Job[],
  now: Date,
  { limit, without }: JobClaim,
): Promise<ClaimedJob[]> {
  const names = jobs.map((one) => one.name)
  const seconds = jobs.map((one) => one.timeoutSeconds + GRACE_SECONDS)
  return tx.rows<ClaimedJob>(claimDue, [names, seconds, now, limit, newId(), without])
}

/** Deletes a job that succeeded. Does nothing if another run has taken it over. */
export async function deleteJob(tx: TenantTx, { id, claim }: ClaimedJob): Promise<void> {
  await tx.rows(deleteDone, [tx.tenantId, id, claim])
}

/** Schedules the retry of a failed job at `runAt`. Does nothing if another run has taken it over. */
export async function retryJobLater(tx: TenantTx, { id, claim }: ClaimedJob, runAt: Date, why: string): Promise<void> {
  await tx.rows(postpone, [tx.tenantId, id, claim, runAt, why])
}

/** Marks a job as dead; it is kept for the operator until {@link deleteDeadJobs}. */
export async function failJob(tx: TenantTx, { id, claim }: ClaimedJob, now: Date, why: string): Promise<void> {
  await tx.rows(markDead, [tx.tenantId, id, claim, now, why])
}

/** Deletes jobs that died before that time. Returns their number. */
export async function deleteDeadJobs(tx: AcrossTx, before: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteDead, [before, limit])).length
}
