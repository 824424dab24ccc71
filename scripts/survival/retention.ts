import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { attributes, receivers, template } from '../../bench/party.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { apiCaller, dataOf } from './caller.ts'
import { startFleet } from './fleet.ts'
import { issueBefore } from './issued-before.ts'
import type { Options, Outcome } from './outcome.ts'

const VALID_DAYS = 30
const KEPT_DAYS = 30
const SWEEPS = ['issuance.delete-ended-credentials', 'events.keep-months']
const SWEEP_MS_MAX = 3_600_000
const TRANSACTION_SECONDS_MAX = 1
const GROWING = ['issuance', 'status_entry', 'status_list', 'audit_entry']

/**
 * Two years of issuances whose credentials were valid for 30 days; then two servers delete what ended more than 30 days
 * ago and archive the audit trail. Measures the database at each step of what an operator can do about its size.
 */
export async function retention({ issuances }: Options): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-retention-'))
  const archive = join(folder, 'archive')
  const database = await startPostgres()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const fleet = await startFleet(database.url, {
    count: 2,
    logFile: join(folder, 'servers.log'),
    settings: {
      CREDENTIAL_RETENTION_DAYS: String(KEPT_DAYS),
      AUDIT_RETENTION_DAYS: '60',
      AUDIT_ARCHIVE: archive,
    },
  })
  try {
    const sizes: Record<string, number> = { emptyMb: await sizeOf(client) }
    const lists = await issueBefore(client, await aSample(fleet.url, client), issuances)
    sizes.filledMb = await sizeOf(client)
    const tables = await sizesOf(client)
    const { seconds, longest } = await sweep(client)
    sizes.sweptMb = await sizeOf(client)
    await client.query(`vacuum analyze ${GROWING.join(', ')}`)
    sizes.vacuumedMb = await sizeOf(client)
    const left = await one(client, 'select count(*)::int as n from issuance where issued_at is not null')
    const ended = await one(client, 'select count(*)::int as n from status_list where id = any($1::uuid[])', [lists])
    sizes.reindexedMb = await after(
      client,
      ['issuance', 'status_entry'],
      (table) => `reindex table concurrently ${table}`,
    )
    sizes.rewrittenMb = await after(client, ['issuance', 'status_entry'], (table) => `vacuum (full) ${table}`)
    const expected = Math.round((issuances * (VALID_DAYS + KEPT_DAYS)) / 730)
    return {
      figures: {
        issuances,
        kept: left,
        lists: lists.length,
        listsKept: ended,
        sweepSeconds: seconds,
        longestTransactionSeconds: longest.seconds,
        archivedFiles: archivedFiles(archive),
        ...sizes,
        ...tables,
      },
      faults: [
        ...(Math.abs(left - expected) > issuances / 500 + 2
          ? [`${left} credentials were kept instead of ${expected}`]
          : []),
        ...(sizes.vacuumedMb < sizes.filledMb ? [] : ['the database is not smaller than before']),
        ...(longest.seconds > TRANSACTION_SECONDS_MAX
          ? [`a transaction was open too long: ${JSON.stringify(longest)}`]
          : []),
        ...(fleet.ended() > 0 ? [`${fleet.ended()} servers ended by themselves`] : []),
      ],
    }
  } finally {
    await fleet.stop()
    await client.end()
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Issues one credential as a deployment does, for which all others are copied. */
async function aSample(url: string, client: pg.Client): Promise<{ tenantId: string; issuanceId: string }> {
  const { call } = apiCaller(url)
  const json = { ...Object(template), validUntil: { future: { days: VALID_DAYS } } }
  const made = dataOf(await call('POST', '/creds/templates/credentials', { json }))
  const ask = { credentialTemplateId: made.id, attributes }
  const opened = dataOf(await call('POST', '/creds/credentials/issuance', { json: ask }))
  await call('POST', '/wallet/v2/credentials', { as: receivers[0] ?? null, json: { credentialOffer: opened.offerUri } })
  const { rows } = await client.query('select tenant_id as "tenantId" from issuance where id = $1', [opened.id])
  return { tenantId: rows[0].tenantId, issuanceId: String(opened.id) }
}

/** A transaction that was open. */
type Longest = {
  readonly seconds: number
  readonly query: string
  readonly state: string
  readonly wait_event: string | null
}

/**
 * Makes the sweeps due and waits for them.
 *
 * @returns how long they took in seconds, and the longest transaction meanwhile
 */
async function sweep(client: pg.Client): Promise<{ seconds: number; longest: Longest }> {
  const began = performance.now()
  await client.query(
    'update schedule set next_run_at = now(), last_run_at = null, last_error = null where name = any($1)',
    [SWEEPS],
  )
  let longest: Longest = { seconds: 0, query: '', state: '', wait_event: null }
  while (performance.now() - began < SWEEP_MS_MAX) {
    const { rows } = await client.query(
      `select extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, left(query, 120) as query, state, wait_event
       from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start is not null
       order by xact_start limit 1`,
    )
    if ((rows[0]?.seconds ?? 0) > longest.seconds) longest = rows[0]
    // One that failed is repeated after a minute: the table of a month is dropped only when nothing holds it for two
    // seconds.
    const done = await one(
      client,
      'select count(*)::int as n from schedule where name = any($1) and last_run_at is not null and last_error is null',
      [SWEEPS],
    )
    if (done === SWEEPS.length) return { seconds: Math.round((performance.now() - began) / 1000), longest }
    await pause(50)
  }
  throw new Error('the sweeps did not end')
}

async function after(
  client: pg.Client,
  tables: readonly string[],
  command: (table: string) => string,
): Promise<number> {
  for (const table of tables) await client.query(command(table))
  return sizeOf(client)
}

async function sizeOf(client: pg.Client): Promise<number> {
  return one(client, 'select (pg_database_size(current_database()) / 1000000)::int as n')
}

/** Sizes when filled, of tables and of their indexes. */
async function sizesOf(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query(
    `select name, (sum(pg_table_size(relid)) / 1000000)::int as rows, (sum(pg_indexes_size(relid)) / 1000000)::int as indexes
     from unnest($1::text[]) name, lateral (select relid from pg_partition_tree(name::regclass) union select name::regclass) parts group by name`,
    [GROWING],
  )
  return Object.fromEntries(
    rows.flatMap(({ name, rows, indexes }) => [
      [`${name}Mb`, rows],
      [`${name}IndexesMb`, indexes],
    ]),
  )
}

async function one(client: pg.Client, text: string, values: readonly unknown[] = []): Promise<number> {
  return Number((await client.query(text, [...values])).rows[0].n)
}

function archivedFiles(folder: string): number {
  return readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.jsonl')).length
}
