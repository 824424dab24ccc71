import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { claimJobs, failJob } from '../../jobs/job-store.ts'
import type { Platform } from '../../platform.ts'
import { listHeld } from '../credentials/get-credential.ts'
import { notifyIssuerJob } from '../credentials/notify-issuer.ts'
import { removeCredential } from '../credentials/remove-credential.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Lies, type Options } from '../test-support/foreign-issuer.ts'
import { gate } from '../test-support/gate.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'
import { fetchDeferredJob } from './fetch-deferred.ts'
import { endLateOrders, resumeOrders } from './jobs.ts'

let bench: Bench
let issuer: ForeignIssuer
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(() => issuer.close())

const later = { status: 202, type: 'application/json', body: { transaction_id: 'tx-1', interval: 60 } }
const list = {
  size: 25,
  after: null,
  before: null,
  sort: { field: 'createdAt', descending: true },
  readDescending: true,
}

/** A person whose credential the issuer has deferred. */
async function waiting(lies: Lies = {}, options: Options = {}): Promise<Caller> {
  issuer = await foreignIssuer({ batchSize: 2, ...options })
  issuer.lie({ ...lies, reply: { credential: () => later, ...lies.reply } })
  const thandi = await bench.person()
  const { credentials, deferred } = await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
  assert.deepEqual(credentials, [])
  const vct = 'https://types.example/membership'
  assert.deepEqual(deferred, [{ credentialConfigurationId: 'membership', vct, intervalSeconds: 60 }])
  return thandi
}

async function runJob({ tenantId }: Caller): Promise<void> {
  const [row] = await bench.rows(tenantId, 'job')
  const about = { id: 'j', tenantId, attempt: 1 }
  await fetchDeferredJob.run(
    bench.platform,
    row?.payload as { deferredId: string },
    new AbortController().signal,
    about,
  )
}

function held(thandi: Caller) {
  return listHeld(bench.platform, thandi, { status: null, vct: null, superseded: null }, list)
}

test('a deferred credential appears by itself, once, bound to the keys that were proved', async () => {
  const thandi = await waiting()
  const [row] = await bench.rows(thandi.tenantId, 'job')
  assert.ok(Number(row?.run_at) > bench.platform.clock.now().getTime() + 50_000)
  await Promise.allSettled([runJob(thandi), runJob(thandi)])
  const [credential, ...others] = await held(thandi)
  assert.equal(credential?.status, 'pending')
  assert.equal(others.length, 0)
  assert.equal((await bench.rows(thandi.tenantId, 'wallet_credential_copy')).length, 2)
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
  await runJob(thandi)
  assert.equal((await held(thandi)).length, 1)
})

test('of two concurrent runs one holds the lease: the other requests nothing, deletes nothing, and is retried', async () => {
  const thandi = await waiting()
  const slow = gate()
  issuer.lie({ reply: { deferred: async (reply) => slow.passed.then(() => reply) } })
  const first = runJob(thandi)
  await slow.reached(() => issuer.calls.some(({ place }) => place === 'deferred'))
  assert.equal((await fault(runJob(thandi))).code, 'state.invalid')
  slow.open()
  await first
  assert.equal((await held(thandi)).length, 1)
  assert.equal(issuer.calls.filter(({ place }) => place === 'deferred').length, 1)
})

test('of two runs that receive the credential, because the lease of the first expired, one stores it', async () => {
  const thandi = await waiting()
  const slow = gate()
  issuer.lie({ reply: { deferred: async (reply, { n }) => (n === 1 ? slow.passed.then(() => reply) : reply) } })
  const first = runJob(thandi)
  await slow.reached(() => issuer.calls.some(({ place }) => place === 'deferred'))
  bench.later(601)
  await runJob(thandi)
  slow.open()
  await first
  bench.later(-601)
  assert.equal((await held(thandi)).length, 1)
})

test('a run whose lease was taken over deletes nothing when it is refused', async () => {
  const thandi = await waiting()
  const [slow, slower] = [gate(), gate()]
  const denied = { ...later, status: 400, body: { error: 'invalid_transaction_id' } }
  issuer.lie({
    reply: {
      deferred: async (reply, { n }) => (n === 1 ? slow.passed.then(() => denied) : slower.passed.then(() => reply)),
    },
  })
  const polled = (n: number) => () => issuer.calls.filter(({ place }) => place === 'deferred').length === n
  const first = runJob(thandi)
  await slow.reached(polled(1))
  bench.later(601)
  const second = runJob(thandi)
  await slower.reached(polled(2))
  slow.open()
  await first
  assert.equal((await bench.rows(thandi.tenantId, 'wallet_deferred')).length, 1)
  slower.open()
  await second
  bench.later(-601)
  assert.equal((await held(thandi)).length, 1)
})

test('a received credential is kept while the key of its issuer is out of reach, and is not requested again', async () => {
  const thandi = await waiting({}, { identity: 'jwt-vc-issuer' })
  issuer.lie({ reply: { keys: (reply) => ({ ...reply, status: 503 }) } })
  assert.equal((await fault(runJob(thandi))).code, 'upstream.answer')
  const denied = { ...later, status: 400, body: { error: 'invalid_transaction_id' } }
  issuer.lie({ reply: { deferred: () => denied } })
  await runJob(thandi)
  assert.equal((await held(thandi)).length, 1)
  const notifications = issuer.calls.filter(({ place }) => place === 'notification')
  assert.equal(notifications.length, 0, 'the issuer was notified of a failure that was none')
})

const pending = { ...later, status: 400, body: { error: 'issuance_pending', interval: 60 } }
for (const [what, notReady] of [
  ['is not ready', later],
  ['is not ready, in the words of the drafts,', pending],
] as const) {
  test(`an issuer that ${what} is polled again, not before its interval [W-R8]`, async () => {
    const thandi = await waiting({ reply: { deferred: () => notReady } })
    await runJob(thandi)
    assert.equal((await bench.rows(thandi.tenantId, 'job')).length, 2)
    assert.equal((await bench.rows(thandi.tenantId, 'wallet_deferred')).length, 1)
  })
}

for (const [what, lies] of [
  [
    'is denied',
    { reply: { deferred: () => ({ ...later, status: 400, body: { error: 'credential_request_denied' } }) } },
  ],
  ['does not hold', { payload: (payload) => ({ ...payload, vct: 'https://types.example/other' }) }],
] as const satisfies readonly (readonly [string, Lies])[]) {
  test(`a deferred credential that ${what} ends with its keys and its token, and nothing is kept`, async () => {
    const thandi = await waiting(lies)
    await runJob(thandi)
    assert.deepEqual(await held(thandi), [])
    assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
    assert.equal((await bench.rows(thandi.tenantId, 'job')).length, 1)
  })
}

test('[W-R9] an issuer that gives a deferred credential a notification_id hears of acceptance, deletion and failure', async () => {
  const events = () =>
    issuer.calls.filter(({ place }) => place === 'notification').map(({ body }) => JSON.parse(body) as unknown)
  const thandi = await waiting()
  await runJob(thandi)
  const id = (await held(thandi))[0]?.id ?? ''
  await setConsent(bench.platform, thandi, id, 'accepted')
  await runNotifications(thandi)
  await removeCredential(bench.platform, thandi, id)
  await runNotifications(thandi)
  const named = { notification_id: 'news-2' }
  assert.deepEqual(events(), [
    { ...named, event: 'credential_accepted' },
    { ...named, event: 'credential_deleted' },
  ])
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_notification'), [])
  await issuer.close()
  const other = await waiting({ payload: (payload) => ({ ...payload, vct: 'https://types.example/other' }) })
  await runJob(other)
  assert.deepEqual(events(), [{ ...named, event: 'credential_failure' }])
})

async function runNotifications({ tenantId }: Caller): Promise<void> {
  const about = { id: 'j', tenantId, attempt: 1 }
  const { signal } = new AbortController()
  for (const { name, payload } of await bench.rows(tenantId, 'job'))
    if (name === notifyIssuerJob.name)
      await notifyIssuerJob.run(bench.platform, payload as { notificationId: string }, signal, about)
}

test('an issuer out of reach is tried again', async () => {
  const thandi = await waiting({ reply: { deferred: (reply) => ({ ...reply, status: 503 }) } })
  assert.equal((await fault(runJob(thandi))).code, 'upstream.busy')
  assert.equal((await bench.rows(thandi.tenantId, 'wallet_deferred')).length, 1)
})

test('a poll whose job is lost gets another one after its time, and the credential arrives', async () => {
  const thandi = await waiting({ reply: { deferred: (reply, { n }) => (n === 1 ? later : reply) } })
  const { signal } = new AbortController()
  for (const isReady of [false, true]) {
    await bench.loseJobs(thandi.tenantId)
    bench.later(59)
    await resumeOrders(bench.platform, signal)
    assert.deepEqual(await bench.rows(thandi.tenantId, 'job'), [], 'polled before the interval of the issuer [W-R8]')
    bench.later(70)
    await resumeOrders(bench.platform, signal)
    await runJob(thandi)
    assert.equal((await held(thandi)).length, isReady ? 1 : 0)
  }
  bench.later(-258)
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
})

test('a poll whose job is late gets no second one, and one whose job has failed for good does', async () => {
  const thandi = await waiting()
  const { signal } = new AbortController()
  const jobs = async () => (await bench.rows(thandi.tenantId, 'job')).length
  bench.later(3600)
  await resumeOrders(bench.platform, signal)
  assert.equal(await jobs(), 1)
  const { store, clock } = bench.platform
  const claimed = await store.across('due jobs', (tx) =>
    claimJobs(tx, [fetchDeferredJob], clock.now(), { limit: 1000, without: [] }),
  )
  const mine = claimed.find(({ tenantId }) => tenantId === thandi.tenantId) ?? assert.fail('not claimed')
  await store.single(thandi.tenantId, (tx) => failJob(tx, mine, clock.now(), 'upstream.busy'))
  await resumeOrders(bench.platform, signal)
  assert.equal(await jobs(), 1, 'looked for within the hour')
  bench.later(3601)
  await resumeOrders(bench.platform, signal)
  assert.equal(await jobs(), 2)
  bench.later(-7201)
})

test('an order whose credential never comes is deleted after 30 days', async () => {
  const thandi = await waiting()
  bench.later(31 * 86_400)
  await endLateOrders(bench.platform, new AbortController().signal)
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
  bench.later(-31 * 86_400)
})

for (const [what, killAt] of [
  ['while the issuer answered', '/club/a/give'],
  ['while the credential was checked', '/.well-known/jwt-vc-issuer/club/a'],
] as const) {
  test(`a call that dies ${what} loses nothing: a job asks again with the same keys, once`, async () => {
    issuer = await foreignIssuer({ batchSize: 2, identity: 'jwt-vc-issuer' })
    const thandi = await bench.person()
    const dying = dyingAt(killAt)
    await assert.rejects(acceptOffer(dying, thandi, { credentialOffer: issuer.offerUri }), /died/)
    const { signal } = new AbortController()
    await resumeOrders(bench.platform, signal)
    assert.deepEqual(await bench.rows(thandi.tenantId, 'job'), [], 'the call might still be at work')
    assert.deepEqual(await held(thandi), [])
    bench.later(91)
    await resumeOrders(bench.platform, signal)
    await resumeOrders(bench.platform, signal)
    assert.equal((await bench.rows(thandi.tenantId, 'job')).length, 1)
    await runJob(thandi)
    bench.later(-91)
    assert.equal((await held(thandi)).length, 1)
    assert.equal(new Set(issuer.proved.map((key) => key.x)).size, 2)
    assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
    const [copy] = await bench.rows(thandi.tenantId, 'wallet_credential_copy')
    assert.ok(copy?.sealed_key)
  })
}

test('an order of a dead call that the issuer refuses is deleted, with its keys and its token', async () => {
  issuer = await foreignIssuer()
  const thandi = await bench.person()
  await assert.rejects(acceptOffer(dyingAt('/club/a/give'), thandi, { credentialOffer: issuer.offerUri }), /died/)
  const text = JSON.stringify(await bench.rows(thandi.tenantId, 'wallet_deferred'), (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  for (const secret of ['the-token', 'membership', 'eyJ']) assert.ok(!text.includes(secret), secret)
  issuer.lie({ reply: { credential: (reply) => ({ ...reply, status: 401, body: { error: 'invalid_token' } }) } })
  bench.later(91)
  await resumeOrders(bench.platform, new AbortController().signal)
  await runJob(thandi)
  bench.later(-91)
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
  assert.deepEqual(await held(thandi), [])
})

test('a call whose order a job has ended stores nothing twice, and its error says that the credential comes by itself', async () => {
  issuer = await foreignIssuer()
  const thandi = await bench.person()
  const slow = gate()
  issuer.lie({ reply: { credential: async (reply, { n }) => (n === 1 ? slow.passed.then(() => reply) : reply) } })
  const call = fault(acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri }))
  await slow.reached(() => issuer.calls.some(({ place }) => place === 'credential'))
  bench.later(91)
  await resumeOrders(bench.platform, new AbortController().signal)
  await runJob(thandi)
  slow.open()
  assert.equal((await call).code, 'upstream.timeout')
  bench.later(-91)
  assert.equal((await held(thandi)).length, 1)
})

/** A platform whose process ends when it is about to call a path. */
function dyingAt(path: string): Platform {
  const { fetch } = bench.platform
  return {
    ...bench.platform,
    fetch: (tenantId, url, request) => {
      if (new URL(url).pathname === path) throw new Error('died')
      return fetch(tenantId, url, request)
    },
  }
}
