import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret } from '../../../keys/secret-hash.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId, sql } from '../../../store/store.ts'
import { findSession } from '../session.ts'
import {
  aBrowser,
  aName,
  aTenantWith,
  auditOf,
  aVisit,
  cookieHeader,
  disableUser,
  jobsOf,
  type Servers,
  twoServers,
} from '../test-support/person.ts'
import type { UserRef } from '../visit.ts'
import { decide, failureKeys, lockedSeconds } from './lockout.ts'
import { recordRefusalJob } from './record-refusal.ts'
import { chooseOrganisation, signInByPassword } from './sign-in-by-password.ts'

let servers: Servers
before(async () => {
  servers = await twoServers()
})
after(() => servers.db.close())

const password = 'correct horse battery'
async function aPerson(username = aName(), email = `${username}@example.org`) {
  const { slug, tenantId, people } = await aTenantWith(servers.one, [{ username, email, password }])
  const [person] = people
  assert.ok(person)
  return { username, email, slug, tenantId, person }
}

function signIn(
  name: string,
  tenantSlug: string | null,
  tried = password,
  browser = aBrowser(),
  platform = servers.one,
) {
  return signInByPassword(platform, { name, password: tried, tenantSlug }, browser)
}

/** A browser at which the person has signed in, as the attacker's are not. */
async function aKnownDevice(name: string, slug: string) {
  const outcome = await signIn(name, slug)
  assert.ok(outcome.kind === 'signed-in')
  return outcome.cookies[1] ?? null
}

for (const [how, typed] of [
  ['username', (one: { username: string; email: string }) => one.username.toUpperCase()],
  ['e-mail address', (one: { username: string; email: string }) => one.email.toUpperCase()],
] as const) {
  test(`a person signs in by ${how}, with and without naming the tenant`, async () => {
    const person = await aPerson()
    for (const slug of [person.slug, null]) {
      const outcome = await signIn(typed(person), slug)
      assert.ok(outcome.kind === 'signed-in')
      assert.equal(outcome.session.userId, person.person.userId)
      assert.deepEqual(outcome.session.methods, ['pwd'])
      assert.deepEqual(await findSession(servers.two, cookieHeader(...outcome.cookies)), outcome.session)
    }
  })
}

test('wrong password, unknown name, unknown tenant, foreign tenant, disabled user: one answer', async () => {
  const [one, other] = [await aPerson(), await aPerson()]
  const disabled = await aPerson()
  await disableUser(servers.one, disabled.person)
  for (const [name, slug, tried] of [
    [one.username, one.slug, 'wrong password'],
    [one.username, null, 'wrong password'],
    [aName(), one.slug, password],
    [aName(), null, password],
    ['\0', null, password],
    [one.username, other.slug, password],
    [one.username, 'no-such-tenant', password],
    [one.username, one.slug, ''],
    [one.username, one.slug, password.repeat(100)],
    [disabled.username, disabled.slug, password],
    [disabled.username, null, password],
  ] as const) {
    assert.deepEqual(await signIn(name, slug, tried), { kind: 'refused' }, `${name} ${slug} ${tried.slice(0, 20)}`)
  }
})

test('known and unknown names cost the same statements and write the same rows', async () => {
  const one = await aPerson()
  const cost = async (name: string, slug: string | null) => {
    const before = { ...servers.one.store.counts }
    const jobs = (await jobsOf(servers.one, platformTenantId)).length
    await signIn(name, slug, 'wrong password')
    const { statements, transactions } = servers.one.store.counts
    const more = (await jobsOf(servers.one, platformTenantId)).length - jobs
    return { statements: statements - before.statements, transactions: transactions - before.transactions, jobs: more }
  }
  for (const slug of [one.slug, null]) {
    await cost(aName(), slug)
    assert.deepEqual(await cost(one.username, slug), await cost(aName(), slug))
  }
})

test('a person of several organisations chooses one, once, after the password was right', async () => {
  const username = aName()
  const [first, second] = [await aPerson(username), await aPerson(username)]
  assert.deepEqual(await signIn(username, null, 'wrong password'), { kind: 'refused' })
  const outcome = await signIn(username, null)
  assert.ok(outcome.kind === 'choose')
  assert.deepEqual(
    outcome.organisations,
    [first, second].map(({ slug }) => ({ slug, name: `Org ${slug}` })),
  )
  const { choice } = outcome
  const foreign = await aPerson()
  const choose = (platform: Platform, tenantSlug: string, text = choice) =>
    chooseOrganisation(platform, { choice: text, tenantSlug }, aBrowser())
  assert.deepEqual(await choose(servers.one, foreign.slug), { kind: 'refused' })
  assert.deepEqual(await choose(servers.one, second.slug, `${choice}AAAA`), { kind: 'refused' })
  const chosen = await Promise.all([choose(servers.one, second.slug), choose(servers.two, second.slug)])
  assert.deepEqual(chosen.map(({ kind }) => kind).toSorted(), ['refused', 'signed-in'])
  const done = chosen.find((one) => one.kind === 'signed-in')
  assert.equal(done?.session.tenantId, second.tenantId)
})

test('a choice expires after five minutes', async () => {
  const username = aName()
  const { slug } = await aPerson(username)
  await aPerson(username)
  const outcome = await signIn(username, null)
  assert.ok(outcome.kind === 'choose')
  servers.clock.shiftSeconds = 301
  const late = await chooseOrganisation(servers.one, { choice: outcome.choice, tenantSlug: slug }, aBrowser())
  servers.clock.shiftSeconds = 0
  assert.deepEqual(late, { kind: 'refused' })
})

test('of more organisations than four the oldest accounts count: later ones displace nobody', async () => {
  const username = aName()
  const oldest = await aPerson(username)
  for (let n = 0; n < 4; n += 1) await aTenantWith(servers.one, [{ username, password: `another password ${n}` }])
  const outcome = await signIn(username, null)
  assert.ok(outcome.kind === 'signed-in')
  assert.equal(outcome.session.tenantId, oldest.tenantId)
})

test('of more organisations than four that of a known browser is found too, by its own person only', async () => {
  const username = aName()
  for (let n = 0; n < 4; n += 1) await aTenantWith(servers.one, [{ username, password: `another password ${n}` }])
  const { slug, tenantId } = await aPerson(username)
  assert.deepEqual(await signIn(username, null), { kind: 'refused' })
  const device = await aKnownDevice(username, slug)
  const known = () => ({ ...aBrowser(), cookieHeader: cookieHeader(device) })
  const outcome = await signIn(username, null, password, known())
  assert.ok(outcome.kind === 'signed-in')
  assert.equal(outcome.session.tenantId, tenantId)
  assert.deepEqual(await signIn(username, null, 'wrong password', known()), { kind: 'refused' })
  const other = await aPerson()
  const foreign = { ...aBrowser(), cookieHeader: cookieHeader(await aKnownDevice(other.username, other.slug)) }
  assert.deepEqual(await signIn(username, null, password, foreign), { kind: 'refused' })
})

const passwordHash = sql(
  'test.password_hash',
  'select password_hash as hash from user_account where tenant_id = $1 and id = $2',
)
const setHash = sql('test.set_hash', 'update user_account set password_hash = $3 where tenant_id = $1 and id = $2')
const hashOf = async ({ tenantId, userId }: UserRef) => {
  const [row] = await servers.one.store.single(tenantId, (tx) =>
    tx.rows<{ hash: string }>(passwordHash, [tenantId, userId]),
  )
  return row?.hash ?? ''
}

test('a scrypt hash becomes argon2id at the sign-in that proves the password, not before', async () => {
  const { username, slug, person } = await aPerson()
  const old = await hashSecret(password, 'password')
  await servers.one.store.single(person.tenantId, (tx) => tx.rows(setHash, [person.tenantId, person.userId, old]))
  await signIn(username, slug, 'wrong password')
  assert.equal(await hashOf(person), old)
  assert.equal((await signIn(username, slug)).kind, 'signed-in')
  const upgraded = await hashOf(person)
  assert.match(upgraded, /^\$argon2id\$/)
  assert.equal((await signIn(username, slug)).kind, 'signed-in')
  assert.equal(await hashOf(person), upgraded)
})

test('ten parallel guesses in two processes: five are let through, the right one after them is not', async () => {
  const { username, slug } = await aPerson()
  const ip = '192.0.2.1'
  const guess = (n: number, tried = `wrong password ${n}`) =>
    signIn(
      username,
      n % 3 === 0 ? null : slug,
      tried,
      { ...aBrowser(), visit: aVisit(ip) },
      n % 2 ? servers.one : servers.two,
    )
  const outcomes = await Promise.all(Array.from({ length: 10 }, (_, n) => guess(n)))
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), [
    ...Array(5).fill('locked'),
    ...Array(5).fill('refused'),
  ])
  const right = await guess(11, password)
  assert.ok(right.kind === 'locked' && right.retryAfterSeconds <= 30)
})

test('the lock backs off, counts one guess after each pause, and ends with a success', async () => {
  const { username, slug } = await aPerson()
  const browser = { ...aBrowser(), visit: aVisit('192.0.2.2') }
  const guess = (tried: string) => signIn(username, slug, tried, browser)
  try {
    for (let n = 0; n < 5; n += 1) assert.equal((await guess('wrong password')).kind, 'refused')
    const waits: number[] = []
    for (let n = 0; n < 8; n += 1) {
      const outcome = await guess(password)
      assert.ok(outcome.kind === 'locked')
      waits.push(outcome.retryAfterSeconds)
      servers.clock.shiftSeconds += outcome.retryAfterSeconds + 1
      if (n < 7) assert.equal((await guess('wrong password')).kind, 'refused')
    }
    assert.deepEqual(waits, [30, 60, 120, 240, 480, 900, 900, 900])
    assert.equal((await guess(password)).kind, 'signed-in')
    for (let n = 0; n < 5; n += 1) assert.equal((await guess('wrong password')).kind, 'refused')
  } finally {
    servers.clock.shiftSeconds = 0
  }
})

test('an attacker in the same network locks neither a known device nor another network', async () => {
  const { username, slug } = await aPerson()
  const device = await aKnownDevice(username, slug)
  const visit = aVisit('192.0.2.3')
  const attack = () => signIn(username, slug, 'wrong password', { visit, cookieHeader: undefined })
  for (let n = 0; n < 6; n += 1) await attack()
  assert.equal((await attack()).kind, 'locked')
  const known = { visit, cookieHeader: cookieHeader(device) }
  assert.equal((await signIn(username, slug, password, known)).kind, 'signed-in')
  assert.equal((await attack()).kind, 'locked', 'the success at the known device returns no guesses to others')
  assert.equal((await signIn(username, slug)).kind, 'signed-in')
})

test('a known device has five guesses too, and only for the user who signed in there', async () => {
  const [one, other] = [await aPerson(), await aPerson()]
  const device = await aKnownDevice(one.username, one.slug)
  const browser = { visit: aVisit('192.0.2.4'), cookieHeader: cookieHeader(device) }
  for (let n = 0; n < 5; n += 1) await signIn(one.username, one.slug, 'wrong password', browser)
  assert.equal((await signIn(one.username, one.slug, password, browser)).kind, 'locked')
  assert.equal((await signIn(one.username, one.slug)).kind, 'signed-in', 'other devices are not affected')
  for (let n = 0; n < 5; n += 1) await signIn(other.username, other.slug, 'wrong password', browser)
  const stranger = { ...browser, cookieHeader: undefined }
  assert.equal((await signIn(other.username, other.slug, password, stranger)).kind, 'locked', 'counted by network')
})

test('wrong passwords from 200 networks lock a network that repeats, not the first try of another', async () => {
  const { username, slug } = await aPerson()
  const fail = async (ip: string) => {
    const keys = await failureKeys(servers.one, username, ip, null)
    if ((await lockedSeconds(servers.one, keys)) > 0) return 'locked'
    return (await decide(servers.one, keys, false, async () => undefined)).kind
  }
  for (let n = 0; n < 200; n += 1) assert.equal(await fail(`10.${n}.0.1`), 'wrong')
  assert.equal(await fail('10.7.0.2'), 'locked', 'a neighbour of one that failed')
  assert.equal(
    (await signIn(username, slug, password, { ...aBrowser(), visit: aVisit('10.201.0.1') })).kind,
    'signed-in',
  )
  assert.equal(await fail('10.202.0.1'), 'wrong')
  assert.equal(await fail('10.202.0.1'), 'locked')
})

test('guesses from the addresses of a /48 are counted together', async () => {
  const { username, slug } = await aPerson()
  for (let n = 0; n < 40; n += 1) {
    const keys = await failureKeys(servers.one, username, `2001:db8:5:${n.toString(16)}00::1`, null)
    assert.equal((await decide(servers.one, keys, false, async () => undefined)).kind, 'wrong')
  }
  const visit = aVisit('2001:db8:5:ffff::1')
  assert.equal((await signIn(username, slug, password, { ...aBrowser(), visit })).kind, 'locked')
})

test('a forged or expired device cookie is none', async () => {
  const { username, slug } = await aPerson()
  const device = (await aKnownDevice(username, slug)) ?? ''
  const value = device.split(';')[0] ?? ''
  const forged = value.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  const visit = aVisit('192.0.2.5')
  for (let n = 0; n < 5; n += 1) await signIn(username, slug, 'wrong password', { visit, cookieHeader: undefined })
  assert.equal((await signIn(username, slug, password, { visit, cookieHeader: forged })).kind, 'locked')
  assert.equal((await signIn(username, slug, password, { visit, cookieHeader: value })).kind, 'signed-in')
  servers.clock.shiftSeconds = 366 * 86_400
  for (let n = 0; n < 5; n += 1) await signIn(username, slug, 'wrong password', { visit, cookieHeader: undefined })
  const late = await signIn(username, slug, password, { visit, cookieHeader: value })
  servers.clock.shiftSeconds = 0
  assert.equal(late.kind, 'locked')
})

test('a network with 100 failures in a minute waits, whatever the names', async () => {
  const visit = aVisit('192.0.2.6')
  const { rateLimiter, clock } = servers.one
  for (let n = 0; n < 99; n += 1) rateLimiter.count('authorization.sign_ins_of_network', '192.0.2.6', clock.now())
  const browser = { visit, cookieHeader: undefined }
  assert.equal((await signIn(aName(), null, password, browser)).kind, 'refused')
  await assert.rejects(signIn(aName(), null, password, browser), { code: 'request.rate_limited' })
})

test('refusals and locks of known names are audited in their tenants, without the name', async () => {
  const { username, tenantId, slug, person } = await aPerson()
  const visit = aVisit('192.0.2.7')
  const last = (await jobsOf(servers.one, platformTenantId)).length
  for (let n = 0; n < 5; n += 1) await signIn(username, slug, 'wrong password', { visit, cookieHeader: undefined })
  const jobs = (await jobsOf(servers.one, platformTenantId)).slice(last)
  assert.ok(!JSON.stringify(jobs).includes(username))
  const about = { id: 'x', tenantId: platformTenantId, attempt: 1 }
  for (const { payload } of jobs) {
    await recordRefusalJob.run(servers.one, payload as never, new AbortController().signal, about)
  }
  const refused = (await auditOf(servers.one, tenantId)).filter(({ result }) => result === 'refused')
  assert.deepEqual(
    refused.map(({ action, subject }) => [action, subject]),
    [...Array(5).fill(['user.authenticated', person.userId]), ['user.locked', person.userId]],
  )
})
