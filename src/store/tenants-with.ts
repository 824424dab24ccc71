import type { TenantId } from '../caller.ts'
import { type AcrossTx, sql } from './store.ts'

/**
 * Returns a query for the tenants that have rows to work on, up to 500; the next sweep finds the others.
 *
 * @param from SQL from the table on; $1 is the time of the sweep.
 */
export function tenantsWith(name: string, from: string): (tx: AcrossTx, now: Date) => Promise<TenantId[]> {
  const statement = sql(name, `select distinct tenant_id as id ${from} limit 500`)
  return async (tx, now) => (await tx.rows<{ id: TenantId }>(statement, [now])).map(({ id }) => id)
}
