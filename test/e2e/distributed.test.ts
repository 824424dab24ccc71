// The main job on a distributed engine: a Citus coordinator with two workers. Left out where Citus is not installed.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { after, before, test } from 'node:test'
import type { TenantId } from '../../src/caller.ts'
import { record } from '../../src/events/audit/record.ts'
import { distributeDatabase, migrateDatabase, start } from '../../src/main.ts'
import { openStore } from '../../src/store/opening/open-store.ts'
import { newId } from '../../src/store/row-id.ts'
import type { TenantTx } from '../../src/store/store.ts'
import { type CitusCluster, hasCitus, onServer, startCitus } from '../support/citus.ts'
import { freePort } from '../support/free-port.ts'
import { makeEverything, makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'
import { declaredStatements } from '../support/statements.ts'
import { refusedStatements } from '../support/trial-values.ts'

const skip = hasCitus() ? false : 'Citus is not installed for the PostgreSQL of this machine'
/** Of the owner of the tables alone. */
const OF_OWNER =
  /^store\.(insert_migration|insert_remainder|list_remainder|list_triggers|list_undistributed_functions)$/

let cluster: CitusCluster
let chirograph: Deployment
let school: Api
let thandi: Api
const database = () => ({ DATABASE_URL: cluster.url, LOG_LEVEL: 'error' })

before(async () => {
  if (skip !== false) return
  cluster = await startCitus()
  await migrateDatabase(database())
  await distributeDatabase(database())
  chirograph = await deploy({}, database())
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
})
after(async () => {
  await chirograph?.stop()
  await cluster?.stop()
})

test('all tables of tenants are distributed in one group, and a second run changes nothing', { skip }, async () => {
  const again = await distributeDatabase(database())
  assert.deepEqual(again.placedNow, [])
  assert.equal(again.workers, 2)
  const groups = await onServer<{ groups: number; tables: number }>(
    cluster.url,
    `select count(distinct colocationid)::int as groups, count(*)::int as tables from pg_dist_partition where partmethod = 'h'`,
  )
  assert.equal(groups[0]?.groups, 1)
  assert((groups[0]?.tables ?? 0) >= again.tables.distributed)
  const rest = await onServer(cluster.url, 'select * from distribution_remainder')
  assert.deepEqual(rest, [])
})

test('a table of a later migration and an interrupted run are refused by the server, and completed by the next run', {
  skip,
}, async () => {
  const settings = { ...database(), PORT: String(await freePort()), DATA_DIR: tmpdir() }
  const name = 'of_a_later_migration'
  await onServer(
    cluster.url,
    `create table ${name} (tenant_id uuid not null references tenant (id), id uuid, primary key (tenant_id, id))`,
  )
  await assert.rejects(
    start(settings),
    new RegExp(`distributed in part .not distributed: ${name}.: run .chirograph distribute`),
  )
  assert.deepEqual((await distributeDatabase(database())).placedNow, [name])
  const keys = await onServer(
    cluster.url,
    `select from pg_constraint where conrelid = '${name}'::regclass and contype = 'f'`,
  )
  assert.equal(keys.length, 1)

  await onServer(cluster.url, `alter table ${name} drop constraint ${name}_tenant_id_fkey`)
  const remainder = `alter table ${name} add foreign key (tenant_id) references tenant (id)`
  await onServer(cluster.url, `insert into distribution_remainder values (1, '${remainder}')`)
  await assert.rejects(start(settings), /distributed in part .foreign keys are missing/)
  assert.deepEqual((await distributeDatabase(database())).placedNow, [])
  assert.deepEqual(await onServer(cluster.url, 'select from distribution_remainder'), [])
  await onServer(cluster.url, `drop table ${name}`)
})

test('every declared statement runs on it', { skip }, async () => {
  const refused = await refusedStatements(cluster.url, declaredStatements())
  assert.deepEqual(
    [...refused].filter(([name]) => !OF_OWNER.test(name)),
    [],
  )
})

test('one organisation issues, a person keeps and answers, the claims are verified, then revoked', {
  skip,
}, async () => {
  const template = await makeTemplate(school, 'distributed')
  const issuance = await openIssuance(school, template.id)
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: issuance.offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  const id = received.body.data[0].id
  await thandi.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
  assert.equal(await verdict(template.type), 'verified')

  const issued = await school.get(`/creds/credentials/${issuance.id}`)
  const ids = [issued.body.data.credentials[0].id]
  const revoked = await school.post('/creds/credentials/revoke', { ids })
  assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
  assert.notEqual(await verdict(template.type), 'verified')

  const employer = await chirograph.backend('globex')
  const hidden = await employer.get(`/creds/credentials/${issuance.id}`)
  assert.equal(hidden.status, 404, JSON.stringify(hidden.body))
})

/** Asks Thandi for the name and answers for her. @returns the status of the request */
async function verdict(type: string): Promise<string> {
  const credentials = [{ type, attributes: { name: {} } }]
  const made = await school.post('/creds/templates/presentations', { name: 'Who', description: 'Name', credentials })
  const asked = await school.post('/creds/presentations/request', { presentationTemplateId: made.body.data.id })
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  const { id, authorizationRequestUri: presentationRequest } = asked.body.data
  const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  const answered = await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status: 'answered' })
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  return (await school.get(`/creds/presentations/${id}`)).body.data.status
}

test('a code that twelve wallets redeem at once is redeemed once', { skip }, async () => {
  const template = await makeTemplate(school, 'raced')
  const { offerUri } = await openIssuance(school, template.id)
  const offer = await fetch(new URL(offerUri).searchParams.get('credential_offer_uri') ?? '')
  const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
  const code = ((await offer.json()) as { grants: Record<string, Record<string, string>> }).grants[grant]
  const form = { grant_type: grant, 'pre-authorized_code': code?.['pre-authorized_code'] ?? '' }
  const redeem = () => chirograph.nobody.form(`${chirograph.url}/issuers/acme/token`, form)
  const statuses = (await Promise.all(Array.from({ length: 12 }, redeem))).map(({ status }) => status)
  assert.deepEqual(
    [statuses.filter((one) => one === 200).length, statuses.filter((one) => one === 400).length],
    [1, 11],
    statuses.join(' '),
  )
})

test('an object of each kind is made, a batch ends, and the events, the audit trail and the figures tell of it', {
  skip,
}, async () => {
  const made = await makeEverything(chirograph)
  const batch = `/creds/credentials/issuance/batch/${made['/creds/credentials/issuance/batch']}`
  await until(async () => (await school.get(batch)).body.data.status === 'completed')
  const delivery = `/wallet/v2/orgs/deliveries/${made['/wallet/v2/orgs/deliveries']}`
  await until(async () => (await school.get(delivery)).body.data.status !== 'delivering')
  const { data: delivered } = (await school.get(delivery)).body
  assert.equal(delivered.status, 'delivered', JSON.stringify(delivered))

  const { body: trail } = await school.get('/creds/audit?page[size]=100')
  assert(trail.data.length > 20, JSON.stringify(trail).slice(0, 300))
  const { body: counts } = await school.get('/creds/stats')
  assert.notEqual(counts, undefined)
  const rows = await onServer<{ id: string; xact: string; era: number; node: number }>(
    cluster.url,
    `select a.id, a.xact::text as xact, a.era, s.node from audit_entry a join tenant_event_state s using (tenant_id) order by a.id`,
  )
  assert(rows.length > 0)
  assert(rows.every(({ era, node, xact }) => era >= 1 && node > 0 && xact !== '0'))
})

test('an event is told once no transaction of its node can record one before it', { skip }, async () => {
  const store = await openStore({ databaseUrl: cluster.url, dataDir: null, poolMax: 4, onIdleError: console.error })
  const clock = { now: () => new Date() }
  const [{ id: tenantId } = { id: '' as TenantId }] = await onServer<{ id: TenantId }>(
    cluster.url,
    `select id from tenant where slug = 'acme'`,
  )
  const write = (tx: TenantTx, id: string) =>
    record(tx, { action: 'user.created', subject: { kind: 'user', id }, by: 'system' }, clock.now())
  const { promise: isRecorded, resolve: recorded } = Promise.withResolvers<void>()
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const [earlier, later] = [newId(), newId()]
  const open = store.inTenant(tenantId, async (tx) => {
    await write(tx, earlier)
    recorded()
    await mayCommit
  })
  await isRecorded
  await store.single(tenantId, (tx) => write(tx, later))
  const told = async () => {
    const { body } = await school.get('/creds/events?sort=createdAt&filter[type]=user.created&page[size]=100')
    return body.data.map(({ subject }: { subject: { id: string } }) => subject.id)
  }
  assert.equal((await told()).includes(later), false, 'an event was told before one that may still be recorded')
  commit()
  await open
  await until(async () => (await told()).includes(later))
  assert.deepEqual(
    (await told()).filter((id: string) => [earlier, later].includes(id)),
    [earlier, later],
  )
  await store.close()
})

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000
  while (Date.now() < end) if (await isTrue()) return
  assert.fail('the condition did not become true within 30 s')
}
