// What becomes of deliveries whose process dies, whose issuer dawdles, whose user goes.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { fetchDeferredJob } from '../offers/fetch-deferred.ts'
import { endLateOrders, resumeOrders } from '../offers/jobs.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Options } from '../test-support/foreign-issuer.ts'
import { type ForeignVerifier, foreignVerifier } from '../test-support/foreign-verifier.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import {
  type DeliveryInput,
  getDeliveryRow,
  type PlannedDelivery,
  planDelivery,
  runDelivery,
  senderOfDelivery,
} from './deliver.ts'
import { walletDeliveries } from './deliver-issued.ts'
import { resumeDeliveries } from './jobs.ts'
import { resumeDeliveryJob } from './resume-delivery.ts'

let bench: Bench
let issuer: ForeignIssuer | null = null
let verifier: ForeignVerifier | null = null
/** Seconds that the clock of the wallet was moved by. */
let passed = 0
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  bench.later(-passed)
  passed = 0
  await issuer?.close()
  await verifier?.close()
  issuer = null
  verifier = null
})

const { signal } = new AbortController()
const disable = sql('test.wallet.disable', 'update user_account set enabled = false where tenant_id = $1')
const later = { status: 202, type: 'application/json', body: { transaction_id: 'tx-1', interval: 60 } }
const query = { credentials: [{ id: 'm', format: 'dc+sd-jwt', meta: { vct_values: ['https://types.example/x'] } }] }

function pass(seconds: number): void {
  passed += seconds
  bench.later(seconds)
}

type Written = { readonly thandi: Caller; readonly id: string; readonly planned: PlannedDelivery }

/** A delivery whose process died as soon as it was written. */
async function written(payload: DeliveryInput['payload'], issuanceId: string | null = null): Promise<Written> {
  const thandi = await bench.person()
  const id = newId()
  const recipient = { identifierType: 'username', value: `u-${thandi.userId}` } as const
  const presentationId = 'presentationRequest' in payload ? newId() : null
  const ask = { id, recipient, pointer: '/recipient', payload, presentationId, issuanceId }
  const planned = await planDelivery(bench.platform, senderOfDelivery(thandi), ask)
  await bench.platform.store.single(thandi.tenantId, planned.insert)
  return { thandi, id, planned }
}

async function writtenOffer(options: Options = {}): Promise<Written> {
  issuer = await foreignIssuer({ batchSize: 2, ...options })
  return written({ credentialOffer: issuer.offerUri, ...(options.txCode && { txCode: options.txCode }) })
}

function callsTo(place: string): number {
  return (issuer?.calls ?? []).filter((call) => call.place === place).length
}

async function isAt({ thandi, id }: Written) {
  const { status, error, credentialIds } = await getDeliveryRow(bench.platform, thandi.tenantId, id)
  return { status, code: error?.code ?? null, credentials: credentialIds.length }
}

/** What the sweeps make jobs of, and then all the jobs, once. */
async function sweepAndRun({ thandi: { tenantId } }: Written, platform = bench.platform, attempt = 1): Promise<void> {
  await resumeDeliveries(platform, signal)
  await resumeOrders(platform, signal)
  for (const { name, payload } of await bench.rows(tenantId, 'job')) {
    const about = { id: 'j', tenantId, attempt }
    // Written by the job of that name.
    if (name === 'wallet.resume-delivery')
      await resumeDeliveryJob.run(platform, payload as { deliveryId: string }, signal, about)
    if (name === 'wallet.fetch-deferred')
      await fetchDeferredJob.run(platform, payload as { deferredId: string }, signal, about)
  }
}

async function notices({ thandi: { tenantId }, id }: Written) {
  const entries = await bench.rows(tenantId, 'audit_entry')
  return entries.filter((one) => one.event_type === 'user.notification' && one.subject_id === id)
}

/** Our own trouble as soon as something is to be kept: what a process that dies there leaves. */
function dyingPlatform(): Platform {
  const { store } = bench.platform
  let isDead = false
  const inTenant = () => {
    isDead = true
    return Promise.reject(new Error('killed'))
  }
  const single: Platform['store']['single'] = (tenantId, work) => (isDead ? inTenant() : store.single(tenantId, work))
  return { ...bench.platform, store: { ...store, inTenant, single } }
}

test('a delivery that died before anything was redeemed is delivered by a job, once, when its time is over', async () => {
  const one = await writtenOffer({ txCode: '4711' })
  await sweepAndRun(one)
  assert.deepEqual(await isAt(one), { status: 'delivering', code: null, credentials: 0 })
  assert.equal(issuer?.calls.length, 0, 'another run may still hold its lease')
  pass(125)
  await sweepAndRun(one)
  await sweepAndRun(one)
  assert.deepEqual(await isAt(one), { status: 'delivered', code: null, credentials: 1 })
  assert.deepEqual([callsTo('token'), callsTo('credential')], [1, 1])
  const [notice, ...others] = await notices(one)
  assert.equal(others.length, 0)
  assert.equal(Object(notice?.detail).userId, one.thandi.userId)
})

test('one that died after it was ordered is ended by its order, with the keys that were proved', async () => {
  const one = await writtenOffer()
  await assert.rejects(runDelivery(dyingPlatform(), senderOfDelivery(one.thandi), one.planned.claimed), /killed/)
  assert.deepEqual(await isAt(one), { status: 'delivering', code: null, credentials: 0 })
  pass(125)
  await sweepAndRun(one)
  await sweepAndRun(one)
  assert.deepEqual(await isAt(one), { status: 'delivered', code: null, credentials: 1 })
  assert.equal(callsTo('token'), 1)
  assert.equal(new Set(issuer?.proved.map((key) => key.x)).size, 2)
  assert.equal((await notices(one)).length, 1)
  assert.equal((await bench.rows(one.thandi.tenantId, 'wallet_credential')).length, 1)
})

test('an order that its issuer refuses after a crash ends the delivery as failed, with the code', async () => {
  const one = await writtenOffer()
  await assert.rejects(runDelivery(dyingPlatform(), senderOfDelivery(one.thandi), one.planned.claimed), /killed/)
  issuer?.lie({ reply: { credential: (reply) => ({ ...reply, status: 400, body: { error: 'invalid_token' } }) } })
  pass(125)
  await sweepAndRun(one)
  assert.deepEqual(await isAt(one), { status: 'failed', code: 'OFFER_UNUSABLE', credentials: 0 })
  assert.equal((await notices(one)).length, 0)
  assert.deepEqual(await bench.rows(one.thandi.tenantId, 'wallet_deferred'), [])
})

test('a deferred credential is delivered when it is received, and failed when it never is', async () => {
  for (const comes of [true, false]) {
    const one = await writtenOffer()
    issuer?.lie({ reply: { credential: () => later } })
    const { fault: refusal } = await runDelivery(bench.platform, senderOfDelivery(one.thandi), one.planned.claimed)
    assert.equal(refusal, null)
    assert.deepEqual(await isAt(one), { status: 'deferred', code: null, credentials: 0 })
    pass(comes ? 65 : 31 * 86_400)
    if (comes) await sweepAndRun(one)
    else await endLateOrders(bench.platform, signal)
    const end = comes ? { status: 'delivered', code: null } : { status: 'failed', code: 'UPSTREAM_TIMEOUT' }
    assert.deepEqual(await isAt(one), { ...end, credentials: comes ? 1 : 0 })
    assert.equal((await notices(one)).length, comes ? 1 : 0)
    await issuer?.close()
  }
})

test('a delivery that finds our own issuer out of service is resumed by a job, not failed', async () => {
  issuer = await foreignIssuer()
  issuer.lie({ reply: { server: (reply, { n }) => (n === 1 ? { ...reply, status: 503 } : reply) } })
  const one = await written({ credentialOffer: issuer.offerUri }, newId())
  const { fault: refusal } = await runDelivery(bench.platform, senderOfDelivery(one.thandi), one.planned.claimed)
  assert.equal(refusal, null)
  assert.deepEqual(await isAt(one), { status: 'delivering', code: null, credentials: 0 })
  pass(1)
  await sweepAndRun(one)
  assert.deepEqual(await isAt(one), { status: 'delivered', code: null, credentials: 1 })
})

test('a delivery whose job is lost gets another one', async () => {
  issuer = await foreignIssuer()
  issuer.lie({ reply: { server: (reply, { n }) => (n === 1 ? { ...reply, status: 503 } : reply) } })
  const one = await written({ credentialOffer: issuer.offerUri }, newId())
  await runDelivery(bench.platform, senderOfDelivery(one.thandi), one.planned.claimed)
  assert.equal((await bench.rows(one.thandi.tenantId, 'job')).length, 1)
  await bench.loseJobs(one.thandi.tenantId)
  pass(61)
  await sweepAndRun(one)
  assert.deepEqual(await isAt(one), { status: 'delivered', code: null, credentials: 1 })
})

test('an order whose answer was lost settles its delivery', async () => {
  const one = await writtenOffer()
  issuer?.lie({ reply: { credential: (reply, { n }) => (n === 1 ? { ...reply, status: 502 } : reply) } })
  const { fault: refusal } = await runDelivery(bench.platform, senderOfDelivery(one.thandi), one.planned.claimed)
  assert.equal(refusal, null)
  assert.deepEqual(await isAt(one), { status: 'delivering', code: null, credentials: 0 })
  await sweepAndRun(one)
  assert.deepEqual(await isAt(one), { status: 'delivered', code: null, credentials: 1 })
})

test('two jobs for one delivery redeem its offer once', async () => {
  const one = await writtenOffer()
  pass(125)
  await resumeDeliveries(bench.platform, signal)
  const about = { id: 'j', tenantId: one.thandi.tenantId, attempt: 1 }
  const run = () => resumeDeliveryJob.run(bench.platform, { deliveryId: one.id }, signal, about)
  await Promise.all([run(), run(), run()])
  assert.deepEqual(await isAt(one), { status: 'delivered', code: null, credentials: 1 })
  assert.equal(callsTo('token'), 1)
})

test('an issuer out of reach is tried again until the last attempt, and then the delivery says so', async () => {
  const one = await writtenOffer()
  issuer?.lie({ reply: { issuer: (reply) => ({ ...reply, status: 503 }) } })
  pass(125)
  assert.equal((await fault(sweepAndRun(one))).code, 'upstream.busy')
  assert.deepEqual(await isAt(one), { status: 'delivering', code: null, credentials: 0 })
  await sweepAndRun(one, bench.platform, 8)
  assert.deepEqual(await isAt(one), { status: 'failed', code: 'UNAVAILABLE', credentials: 0 })
})

test('a delivery to a user who was disabled in the meantime fails', async () => {
  const one = await writtenOffer()
  await bench.platform.store.single(one.thandi.tenantId, (tx) => tx.rows(disable, [tx.tenantId]))
  pass(125)
  await sweepAndRun(one)
  assert.deepEqual(await isAt(one), { status: 'failed', code: 'INVALID_STATE', credentials: 0 })
  assert.equal(issuer?.calls.length, 0)
})

test('a presentation request whose delivery died is pending once, however often the delivery is resumed', async () => {
  verifier = await foreignVerifier(query)
  const one = await written({ presentationRequest: verifier.link() })
  pass(125)
  await sweepAndRun(one)
  await sweepAndRun(one)
  const again = await runDelivery(bench.platform, senderOfDelivery(one.thandi), one.planned.claimed)
  assert.equal(again.fault, null, 'the dead call woke up')
  assert.equal(again.delivery.status, 'delivered')
  const [row, ...others] = await bench.rows(one.thandi.tenantId, 'wallet_presentation')
  assert.deepEqual([row?.id, others.length], [again.delivery.presentationId, 0])
  assert.equal((await notices(one)).length, 1)
})

test('offer, code and identifier of the recipient are sealed', async () => {
  const one = await writtenOffer({ txCode: '4711' })
  const rows = [
    ...(await bench.rows(one.thandi.tenantId, 'wallet_delivery')),
    ...(await bench.rows(one.thandi.tenantId, 'audit_entry')),
  ]
  const text = JSON.stringify(rows, (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  for (const secret of ['4711"', `u-${one.thandi.userId}`, 'credential_offer']) assert(!text.includes(secret), secret)
  await runDelivery(bench.platform, senderOfDelivery(one.thandi), one.planned.claimed)
  const [row] = await bench.rows(one.thandi.tenantId, 'wallet_delivery')
  assert.equal(row?.sealed_parcel, null, 'a delivered offer is kept')
})

test('an mdoc is not issued to a wallet whose tenant has not enabled mdocs', async () => {
  const thandi = await bench.person()
  const recipient = { identifierType: 'username', value: `u-${thandi.userId}` } as const
  const ids = { id: newId(), issuanceId: newId() }
  const offer = { format: 'mdoc', offerUri: 'openid-credential-offer://', txCode: null } as const
  const ask = { ...ids, ...offer, recipient, pointer: '/recipient/value' }
  const refused = await walletDeliveries
    .plan(bench.platform, senderOfDelivery(thandi), ask)
    .catch((error: unknown) => error)
  assert(refused instanceof Fault && refused.code === 'offer.format')
})
