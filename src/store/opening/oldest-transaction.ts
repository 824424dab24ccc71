import type { RunStatement } from '../engine.ts'
import { type OpenTransaction, sql } from '../store.ts'

// Every account may read these columns of all sessions, also of other databases. The start is hidden from it, except of
// sessions of accounts that it has the rights of: its own, and with pg_read_all_stats all.
const findOldest = sql(
  'store.find_oldest_transaction',
  `select xid, session, extract(epoch from clock_timestamp() - begun)::float8 as seconds from (
     select backend_xid as xid, xact_start as begun,
       format('pid %s of user %s in database %s (%s)', pid, usename, datname, coalesce(nullif(application_name, ''), 'no application name')) as session
     from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
     union all
     select transaction, prepared, format('prepared transaction %s of user %s in database %s', gid, owner, database) from pg_prepared_xacts) as open
   order by age(xid) desc limit 1`,
)

/** Returns the oldest transaction of the server that writes, as its account sees it. null: there is none. */
export async function oldestTransaction(run: RunStatement): Promise<OpenTransaction | null> {
  const [found] = await run<OpenTransaction>(findOldest)
  return found ?? null
}
