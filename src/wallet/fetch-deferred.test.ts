import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../caller.ts'
import { acceptOffer } from './accept-offer.ts'
import { fetchDeferredJob } from './fetch-deferred.ts'
import { listHeld } from './get-credential.ts'
import { dropDue } from './jobs.ts'
import { fault } from './test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Lies } from './test-support/foreign-issuer.ts'
import { type Bench, openBench } from './test-support/wallet-platform.ts'

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
async function waiting(lies: Lies = {}): Promise<Caller> {
  issuer = await foreignIssuer({ batchSize: 2 })
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
  return listHeld(bench.platform, thandi, { status: null, vct: null }, list)
}

test('a deferred credential appears by itself, once, bound to the keys that were proved', async () => {
  const thandi = await waiting()
  const [row] = await bench.rows(thandi.tenantId, 'job')
  assert.ok(Number(row?.run_at) > bench.platform.clock.now().getTime() + 50_000)
  await Promise.all([runJob(thandi), runJob(thandi)])
  const [credential, ...others] = await held(thandi)
  assert.equal(credential?.status, 'pending')
  assert.equal(others.length, 0)
  assert.equal((await bench.rows(thandi.tenantId, 'wallet_credential_copy')).length, 2)
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
  await runJob(thandi)
  assert.equal((await held(thandi)).length, 1)
})

test('an issuer that is not ready is asked again, not sooner than it wants', async () => {
  const thandi = await waiting({ reply: { deferred: () => later } })
  await runJob(thandi)
  assert.equal((await bench.rows(thandi.tenantId, 'job')).length, 2)
  assert.equal((await bench.rows(thandi.tenantId, 'wallet_deferred')).length, 1)
})

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

test('an issuer out of reach is tried again', async () => {
  const thandi = await waiting({ reply: { deferred: (reply) => ({ ...reply, status: 503 }) } })
  assert.equal((await fault(runJob(thandi))).code, 'upstream.answer')
  assert.equal((await bench.rows(thandi.tenantId, 'wallet_deferred')).length, 1)
})

test('what never comes is given up after 30 days', async () => {
  const thandi = await waiting()
  bench.later(31 * 86_400)
  await dropDue(bench.platform, new AbortController().signal)
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
  bench.later(-31 * 86_400)
})
