/**
 * The right to work on one row until `leaseUntil`, held by the process that made up `claim`.
 *
 * A row that is worked on outside a transaction is leased: columns `claim uuid` and `lease_until timestamptz`, both null while nobody holds
 * it (`check ((claim is null) = (lease_until is null))`). When the row is due is another column. The rules:
 *
 * - Take: one UPDATE with `isFree` in WHERE and `take` in SET, so of many processes one gets the row (`for update skip locked` where each
 *   takes several).
 * - Prove: each later statement of the holder has `isHeld` in WHERE. No row: another process has taken over, and nothing is written.
 *   The end of the lease alone takes nothing away: a holder that is late and has no successor may finish.
 * - Release: `RELEASE` in SET, together with the outcome.
 * - A process that dies releases nothing; the row is free at `lease_until`. Work must therefore end before, renew the lease, or be safe to
 *   do twice. What nobody polls is found by a sweep over `hasExpired`, which releases it and enqueues its job in one transaction.
 *
 * How tables with columns of their own come here:
 *
 * - `issuance_batch`: has both. A batch is inserted free beside its job, and a job that was buried is what the sweep looks for besides
 *   (`isFree` and no progress). `settleItems` renews with `lease_until` in SET and has `isHeld` already.
 */
export type Lease = { readonly claim: string; readonly leaseUntil: Date }

/** A lease that this process is about to take. */
export function newLease(now: Date, ms: number): Lease {
  return { claim: crypto.randomUUID(), leaseUntil: new Date(now.getTime() + ms) }
}

/** SQL condition: no process holds the row, or the one that held it has died. `now` is SQL, e.g. `$3`; `of` an alias of the table. */
export function isFree(now: string, of?: string): string {
  const table = of === undefined ? '' : `${of}.`
  return `(${table}claim is null or ${table}lease_until <= ${now})`
}

/** SQL condition: the lease has run out, so its process has died. */
export function hasExpired(now: string): string {
  return `lease_until <= ${now}`
}

/** SQL condition: the row is still the holder's. */
export function isHeld(claim: string): string {
  return `claim = ${claim}`
}

/** SQL assignments that take the row. */
export function take(claim: string, leaseUntil: string): string {
  return `claim = ${claim}, lease_until = ${leaseUntil}`
}

/** SQL assignments that let the row go. */
export const RELEASE = 'claim = null, lease_until = null'
