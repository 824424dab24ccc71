import type { Store, TenantTx } from '../store.ts'

/**
 * Returns a store that loses the response to one statement: the statement takes effect, and then the connection breaks.
 *
 * @param isExecuted False: the connection breaks before.
 */
export function lossyStore(store: Store, name: string, times = 1, isExecuted = true): Store {
  let left = times
  const through =
    (way: Store['single']): Store['single'] =>
    async (tenantId, work) => {
      let isLost = false
      const rows =
        (tx: TenantTx): TenantTx['rows'] =>
        async (statement, values) => {
          if (statement.name === name && left > 0) {
            left -= 1
            isLost = true
            if (!isExecuted) throw new Error('connection refused')
          }
          return tx.rows(statement, values)
        }
      const result = await way(tenantId, (tx) => work({ ...tx, rows: rows(tx) }))
      if (isLost) throw new Error('connection terminated')
      return result
    }
  return { ...store, single: through(store.single), inTenant: through(store.inTenant) }
}
