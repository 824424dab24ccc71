import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgres, type PostgresServer, startPostgres } from './postgres.ts'

/** A coordinator and two workers, on private ports and folders. */
export type CitusCluster = {
  /** The database `postgres` of the coordinator, by its superuser. */
  readonly url: string
  /** The same database of each worker. */
  readonly workers: readonly string[]
  readonly stop: () => Promise<void>
}

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

/** Whether Citus is installed for the PostgreSQL that tests start. */
export function hasCitus(): boolean {
  const bin = findPostgres()
  if (bin === null) return false
  const folders = [join(bin, '../lib'), join(bin, '../lib/postgresql')]
  return folders.some((folder) => existsSync(join(folder, 'citus.so')))
}

/** Starts a cluster. @throws Error where Citus is not installed */
export async function startCitus(): Promise<CitusCluster> {
  if (!hasCitus()) throw new Error('Citus is not installed for the PostgreSQL that was found')
  const known = spawnSync(join(findPostgres() ?? '', 'postgres'), ['--describe-config'], { encoding: 'utf8' }).stdout
  const settings = [...SETTINGS, ...(known.includes(PLUGINS) ? [`${PLUGINS}=pgoutput, test_decoding, citus`] : [])]
  const servers = await Promise.all([1, 2, 3].map(() => startPostgres({ settings })))
  try {
    await connectNodes(servers)
  } catch (error) {
    await Promise.all(servers.map((one) => one.stop()))
    throw error
  }
  const [url = '', ...workers] = servers.map((one) => one.url)
  return {
    url,
    workers,
    stop: async () => {
      await Promise.all(servers.map((one) => one.stop()))
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
