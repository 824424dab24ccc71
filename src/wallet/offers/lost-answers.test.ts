// An answer that is lost on its way, of the issuer or of the database, loses no credential.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { lossyStore } from '../../../test/support/lossy-database.ts'
import type { Caller } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Reply } from '../test-support/foreign-issuer.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'
import { fetchDeferredJob } from './fetch-deferred.ts'
import { resumeOrders } from './jobs.ts'

let bench: Bench
let issuer: ForeignIssuer
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(() => issuer.close())

const { signal } = new AbortController()
const count = async ({ tenantId }: Caller, table: string) => (await bench.rows(tenantId, table)).length
const callsTo = (place: string) => issuer.calls.filter((call) => call.place === place).length
const accept = (thandi: Caller, platform: Platform = bench.platform) =>
  acceptOffer(platform, thandi, { credentialOffer: issuer.offerUri })

async function runJobs({ tenantId }: Caller): Promise<void> {
  for (const { name, payload } of await bench.rows(tenantId, 'job')) {
    // Written by the job of that name.
    if (name === 'wallet.fetch-deferred')
      await fetchDeferredJob.run(bench.platform, payload as { deferredId: string }, signal, {
        id: 'j',
        tenantId,
        attempt: 1,
      })
  }
}
/** A person whose issuer has issued, and whose answer did not arrive as one: the first time only. */
async function unanswered(change: Partial<Reply>): Promise<Caller> {
  issuer = await foreignIssuer({ batchSize: 2 })
  issuer.lie({ reply: { credential: (reply, { n }) => (n === 1 ? { ...reply, ...change } : reply) } })
  const thandi = await bench.person()
  const refused = await fault(accept(thandi))
  const isBusy = change.status === 503 || change.status === 429
  assert.equal(refused.code, isBusy ? 'upstream.busy' : 'upstream.answer')
  assert.match(refused.detail ?? '', /by itself/)
  assert.equal(callsTo('notification'), 0, 'the issuer was notified of a failure that was none')
  return thandi
}

for (const status of [500, 502, 503, 429]) {
  test(`an issuer that answers ${status} after it has issued is retried by a job, with the same keys`, async () => {
    const thandi = await unanswered({ status, type: 'text/html', body: '' })
    await runJobs(thandi)
    assert.deepEqual([await count(thandi, 'wallet_credential'), await count(thandi, 'wallet_deferred')], [1, 0])
    assert.equal(new Set(issuer.proved.map((key) => key.x)).size, 2)
  })
}

test('a repetition of the call fetches the credential at once, and once', async () => {
  const thandi = await unanswered({ status: 503 })
  assert.equal((await accept(thandi)).credentials.length, 1)
  await runJobs(thandi)
  assert.deepEqual([callsTo('token'), await count(thandi, 'wallet_credential')], [1, 1])
  assert.equal(await count(thandi, 'wallet_deferred'), 0)
})

/** The platform on which the answers of commits, and of statements by name, are lost. */
function losingCommits(...names: string[]): Platform {
  const { store, lose } = lossyStore(bench.platform.store)
  for (const statement of ['commit', ...names]) void lose('answer', { statement, times: 99 })
  return { ...bench.platform, store }
}

test('a call whose commit was carried out and not confirmed returns the credential that is there', async () => {
  issuer = await foreignIssuer()
  const thandi = await bench.person()
  const { credentials } = await accept(thandi, losingCommits())
  const [row, ...others] = await bench.rows(thandi.tenantId, 'wallet_credential')
  assert.deepEqual([credentials.map(({ id }) => id), others.length], [[row?.id], 0])
})

test('a repetition of a request whose commit was not confirmed returns the credential; another request is refused', async () => {
  issuer = await foreignIssuer()
  const thandi = await bench.person()
  await assert.rejects(accept(thandi, losingCommits('wallet.list_received')), /connection lost/)
  issuer.lie({ reply: { token: (reply) => ({ ...reply, status: 400, body: { error: 'invalid_grant' } }) } })
  const input = { credentialOffer: issuer.offerUri }
  const { credentials } = await acceptOffer(bench.platform, thandi, input, { isRepeated: true })
  const [row] = await bench.rows(thandi.tenantId, 'wallet_credential')
  assert.deepEqual(
    credentials.map(({ id }) => id),
    [row?.id],
  )
  assert.equal((await fault(accept(thandi))).code, 'offer.unusable')
  const other = await bench.person(thandi.tenantId)
  assert.equal((await fault(acceptOffer(bench.platform, other, input, { isRepeated: true }))).code, 'offer.unusable')
})

test('a repetition by another person of the organisation does not get it', async () => {
  const thandi = await unanswered({ status: 503 })
  const other = await bench.person(thandi.tenantId)
  assert.equal((await fault(accept(other))).code, 'offer.unusable')
})

test('a credential that could not be checked is not requested again: the issuer sends it once', async () => {
  issuer = await foreignIssuer({ identity: 'jwt-vc-issuer' })
  issuer.lie({ reply: { keys: (reply) => ({ ...reply, status: 503 }) } })
  const thandi = await bench.person()
  assert.equal((await fault(accept(thandi))).code, 'upstream.answer')
  issuer.lie({ reply: { credential: (reply) => ({ ...reply, status: 400, body: { error: 'invalid_token' } }) } })
  await runJobs(thandi)
  assert.deepEqual([callsTo('credential'), await count(thandi, 'wallet_credential')], [1, 1])
})

test('a status list that cannot be had at this moment refuses nothing (7.5, step 7): the credential waits for it', async () => {
  issuer = await foreignIssuer()
  issuer.lie({ listed: {}, reply: { list: (reply, { n }) => (n === 1 ? { ...reply, status: 503 } : reply) } })
  const thandi = await bench.person()
  assert.equal((await fault(accept(thandi))).code, 'upstream.unreachable')
  assert.equal(await count(thandi, 'wallet_credential'), 0)
  await runJobs(thandi)
  assert.deepEqual([callsTo('credential'), await count(thandi, 'wallet_credential')], [1, 1])
})

test('an order that cannot be written at once is written a moment later: the token is nowhere else', async () => {
  issuer = await foreignIssuer()
  const thandi = await bench.person()
  const { store, lose, statements } = lossyStore(bench.platform.store)
  void lose('request', { statement: 'wallet.insert_deferred' })
  assert.equal((await accept(thandi, { ...bench.platform, store })).credentials.length, 1)
  assert.equal(statements.filter((one) => one === 'wallet.insert_deferred').length, 2)
})

test('an order that was written and not confirmed is the order of the call, which returns the credential', async () => {
  issuer = await foreignIssuer()
  const thandi = await bench.person()
  const { store, lose } = lossyStore(bench.platform.store)
  void lose('answer', { statement: 'wallet.insert_deferred' })
  const { credentials } = await accept(thandi, { ...bench.platform, store })
  assert.equal(credentials.length, 1)
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
})

test('whichever statement of the flow loses its answer, the credential is there once in the end', async () => {
  for (let nth = 1; ; nth += 1) {
    issuer = await foreignIssuer()
    const thandi = await bench.person()
    const { store, lose, statements } = lossyStore(bench.platform.store)
    void lose('answer', { nth })
    const came = await accept(thandi, { ...bench.platform, store }).catch(() => null)
    const lost = statements[nth - 1]
    if (lost === undefined) {
      assert.ok(nth > 5, 'no statement was lost')
      return
    }
    const redeemed = callsTo('token') > 0
    bench.later(91)
    await resumeOrders(bench.platform, signal)
    await runJobs(thandi)
    bench.later(-91)
    if (!redeemed) await accept(thandi)
    const found = [await count(thandi, 'wallet_credential'), await count(thandi, 'wallet_deferred')]
    assert.deepEqual(found, [1, 0], `statement ${nth}: ${lost}, answered: ${came !== null}`)
    await issuer.close()
  }
})
