import { sql, type TenantTx } from '../../store/store.ts'
import type { AuditEntry } from './entry.ts'
import { auditValues, insertAudit } from './recorded-sql.ts'

const insertEntry = sql('events.insert_audit_entry', insertAudit('entry.subject_id', '', 1))

/**
 * Records an audit entry in the caller's transaction, so that the change and its entry are committed together or not at all.
 *
 * It is one statement. Where the change is a single statement too, `auditCte` of `recorded-sql.ts` combines both.
 */
export async function record(tx: TenantTx, entry: AuditEntry, now: Date): Promise<void> {
  await tx.rows(insertEntry, auditValues(entry, now))
}
