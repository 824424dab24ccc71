// What becomes of a held credential that its issuer revokes or suspends.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { examplePushSubscription } from '../../contract/wallet/push-subscriptions.ts'
import { newId } from '../../store/row-id.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { listHistory } from '../history/list-history.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { listCandidates } from '../presentations/presentable.ts'
import { subscribe } from '../push-subscriptions/subscribe.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Lies } from '../test-support/foreign-issuer.ts'
import { anMdocHolder } from '../test-support/mdoc-holder.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { checkStatusNow, refreshStandings } from './refresh-status.ts'
import { removeCredential } from './remove-credential.ts'
import { setConsent } from './set-consent.ts'

let bench: Bench
let issuer: ForeignIssuer
let passed = 0
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  bench.later(-passed)
  passed = 0
  await issuer.close()
})

const [VALID, REVOKED, SUSPENDED] = [0, 1, 2]
const { signal } = new AbortController()
const list = {
  size: 25,
  after: null,
  before: null,
  readDescending: true,
  sort: { field: 'createdAt', descending: true },
}
/** The list says this; the clock of the wallet runs ahead of the issuer's, so it is good for a day. */
const saying = (status: number, more: Lies = {}): Lies => ({
  listed: { status, payload: (payload) => ({ ...payload, exp: Number(payload.exp) + 86_400, ttl: 60 }) },
  ...more,
})

type Held = { readonly thandi: Caller & { userId: NonNullable<Caller['userId']> }; readonly id: string }

async function holder(lies: Lies = saying(VALID)): Promise<Held> {
  issuer = await foreignIssuer({ batchSize: 2 })
  issuer.lie(lies)
  const thandi = await bench.person()
  const { credentials } = await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
  const id = credentials[0]?.id ?? ''
  await setConsent(bench.platform, thandi, id, 'accepted')
  return { thandi, id }
}
async function refreshedAfter(seconds: number): Promise<void> {
  passed += seconds
  bench.later(seconds)
  await refreshStandings(bench.platform, signal)
}
const lookUps = () => issuer.calls.filter(({ place }) => place === 'list').length
const standing = async ({ thandi, id }: Held) =>
  (await describeCredentials(bench.platform, thandi, [id], undefined)).get(id)?.standing?.status
const query = { credentials: [], credentialSets: null }
/** The status by which the wallet chooses what it proposes. */
const candidate = async ({ thandi, id }: Held) => {
  const found = await listCandidates(bench.platform, thandi, thandi.userId, { query, formats: ['dc+sd-jwt'] }, [id])
  return found.map((one) => one.standing ?? 'none').join()
}
const inHistory = async ({ thandi }: Held) =>
  (await listHistory(bench.platform, thandi, {}, list)).map(({ credential }) => credential?.standing)
const recorded = async ({ thandi }: Held) => {
  const entries = await bench.rows(thandi.tenantId, 'audit_entry')
  const news = entries.filter(({ event_type: type }) => type === 'user.notification')
  return {
    actions: entries.map(({ action }) => String(action)).filter((one) => /revoked|suspended|reinstated/.test(one)),
    events: news.map(({ detail }) => Object(detail).standing),
  }
}

test('a credential that its issuer revokes is known as revoked, and one event is recorded for the holder', async () => {
  const held = await holder()
  assert.deepEqual(
    [await standing(held), await candidate(held), await inHistory(held)],
    ['valid', 'valid', [undefined]],
  )
  issuer.lie(saying(REVOKED))
  await refreshedAfter(60)
  assert.equal(await candidate(held), 'valid', 'it is not due yet')
  await refreshedAfter(16 * 60)
  const states = [await standing(held), await candidate(held), ...(await inHistory(held))]
  assert.deepEqual(states, ['revoked', 'revoked', 'revoked'])
  const before = lookUps()
  await refreshedAfter(86_000)
  assert.equal(lookUps(), before, 'revoked is for good')
  assert.deepEqual(await recorded(held), { actions: ['wallet_credential.revoked'], events: ['revoked'] })
  await removeCredential(bench.platform, held.thandi, held.id)
})

test('a credential that is suspended is valid again once its issuer has reinstated it', async () => {
  const held = await holder()
  const about = { id: newId(), acceptLanguage: undefined }
  const { id: subscriptionId } = await subscribe(bench.platform, held.thandi, examplePushSubscription, about)
  issuer.lie(saying(SUSPENDED))
  await refreshedAfter(16 * 60)
  assert.deepEqual([await standing(held), await candidate(held)], ['suspended', 'suspended'])
  const messages = (await bench.rows(held.thandi.tenantId, 'job')).filter(({ name }) => name === 'wallet.send-push')
  assert.deepEqual(
    messages.map(({ payload }) => payload),
    [{ subscriptionId }],
    'the browser of the holder is sent a message',
  )
  issuer.lie(saying(VALID))
  await refreshedAfter(16 * 60)
  assert.deepEqual([await standing(held), await candidate(held)], ['valid', 'valid'])
  assert.deepEqual((await recorded(held)).events, ['suspended', 'valid'])
})

test('a list that is out of reach, or not that of the issuer, changes nothing, and is fetched again after an hour', async () => {
  const held = await holder()
  issuer.lie({ ...saying(REVOKED), reply: { list: (reply) => ({ ...reply, status: 503 }) } })
  await refreshedAfter(16 * 60)
  issuer.lie({ listed: { ...saying(REVOKED).listed, byStranger: true } })
  const before = lookUps()
  await refreshedAfter(30 * 60)
  assert.equal(lookUps(), before)
  await refreshedAfter(31 * 60)
  assert.equal(lookUps(), before + 1)
  assert.deepEqual([await standing(held), (await recorded(held)).actions], ['valid', []])
})

test('a list is fetched no more often than its ttl allows, and once for several credentials', async () => {
  const held = await holder({
    listed: { payload: (payload) => ({ ...payload, exp: Number(payload.exp) + 200_000, ttl: 7200 }) },
  })
  const before = lookUps()
  await refreshedAfter(16 * 60)
  await refreshedAfter(60 * 60)
  assert.equal(lookUps(), before, 'the kept list is good for two hours')
  await refreshedAfter(7200)
  assert.equal(lookUps(), before + 1)
  assert.equal(await standing(held), 'valid')
})

test('a check that a holder asks for reads the list anew before the ttl of the list is over, and records one event', async () => {
  const held = await holder({
    listed: { payload: (payload) => ({ ...payload, exp: Number(payload.exp) + 200_000, ttl: 43_200 }) },
  })
  const check = () => checkStatusNow(bench.platform, held.thandi, held.id)
  const before = lookUps()
  assert.equal((await check()).standing?.status, 'valid')
  assert.equal(lookUps(), before, 'it was fetched at the receipt, within this minute')
  issuer.lie(saying(REVOKED))
  passed += 61
  bench.later(61)
  const [one, other] = await Promise.all([check(), check()])
  assert.deepEqual([one.standing?.status, other.standing?.status], ['revoked', 'revoked'])
  assert.deepEqual((await recorded(held)).events, ['revoked'])
  const asked = lookUps()
  assert.deepEqual([(await check()).isChecked, lookUps()], [false, asked], 'revoked is for good')
})

test('a check that fails says so and keeps the last one; a holder may ask ten times a minute', async () => {
  const held = await holder()
  const check = () => checkStatusNow(bench.platform, held.thandi, held.id)
  const first = await check()
  assert.deepEqual([first.isChecked, first.standing?.status], [true, 'valid'])
  issuer.lie({ ...saying(REVOKED), reply: { list: (reply) => ({ ...reply, status: 503 }) } })
  passed += 61
  bench.later(61)
  const second = await check()
  assert.deepEqual(second, { standing: first.standing, isChecked: false })
  for (let asked = 1; asked < 10; asked += 1) await check()
  assert.equal((await fault(check())).code, 'request.rate_limited')
  const other = await bench.person()
  assert.equal((await fault(checkStatusNow(bench.platform, other, held.id))).code, 'resource.unknown')
})

test('a kept list is fetched again when its ttl is over, not a ttl after it was last used', async () => {
  const held = await holder({
    listed: { payload: (payload) => ({ ...payload, exp: Number(payload.exp) + 200_000, ttl: 7200 }) },
  })
  // The check takes the list that was fetched an hour before.
  await refreshedAfter(3600)
  issuer.lie(saying(REVOKED))
  await refreshedAfter(3700)
  assert.equal(await standing(held), 'revoked')
})

test('a credential without a status is never looked up', async () => {
  const held = await holder({})
  await refreshedAfter(3000)
  assert.deepEqual([lookUps(), await standing(held), await candidate(held)], [0, undefined, 'none'])
})

test('an mdoc is held, and has no standing if it names no list', async () => {
  issuer = await foreignIssuer({ offers: ['licence'] })
  const thandi = await anMdocHolder(bench)
  const { credentials } = await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
  await refreshedAfter(3600)
  const id = credentials[0]?.id ?? ''
  const details = (await describeCredentials(bench.platform, thandi, [id], undefined)).get(id)
  assert.equal(details?.standing, undefined)
  assert.ok(details?.validUntil)
})
