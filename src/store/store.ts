import type { TenantId } from '../caller.ts'

declare const tenantTx: unique symbol
declare const acrossTx: unique symbol

/** One SQL statement, written once where the module is loaded. The name is that of its prepared form on PostgreSQL. */
export type Sql = { readonly name: string; readonly text: string }

type Rows = <Row>(statement: Sql, values?: readonly unknown[]) => Promise<Row[]>

/** A transaction in which only the rows of one tenant exist. Every store function takes it first. */
export type TenantTx = { readonly [tenantTx]: true; readonly tenantId: TenantId; readonly rows: Rows }

/** A transaction across tenants, able to do only what a migration granted to it by name. */
export type AcrossTx = { readonly [acrossTx]: true; readonly rows: Rows }

/** What the store has done since it was opened. `roundTrips` leaves out statements that travelled together. */
export type StoreCounts = { statements: number; transactions: number; roundTrips: number }

/** One database behind one door: PostgreSQL or the embedded engine, same SQL. */
export type Store = {
  /**
   * Runs `work` in one transaction (READ COMMITTED) that sees only the tenant's rows. What opens the transaction travels with its first
   * statement, so it costs one round trip a statement and one for the end. Never sign, fetch or hash slowly inside.
   */
  readonly inTenant: <T>(tenantId: TenantId, work: (tx: TenantTx) => Promise<T>) => Promise<T>
  /**
   * As `inTenant` for exactly one statement: opening, statement and commit in one round trip. A second statement throws. Two callers that
   * block each other are sorted out by one more try, so the statement must not depend on anything read before.
   */
  readonly single: <T>(tenantId: TenantId, work: (tx: TenantTx) => Promise<T>) => Promise<T>
  /** The one door without a tenant. `reason` says in the code why it is needed; what it may touch, the migrations say. */
  readonly across: <T>(reason: string, work: (tx: AcrossTx) => Promise<T>) => Promise<T>
  /** Applies what is missing of the migrations. Safe to call from many processes at once. */
  readonly migrate: () => Promise<void>
  /** Whether the database answers and all migrations of this code are applied. */
  readonly isReady: () => Promise<boolean>
  readonly counts: StoreCounts
  readonly kind: 'postgresql' | 'embedded'
  readonly close: () => Promise<void>
}

/** Names a statement. Names are unique in the code (a test checks it) and at most 60 characters (PostgreSQL cuts at 63). */
export function sql(name: string, text: string): Sql {
  if (name.length > 60) throw new Error(`statement name too long: ${name}`)
  return { name, text }
}

/** The tenant of the platform itself: owns the keys that belong to no organisation. It has no slug that a path could name. */
export const platformTenantId = '00000000-0000-0000-0000-000000000000' as TenantId
