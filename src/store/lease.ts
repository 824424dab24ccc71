/**
 * The right to work on one row until `leaseUntil`, held by the process that generated `claim`.
 *
 * Every table whose rows are worked on outside a transaction has the columns `claim uuid` and
 * `lease_until timestamptz`, both null while no process holds the row
 * (`check ((claim is null) = (lease_until is null))`). When a row is due is another column. The rules:
 *
 * - Acquire: one UPDATE with `isFree` in WHERE and `take` in SET, so that one of many processes gets the row
 *   (`for update skip locked` where a statement acquires several). A row can be inserted with its lease.
 * - Prove: each later statement of the holder has `isHeld` in WHERE and writes nothing when another process has
 *   acquired the row. A holder that is late and has no successor may still complete, because an expired lease changes
 *   nothing by itself.
 * - Renew: `lease_until` in SET, `isHeld` in WHERE.
 * - Release: `RELEASE` in SET, in the statement that writes the outcome.
 * - Recover: a process that dies releases nothing; the row is free again at `lease_until`. Work therefore completes
 *   earlier, renews its lease, or is safe to do twice. Rows that are not polled are found by a sweep with `hasExpired`,
 *   which enqueues a job for each that has none.
 * - Await a job: a row whose job is enqueued has `awaitJob` in SET. Its claim is its own id, which no process holds,
 *   and at `lease_until` the sweep looks whether the job is there: on a distributed database a crash can lose a job
 *   whose row is committed.
 */
export type Lease = { readonly claim: string; readonly leaseUntil: Date }

/** A job that has not started by then may be lost. */
const JOB_LATE_MS = 60_000
/** Bounds how often a sweep finds the rows of jobs that are retried. */
const JOB_RECHECK_MS = 3_600_000

/** Returns a lease for this process to acquire. */
export function newLease(now: Date, ms: number): Lease {
  return { claim: crypto.randomUUID(), leaseUntil: new Date(now.getTime() + ms) }
}

/**
 * SQL condition: the row has no lease, or its lease has expired. `now` is SQL, e.g. `$3`; `of` is an alias of the
 * table.
 */
export function isFree(now: string, of?: string): string {
  const table = of === undefined ? '' : `${of}.`
  return `(${table}claim is null or ${table}lease_until <= ${now})`
}

/** No lease lasts longer than the time that its holder has, and this. */
const LEASE_EXTRA = "interval '1 hour'"

/**
 * SQL condition: {@link isFree}, or the lease ends later than any holder may have taken it for, since the clock was
 * wrong at that time.
 *
 * @param seconds SQL: how long the holder has, e.g. `declared.seconds`
 */
export function isFreeOrAstray(now: string, seconds: string): string {
  return `(${isFree(now)} or lease_until > ${now}::timestamptz + ${seconds} * interval '1 second' + ${LEASE_EXTRA})`
}

/** SQL condition: {@link isFree}, or the row awaits its job. */
export function isFreeForJob(now: string): string {
  return `(claim = id or ${isFree(now)})`
}

/**
 * SQL assignments that release the row to its job. `checkAt` is SQL: from then on the sweep looks whether there is one.
 */
export function awaitJob(checkAt: string): string {
  return `claim = id, lease_until = ${checkAt}`
}

/** Returns when the sweep looks for the job of a row that awaits it. @param runAt When the job is due. */
export function jobCheckAt(runAt: Date): Date {
  return new Date(runAt.getTime() + JOB_LATE_MS)
}

/** Returns when a sweep that has enqueued the job of a row, or found it, looks for it again. */
export function jobRecheckAt(now: Date): Date {
  return new Date(now.getTime() + JOB_RECHECK_MS)
}

/** SQL condition: the row has a lease that has expired. */
export function hasExpired(now: string): string {
  return `lease_until <= ${now}`
}

/** SQL condition: the row is still held under this claim. */
export function isHeld(claim: string): string {
  return `claim = ${claim}`
}

/** SQL assignments that acquire the row. */
export function take(claim: string, leaseUntil: string): string {
  return `claim = ${claim}, lease_until = ${leaseUntil}`
}

/** SQL assignments that release the row. */
export const RELEASE = 'claim = null, lease_until = null'
