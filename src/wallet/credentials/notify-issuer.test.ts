// What an issuer hears of a credential, and in which order.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../../test/support/until.ts'
import type { Caller } from '../../caller.ts'
import { startWorker } from '../../jobs/worker.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer } from '../test-support/foreign-issuer.ts'
import { gate } from '../test-support/gate.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { updateConsent } from './credential-store.ts'
import { credentialJobs, resumeNotifications } from './jobs.ts'
import { enqueueNotification, notifyIssuerJob } from './notify-issuer.ts'
import { removeCredential } from './remove-credential.ts'
import { setConsent } from './set-consent.ts'

let bench: Bench
let issuer: ForeignIssuer
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(() => issuer.close())

type Held = { readonly thandi: Caller; readonly id: string }

async function received(): Promise<Held> {
  issuer = await foreignIssuer()
  const thandi = await bench.person()
  const { credentials } = await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
  return { thandi, id: credentials[0]?.id ?? '' }
}
const accept = ({ thandi, id }: Held) => setConsent(bench.platform, thandi, id, 'accepted')
const reject = ({ thandi, id }: Held) => setConsent(bench.platform, thandi, id, 'rejected')
const remove = ({ thandi, id }: Held) => removeCredential(bench.platform, thandi, id)
const jobs = async ({ thandi }: Held) =>
  (await bench.rows(thandi.tenantId, 'job')).filter(({ name }) => name === notifyIssuerJob.name)

/** The news of every job that was ever queued, as at-least-once delivery may repeat them. */
async function runJobs(held: Held): Promise<void> {
  const about = { id: 'j', tenantId: held.thandi.tenantId, attempt: 1 }
  for (const { payload } of await jobs(held))
    await notifyIssuerJob.run(
      bench.platform,
      payload as { notificationId: string },
      new AbortController().signal,
      about,
    )
}
const news = () =>
  issuer.calls.filter(({ place }) => place === 'notification').map(({ body }) => JSON.parse(body).event as string)

test('[W-A6] the issuer is notified of acceptance and removal once each, and the token is deleted after the last', async () => {
  const held = await received()
  await accept(held)
  await runJobs(held)
  await setConsent(bench.platform, held.thandi, held.id, 'pending')
  await accept(held)
  await runJobs(held)
  await remove(held)
  await runJobs(held)
  await runJobs(held)
  assert.deepEqual(news(), ['credential_accepted', 'credential_deleted'])
  const [first] = issuer.calls.filter(({ place }) => place === 'notification')
  assert.equal(first?.headers.authorization, 'Bearer the-token')
  assert.equal(JSON.parse(first?.body ?? '').notification_id, 'news-1')
  assert.deepEqual(await bench.rows(held.thandi.tenantId, 'wallet_notification'), [])
  assert.deepEqual(await bench.rows(held.thandi.tenantId, 'wallet_credential_copy'), [])
})

for (const [end, what] of [
  [remove, 'removed'],
  [reject, 'rejected'],
] as const) {
  test(`a credential that is ${what} right after it was accepted is not reported as accepted any more`, async () => {
    const held = await received()
    await accept(held)
    await end(held)
    await runJobs(held)
    assert.deepEqual(news(), ['credential_deleted'])
  })

  test(`while the acceptance is on its way to the issuer, that it is ${what} waits, and arrives last`, async () => {
    const held = await received()
    const slow = gate()
    issuer.lie({ reply: { notification: async (reply, { n }) => (n === 1 ? slow.passed.then(() => reply) : reply) } })
    await accept(held)
    const first = runJobs(held)
    await slow.reached(() => news().length === 1)
    await end(held)
    assert.equal((await fault(runJobs(held))).code, 'state.invalid')
    slow.open()
    await first
    await runJobs(held)
    assert.deepEqual(news(), ['credential_accepted', 'credential_deleted'])
  })
}

test('nothing follows a rejection, whatever the holder does', async () => {
  const held = await received()
  await reject(held)
  await runJobs(held)
  await accept(held)
  await remove(held)
  await runJobs(held)
  assert.deepEqual(news(), ['credential_deleted'])
})

test('repeated changes of consent enqueue one job until it has run', async () => {
  const held = await received()
  for (let turn = 0; turn < 5; turn += 1) {
    await accept(held)
    await reject(held)
  }
  assert.equal((await jobs(held)).length, 1)
})

test('an issuer out of reach is notified later, and the lease of a run that died expires', async () => {
  const held = await received()
  issuer.lie({ reply: { notification: (reply, { n }) => (n === 1 ? { ...reply, status: 503 } : reply) } })
  await accept(held)
  assert.equal((await fault(runJobs(held))).code, 'upstream.answer')
  await runJobs(held)
  assert.deepEqual(news(), ['credential_accepted', 'credential_accepted'])
})

test('a notification whose job is lost gets another one, so that the issuer hears of it and of what follows', async () => {
  const held = await received()
  await accept(held)
  const { signal } = new AbortController()
  bench.later(601)
  await resumeNotifications(bench.platform, signal)
  assert.equal((await jobs(held)).length, 1, 'the job was there')
  await bench.loseJobs(held.thandi.tenantId)
  bench.later(601)
  await resumeNotifications(bench.platform, signal)
  await runJobs(held)
  assert.deepEqual(news(), ['credential_accepted'])
  await remove(held)
  await runJobs(held)
  assert.deepEqual(news(), ['credential_accepted', 'credential_deleted'])
  bench.later(-1202)
})

test('the issuer last hears a rejection that was not committed when the job of the acceptance began', async () => {
  const held = await received()
  await accept(held)
  const { platform } = bench
  const { promise: written, resolve: isWritten } = Promise.withResolvers<void>()
  const { userId } = held.thandi
  assert(userId !== null)
  const rejection = platform.store.inTenant(held.thandi.tenantId, async (tx) => {
    await updateConsent(tx, userId, held.id, 'rejected', platform.clock.now())
    await enqueueNotification(tx, held.id, platform.clock.now())
    isWritten()
    // Until the job of the acceptance has begun, and has had time to read. An embedded database begins none meanwhile.
    const begun = until(async () => (await jobs(held))[0]?.attempts === 1)
    await Promise.race([begun.then(() => pause(300)), pause(3000)])
  })
  await written
  const worker = startWorker(platform, credentialJobs, [], { pollMs: 20 })
  await rejection
  await until(async () => (await jobs(held)).length === 0)
  await worker.stop()
  assert.equal(news().at(-1), 'credential_deleted')
})
