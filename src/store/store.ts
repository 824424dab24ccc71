import type { TenantId } from '../caller.ts'
import { numbered, type Values } from './named-parameters.ts'

declare const tenantTx: unique symbol
declare const acrossTx: unique symbol

/**
 * A SQL statement. `name` is that of its prepared statement on PostgreSQL; empty: see {@link composedSql}.
 * `parameters`: names of `$1`, `$2` … of the text, if it was written with names. `isPlannedOnce`: a connection plans it
 * at its first use, for all values. For statements over many partitions, whose planning costs more than they do. As the
 * first statement of a transaction it decides so for the whole transaction. `decides`: see {@link decision}.
 */
export type Sql = {
  readonly name: string
  readonly text: string
  readonly parameters?: readonly string[]
  readonly isPlannedOnce?: boolean
  readonly decides?: boolean
}

/** A statement with its values, to send after another one. */
export type Step = { readonly statement: Sql; readonly values: Values }

/**
 * Runs a statement and returns its rows. The steps of `then` run after it, in the same transaction and the same round
 * trip, each with what was written before it; their rows are not read.
 *
 * @throws Refused if a {@link decision} among them found no row
 */
type Rows = <Row>(statement: Sql, values?: Values, then?: readonly Step[]) => Promise<Row[]>

/** A transaction that sees only the rows of one tenant. The first parameter of every store function. */
export type TenantTx = { readonly [tenantTx]: true; readonly tenantId: TenantId; readonly rows: Rows }

/** A transaction across tenants, with only the rights that migrations grant to its role. */
export type AcrossTx = { readonly [acrossTx]: true; readonly rows: Rows }

/** Counts since the store was opened. Statements that were sent together are one round trip. */
export type StoreCounts = { statements: number; transactions: number; roundTrips: number }

/**
 * How a table lies on a distributed engine: `reference`: a copy on each node; `distributed`: by its tenant, together
 * with all other rows of the tenant; `local`: on the coordinator.
 */
export type Placement = 'reference' | 'distributed' | 'local'

/** What `chirograph distribute` did. `leftOut`: foreign keys that a distributed engine cannot have; they are gone. */
export type DistributionReport = {
  readonly workers: number
  readonly tables: Readonly<Record<Placement, number>>
  readonly placedNow: readonly string[]
  readonly leftOut: readonly string[]
}

/**
 * Where the rows of tenants are. `whole`: on one server; `distributable`: on one server, which could distribute them;
 * `partly`: some tables are distributed and those in `missing` are not, so that no server may run; `distributed`: by
 * tenant over several nodes.
 */
export type Distribution = {
  readonly kind: 'whole' | 'distributable' | 'partly' | 'distributed'
  readonly missing: readonly string[]
}

/** Which migrations a database has, as {@link Store.schema} says. */
type Schema = 'none' | 'older' | 'current'

/**
 * A transaction of the server that writes, of whatever database, and its session for a log line. `seconds`: since it
 * began, or since it was prepared; null where the account of the server may not know it.
 */
export type OpenTransaction = { readonly xid: string; readonly session: string; readonly seconds: number | null }

/** The database: PostgreSQL or the embedded engine, with the same SQL. */
export type Store = {
  /**
   * Runs `work` in one transaction (READ COMMITTED) that sees only the tenant's rows. One round trip per statement, and
   * one for the commit. Never sign, fetch or hash slowly inside. After a deadlock the first statement is retried once
   * with its steps; a later one ends the transaction, whose caller is answered 503.
   */
  readonly inTenant: <T>(tenantId: TenantId, work: (tx: TenantTx) => Promise<T>) => Promise<T>
  /**
   * As `inTenant`, for exactly one statement and its steps, in one round trip. A second statement throws. After a
   * deadlock they are retried once, as those of `inTenant`, so they must not depend on anything read before.
   */
  readonly single: <T>(tenantId: TenantId, work: (tx: TenantTx) => Promise<T>) => Promise<T>
  /** Runs `work` in a transaction without a tenant. `reason` documents why; migrations grant its rights. */
  readonly across: <T>(reason: string, work: (tx: AcrossTx) => Promise<T>) => Promise<T>
  /** As `across`, for exactly one statement in one round trip, as `single` is for a tenant. */
  readonly singleAcross: <T>(reason: string, work: (tx: AcrossTx) => Promise<T>) => Promise<T>
  /** Applies pending migrations. Processes may call it concurrently. @returns how many were pending */
  readonly migrate: () => Promise<number>
  /**
   * Distributes the tables over the nodes of a Citus cluster.
   *
   * @throws Error that says what to do, if the server is not a coordinator with workers
   */
  readonly distribute: () => Promise<DistributionReport>
  /** Where the rows of tenants are now. */
  readonly distribution: () => Promise<Distribution>
  /**
   * Which migrations the database has: `none`: it is empty; `older`: not all of this version; `current`: all of them.
   * Changes nothing.
   *
   * @throws Error if it has newer ones on which this version does not run, or if the server cannot be used
   */
  readonly schema: () => Promise<Schema>
  /**
   * Whether the database responds, has all migrations of this version, and newer ones only if this version runs on
   * them.
   *
   * @throws Error if it takes no writes
   */
  readonly isReady: () => Promise<boolean>
  /** The oldest transaction of the server that writes, without the one that looks. null: there is none. */
  readonly oldestTransaction: () => Promise<OpenTransaction | null>
  readonly counts: StoreCounts
  readonly kind: 'postgresql' | 'embedded'
  readonly close: () => Promise<void>
}

/**
 * Defines a statement. Names are unique (a test checks it) and at most 60 characters (PostgreSQL truncates at 63). Its
 * parameters are `:tenantId`, `:createdAt` …, whose values are given by name; up to `$9` they may be positions instead.
 */
export function sql(name: string, text: string): Sql {
  if (name.length > 60) throw new Error(`statement name too long: ${name}`)
  return { name, ...numbered(text) }
}

/** As {@link sql}, for a statement that is planned once. Its text must need no value to choose its index. */
export function plannedOnce(name: string, text: string): Sql {
  return { ...sql(name, text), isPlannedOnce: true }
}

/**
 * Defines a statement that decides whether its transaction is committed: where `query` finds no row, what was written
 * before it is rolled back, and the steps after it do not run. The transaction ends with {@link Refused}. That costs a
 * second round trip and a line in the log of PostgreSQL, so an outcome that is frequent is no refusal.
 */
export function decision(name: string, query: string): Sql {
  return { ...sql(name, `select 1 / count(*) from (${query}) as found`), decides: true }
}

/**
 * Defines the decision that the statement before it, an INSERT or UPDATE of one row, has written the row. Its values
 * are `tenantId` and the `id` of the row. A row is found that any statement of the transaction has written.
 */
export function wrote(name: string, table: string): Sql {
  return decision(
    name,
    `select from ${table} where tenant_id = :tenantId and id = :id and xmin = pg_current_xact_id()::xid`,
  )
}

/** Runs statements whose rows are not read, in one round trip. */
export async function runSteps({ rows }: Pick<TenantTx, 'rows'>, [first, ...then]: readonly Step[]): Promise<void> {
  if (first !== undefined) await rows(first.statement, first.values, then)
}

/** SQLSTATE of a {@link decision} that found no row: division by zero. */
export const REFUSED_STATE = '22012'

/** A {@link decision} found no row. Its transaction is rolled back. */
export class Refused extends Error {
  constructor({ name }: Sql) {
    super(`refused by ${name}`)
  }
}

/** Returns null if the transaction was refused by a {@link decision}. */
export async function nullIfRefused<T>(transaction: Promise<T>): Promise<T | null> {
  try {
    return await transaction
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}

/**
 * A statement whose text follows from a request, e.g. from a filter. It is not prepared, since a connection would keep
 * each such text. Values are parameters, as everywhere, by position.
 */
export function composedSql(text: string): Sql {
  return { name: '', text }
}

/** The tenant of the platform: owns the keys that belong to no organisation. No path can contain its slug. */
export const platformTenantId = '00000000-0000-0000-0000-000000000000' as TenantId
