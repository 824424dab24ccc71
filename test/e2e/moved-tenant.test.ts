// A tenant of a distributed deployment moves to another node while its events are recorded and read. Left out where
// Citus is not installed.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { aReceiver, type Receiver } from '../../src/events/test-support/receiver.ts'
import { distributeDatabase, migrateDatabase } from '../../src/main.ts'
import { type CitusCluster, hasCitus, onServer, startCitus } from '../support/citus.ts'
import { openStreamReader, readAllEvents, type StreamReader } from '../support/event-readers.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

const skip = hasCitus() ? false : 'Citus is not installed for the PostgreSQL of this machine'
const OFFERED = 'openid4vc.issuance.offered'

/** One organisation, with everything that reads its events. */
type School = {
  readonly slug: 'acme' | 'globex'
  readonly tenantId: string
  api: Api
  wallet: Api
  readonly templateId: string
  readonly hook: Receiver
  readonly stream: StreamReader
  /** Of the issuances that were acknowledged. */
  readonly offered: string[]
}

let cluster: CitusCluster
let chirograph: Deployment
let acme: School
let globex: School
before(async () => {
  if (skip !== false) return
  cluster = await startCitus()
  const database = { DATABASE_URL: cluster.url, LOG_LEVEL: 'error' }
  await migrateDatabase(database)
  await distributeDatabase(database)
  chirograph = await deploy({}, database)
  acme = await aSchool('acme')
  globex = await aSchool('globex')
})
beforeEach(async () => {
  if (skip === false) await renewTokens()
})
after(async () => {
  for (const one of [acme, globex]) {
    await one?.stream.close()
    await one?.hook.close()
  }
  await chirograph?.stop()
  await cluster?.stop()
})

async function aSchool(slug: School['slug']): Promise<School> {
  const api = await chirograph.backend(slug)
  const wallet = await chirograph.wallet(slug, 'thandi')
  const hook = await aReceiver()
  const made = await api.post('/creds/endpoints', { url: hook.url, filterTypes: [OFFERED] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id: templateId } = await makeTemplate(api, 'moved')
  const [{ id: tenantId } = { id: '' }] = await onServer<{ id: string }>(
    cluster.url,
    `select id from tenant where slug = '${slug}'`,
  )
  return {
    slug,
    tenantId,
    api,
    wallet,
    templateId,
    hook,
    stream: await openStreamReader(chirograph.url, api),
    offered: [],
  }
}

/** Tokens are valid for five minutes, and shards take long to move on a machine that does much besides. */
async function renewTokens(): Promise<void> {
  for (const school of [acme, globex]) {
    school.api = await chirograph.backend(school.slug)
    school.wallet = await chirograph.wallet(school.slug, 'thandi')
  }
}

type Place = { shard: string; host: string; port: number; others: number }

/** The shard of a tenant, its node, and how many other tenants could lie in it. */
async function placeOf({ tenantId }: School): Promise<Place> {
  const [place] = await onServer<Place>(
    cluster.url,
    `select s.shardid::text as shard, s.nodename as host, s.nodeport as port,
       (select count(*)::int from tenant where id <> '${tenantId}' and get_shard_id_for_distribution_column('issuance', id) = s.shardid) as others
     from citus_shards s where s.shardid = get_shard_id_for_distribution_column('issuance', '${tenantId}')`,
  )
  return place ?? assert.fail('the tenant has no shard')
}

/** As docs/distribution.md says. */
async function move(school: School): Promise<void> {
  const { shard, host, port } = await placeOf(school)
  const other = cluster.workers.map((one) => new URL(one)).find((one) => Number(one.port) !== port)
  const to = `'${other?.hostname}', ${other?.port}`
  await onServer(cluster.url, `select citus_move_shard_placement(${shard}, '${host}', ${port}, ${to}, 'block_writes')`)
  assert.equal((await placeOf(school)).port, Number(other?.port))
}

/** Between two issuances of a tenant, so that the machine does something else too. */
const PAUSE_MS = 100

/**
 * Issues one after another until told to stop. While the shard is copied a write waits, and is answered 503 if it waits
 * too long.
 *
 * @returns how many
 */
function issueFor(school: School): () => Promise<number> {
  let isOver = false
  const work = (async () => {
    const before = school.offered.length
    while (!isOver) {
      await pause(PAUSE_MS)
      const body = { credentialTemplateId: school.templateId, attributes: { name: 'Thandi' } }
      const opened = await school.api.post('/creds/credentials/issuance', body)
      if (opened.status === 200) school.offered.push(opened.body.data.id)
      else assert.equal(opened.status, 503, JSON.stringify(opened.body))
    }
    return school.offered.length - before
  })()
  return () => {
    isOver = true
    return work
  }
}

async function eraOf({ tenantId }: School): Promise<number> {
  const rows = await onServer<{ era: number }>(
    cluster.url,
    `select era from tenant_event_state where tenant_id = '${tenantId}'`,
  )
  return rows[0]?.era ?? 0
}

const subjects = (events: readonly { type: string; subject: { id: string } }[]) =>
  events.filter(({ type }) => type === OFFERED).map(({ subject }) => subject.id)

/**
 * Every issuance that was acknowledged is told by the list, the stream and the webhook; list and stream have one order.
 */
async function assertTold(school: School): Promise<void> {
  const { slug, api, stream, hook, offered } = school
  const isIn = (told: Set<string>) => offered.every((id) => told.has(id))
  await until(`the stream of ${slug}`, async () => isIn(new Set(subjects(stream.events))))
  await until(`the webhooks of ${slug}`, async () =>
    isIn(new Set(hook.messages.map(({ body }) => JSON.parse(body).data.subject.id))),
  )
  const listed = await readAllEvents(api)
  assert(isIn(new Set(subjects(listed))), 'an event is not listed')
  assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length, 'an event is listed twice')
  const first = listed.findIndex(({ id }) => id === stream.events[0]?.id)
  assert.deepEqual(
    stream.events.map(({ id }) => id),
    listed.slice(first, first + stream.events.length).map(({ id }) => id),
  )
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (Date.now() < end) {
    if (await isTrue()) return
    await pause(20)
  }
  assert.fail(`${what}: the condition did not become true within 60 s`)
}

test('a tenant gets a shard of its own', { skip }, async () => {
  const ends = [acme, globex].map(issueFor)
  const before = await eraOf(acme)
  await onServer(
    cluster.url,
    `select isolate_tenant_to_new_shard('issuance', '${acme.tenantId}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
  )
  for (const end of ends) assert((await end()) > 0)
  assert.equal((await placeOf(acme)).others, 0)
  assert.equal(await eraOf(acme), before, 'the tenant stayed on its node, and its era ended')
  for (const school of [acme, globex]) await assertTold(school)
})

test('a tenant moves while it issues: nothing is lost, told twice or out of order, and its era alone ends', {
  skip,
}, async () => {
  const [mine, others] = [await eraOf(acme), await eraOf(globex)]
  const ends = [acme, globex].map(issueFor)
  await move(acme)
  acme.stream.cut()
  const after = acme.offered.length
  await until('issuances after the move', async () => acme.offered.length > after)
  for (const end of ends) assert((await end()) > 0)
  for (const school of [acme, globex]) await assertTold(school)
  assert.deepEqual([await eraOf(acme), await eraOf(globex)], [mine + 1, others])
  const { id, offerUri } = await openIssuance(acme.api, acme.templateId)
  acme.offered.push(id)
  const received = await acme.wallet.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
})

test('what is opened between two moves without an event in between is told', { skip }, async () => {
  await move(acme)
  const quiet = await openStreamReader(chirograph.url, acme.api)
  await move(acme)
  const { id } = await openIssuance(acme.api, acme.templateId)
  acme.offered.push(id)
  await until('the stream that was opened between', async () => subjects(quiet.events).includes(id))
  await quiet.close()
  await assertTold(acme)
})
