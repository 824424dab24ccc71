import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { Detail } from '../audit/entry.ts'
import { firstDayOf, idsOf, type Month } from './month.ts'

/** An entry as it stands in an archive: with the address only if it was not yet forgotten. Times are ISO 8601. */
export type ArchivedEntry = {
  readonly id: string
  readonly at: string
  readonly actorKind: string
  readonly actorId: string | null
  readonly actingClient: string | null
  readonly action: string
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly result: string
  readonly ip: string | null
  readonly requestId: string | null
  readonly detail: Detail
}

const listMonths = sql(
  'events.list_audit_months',
  `select translate(substr(c.relname, 13), '_', '-') as month from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'audit_entry'::regclass and c.relname like 'audit\\_entry\\_2%' order by 1`,
)
const addMonth = sql('events.add_audit_month', 'select add_audit_month($1::date)')
const dropMonth = sql('events.drop_audit_month', 'select drop_audit_month($1::date)')
// One row of the primary key of one month. All tenants in one statement would read all its entries.
const nextTenant = sql(
  'events.find_archive_tenant',
  `select tenant_id as id from audit_entry where tenant_id > $1 and id >= $2 and id < $3 order by tenant_id limit 1`,
)
const listEntries = sql(
  'events.list_archive_entries',
  `select id, at, actor_kind as "actorKind", actor_id as "actorId", acting_client as "actingClient", action,
     subject_kind as "subjectKind", subject_id as "subjectId", result, ip, request_id as "requestId", detail
   from audit_entry where tenant_id = $1 and id > $2 and id < $3 order by id limit $4`,
)

/** Returns the months that have a table, in their order. */
export async function listAuditMonths(tx: AcrossTx): Promise<Month[]> {
  return (await tx.rows<{ month: Month }>(listMonths)).map(({ month }) => month)
}

/** Makes the table of a month, if there is none, and moves its entries there. */
export async function addAuditMonth(tx: AcrossTx, month: Month): Promise<void> {
  await tx.rows(addMonth, [firstDayOf(month)])
}

/** Drops the table of a month with its entries. @throws if readers hold it for two seconds */
export async function dropAuditMonth(tx: AcrossTx, month: Month): Promise<void> {
  await tx.rows(dropMonth, [firstDayOf(month)])
}

/** Returns the tenant with entries of a month that comes after another one in the order of ids; null: there is none. */
export async function tenantWithEntries(tx: AcrossTx, month: Month, after: TenantId): Promise<TenantId | null> {
  const [row] = await tx.rows<{ id: TenantId }>(nextTenant, [after, ...idsOf(month)])
  return row?.id ?? null
}

/** Returns entries of a month after an id, or from the first one on. */
export async function entriesAfter(
  tx: TenantTx,
  month: Month,
  after: string | null,
  limit: number,
): Promise<ArchivedEntry[]> {
  const [first, end] = idsOf(month)
  type Row = Omit<ArchivedEntry, 'at'> & { at: Date }
  const rows = await tx.rows<Row>(listEntries, [tx.tenantId, after ?? first, end, limit])
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}
