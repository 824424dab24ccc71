/**
 * Where the order of events is settled, in SQL; how a row gets its place in it is stated by the defaults of its columns
 * (`0003_events.sql`).
 *
 * Every transaction below the xmin of a snapshot has ended, and its rows are visible in the snapshot, so nothing can be
 * recorded below it any more. A long writing transaction anywhere on the database server delays it. The snapshot must
 * be that of the node which assigns the transaction ids of the tenant, so the conditions stand only in a SELECT from
 * tables of the tenant. If the tenant was moved to another node and has recorded nothing there, its whole era is
 * settled.
 *
 * @see [PostgreSQL, 9.27.7 Transaction ID and Snapshot Information Functions](https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT)
 */
const XMIN = 'pg_snapshot_xmin(pg_current_snapshot())'

/** SQL: the tenant of the row `s` of `tenant_event_state` has recorded nothing on this node since it was moved here. */
const MOVED = 's.node <> event_node()'
/** SQL for the era of the row `s`, which may be missing. */
const ERA = `coalesce(s.era + (${MOVED})::int, 1)`

/**
 * SQL condition on `audit_entry a` in a statement of `:tenantId`: no open transaction can still record an event before
 * this one.
 */
export const SETTLED = `(a.era, a.xact) < (
    (select coalesce(max(${ERA}), 1) from tenant_event_state s where s.tenant_id = :tenantId), ${XMIN})`

/** As {@link SETTLED}, in a statement across tenants that joins the state of the tenant of `a` as `s`. */
export const SETTLED_OF_STATE = `(a.era, a.xact) < (${ERA}, ${XMIN})`

/**
 * SQL for a row of one tenant, $1: `era` and `xact` up to which the order is settled, the snapshot that says so, as
 * text, and whether the tenant was moved and has recorded nothing where it is now.
 */
export const SETTLED_POSITION = `select coalesce(max(${ERA}), 1) as era, ${XMIN} as xact, pg_current_snapshot()::text as snapshot,
     coalesce(bool_or(${MOVED}), false) as moved
   from tenant_event_state s where s.tenant_id = $1`

/**
 * SQL condition on `audit_entry a` whose state is joined as `s`: its node has not assigned this transaction id, so it
 * was recorded elsewhere.
 */
export const FOREIGN = `(a.era, a.xact) >= (s.era, pg_snapshot_xmax(pg_current_snapshot()))`

/** Orders of indexes of `audit_entry a`, after its tenant. */
type EntryOrder = 'a.id' | 'a.era, a.xact, a.id'

/**
 * Returns a SQL condition that reads one row of `audit_entry a` for each row of the statement. A bare EXISTS may be
 * planned as a join, which reads all events of all tenants. The rows are read in the order of an index: PostgreSQL
 * expects many matches and would scan the table for the first one, to its end where there is none.
 */
export function hasEntry(where: string, order: EntryOrder): string {
  const entries = `select a.id from audit_entry a where ${where} order by ${order}`
  return `coalesce(exists (select from (${entries}) as entry), false)`
}
