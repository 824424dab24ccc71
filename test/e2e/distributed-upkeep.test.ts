// What operators run on a distributed deployment: commands, later migrations, the wrong address. Left out where Citus
// is not installed.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { distributeDatabase, migrateDatabase, start } from '../../src/main.ts'
import { checkBackups, recoverDatabase, rotateKeys, verifyDatabase } from '../../src/maintenance.ts'
import type { Log } from '../../src/platform.ts'
import { migrate, migrationOf, pendingMigrations } from '../../src/store/opening/migrate.ts'
import { openPostgresql } from '../../src/store/postgresql/postgresql.ts'
import { type CitusCluster, hasCitus, onServer, startCitus } from '../support/citus.ts'
import { type HeardEvent, readAllEvents } from '../support/event-readers.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Deployment, deploy } from '../support/server.ts'

const skip = hasCitus() ? false : 'Citus is not installed for the PostgreSQL of this machine'
const folder = mkdtempSync(join(tmpdir(), 'chirograph-upkeep-'))
const outside = { RECOVERY_MARK: join(folder, 'mark.json'), REVOCATION_JOURNAL: join(folder, 'journal') }

let cluster: CitusCluster
/** Of the time before the tables were distributed. */
let early: readonly HeardEvent[] = []
const settings = (url = cluster.url) => ({ DATABASE_URL: url, LOG_LEVEL: 'error', DATA_DIR: folder, ...outside })

before(async () => {
  if (skip !== false) return
  cluster = await startCitus()
  await migrateDatabase(settings())
})
after(async () => {
  await cluster?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a server on a coordinator without distributed tables warns, and serves; then they are distributed with their rows', {
  skip,
}, async () => {
  const warnings: string[] = []
  const quiet = () => undefined
  const log = {
    debug: quiet,
    info: quiet,
    warn: (_about: object, text: string) => void warnings.push(text),
    error: quiet,
  }
  const server = await deployed(log)
  const school = await server.backend('acme')
  const { offerUri } = await openIssuance(school, (await makeTemplate(school, 'early')).id)
  const thandi = await server.wallet('acme', 'thandi')
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  early = await readAllEvents(school)
  await server.stop()
  // Each of its processes says it.
  assert.deepEqual(
    new Set(warnings.filter((text) => text.includes('Citus'))),
    new Set(['the database is a Citus coordinator, but no table is distributed: all rows stay on this node']),
  )
  await distributeDatabase(settings())
  const triggers = await onServer<{ count: number }>(
    cluster.url,
    `select count(*)::int as count from pg_trigger where tgrelid = 'user_account'::regclass and tgname like 'user_search_pieces%'`,
  )
  assert.deepEqual(triggers, [{ count: 2 }])
  const rest = await onServer(cluster.url, 'select from distribution_remainder')
  assert.deepEqual(rest, [])
})

test('a worker is refused by each command, and nothing is created there', { skip }, async () => {
  const [worker = ''] = cluster.workers
  const refusal = /DATABASE_URL names a worker of a Citus cluster: name its coordinator, see docs\/distribution\.md/
  await assert.rejects(start({ ...settings(worker), PORT: String(await freePort()) }), refusal)
  await assert.rejects(migrateDatabase(settings(worker)), refusal)
  await assert.rejects(distributeDatabase(settings(worker)), refusal)
  const [found] = await onServer<{ name: string | null }>(
    worker,
    `select to_regclass('schema_migration')::text as name`,
  )
  assert.equal(found?.name, null)
})

const later = (name: string, body: string) =>
  migrationOf(name, `-- ${name}\n-- Locks: none. Old code runs on it: yes. Way back: none.\n${body}`)

test('a later migration makes a table that refers to distributed ones, changes others, and is distributed by the next run', {
  skip,
}, async () => {
  const engine = openPostgresql({ url: cluster.url, poolMax: 1, onIdleError: () => undefined })
  const list = [
    later(
      '9001_addition.sql',
      `create table addition (tenant_id uuid not null references tenant (id) on delete cascade, id uuid, user_id uuid, primary key (tenant_id, id));
       select add_reference('addition', 'foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade');
       select protect_tenant_rows('addition');
       alter table issuance add column added text; -- with a semicolon; and more
       create index issuance_added on issuance (tenant_id, added) where added is not null;
       create function added_text() returns text language plpgsql as $$ begin return 'a;b'; end $$;
       alter table issuance alter column added set default 'none';
       update issuance set added = 'x' where false;`,
    ),
  ]
  assert.equal(await migrate(engine, 9001, list), 1)
  const server = { ...settings(), PORT: String(await freePort()) }
  await assert.rejects(start(server), /distributed in part .not distributed: addition.: run .chirograph distribute/)
  assert.deepEqual((await distributeDatabase(settings())).placedNow, ['addition'])
  assert.deepEqual((await distributeDatabase(settings())).placedNow, [])
  const keys = await onServer<{ target: string }>(
    cluster.url,
    `select confrelid::regclass::text as target from pg_constraint where conrelid = 'addition'::regclass and contype = 'f' order by 1`,
  )
  assert.deepEqual(
    keys.map(({ target }) => target),
    ['tenant', 'user_account'],
  )
  const shards = await onServer<{ count: number }>(
    cluster.url,
    `select count(*)::int as count from run_command_on_shards('issuance', 'select added from %s') where success`,
  )
  assert.deepEqual(shards, [{ count: 2 }])
  assert.equal(await pendingMigrations(engine, list), 0)
  await engine.close()
})

test('verify, backup-check, keys rotate and recover work', { skip }, async () => {
  const first = await deployed()
  const school = await first.backend('acme')
  assert.deepEqual((await readAllEvents(school)).slice(0, early.length), early)
  const found = await school.get('/onboarding/users?search[name]=thand')
  assert.equal(found.body.data?.length, 1, JSON.stringify(found.body))
  const { id: templateId } = await makeTemplate(school, 'kept')
  const { id, offerUri } = await openIssuance(school, templateId)
  const thandi = await first.wallet('acme', 'thandi')
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  const open = await openIssuance(school, templateId)
  const since = new Date()
  const issued = await school.get(`/creds/credentials/${id}`)
  await school.post('/creds/credentials/revoke', { ids: [issued.body.data.credentials[0].id] })
  const before = await readAllEvents(school)
  await first.stop()

  const verified = await verifyDatabase(settings())
  assert.deepEqual([verified.tenants > 1, verified.faults], [true, []])
  const rotated = await rotateKeys(settings())
  assert(JSON.stringify(rotated).length > 2)
  const items = await checkBackups(settings())
  const archives = items.filter(({ item }) => item.startsWith('WAL archive'))
  assert.equal(archives.length, 3, 'one for each node')

  const report = await recoverDatabase(settings(), since, false)
  // The open one, and two whose tokens could fetch their credentials again.
  assert.equal(report.rows['offers ended'], 3, JSON.stringify(report))
  assert.equal(report.journalLines, 1)

  const second = await deployed()
  const again = await second.backend('acme')
  assert.equal((await again.get(`/creds/credentials/${open.id}`)).body.data.status, 'expired')
  const next = await openIssuance(again, templateId)
  const told = async () => (await readAllEvents(again)).map((one) => one.subject.id)
  for (const end = Date.now() + 30_000; !(await told()).includes(next.id); ) assert(Date.now() < end, 'not told')
  const events = await readAllEvents(again)
  assert.deepEqual(events.slice(0, before.length), before)
  assert(events.slice(before.length).some(({ type }) => type === 'deployment.restored'))
  assert.equal((await verifyDatabase(settings())).faults.length, 0)
  await second.stop()
})

function deployed(log: Log | null = null): Promise<Deployment> {
  const { LOG_LEVEL, DATABASE_URL } = settings()
  // The key of a development machine lies in the folder.
  return deploy(log === null ? {} : { log }, { LOG_LEVEL, DATABASE_URL, DATA_DIR: folder, ...outside })
}
