import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** Counters of PostgreSQL since its start; CPU of all its processes. */
export type PostgresCounters = {
  readonly cpuMs: number
  readonly walBytes: number
  readonly walRecords: number
  readonly updates: number
  readonly hotUpdates: number
}

/** Reads the counters of a PostgreSQL server on this machine. */
export type PostgresFigures = {
  readonly counters: () => Promise<PostgresCounters>
  /** What a new issuance keeps on disk: of the tables that grow with each one, with their indexes, after a vacuum. */
  readonly bytesKept: () => Promise<number>
  readonly close: () => Promise<void>
}

const GROWING = `'{issuance,status_entry,audit_entry,spent_nonce}'::text[]`
/** Linux counts CPU in hundredths of a second. */
const TICK_MS = 10
/** Fields of proc_pid_stat(5), counted from 1. */
const PARENT = 4
const TIMES = { own: [14, 15], withEndedChildren: [14, 15, 16, 17] } as const

/** @param url Of the database; the process of the server is found by it. */
export async function openPostgresFigures(url: string): Promise<PostgresFigures> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const one = async (text: string) => (await client.query(text)).rows[0]
  const { folder } = await one(`select current_setting('data_directory') as folder`)
  const postmaster = Number(readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')[0])
  return {
    counters: async () => {
      // A session flushes its statistics when idle for a while, and on request.
      await client.query('select pg_stat_force_next_flush()')
      await new Promise((resolve) => setTimeout(resolve, 1200))
      const wal = await one('select wal_bytes::bigint as bytes, wal_records as records from pg_stat_wal')
      const updates = await one('select sum(n_tup_upd) as all, sum(n_tup_hot_upd) as hot from pg_stat_user_tables')
      return {
        cpuMs: cpuMsOf(postmaster),
        walBytes: Number(wal.bytes),
        walRecords: Number(wal.records),
        updates: Number(updates.all),
        hotUpdates: Number(updates.hot),
      }
    },
    bytesKept: async () => {
      await client.query('vacuum')
      // A table alone has no tree of partitions.
      const size = `select coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size(name::regclass)) from pg_partition_tree(name::regclass)`
      return Number((await one(`select sum((${size})) as bytes from unnest(${GROWING}) name`)).bytes)
    },
    close: () => client.end(),
  }
}

/** Of the server, its processes, and those of them that have ended. */
function cpuMsOf(postmaster: number): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const ticks = all.flatMap((pid) => {
    const field = statOf(pid)
    if (Number(pid) === postmaster) return TIMES.withEndedChildren.map(field)
    return field(PARENT) === postmaster ? TIMES.own.map(field) : []
  })
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS
}

/** The fields of a process; of one that has ended meanwhile, 0. */
function statOf(pid: string): (field: number) => number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, the second field, may contain blanks; it ends with the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (field) => Number(fields[field - 3])
  } catch {
    return () => 0
  }
}
