import type { Sql } from './store.ts'

/** A statement with its values in the order of its text. */
export type BoundStep = { readonly statement: Sql; readonly values: readonly unknown[] }

/** Runs one statement of an open transaction, and steps that are sent with it. Returns the rows of the statement. */
export type RunStatement = <Row>(
  statement: Sql,
  values?: readonly unknown[],
  then?: readonly BoundStep[],
) => Promise<Row[]>

/**
 * Role and tenant of a transaction. The role owns no table; `tenantId` null: no tenant. Both end with the transaction.
 */
export type SessionContext = { readonly role: 'chirograph_app' | 'chirograph_across'; readonly tenantId: string | null }

/**
 * Work of a migration. `script` runs several statements at once, in the transaction; `alone` one statement outside it,
 * on a connection of its own, while the transaction stays open (on the embedded engine inside it, and not
 * concurrently).
 */
export type OwnerWork<T> = (
  script: (text: string) => Promise<void>,
  run: RunStatement,
  alone: (statement: string) => Promise<void>,
) => Promise<T>

/** What differs between PostgreSQL and the embedded engine. */
export type Engine = {
  readonly kind: 'postgresql' | 'embedded'
  readonly transaction: <T>(context: SessionContext, work: (run: RunStatement) => Promise<T>) => Promise<T>
  /** One transaction of one or several steps in one round trip. Returns the rows of the first. */
  readonly single: <Row>(context: SessionContext, steps: readonly [BoundStep, ...BoundStep[]]) => Promise<Row[]>
  /** One transaction as the account of the server, for migrations, without time limits. */
  readonly asOwner: <T>(work: OwnerWork<T>) => Promise<T>
  /**
   * One transaction as that account with the time limits of every other one, which reads what its caller may wait for.
   */
  readonly readAsOwner: <T>(work: (run: RunStatement) => Promise<T>) => Promise<T>
  /** Throws if the connection cannot serve, with the setting that helps. */
  readonly check: () => Promise<void>
  /** Whether the disk of the server was too full for a statement within the last seconds. */
  readonly isDiskFull: () => boolean
  readonly roundTrips: () => number
  readonly close: () => Promise<void>
}

/** Time limit of one round trip, by default. */
export const ANSWER_MS_MAX = 10_000

/**
 * Time limit of one statement: shorter than that of its round trip, so that PostgreSQL ends a slow statement and the
 * connection stays.
 */
export function statementMsMax(answerMsMax: number): number {
  return Math.max(answerMsMax - 1000, Math.ceil(answerMsMax * 0.8))
}
