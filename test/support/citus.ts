import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { findPostgres, type PostgresServer, startPostgres } from './postgres.ts'

/** A coordinator and two workers, on private ports and folders. */
export type CitusCluster = {
  /** The database `postgres` of the coordinator, by its superuser. */
  readonly url: string
  /** The same database of each worker. */
  readonly workers: readonly string[]
  readonly stop: () => Promise<void>
  /** Kills the coordinator and starts it again. */
  readonly crashCoordinator: () => Promise<void>
  /** Ends all nodes without warning and removes their folders. */
  readonly lose: () => Promise<void>
}

/** A base backup of each node, the coordinator first, and the folder with its WAL archive. */
export type ClusterBackup = readonly { readonly port: number; readonly base: string; readonly archive: string }[]

const SETTINGS = [
  'shared_preload_libraries=citus',
  'citus.enable_statistics_collection=off',
  // moves shards with logical replication
  'wal_level=logical',
  // the servers of a test have no certificate
  'citus.node_conninfo=sslmode=disable',
  // shards of a table: 32 by default, which costs a test more than it shows
  'citus.shard_count=2',
]

/** A list of plugins that newer minor releases of PostgreSQL have; Citus splits shards by a plugin of its own. */
const PLUGINS = 'output_plugin_libraries'

const PROMOTED_MS_MAX = 120_000
const LOST_MS = 2000

/** Whether Citus is installed for the PostgreSQL that tests start. */
export function hasCitus(): boolean {
  const bin = findPostgres()
  if (bin === null) return false
  const folders = [join(bin, '../lib'), join(bin, '../lib/postgresql')]
  return folders.some((folder) => existsSync(join(folder, 'citus.so')))
}

/**
 * Starts a cluster.
 *
 * @param archives Folders for the WAL of each node, the coordinator first; the nodes are durable then.
 * @throws Error where Citus is not installed
 */
export async function startCitus(archives: readonly string[] = []): Promise<CitusCluster> {
  const settings = nodeSettings()
  const servers = await Promise.all(
    [0, 1, 2].map((node) => {
      const archive = archives[node]
      if (archive === undefined) return startPostgres({ settings })
      const archiving = ['archive_mode=on', `archive_command=cp %p ${archive}/%f`]
      return startPostgres({ durable: true, settings: [...settings, ...archiving] })
    }),
  )
  try {
    await connectNodes(servers)
  } catch (error) {
    await Promise.all(servers.map((one) => one.stop()))
    throw error
  }
  return clusterOf(servers)
}

/** Starts the nodes of a backup at their former ports, each restored to a point of `citus_create_restore_point`. */
export async function restoreCitus(backup: ClusterBackup, point: string): Promise<CitusCluster> {
  const servers = await Promise.all(
    backup.map(({ port, base, archive }) => {
      writeFileSync(join(base, 'data/recovery.signal'), '')
      const restore = [`restore_command=cp ${archive}/%f %p`, `recovery_target_name=${point}`]
      const settings = [...nodeSettings(), ...restore, 'recovery_target_action=promote']
      return startPostgres({ durable: true, restoredFrom: base, port, settings })
    }),
  )
  for (const { url } of servers) await untilPromoted(url)
  return clusterOf(servers)
}

async function untilPromoted(url: string): Promise<void> {
  for (const end = Date.now() + PROMOTED_MS_MAX; Date.now() < end; ) {
    const [found] = await onServer<{ isStandby: boolean }>(url, 'select pg_is_in_recovery() as "isStandby"')
    if (found?.isStandby === false) return
    await pause(100)
  }
  throw new Error('a node did not reach its restore point')
}

function nodeSettings(): string[] {
  if (!hasCitus()) throw new Error('Citus is not installed for the PostgreSQL that was found')
  const known = spawnSync(join(findPostgres() ?? '', 'postgres'), ['--describe-config'], { encoding: 'utf8' }).stdout
  return [...SETTINGS, ...(known.includes(PLUGINS) ? [`${PLUGINS}=pgoutput, test_decoding, citus`] : [])]
}

function clusterOf(servers: readonly PostgresServer[]): CitusCluster {
  const [url = '', ...workers] = servers.map((one) => one.url)
  return {
    url,
    workers,
    stop: async () => {
      await Promise.all(servers.map((one) => one.stop()))
    },
    crashCoordinator: async () => {
      const [coordinator] = servers
      coordinator?.kill()
      await coordinator?.restart()
    },
    lose: async () => {
      for (const one of servers) one.kill()
      // Their processes end by themselves.
      await pause(LOST_MS)
      for (const one of servers) one.clear()
    },
  }
}

/** Makes the first server the coordinator of the others, in the database `postgres`. */
async function connectNodes(servers: readonly PostgresServer[]): Promise<void> {
  for (const { url } of servers) await onServer(url, 'create extension citus')
  const [coordinator, ...workers] = servers.map(({ url }) => new URL(url))
  if (coordinator === undefined) return
  await onServer(coordinator.href, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`)
  for (const { port } of workers) await onServer(coordinator.href, `select citus_add_node('127.0.0.1', ${port})`)
}

/** Runs one statement on a connection of its own. */
export async function onServer<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}
