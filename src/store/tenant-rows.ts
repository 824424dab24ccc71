import { type AcrossTx, composedSql, sql, type TenantTx } from './store.ts'

/** A table with rows of tenants. `key`: the columns of its primary key, as SQL. */
type TenantTable = { readonly name: string; readonly key: string }

type TableRow = TenantTable & { readonly targets: readonly string[] }

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
  `select quote_ident(c.relname) as name, (
     select string_agg(quote_ident(k.attname), ', ' order by array_position(i.indkey::int2[], k.attnum)) from pg_index i
     join pg_attribute k on k.attrelid = c.oid and k.attnum = any (i.indkey::int2[])
     where i.indrelid = c.oid and i.indisprimary) as key, array(
     select distinct quote_ident(t.relname) from pg_constraint k join pg_class t on t.oid = k.confrelid
     where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as targets
   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by c.relname`,
)
const removeAudit = sql('store.remove_audit_entries', 'select remove_audit_entries($1) as removed')

/** Returns every table with rows of tenants: jobs and data keys, then each table before those that it refers to. */
export async function listTenantTables(tx: AcrossTx): Promise<readonly TenantTable[]> {
  const rows = await tx.rows<TableRow>(listTables)
  const ordered = rows.filter(({ name }) => FIRST.includes(name))
  for (let left = rows; left.length > 0; ) {
    left = left.filter((one) => !ordered.includes(one))
    const free = left.filter(({ name }) => !left.some((other) => goesBefore(other, name)))
    // Tables that refer to each other in a circle have no order.
    ordered.push(...(free.length > 0 ? free : left))
  }
  return ordered
}

function goesBefore({ name, targets }: TableRow, other: string): boolean {
  return targets.includes(other) || FOUND_BY[name]?.list === other
}

/** Returns how many rows a table has of the transaction's tenant, up to `limit`. */
export async function countTenantRows(tx: TenantTx, table: string, limit: number): Promise<number> {
  const rows = `select from ${table} where tenant_id = $1 limit $2`
  const statement = composedSql(`select count(*)::int as count from (${rows}) as counted`)
  return (await tx.rows<{ count: number }>(statement, [tx.tenantId, limit]))[0]?.count ?? 0
}

/**
 * SQL: the places of at most `limit` rows of the tenant $1. In the order of the key: else PostgreSQL, by its
 * statistics, reads a table from its start, over all that was removed there and all that others have.
 */
function placesOf({ name, key }: TenantTable, limit: string): string {
  const by = FOUND_BY[name]
  if (by === undefined) return `select ctid as place from ${name} where tenant_id = $1 order by ${key} limit ${limit}`
  const ofOne = `select ctid as place from ${name} where tenant_id = $1 and ${by.column} = list.id order by ${key}`
  return `select place from ${by.list} as list cross join lateral (${ofOne} limit ${limit}) as found
    where list.tenant_id = $1 limit ${limit}`
}

/**
 * Deletes up to `limit` rows of the transaction's tenant from a table. The tenant must be in `removed_tenant`.
 * @returns how many, and whether there are others: another process may be deleting them
 */
export async function removeTenantRows(tx: TenantTx, table: TenantTable, limit: number) {
  const removed = await (table.name === AUDIT ? removeEntries(tx, limit) : removeRows(tx, table, limit))
  const rest = composedSql(`select exists (${placesOf(table, '1')}) as found`)
  const isLeft = removed === limit || (await tx.rows<{ found: boolean }>(rest, [tx.tenantId]))[0]?.found === true
  return { removed, isLeft }
}

async function removeRows(tx: TenantTx, table: TenantTable, limit: number): Promise<number> {
  const statement = composedSql(
    `delete from ${table.name} where tenant_id = $1 and ctid = any (array(${placesOf(table, '$2')}))
     returning tenant_id`,
  )
  return (await tx.rows(statement, [tx.tenantId, limit])).length
}

async function removeEntries(tx: TenantTx, limit: number): Promise<number> {
  return (await tx.rows<{ removed: number }>(removeAudit, [limit]))[0]?.removed ?? 0
}
