import { type AcrossTx, composedSql, sql, type TenantTx } from './store.ts'

type TableRow = { readonly name: string; readonly targets: readonly string[] }

/** Without these nothing more is done for the tenant, and nothing that was sealed for it can be opened. */
const FIRST = ['job', 'tenant_key']
/**
 * A table without an index by tenant, since every issuance writes to it: its rows are found by the rows of another one,
 * which go after them.
 */
const FOUND_BY: Readonly<Record<string, { readonly column: string; readonly list: string }>> = {
  status_entry: { column: 'status_list_id', list: 'status_list' },
}
/** The application may not delete from it. */
const AUDIT = 'audit_entry'

/** The schema itself says which there are, so that no table of a later migration is forgotten. */
const listTables = sql(
  'store.list_tables_of_tenants',
  `select quote_ident(c.relname) as name, array(
     select distinct quote_ident(t.relname) from pg_constraint k join pg_class t on t.oid = k.confrelid
     where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as targets
   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by c.relname`,
)
const removeAudit = sql('store.remove_audit_entries', 'select remove_audit_entries($1) as removed')

/** Returns every table with rows of tenants: jobs and data keys, then each table before those that it refers to. */
export async function listTenantTables(tx: AcrossTx): Promise<readonly string[]> {
  const rows = await tx.rows<TableRow>(listTables)
  const ordered = FIRST.filter((name) => rows.some((row) => row.name === name))
  for (let left = rows; left.length > 0; ) {
    left = left.filter(({ name }) => !ordered.includes(name))
    const free = left.filter(({ name }) => !left.some((other) => goesBefore(other, name)))
    // Tables that refer to each other in a circle have no order.
    ordered.push(...(free.length > 0 ? free : left).map(({ name }) => name))
  }
  return ordered
}

function goesBefore({ name, targets }: TableRow, other: string): boolean {
  return targets.includes(other) || FOUND_BY[name]?.list === other
}

/**
 * Returns how many rows a table has of the transaction's tenant, up to `limit`.
 *
 * @param table One of {@link listTenantTables}
 */
export async function countTenantRows(tx: TenantTx, table: string, limit: number): Promise<number> {
  const rows = `select from ${table} where ${conditionOf(table)} limit $2`
  const statement = composedSql(`select count(*)::int as count from (${rows}) as counted`)
  return (await tx.rows<{ count: number }>(statement, [tx.tenantId, limit]))[0]?.count ?? 0
}

/** SQL: the rows of the tenant $1. */
function conditionOf(table: string): string {
  const by = FOUND_BY[table]
  if (by === undefined) return 'tenant_id = $1'
  return `tenant_id = $1 and ${by.column} in (select id from ${by.list} where tenant_id = $1)`
}

/**
 * Deletes up to `limit` rows of the transaction's tenant from a table. The tenant must be in `removed_tenant`.
 *
 * @param table One of {@link listTenantTables}
 * @returns how many, and whether there are others: another process may be deleting them
 */
export async function removeTenantRows(tx: TenantTx, table: string, limit: number) {
  const removed = await (table === AUDIT ? removeEntries(tx, limit) : removeRows(tx, table, limit))
  const rest = composedSql(`select exists (select from ${table} where ${conditionOf(table)}) as found`)
  const isLeft = removed === limit || (await tx.rows<{ found: boolean }>(rest, [tx.tenantId]))[0]?.found === true
  return { removed, isLeft }
}

async function removeRows(tx: TenantTx, table: string, limit: number): Promise<number> {
  const statement = composedSql(
    `delete from ${table} where tenant_id = $1
       and ctid = any (array(select ctid from ${table} where ${conditionOf(table)} limit $2)) returning tenant_id`,
  )
  return (await tx.rows(statement, [tx.tenantId, limit])).length
}

async function removeEntries(tx: TenantTx, limit: number): Promise<number> {
  return (await tx.rows<{ removed: number }>(removeAudit, [limit]))[0]?.removed ?? 0
}
