import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDatabase, openTestDatabase, postgresUrl } from '../../test/support/database.ts'
import { layTemplate } from '../../test/support/embedded-template.ts'
import { until } from '../../test/support/until.ts'
import type { TenantId } from '../caller.ts'
import { openStore } from '../store/opening/open-store.ts'
import { newId } from '../store/row-id.ts'
import { sql } from '../store/store.ts'
import { enqueue } from './job.ts'
import { leasedJob } from './test-support/lease-child.ts'

const JOBS = 80
/** Jobs that the dying process ends before it holds as many of a tenant as it runs at once, and works no more. */
const ENDED = 6
const HELD = 3
const entry = fileURLToPath(new URL('./test-support/lease-child.ts', import.meta.url))
const insertTenant = sql(
  'test.lease.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const listColumns = sql(
  'test.lease.columns',
  `select c.relname as "table", array_agg(a.attname::text) as columns,
     (select count(*)::int from pg_constraint k where k.conrelid = c.oid and
       pg_get_constraintdef(k.oid) = 'CHECK (((claim IS NULL) = (lease_until IS NULL)))') as checks
   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('claim', 'lease_until', 'claimed_at', 'answering_at')
   where c.relkind = 'r' group by c.oid, c.relname order by 1`,
)
type Deployment = { readonly databaseUrl: string | null; readonly dataDir: string | null }

/** When everything in the test of two processes happens. */
const now = new Date()

/** A worker process on the database, and what it has begun and ended. */
function aWorker({ databaseUrl, dataDir }: Deployment, stallAfter?: number) {
  const place = databaseUrl === null ? { LEASE_FOLDER: dataDir ?? '' } : { LEASE_DATABASE: databaseUrl }
  const stall = stallAfter === undefined ? {} : { STALL_AFTER: String(stallAfter) }
  const child = spawn(process.execPath, [entry], {
    env: { PATH: process.env.PATH ?? '', LEASE_NOW: String(now.getTime()), ...place, ...stall },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const begun: number[] = []
  const ended: number[] = []
  let isReady = false
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [what, n] = line.split(' ')
    if (what === 'ready') isReady = true
    else if (what === 'begin') begun.push(Number(n))
    else ended.push(Number(n))
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  return {
    begun,
    ended,
    isReady: () => isReady,
    held: () => begun.filter((n) => !ended.includes(n)),
    pass: (seconds: number) => child.stdin.write(`${seconds}\n`),
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function putJobs({ databaseUrl, dataDir }: Deployment): Promise<void> {
  const store = await openStore({ databaseUrl, dataDir, poolMax: 2, onIdleError: () => undefined })
  await store.migrate()
  const tenant = newId() as TenantId
  await store.across('test set-up', (tx) => tx.rows(insertTenant, [tenant, `t-${tenant}`]))
  for (let n = 0; n < JOBS; n += 1) await store.inTenant(tenant, (tx) => enqueue(tx, leasedJob, { n }, { now }))
  await store.close()
}

test('two processes never hold one row; what a killed one held is free when its lease is over, and not before', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-lease-'))
  const place: Deployment =
    postgresUrl === null
      ? { databaseUrl: null, dataDir: join(folder, 'data') }
      : { databaseUrl: await createDatabase(postgresUrl), dataDir: null }
  if (place.dataDir !== null) await layTemplate(place.dataDir)
  const startWorkerOf = (stallAfter?: number) => {
    const worker = aWorker(place, stallAfter)
    t.after(worker.kill)
    return worker
  }
  // The embedded database belongs to one process at a time; on a server both wait for the first job.
  const early = postgresUrl === null ? null : [startWorkerOf(ENDED), startWorkerOf()]
  await until(() => early?.every(({ isReady }) => isReady()) ?? true)
  await putJobs(place)
  const [dying, rival] = early ?? [startWorkerOf(ENDED)]
  assert(dying !== undefined)
  // Its first jobs are held for a moment too: only when these are over does it hold its last ones.
  await until(() => dying.ended.length === ENDED && dying.held().length === HELD)
  await dying.kill()
  const heir = rival ?? startWorkerOf()
  await until(() => heir.ended.length + dying.ended.length === JOBS - HELD)
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.deepEqual(
    heir.begun.filter((n) => dying.begun.includes(n)),
    [],
  )
  heir.pass(36)
  await until(() => heir.ended.length + dying.ended.length === JOBS)
  assert.equal(new Set([...heir.ended, ...dying.ended]).size, JOBS)
  rmSync(folder, { recursive: true, force: true })
})

test('a table whose rows are leased has the pair of columns, both null or neither', async (t) => {
  const db = await openTestDatabase()
  t.after(() => db.close())
  const tables = await db.store.across('catalog', (tx) =>
    tx.rows<{ table: string; columns: string[]; checks: number }>(listColumns),
  )
  assert.deepEqual(
    tables.map(({ table, columns, checks }) => [table, columns.toSorted(), checks]),
    [
      'issuance',
      'issuance_batch',
      'job',
      'kept_answer',
      'presentation_request',
      'schedule',
      'wallet_deferred',
      'wallet_delivery',
      'wallet_notification',
      'wallet_presentation',
      'wallet_refill',
      'webhook_delivery',
    ].map((table) => [table, ['claim', 'lease_until'], 1]),
  )
})
