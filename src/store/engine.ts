import type { Sql } from './store.ts'

/** Runs one statement of an open transaction. */
export type Run = <Row>(statement: Sql, values?: readonly unknown[]) => Promise<Row[]>

/** What differs between PostgreSQL and the embedded engine. `setting` is the SQL that makes the transaction a tenant's. */
export type Engine = {
  readonly kind: 'postgresql' | 'embedded'
  readonly transaction: <T>(setting: string, work: (run: Run) => Promise<T>) => Promise<T>
  readonly single: <Row>(setting: string, statement: Sql, values: readonly unknown[]) => Promise<Row[]>
  /** Runs a script of several statements in one transaction, as the owner of the tables. Only migrations use it. */
  readonly asOwner: <T>(work: (script: (text: string) => Promise<void>, run: Run) => Promise<T>) => Promise<T>
  readonly roundTrips: () => number
  readonly close: () => Promise<void>
}
