import type { TenantTx } from '../../store/store.ts'
import type { AuditEntry } from './entry.ts'
import { auditStep } from './recorded-sql.ts'

/**
 * Records an audit entry in the caller's transaction, so that the change and its entry are committed together or not at all.
 *
 * It is one statement. Where the change is a single statement too, `auditStep` or `auditCte` of `recorded-sql.ts` sends both together.
 */
export async function record(tx: TenantTx, entry: AuditEntry, now: Date): Promise<void> {
  const { statement, values } = auditStep(tx, entry, now)
  await tx.rows(statement, values)
}
