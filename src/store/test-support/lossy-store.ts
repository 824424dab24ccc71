import type { Store, TenantTx } from '../store.ts'

/**
 * The store whose answers to one statement are lost: the statement is carried out, and then the connection breaks.
 *
 * @param isCarriedOut False: the connection breaks before.
 */
export function lossyStore(store: Store, name: string, times = 1, isCarriedOut = true): Store {
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
            if (!isCarriedOut) throw new Error('connection refused')
          }
          return tx.rows(statement, values)
        }
      const result = await way(tenantId, (tx) => work({ ...tx, rows: rows(tx) }))
      if (isLost) throw new Error('connection terminated')
      return result
    }
  return { ...store, single: through(store.single), inTenant: through(store.inTenant) }
}
