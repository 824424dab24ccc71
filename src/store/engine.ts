import type { Sql } from './store.ts'

/** Runs one statement of an open transaction. */
export type RunStatement = <Row>(statement: Sql, values?: readonly unknown[]) => Promise<Row[]>

/** As whom a transaction acts: as the role that owns no table, for one tenant (null: for none). Ends with the transaction. */
export type SessionContext = { readonly role: 'chirograph_app' | 'chirograph_across'; readonly tenantId: string | null }

/** What differs between PostgreSQL and the embedded engine. */
export type Engine = {
  readonly kind: 'postgresql' | 'embedded'
  readonly transaction: <T>(acting: SessionContext, work: (run: RunStatement) => Promise<T>) => Promise<T>
  /** One statement, one transaction, one round trip. */
  readonly single: <Row>(acting: SessionContext, statement: Sql, values: readonly unknown[]) => Promise<Row[]>
  /** One transaction as the owner of the tables; `script` runs several statements at once. Only migrations use it. */
  readonly asOwner: <T>(work: (script: (text: string) => Promise<void>, run: RunStatement) => Promise<T>) => Promise<T>
  readonly roundTrips: () => number
  readonly close: () => Promise<void>
}

/**
 * Sets the role and the tenant of the transaction. As a function and not as SET, so that the values are parameters; in the condition of a
 * SELECT, so that no row comes back for nothing: all settings are made, and together they are never null. The time limits are set here and
 * not where the connection is opened, since a proxy in between refuses that.
 */
export const setSessionContext: Sql = {
  name: 'store.act',
  text: `select where (set_config('role', $1, true) || set_config('chirograph.tenant_id', $2, true)
    || set_config('statement_timeout', '15s', true) || set_config('idle_in_transaction_session_timeout', '30s', true)) is null`,
}

/** The parameters of {@link setSessionContext}. */
export function sessionContextValues({ role, tenantId }: SessionContext): [string, string] {
  return [role, tenantId ?? '']
}
