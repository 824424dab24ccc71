import type { TenantId } from '../caller.ts'
import { type AcrossTx, sql } from './store.ts'

/**
 * Rows that are read at most to find them: where one tenant has a million that are due, the next sweep finds the
 * others.
 */
const ROWS_MAX = 1000
const TENANTS_MAX = 500

/**
 * Returns a query for the tenants that have rows to work on, up to 500; the next sweep finds the others.
 *
 * @param from SQL from the table on; $1 is the time of the sweep.
 * @param by The column that an index orders: then no more than 1,000 rows are read, in its order. The work must take
 *   them out of the condition.
 */
export function tenantsWith(name: string, from: string, by?: string): (tx: AcrossTx, now: Date) => Promise<TenantId[]> {
  const rows = by === undefined ? from : `from (select tenant_id ${from} order by ${by} limit ${ROWS_MAX}) as due`
  const statement = sql(name, `select distinct tenant_id as id ${rows} limit ${TENANTS_MAX}`)
  return async (tx, now) => (await tx.rows<{ id: TenantId }>(statement, [now])).map(({ id }) => id)
}
