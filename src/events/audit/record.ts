import type { Values } from '../../store/named-parameters.ts'
import { runSteps, type Sql, type TenantTx } from '../../store/store.ts'
import type { AuditEntry } from './entry.ts'
import { auditStep } from './recorded-sql.ts'

/**
 * Records an audit entry in the caller's transaction, so that the change and its entry are committed together or not at
 * all.
 *
 * It is one statement. Where the change is one that always writes, its statement is sent together with `auditStep`.
 */
export async function record(tx: TenantTx, entry: AuditEntry, now: Date): Promise<void> {
  await recordEach(tx, [entry], now)
}

/** As {@link record}, for several entries in one round trip. */
export async function recordEach(tx: TenantTx, entries: readonly AuditEntry[], now: Date): Promise<void> {
  const steps = entries.map((entry) => auditStep(tx, entry, now))
  await runSteps(tx, steps)
}

/**
 * Runs a statement that changes at most one row and returns it, and records the entry if there is one.
 *
 * @returns null if nothing was changed, and nothing recorded
 */
export async function recordChange<Row>(
  tx: TenantTx,
  statement: Sql,
  values: Values,
  entry: AuditEntry,
  now: Date,
): Promise<Row | null> {
  const [row] = await tx.rows<Row>(statement, values)
  if (row === undefined) return null
  await record(tx, entry, now)
  return row
}
