// The coordinator ends between the commit on the node of a tenant and its own: the row is there and its job is lost; or
// between the two phases of a commit, where both are missing. Left out where Citus is not installed.
//  A transaction that notifies takes a lock of the server after Citus has committed on the nodes (callback PRE_COMMIT)
// and before it commits itself (PreCommit_Notify). So a trigger makes transactions that enqueue a job notify, and
// another session holds that lock: it waits, in its own commit, for a synchronous standby that does not exist.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { aMailServer, type MailServer } from '../../src/mail/test-support/mail-server.ts'
import { distributeDatabase, migrateDatabase } from '../../src/main.ts'
import type { Log } from '../../src/platform.ts'
import { foreignIssuer } from '../../src/wallet/test-support/foreign-issuer.ts'
import { type CitusCluster, hasCitus, onServer, startCitus } from '../support/citus.ts'
import { makeTemplate } from '../support/main-job.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'
import { until } from '../support/until.ts'

const skip = hasCitus() ? false : 'Citus is not installed for the PostgreSQL of this machine'
const quiet = () => undefined
/** The servers log every statement that the crash ends. */
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

let cluster: CitusCluster
let mails: MailServer
let chirograph: Deployment
let shiftMs = 0
before(async () => {
  if (skip !== false) return
  cluster = await startCitus()
  const database = { DATABASE_URL: cluster.url, LOG_LEVEL: 'error' }
  await migrateDatabase(database)
  await distributeDatabase(database)
  const clock = { now: () => new Date(Date.now() + shiftMs) }
  mails = await aMailServer()
  chirograph = await deploy({ clock, log }, { ...database, SMTP_URL: mails.url })
})
after(async () => {
  await chirograph?.stop()
  await mails?.close()
  await cluster?.stop()
})

const school = () => chirograph.backend('acme')
const wallet = () => chirograph.wallet('acme', 'thandi')

/**
 * Kills the coordinator while a transaction that enqueues a job of this name has ended on the node and not on the
 * coordinator, and starts it again.
 *
 * @param act Leads to that transaction. It gets no answer, or an error.
 * @param look Looks at the nodes at that moment, while the coordinator runs.
 */
async function crashAtCommit(job: string, act: () => Promise<unknown>, look: () => Promise<void>): Promise<void> {
  for (const text of [
    `create or replace function notify_of_job() returns trigger language plpgsql as $$ begin notify job_enqueued; return null; end $$`,
    `create trigger notify_of_job after insert on job for each row when (new.name = '${job}') execute function notify_of_job()`,
    'create table if not exists held_back (id uuid primary key)',
    `alter system set synchronous_standby_names = 'missing'`,
    'select pg_reload_conf()',
  ])
    await onServer(cluster.url, text)
  const holder = new pg.Client({ connectionString: cluster.url })
  holder.on('error', quiet)
  await holder.connect()
  await holder.query('set synchronous_commit = on')
  const holding = holder
    .query(`begin; insert into held_back values (gen_random_uuid()); notify job_enqueued; commit`)
    .catch(quiet)
  await until(() => isWaiting(`wait_event = 'SyncRep'`))
  const jobs = await jobsOf(job)
  const acting = act().catch(quiet)
  await until(() => isWaiting(`wait_event_type = 'Lock' and wait_event = 'object'`))
  await look()
  assert.equal(await jobsOf(job), jobs, 'the coordinator has committed')

  await cluster.crashCoordinator()
  await Promise.all([holding, acting])
  await holder.end().catch(quiet)
  for (const text of [
    'alter system reset synchronous_standby_names',
    'select pg_reload_conf()',
    'drop trigger notify_of_job on job',
  ])
    await onServer(cluster.url, text)
  assert.equal(await jobsOf(job), jobs, 'the job was not lost')
  await until(async () => (await fetch(`${chirograph.url}/readyz`)).status === 200)
}

/**
 * As {@link crashAtCommit}, where the node has committed.
 *
 * @param written Counts the rows that the transaction writes.
 */
async function loseJob(job: string, act: () => Promise<unknown>, written: string): Promise<void> {
  const before = await countOn(written)
  const look = async () => assert.equal(await countOn(written), before + 1, 'the node has not committed')
  await crashAtCommit(job, act, look)
  assert.equal(await countOn(written), before + 1)
}

async function isWaiting(condition: string): Promise<boolean> {
  return (await onServer(cluster.url, `select from pg_stat_activity where ${condition}`)).length > 0
}

/** As a node has it: a worker takes queries of distributed tables too. */
async function countOn(from: string): Promise<number> {
  const [worker = ''] = cluster.workers
  return (await onServer<{ count: number }>(worker, `select count(*)::int as count ${from}`))[0]?.count ?? 0
}

async function jobsOf(name: string): Promise<number> {
  const found = await onServer<{ count: number }>(
    cluster.url,
    `select count(*)::int as count from job where name = '${name}'`,
  )
  return found[0]?.count ?? 0
}

async function held(person: Api) {
  return (await person.get('/wallet/v2/credentials')).body.data as { id: string; status: string }[]
}

// First: the jobs of other credentials' images come and go.
test('an image whose job is lost is fetched', { skip }, async () => {
  const issuer = await foreignIssuer()
  const uri = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"/>')}`
  const display = [{ name: 'Club', logo: { uri } }]
  issuer.lie({ reply: { issuer: (reply) => ({ ...reply, body: { ...Object(reply.body), display } }) } })
  try {
    const pieter = await chirograph.wallet('acme', 'pieter')
    const accept = () => pieter.post('/wallet/v2/credentials', { credentialOffer: issuer.offerUri })
    await loseJob('wallet.fetch-images', accept, 'from wallet_credential_display where images_due_at is not null')
    shiftMs += 400_000
    const again = await chirograph.wallet('acme', 'pieter')
    const [credential] = await held(again)
    const path = `/wallet/v2/credentials/${credential?.id}`
    const images = await until(async () => (await again.get(path)).body.meta.display.images)
    assert.deepEqual(images, ['logo'])
  } finally {
    await issuer.close()
  }
})

test('a deferred credential whose poll is lost arrives', { skip }, async () => {
  const issuer = await foreignIssuer()
  const later = { status: 202, type: 'application/json', body: { transaction_id: 'tx-1', interval: 60 } }
  issuer.lie({ reply: { credential: () => later } })
  try {
    const thandi = await wallet()
    const accept = () => thandi.post('/wallet/v2/credentials', { credentialOffer: issuer.offerUri })
    await loseJob('wallet.fetch-deferred', accept, 'from wallet_deferred where offer_hash is null')
    shiftMs += 130_000
    const again = await wallet()
    const [credential, ...others] = await until(async () => {
      const all = await held(again)
      return all.length > 0 && all
    })
    assert.deepEqual([credential?.status, others.length], ['pending', 0])
    assert.equal(issuer.calls.filter(({ place }) => place === 'deferred').length, 1)
  } finally {
    await issuer.close()
  }
})

test('an issuer whose notification is lost is notified', { skip }, async () => {
  const issuer = await foreignIssuer()
  const heard = () =>
    issuer.calls.filter(({ place }) => place === 'notification').map(({ body }) => JSON.parse(body).event)
  try {
    const thandi = await wallet()
    const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: issuer.offerUri })
    assert.equal(received.status, 201, JSON.stringify(received.body))
    const path = `/wallet/v2/credentials/${received.body.data[0].id}`
    const accept = () => thandi.patch(path, { status: 'accepted' })
    await loseJob('wallet.notify-issuer', accept, 'from wallet_notification where queued_at is not null')
    assert.deepEqual(heard(), [])
    shiftMs += 3_700_000
    await until(() => heard().length > 0)
    assert.deepEqual(heard(), ['credential_accepted'])
  } finally {
    await issuer.close()
  }
})

test('an invitation whose mail is lost was answered with an error, and the repeated one is mailed', {
  skip,
}, async () => {
  const invite = (api: Api) => api.post('/onboarding/users/pieter/invitation', {})
  const api = await school()
  let status = 0
  const act = async () => {
    status = await invite(api).then((answer) => answer.status)
  }
  await crashAtCommit('authorization.send-mail', act, async () => undefined)
  // By itself within a minute (citus.recover_2pc_interval), where Citus has committed in two phases.
  await onServer(cluster.url, 'select recover_prepared_transactions()')
  assert(status >= 500, `answered with ${status}`)
  assert.deepEqual(mails.mails, [])
  const again = await school()
  const invited = await invite(again)
  assert.deepEqual([invited.status, invited.body.data?.mailed], [201, true], JSON.stringify(invited.body))
  await until(() => mails.mails.length > 0)
  assert.equal(mails.mails.length, 1)
})

test('a batch is committed in two phases: after the crash it is not there, and the repeated request makes it', {
  skip,
}, async () => {
  const api = await school()
  const { id: credentialTemplateId } = await makeTemplate(api, 'crashed')
  const items = Array.from({ length: 20 }, (_, n) => ({ attributes: { name: `Student ${n}` }, reference: 'crashed' }))
  const post = (by: Api) => by.post('/creds/credentials/issuance/batch', { credentialTemplateId, items })
  const prepared = async () => {
    const counts = await Promise.all(
      cluster.workers.map((one) => onServer<{ gid: string }>(one, 'select gid from pg_prepared_xacts')),
    )
    return counts.flat().length
  }
  await crashAtCommit(
    'issuance.run-batch',
    () => post(api),
    async () => assert((await prepared()) > 0, 'the transaction is not prepared'),
  )
  // By itself within a minute (citus.recover_2pc_interval).
  await onServer(cluster.url, 'select recover_prepared_transactions()')
  assert.equal(await prepared(), 0)
  const again = await school()
  assert.deepEqual((await again.get('/creds/credentials/issuance/batch')).body.data, [])
  const posted = await post(again)
  assert.equal(posted.status, 202, JSON.stringify(posted.body))
  const path = `/creds/credentials/issuance/batch/${posted.body.data.id}`
  await until(async () => (await again.get(path)).body.data.status === 'completed')
  const issued = await again.get('/creds/credentials?filter[reference]=crashed&page[size]=100')
  assert.equal(issued.body.data.length, 20)
})
