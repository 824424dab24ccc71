/**
 * The right to work on one row until `leaseUntil`, held by the process that generated `claim`.
 *
 * Every table whose rows are worked on outside a transaction has the columns `claim uuid` and `lease_until timestamptz`, both null while
 * no process holds the row (`check ((claim is null) = (lease_until is null))`). When a row is due is another column. The rules:
 *
 * - Acquire: one UPDATE with `isFree` in WHERE and `take` in SET, so that one of many processes gets the row (`for update skip locked`
 *   where a statement acquires several). A row can be inserted with its lease.
 * - Prove: each later statement of the holder has `isHeld` in WHERE and writes nothing when another process has acquired the row. A holder
 *   that is late and has no successor may still complete, because an expired lease changes nothing by itself.
 * - Renew: `lease_until` in SET, `isHeld` in WHERE.
 * - Release: `RELEASE` in SET, in the statement that writes the outcome.
 * - Recover: a process that dies releases nothing; the row is free again at `lease_until`. Work therefore completes earlier, renews its
 *   lease, or is safe to do twice. Rows that are not polled are found by a sweep with `hasExpired`, which releases the row and enqueues its
 *   job in one transaction.
 */
export type Lease = { readonly claim: string; readonly leaseUntil: Date }

/** Returns a lease for this process to acquire. */
export function newLease(now: Date, ms: number): Lease {
  return { claim: crypto.randomUUID(), leaseUntil: new Date(now.getTime() + ms) }
}

/** SQL condition: the row has no lease, or its lease has expired. `now` is SQL, e.g. `$3`; `of` is an alias of the table. */
export function isFree(now: string, of?: string): string {
  const table = of === undefined ? '' : `${of}.`
  return `(${table}claim is null or ${table}lease_until <= ${now})`
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
