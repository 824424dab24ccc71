import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { s3Location } from '../config/s3-account.ts'
import { readOwnJson } from '../crypto/json.ts'
import type { Platform } from '../platform.ts'
import { sql } from '../store/store.ts'
import { openObjectStore } from './bucket.ts'
import { markPlaceOf } from './mark-place.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

/** One thing that a backup needs. `detail`: what was found, and what to do if it is missing. */
type BackupItem = { readonly item: string; readonly isMet: boolean; readonly detail: string }

type ServerFacts = {
  archives: boolean
  archiveFailed: boolean
  isArchived: boolean
  checksums: boolean
  accounts: string[]
  synchronous: string
}

const MARK_AGE_MAX_MS = 60_000

// A dump as the owner of the tables fails under forced row security, so it needs an account with BYPASSRLS.
const FACTS = `select current_setting('archive_mode') <> 'off' as archives,
     coalesce((select last_failed_time > coalesce(last_archived_time, '-infinity') from pg_stat_archiver), false) as "archiveFailed",
     coalesce((select last_archived_time is not null from pg_stat_archiver), false) as "isArchived",
     current_setting('data_checksums') = 'on' as checksums, current_setting('synchronous_commit') as synchronous,
     array(select rolname::text from pg_roles where rolbypassrls and rolcanlogin and not rolsuper order by rolname) as accounts`
const findFacts = sql('recovery.find_backup_facts', FACTS)
// A node answers with one value.
const findFactsOfNodes = sql(
  'recovery.find_backup_facts_of_nodes',
  `select n.nodename || ':' || n.nodeport as node, r.success as "isFound", r.result
   from run_command_on_all_nodes($1) r join pg_dist_node n on n.nodeid = r.nodeid order by n.groupid`,
)

/** Returns what a deployment needs so that its backups can be trusted, and whether it has it. Changes nothing. */
export async function checkBackup(needs: Needs): Promise<readonly BackupItem[]> {
  const { config, store } = needs
  const outside = [await markItem(needs), await journalItem(config), keyItem(needs)]
  if (store.kind === 'embedded')
    return [
      ...outside,
      item('PostgreSQL', false, 'The embedded database is copied with its folder, while the server is stopped.'),
    ]
  if ((await store.distribution()).kind === 'distributed') return [...outside, ...(await nodeItems(store))]
  const [facts] = await store.across('what a backup needs', (tx) => tx.rows<ServerFacts>(findFacts))
  return facts === undefined ? outside : [...outside, ...serverItems(facts)]
}

type NodeRow = { readonly node: string; readonly isFound: boolean; readonly result: string }

/** Each node is backed up by itself. */
async function nodeItems(store: Needs['store']): Promise<BackupItem[]> {
  const command = `select to_json(facts)::text from (${FACTS}) facts`
  const rows = await store.across('what a backup of each node needs', (tx) =>
    tx.rows<NodeRow>(findFactsOfNodes, [command]),
  )
  return rows.flatMap(({ node, isFound, result }) => {
    if (!isFound) return [item(node, false, `The node does not answer: ${result}`)]
    return serverItems(readOwnJson(result) as ServerFacts).map((one) => ({ ...one, item: `${one.item} of ${node}` }))
  })
}

function serverItems({
  archives,
  archiveFailed,
  isArchived,
  checksums,
  accounts,
  synchronous,
}: ServerFacts): BackupItem[] {
  return [
    item(
      'WAL archive',
      archives && isArchived && !archiveFailed,
      archives
        ? `archive_mode is on; ${archiveFailed ? 'the last attempt failed: see the log of PostgreSQL' : isArchived ? 'the last segment was archived' : 'no segment has been archived yet'}.`
        : 'archive_mode is off: a base backup alone loses everything since it was taken.',
    ),
    item(
      'backup account',
      accounts.length > 0,
      accounts.length > 0
        ? `pg_dump can run as ${accounts.join(', ')}.`
        : 'No account may dump under row-level security: create role … login bypassrls, and grant it pg_read_all_data.',
    ),
    item(
      'data checksums',
      checksums,
      checksums
        ? 'Damaged pages are noticed.'
        : 'Damaged pages are copied into backups unnoticed: pg_checksums --enable.',
    ),
    item(
      'synchronous commit',
      synchronous !== 'off',
      synchronous !== 'off'
        ? `synchronous_commit is ${synchronous}.`
        : 'synchronous_commit is off: credentials that were acknowledged can be lost.',
    ),
  ]
}

async function markItem({ config, clock }: Needs): Promise<BackupItem> {
  const name = 'recovery mark'
  const place = markPlaceOf(config)
  if (place === null) return item(name, false, 'RECOVERY_MARK is not set: a restored older state is served unnoticed.')
  const mark = await place.read()
  if (mark === null) return item(name, false, `${place.name} does not exist yet: start a server.`)
  const isFresh = clock.now().getTime() - Date.parse(mark.at) < MARK_AGE_MAX_MS
  return item(
    name,
    isFresh,
    `${place.name} was written at ${mark.at}${isFresh ? '' : ': no running server writes it'}.`,
  )
}

async function journalItem({ revocationJournal: folder, objectStore }: Needs['config']): Promise<BackupItem> {
  const name = 'revocation journal'
  if (folder === null)
    return item(
      name,
      false,
      'REVOCATION_JOURNAL is not set: revocations after a backup are undone when it is restored.',
    )
  const location = s3Location(folder)
  if (location !== null && objectStore !== null) {
    const bucket = openObjectStore(objectStore, location.bucket)
    const isThere = await bucket.list(`${location.key}/`, '').then(
      () => true,
      () => false,
    )
    return item(name, isThere, `${folder} ${isThere ? 'can be listed' : 'cannot be listed'}.`)
  }
  const isWritable = await access(folder, constants.W_OK).then(
    async () => (await stat(folder)).isDirectory(),
    // It is made with the first revocation.
    () =>
      access(dirname(folder), constants.W_OK).then(
        () => true,
        () => false,
      ),
  )
  return item(name, isWritable, isWritable ? `${folder} can be written.` : `${folder} cannot be written.`)
}

function keyItem({ config }: Needs): BackupItem {
  const isSet = config.masterKey !== null
  const device = config.keyDevice === null ? '' : ' Back up the token of the private keys as well.'
  return item(
    'master key',
    isSet,
    isSet
      ? `MASTER_KEY is set; keep a copy apart from the database, without it no backup can be opened.${device}`
      : 'MASTER_KEY is not set: the key lies beside the database, in DATA_DIR.',
  )
}

function item(name: string, isMet: boolean, detail: string): BackupItem {
  return { item: name, isMet, detail }
}
