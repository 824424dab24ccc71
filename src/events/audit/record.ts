import { sql, type TenantTx } from '../../store/store.ts'
import type { AuditEntry } from './entry.ts'
import { auditValues, insertAudit } from './recorded-sql.ts'

const insertEntry = sql('events.record', insertAudit('entry.subject_id', '', 1))

/**
 * Writes one line of the audit trail in the caller's transaction: the change and its record stand or fall together.
 *
 * One statement. Where the change is a single statement too, `auditCte` of `recorded-sql.ts` puts both into one.
 */
export async function record(tx: TenantTx, entry: AuditEntry, now: Date): Promise<void> {
  await tx.rows(insertEntry, auditValues(entry, now))
}
