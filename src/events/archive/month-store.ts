import type { TenantId } from '../../caller.ts'
import { type AcrossTx, platformTenantId, sql, type TenantTx } from '../../store/store.ts'
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

/** A number of entries, and the id of the last one. */
export type EntryCount = { readonly count: number; readonly last: string | null }

const listMonths = sql(
  'events.list_audit_months',
  `select translate(substr(c.relname, 13), '_', '-') as month from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'audit_entry'::regclass and c.relname like 'audit\\_entry\\_2%' order by 1`,
)
const makeMonth = sql('events.make_audit_month', 'select make_audit_month($1::date, $2) as made')
const dropMonth = sql('events.drop_audit_month', 'select drop_audit_month($1::date)')
// One row of the primary key of one month. All tenants in one statement would read all its entries.
const nextTenant = sql(
  'events.find_archive_tenant',
  `select tenant_id as id from audit_entry where tenant_id > $1 and id >= $2 and id < $3 order by tenant_id limit 1`,
)
const firstTenant = sql(
  'events.find_first_archive_tenant',
  `select tenant_id as id from audit_entry where tenant_id >= $1 and id >= $2 and id < $3 order by tenant_id limit 1`,
)
const listEntries = sql(
  'events.list_archive_entries',
  `select id, at, actor_kind as "actorKind", actor_id as "actorId", acting_client as "actingClient", action,
     subject_kind as "subjectKind", subject_id as "subjectId", result, ip, request_id as "requestId", detail
   from audit_entry where tenant_id = $1 and id > $2 and id < $3 order by id limit $4`,
)

const countEntries = sql(
  'events.count_archive_entries',
  `with page as materialized (select id from audit_entry where tenant_id = $1 and id > $2 and id < $3 order by id limit $4)
   select (select count(*)::int from page) as count, (select id from page order by id desc limit 1) as last`,
)

/** Returns the months that have a table, in their order. */
export async function listAuditMonths(tx: AcrossTx): Promise<Month[]> {
  return (await tx.rows<{ month: Month }>(listMonths)).map(({ month }) => month)
}

/**
 * Makes the table of a month, if there is none, and moves its entries there.
 *
 * @returns false if more than `rowsMax` entries have no month: nothing changed
 */
export async function makeAuditMonth(tx: AcrossTx, month: Month, rowsMax: number): Promise<boolean> {
  const [row] = await tx.rows<{ made: boolean }>(makeMonth, [firstDayOf(month), rowsMax])
  return row?.made === true
}

/** Drops the table of a month with its entries. @throws if readers hold it for two seconds */
export async function dropAuditMonth(tx: AcrossTx, month: Month): Promise<void> {
  await tx.rows(dropMonth, [firstDayOf(month)])
}

/**
 * Returns the tenant with entries of a month that comes after another one in the order of ids; null: there is none.
 *
 * @param after null: the first one, which may be the platform itself.
 */
export async function tenantWithEntries(tx: AcrossTx, month: Month, after: TenantId | null): Promise<TenantId | null> {
  const [statement, id] = after === null ? [firstTenant, platformTenantId] : [nextTenant, after]
  const [row] = await tx.rows<{ id: TenantId }>(statement, [id, ...idsOf(month)])
  return row?.id ?? null
}

/** Counts entries of a month after an id, or from the first one on, up to a limit. */
export async function countAfter(tx: TenantTx, month: Month, after: string | null, limit: number): Promise<EntryCount> {
  const [first, end] = idsOf(month)
  const [row] = await tx.rows<EntryCount>(countEntries, [tx.tenantId, after ?? first, end, limit])
  return row ?? { count: 0, last: null }
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
