// A held credential near its end, and after it: its holder is told once, and a newer one takes its place.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { examplePushSubscription } from '../../contract/wallet/push-subscriptions.ts'
import { newId } from '../../store/row-id.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { subscribe } from '../push-subscriptions/subscribe.ts'
import { type ForeignIssuer, foreignIssuer, type Lies } from '../test-support/foreign-issuer.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { listHeld } from './get-credential.ts'
import { notifyIssuerJob } from './notify-issuer.ts'
import { refreshStandings } from './refresh-status.ts'
import { remindHolders } from './remind-holders.ts'
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

const { signal } = new AbortController()
const newestFirst = {
  size: 25,
  after: null,
  before: null,
  readDescending: true,
  sort: { field: 'createdAt', descending: true },
}
type Person = Caller & { readonly userId: NonNullable<Caller['userId']> }

function wait(seconds: number): void {
  passed += seconds
  bench.later(seconds)
}

/** Its code is taken as often as it is sent. */
const again: Lies = {
  reply: {
    token: () => ({
      status: 200,
      type: 'application/json',
      body: { access_token: 'the-token', token_type: 'bearer', expires_in: 300 },
    }),
  },
}
const saying = (status: number): Lies => ({
  ...again,
  listed: { status, payload: (payload) => ({ ...payload, exp: Number(payload.exp) + 86_400, ttl: 60 }) },
})

/** The person takes a credential of the issuer by an offer of its own. @returns its id */
async function taken(person: Person, consent: 'accepted' | 'pending' = 'accepted'): Promise<string> {
  const offer = JSON.stringify(issuer.offer({ nth: newId() }))
  const credentialOffer = `openid-credential-offer://?credential_offer=${encodeURIComponent(offer)}`
  const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer })
  const id = credentials[0]?.id ?? ''
  if (consent === 'accepted') await setConsent(bench.platform, person, id, consent)
  return id
}

/** Runs the jobs by which the issuer hears of the person's consent. */
async function notifyAll({ tenantId }: Person): Promise<void> {
  const about = { id: 'j', tenantId, attempt: 1 }
  const queued = (await bench.rows(tenantId, 'job')).filter(({ name }) => name === notifyIssuerJob.name)
  for (const { payload } of queued)
    await notifyIssuerJob.run(bench.platform, payload as { notificationId: string }, signal, about)
}

const newerOf = async (person: Person, id: string) =>
  (await describeCredentials(bench.platform, person, [id], undefined)).get(id)?.newerId
const listed = async (person: Person, superseded: 'true' | 'false' | null) => {
  const found = await listHeld(bench.platform, person, { status: null, vct: null, superseded }, newestFirst)
  return found.map(({ id }) => id)
}
const told = async ({ tenantId }: Person) => {
  const entries = await bench.rows(tenantId, 'audit_entry')
  return entries.map(({ detail }) => Object(detail)).filter(({ kind }) => kind === 'ending')
}
const messages = async ({ tenantId }: Person) =>
  (await bench.rows(tenantId, 'job')).filter(({ name }) => name === 'wallet.send-push').length

test('a holder is told once that a credential ends, by an event and a message, whatever sweeps run at once', async () => {
  issuer = await foreignIssuer()
  issuer.lie(again)
  const thandi = (await bench.person()) as Person
  const about = { id: newId(), acceptLanguage: undefined }
  await subscribe(bench.platform, thandi, examplePushSubscription, about)
  const id = await taken(thandi)
  await taken(thandi, 'pending')
  wait(44 * 60)
  await remindHolders(bench.platform, signal)
  assert.deepEqual(await told(thandi), [], 'of an hour the last quarter has not begun')
  wait(2 * 60)
  await Promise.all(Array.from({ length: 4 }, () => remindHolders(bench.platform, signal)))
  await remindHolders(bench.platform, signal)
  const [one, ...others] = await told(thandi)
  assert.deepEqual([one.userId, one.credentialIds, others], [thandi.userId, [id], []])
  assert.match(one.endsAt, /^\d{4}-.*Z$/)
  assert.equal(await messages(thandi), 1)
  const details = (await describeCredentials(bench.platform, thandi, [id], undefined)).get(id)
  assert.equal(details?.endsSoon, true)
})

test('nobody is told of what is over, was revoked, or has a newer one', async () => {
  issuer = await foreignIssuer()
  issuer.lie(again)
  const [thandi, sipho, lerato] = (await Promise.all([bench.person(), bench.person(), bench.person()])) as Person[]
  assert(thandi && sipho && lerato)
  await taken(thandi)
  issuer.lie(saying(0))
  await taken(lerato)
  issuer.lie(saying(1))
  wait(16 * 60)
  await refreshStandings(bench.platform, signal)
  issuer.lie(again)
  const first = await taken(sipho)
  const second = await taken(sipho)
  wait(31 * 60)
  await remindHolders(bench.platform, signal)
  assert.deepEqual([(await told(thandi)).length, (await told(lerato)).length], [1, 0])
  assert.deepEqual(
    (await told(sipho)).map(({ credentialIds }) => credentialIds),
    [[second]],
    `${first} has a newer one`,
  )
})

test('nobody is told after the end', async () => {
  issuer = await foreignIssuer()
  const thandi = (await bench.person()) as Person
  await taken(thandi)
  wait(61 * 60)
  await remindHolders(bench.platform, signal)
  assert.deepEqual(await told(thandi), [])
})

test('a newer credential takes the place of one that is revoked, and of one that has ended, of its own wallet only', async () => {
  issuer = await foreignIssuer()
  issuer.lie(saying(0))
  const [thandi, other] = (await Promise.all([bench.person(), bench.person()])) as Person[]
  assert(thandi && other)
  const old = await taken(thandi)
  await taken(other)
  assert.deepEqual([await newerOf(thandi, old), await listed(thandi, 'true')], [undefined, []])
  issuer.lie(saying(1))
  wait(16 * 60)
  await refreshStandings(bench.platform, signal)
  issuer.lie(saying(0))
  wait(61)
  const waiting = await taken(thandi, 'pending')
  assert.equal(await newerOf(thandi, old), undefined, 'what is not accepted takes no place')
  const fresh = await taken(thandi)
  assert.equal(await newerOf(thandi, old), fresh)
  assert.deepEqual(await listed(thandi, 'false'), [fresh, waiting])
  assert.deepEqual(await listed(thandi, 'true'), [old])
  assert.deepEqual((await listed(thandi, null)).length, 3)
  assert.equal(await newerOf(other, old), undefined)
  assert.deepEqual(await listed(other, 'true'), [])
})

test('the status of an older credential is checked once the issuer knows that a newer one was accepted, and a minute later', async () => {
  issuer = await foreignIssuer()
  for (const revokes of ['at once', 'later']) {
    issuer.lie(saying(0))
    const thandi = (await bench.person()) as Person
    const old = await taken(thandi)
    wait(120)
    const fresh = await taken(thandi)
    assert.deepEqual(await listed(thandi, 'false'), [fresh, old])
    // A list of another server that was fetched within a minute is not fetched again.
    wait(61)
    if (revokes === 'at once') issuer.lie(saying(1))
    await notifyAll(thandi)
    issuer.lie(saying(1))
    wait(61)
    if (revokes === 'later') {
      assert.deepEqual(await listed(thandi, 'false'), [fresh, old])
      await refreshStandings(bench.platform, signal)
    }
    assert.deepEqual(await listed(thandi, 'false'), [fresh], revokes)
  }
})

test('the status of an older credential is checked soon after a newer one is accepted', async () => {
  issuer = await foreignIssuer()
  issuer.lie(saying(0))
  const thandi = (await bench.person()) as Person
  const old = await taken(thandi)
  wait(16 * 60)
  await refreshStandings(bench.platform, signal)
  // Its next check is fifteen minutes away; the issuer revokes it as the newer one is accepted.
  wait(60)
  issuer.lie(saying(0))
  const fresh = await taken(thandi)
  issuer.lie(saying(1))
  wait(120)
  await refreshStandings(bench.platform, signal)
  assert.equal(await newerOf(thandi, old), fresh)
})
