import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { distributeDatabase, migrateDatabase } from '../../src/main.ts'
import { type ClusterBackup, onServer, restoreCitus, startCitus } from '../../test/support/citus.ts'
import { startPostgres, takeBaseBackup } from '../../test/support/postgres.ts'

/** The database of a deployment, which is lost and restored to a state that was taken. */
export type Site = {
  readonly url: string
  /** Takes a state while servers work. @returns a time just before it */
  readonly takeState: () => Promise<Date>
  /** Loses the database and restores the state. @returns its address, and figures */
  readonly restore: () => Promise<Restored>
  readonly stop: () => Promise<void>
}

type Restored = { readonly url: string; readonly figures: Readonly<Record<string, number>> }

/** Statements of all nodes that were prepared for a commit in two phases and never got it. */
const COUNT_PREPARED = 'select count(*)::int as count from pg_prepared_xacts'
const POINT = 'before_the_loss'
/** Between the base backups and the restore point: what is written then comes from the archive. */
const AFTER_BACKUP_MS = 5000
const ARCHIVED_MS_MAX = 60_000

/** One PostgreSQL; its state is a base backup. */
export async function onePostgres(): Promise<Site> {
  const first = await startPostgres({ durable: true })
  let backup = ''
  let isLost = false
  let second: Awaited<ReturnType<typeof startPostgres>> | null = null
  return {
    url: first.url,
    takeState: async () => {
      const since = new Date()
      backup = await takeBaseBackup(first.url)
      return since
    },
    restore: async () => {
      await first.stop()
      isLost = true
      second = await startPostgres({ durable: true, restoredFrom: backup })
      return { url: second.url, figures: {} }
    },
    stop: async () => {
      if (!isLost) await first.stop()
      await second?.stop()
    },
  }
}

/**
 * A coordinator and two workers with distributed tables; the state is a restore point of the cluster, later than the
 * base backups.
 */
export async function aCluster(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-archive-'))
  const archives = ['coordinator', 'first', 'second'].map((name) => join(folder, name))
  for (const one of archives) mkdirSync(one)
  // PostgreSQL has an account of its own.
  for (const one of [folder, ...archives]) chmodSync(one, 0o777)
  const first = await startCitus(archives)
  const { url, workers } = first
  let cluster: typeof first | null = first
  const env = { DATABASE_URL: url, LOG_LEVEL: 'error', DATA_DIR: folder }
  await migrateDatabase(env)
  await distributeDatabase(env)
  const nodes = [url, ...workers]
  let backup: ClusterBackup = []
  let pointMs = 0
  return {
    url,
    takeState: async () => {
      const bases = await Promise.all(nodes.map(takeBaseBackup))
      backup = nodes.map((one, node) => ({
        port: Number(new URL(one).port),
        base: bases[node] ?? '',
        archive: archives[node] ?? '',
      }))
      await pause(AFTER_BACKUP_MS)
      const since = new Date()
      await onServer(url, `select citus_create_restore_point('${POINT}')`)
      pointMs = Date.now() - since.getTime()
      await Promise.all(nodes.map((one, node) => untilArchived(one, archives[node] ?? '')))
      return since
    },
    restore: async () => {
      await cluster?.lose()
      cluster = null
      const began = performance.now()
      cluster = await restoreCitus(backup, POINT)
      const restoreSeconds = Math.round((performance.now() - began) / 100) / 10
      const counts = await Promise.all(nodes.map((one) => onServer<{ count: number }>(one, COUNT_PREPARED)))
      const preparedLeft = counts.flat().reduce((sum, { count }) => sum + count, 0)
      const used = await onServer<{ count: number }>(
        url,
        `select count(distinct (s.nodename, s.nodeport))::int as count from tenant t join citus_shards s
           on s.shardid = get_shard_id_for_distribution_column('issuance', t.id) where t.slug <> '_platform'`,
      )
      const nodesOfOrganisations = used[0]?.count ?? 0
      return { url, figures: { restorePointMs: pointMs, restoreSeconds, preparedLeft, nodesOfOrganisations } }
    },
    stop: async () => {
      await cluster?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Ends the segment of the WAL that a node writes, and waits until it is in the archive: `archive_timeout` does so in
 * real use.
 */
async function untilArchived(node: string, archive: string): Promise<void> {
  const [segment] = await onServer<{ name: string }>(node, 'select pg_walfile_name(pg_switch_wal()) as name')
  const isThere = () => segment !== undefined && readdirSync(archive).includes(segment.name)
  for (const end = Date.now() + ARCHIVED_MS_MAX; !isThere(); await pause(100))
    if (Date.now() > end) throw new Error('a segment of the WAL was not archived')
}
