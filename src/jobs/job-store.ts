import type { TenantId } from '../caller.ts'
import { isFree, isHeld, RELEASE, take } from '../store/lease.ts'
import { newId } from '../store/row-id.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'
import type { Job } from './job.ts'

/** A job that this process holds. */
export type ClaimedJob = {
  readonly tenantId: TenantId
  readonly id: string
  readonly name: string
  readonly payload: unknown
  readonly attempt: number
  readonly claim: string
}

type Row = { tenant_id: TenantId; id: string; name: string; payload: unknown; attempts: number }

/** How long the run of a job or sweep may go on after its time-out before another worker takes it over. */
export const GRACE_SECONDS = 30

const claimDue = sql(
  'jobs.claim',
  `with due as (
     select job.tenant_id, job.id, known.seconds
     from job join unnest($1::text[], $2::int[]) as known (name, seconds) using (name)
     where job.dead_at is null and job.run_at <= $3 and ${isFree('$3')} and job.tenant_id <> all($6::uuid[])
     order by job.run_at limit $4 for update of job skip locked
   )
   update job set attempts = job.attempts + 1, ${take('$5', `$3::timestamptz + due.seconds * interval '1 second'`)}
   from due where job.tenant_id = due.tenant_id and job.id = due.id
   returning job.tenant_id, job.id, job.name, job.payload, job.attempts`,
)
const HELD = `tenant_id = $1 and id = $2 and ${isHeld('$3')}`
const deleteDone = sql('jobs.done', `delete from job where ${HELD}`)
const postpone = sql('jobs.postpone', `update job set run_at = $4, last_error = $5, ${RELEASE} where ${HELD}`)
const bury = sql('jobs.bury', `update job set dead_at = $4, last_error = $5, ${RELEASE} where ${HELD}`)
const deleteDead = sql('jobs.delete_dead', `delete from job where dead_at < $1`)

/** `limit`: how many at most. `without`: tenants whose turn it is not. */
export type JobClaim = { readonly limit: number; readonly without: readonly TenantId[] }

/**
 * Takes due jobs, the longest due first, only of the kinds that this process knows. A job whose worker died is due again when its time-out
 * and half a minute have passed. Of two workers only one gets a job: rows that somebody else looks at are skipped.
 */
export async function claimJobs(
  tx: AcrossTx,
  jobs: readonly Job[],
  now: Date,
  { limit, without }: JobClaim,
): Promise<ClaimedJob[]> {
  const token = newId()
  const names = jobs.map((one) => one.name)
  const seconds = jobs.map((one) => one.timeoutSeconds + GRACE_SECONDS)
  const rows = await tx.rows<Row>(claimDue, [names, seconds, now, limit, token, without])
  return rows.map(({ tenant_id: tenantId, id, name, payload, attempts }) => {
    return { tenantId, id, name, payload, attempt: attempts, claim: token }
  })
}

/** Removes a job that is done. Nothing happens if another run has taken it over. */
export async function deleteJob(tx: TenantTx, { id, claim: held }: ClaimedJob): Promise<void> {
  await tx.rows(deleteDone, [tx.tenantId, id, held])
}

/** Lets a failed job run again at `runAt`. */
export async function retryJobLater(
  tx: TenantTx,
  { id, claim: held }: ClaimedJob,
  runAt: Date,
  why: string,
): Promise<void> {
  await tx.rows(postpone, [tx.tenantId, id, held, runAt, why])
}

/** Gives a job up; it stays for the operator until {@link deleteDeadJobs}. */
export async function failJob(tx: TenantTx, { id, claim: held }: ClaimedJob, now: Date, why: string): Promise<void> {
  await tx.rows(bury, [tx.tenantId, id, held, now, why])
}

/** Removes jobs that were given up before that day. */
export async function deleteDeadJobs(tx: AcrossTx, before: Date): Promise<void> {
  await tx.rows(deleteDead, [before])
}
