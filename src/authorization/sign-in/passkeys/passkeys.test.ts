import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from '../complete-sign-in.ts'
import { makeLink, storeLink } from '../links/one-time-link.ts'
import { beginLinkPasskey, redeemWithPasskey } from '../links/redeem-with-passkey.ts'
import { signInByPassword } from '../passwords/sign-in-by-password.ts'
import { findSession, type Session, startSession } from '../session.ts'
import { Authenticator, type Lie } from '../test-support/authenticator.ts'
import {
  aBrowser,
  aName,
  aTenantWith,
  auditOf,
  aVisit,
  cookieHeader,
  disableUser,
  type Servers,
  twoServers,
} from '../test-support/person.ts'
import type { UserRef } from '../visit.ts'
import { listPasskeys, removePasskey, renamePasskey } from './passkeys.ts'
import { addPasskey, beginPasskey, type CreatedPasskey } from './register-passkey.ts'
import { beginPasskeySignIn, signInByPasskey } from './sign-in-by-passkey.ts'

let servers: Servers
before(async () => {
  servers = await twoServers()
})
after(() => servers.db.close())

async function aPerson(): Promise<UserRef & { readonly slug: string; readonly username: string }> {
  const username = aName()
  const { slug, people } = await aTenantWith(servers.one, [{ username }])
  const [person] = people
  assert.ok(person)
  return { ...person, slug, username }
}

async function aSession(person: UserRef): Promise<Session> {
  const started = await startSession(servers.one, person, ['pwd'], aVisit())
  assert.ok(started)
  return started.session
}

async function register(session: Session, authenticator = new Authenticator(), lie: Lie = {}) {
  const begun = await beginPasskey(servers.one, session)
  assert.ok(begun)
  const response = authenticator.create(begun.options, lie)
  const created = { state: begun.state, response, name: 'Phone' }
  return { authenticator, begun, created, isAdded: await addPasskey(servers.two, session, created, aVisit()) }
}

async function signIn(
  authenticator: Authenticator,
  lie: Lie = {},
  tenantSlug: string | null = null,
  browser = aBrowser(),
) {
  const { options, state } = await beginPasskeySignIn(servers.one)
  const answer = { state, response: authenticator.get(options, lie), tenantSlug }
  return { answer, outcome: await signInByPasskey(servers.two, answer, browser) }
}

async function aPasskey() {
  const person = await aPerson()
  const session = await aSession(person)
  const { authenticator, isAdded } = await register(session)
  assert.equal(isAdded, true)
  return { person, session, authenticator }
}

test('a passkey is registered and signs in without a username, with a handle that holds nothing personal', async () => {
  const { person, session, authenticator } = await aPasskey()
  const { options } = (await beginPasskey(servers.one, session)) ?? {}
  assert.deepEqual(options?.rp, { name: 'Chirograph', id: 'id.example' })
  assert.equal(options.authenticatorSelection?.residentKey, 'required')
  assert.equal(options.authenticatorSelection?.userVerification, 'required')
  assert.deepEqual(options.excludeCredentials, [
    { id: authenticator.id.toString('base64url'), type: 'public-key', transports: ['hybrid', 'internal'] },
  ])
  assert.equal(
    Buffer.from(options.user.id, 'base64url').toString('hex'),
    `${person.tenantId}${person.userId}`.replaceAll('-', ''),
  )
  const { outcome } = await signIn(authenticator)
  assert.ok(outcome.kind === 'signed-in')
  assert.equal(outcome.session.userId, person.userId)
  assert.deepEqual(outcome.session.methods, ['hwk', 'user'])
  assert.deepEqual(await findSession(servers.one, cookieHeader(...outcome.cookies)), outcome.session)
})

for (const [what, lie] of [
  ['another origin', { origin: 'https://evil.example' }],
  ['another RP ID', { rpId: 'evil.example' }],
  ['another challenge', { challenge: 'AAAA' }],
  ['another type', { type: 'webauthn.get' }],
  ['no user verification', { flags: 0x41 }],
  ['no user presence', { flags: 0x44 }],
  ['no attested credential', { flags: 0x05 }],
] as const) {
  test(`a registration with ${what} is refused`, async () => {
    const session = await aSession(await aPerson())
    assert.equal((await register(session, new Authenticator(), lie)).isAdded, false)
    assert.deepEqual(await listPasskeys(servers.one, session), [])
  })
}

for (const [what, lie] of [
  ['another origin', { origin: 'https://evil.example' }],
  ['another RP ID', { rpId: 'evil.example' }],
  ['another challenge', { challenge: 'AAAA' }],
  ['another type', { type: 'webauthn.create' }],
  ['no user verification', { flags: 0x01 }],
  ['no user presence', { flags: 0x04 }],
  ['a wrong signature', { breaksSignature: true }],
  ['a handle of another form', { handle: 'AAAA' }],
  ['no handle', { handle: '' }],
] as const) {
  test(`a sign-in with ${what} is refused`, async () => {
    const { authenticator } = await aPasskey()
    assert.deepEqual((await signIn(authenticator, lie)).outcome, { kind: 'refused' })
    assert.equal((await signIn(authenticator)).outcome.kind, 'signed-in')
  })
}

test('the passkey of one user does not sign in another, nor at another tenant', async () => {
  const [one, other] = [await aPasskey(), await aPasskey()]
  const hex = (of: UserRef) =>
    Buffer.from(`${of.tenantId}${of.userId}`.replaceAll('-', ''), 'hex').toString('base64url')
  assert.deepEqual((await signIn(one.authenticator, { handle: hex(other.person) })).outcome, { kind: 'refused' })
  assert.deepEqual((await signIn(one.authenticator, {}, other.person.slug)).outcome, { kind: 'refused' })
  assert.equal((await signIn(one.authenticator, {}, one.person.slug)).outcome.kind, 'signed-in')
})

test('a challenge signs in once, in two processes, and for five minutes', async () => {
  const { authenticator } = await aPasskey()
  const { options, state } = await beginPasskeySignIn(servers.one)
  const answer = { state, response: authenticator.get(options), tenantSlug: null }
  const both = await Promise.all([servers.one, servers.two].map((one) => signInByPasskey(one, answer, aBrowser())))
  assert.deepEqual(both.map(({ kind }) => kind).toSorted(), ['signed-in', 'stale'])
  const late = await beginPasskeySignIn(servers.one)
  const response = authenticator.get(late.options)
  servers.clock.shiftSeconds = 301
  const outcome = await signInByPasskey(servers.one, { state: late.state, response, tenantSlug: null }, aBrowser())
  servers.clock.shiftSeconds = 0
  assert.deepEqual(outcome, { kind: 'stale' })
})

test('a registration happens once, for the user and the purpose that it began for', async () => {
  const [one, other] = [await aPerson(), await aPerson()]
  const [session, foreign] = [await aSession(one), await aSession(other)]
  const { created, isAdded } = await register(session)
  assert.equal(isAdded, true)
  assert.equal(await addPasskey(servers.one, session, created, aVisit()), false)
  const begun = await beginPasskey(servers.one, session)
  assert.ok(begun)
  const response = new Authenticator().create(begun.options)
  assert.equal(await addPasskey(servers.one, foreign, { ...created, state: begun.state, response }, aVisit()), false)
  const { state } = await beginPasskeySignIn(servers.one)
  assert.equal(await addPasskey(servers.one, session, { ...created, state, response }, aVisit()), false)
  const wrongs: unknown[] = [null, 'x', {}, { ...response, id: 'AAAA' }, { ...response, response: null }]
  for (const wrong of wrongs) {
    const again: CreatedPasskey = { state: begun.state, response: wrong, name: 'x' }
    assert.equal(await addPasskey(servers.one, session, again, aVisit()), false)
  }
  const large = { ...response, response: { ...response.response, attestationObject: 'A'.repeat(16_388) } }
  assert.equal(
    await addPasskey(servers.one, session, { state: begun.state, response: large, name: 'x' }, aVisit()),
    false,
  )
})

test('a counter that does not grow is that of a copy', async () => {
  const { authenticator, person } = await aPasskey()
  authenticator.counter = 5
  assert.equal((await signIn(authenticator)).outcome.kind, 'signed-in')
  assert.deepEqual((await signIn(authenticator)).outcome, { kind: 'refused' })
  authenticator.counter = 4_294_967_295
  const two = await Promise.all([signIn(authenticator), signIn(authenticator)])
  assert.deepEqual(two.map(({ outcome }) => outcome.kind).toSorted(), ['refused', 'signed-in'])
  const refused = (await auditOf(servers.one, person.tenantId)).filter(({ result }) => result === 'refused')
  assert.equal(refused.length, 2)
})

test('an attestation is not evaluated: nothing that the caller made is verified or fetched', async () => {
  const session = await aSession(await aPerson())
  const attStmt = new Map<string, unknown>([
    ['alg', -7],
    ['sig', Buffer.alloc(8)],
    ['x5c', [Buffer.alloc(8)]],
  ])
  const { isAdded } = await register(session, new Authenticator(), { fmt: 'packed', attStmt })
  assert.equal(isAdded, true)
})

test('the user names, renames and removes passkeys; another user cannot', async () => {
  const { session, authenticator, person } = await aPasskey()
  const foreign = await aSession(await aPerson())
  const [passkey] = await listPasskeys(servers.one, session)
  assert.equal(passkey?.name, 'Phone')
  assert.equal(passkey.isSynced, false)
  const { id } = passkey
  assert.equal(await renamePasskey(servers.one, foreign, { id, name: 'Mine' }), false)
  assert.equal(await renamePasskey(servers.one, session, { id: 'no id', name: 'Mine' }), false)
  assert.equal(await renamePasskey(servers.one, session, { id, name: ` ${'\u{1f600}'.repeat(101)}\0` }), true)
  assert.equal((await listPasskeys(servers.one, session))[0]?.name, '\u{1f600}'.repeat(100))
  assert.equal(await removePasskey(servers.one, foreign, id, aVisit()), false)
  assert.equal(await removePasskey(servers.one, session, id, aVisit()), true)
  assert.equal(await removePasskey(servers.one, session, id, aVisit()), false)
  assert.deepEqual((await signIn(authenticator)).outcome, { kind: 'refused' })
  const actions = (await auditOf(servers.one, person.tenantId)).map(({ action }) => action)
  assert.ok(actions.includes('passkey.added') && actions.includes('passkey.removed'))
})

test('a user has at most 20 passkeys', async () => {
  const session = await aSession(await aPerson())
  for (let n = 0; n < 20; n += 1) assert.equal((await register(session)).isAdded, true)
  assert.equal((await register(session)).isAdded, false)
})

test('a passkey is registered only within 15 minutes of a sign-in, and not used by a disabled user', async () => {
  const { session, authenticator, person } = await aPasskey()
  servers.clock.shiftSeconds = 901
  const stale = await beginPasskey(servers.one, session)
  servers.clock.shiftSeconds = 0
  assert.equal(stale, null)
  await disableUser(servers.one, person)
  assert.deepEqual((await signIn(authenticator)).outcome, { kind: 'refused' })
  assert.equal(await beginPasskey(servers.one, session), null)
})

test('a one-time link registers a passkey once, and stays if the passkey is refused', async () => {
  const person = await aPerson()
  const { link, told } = makeLink(servers.one, person, 'welcome')
  await servers.one.store.inTenant(person.tenantId, (tx) =>
    storeLink(tx, link, { way: 'mailed_link', by: 'system', makerRoles: null }, servers.clock.now()),
  )
  const token = new URL(told.url).searchParams.get('token') ?? ''
  const redeem = async (authenticator: Authenticator, platform = servers.one, lie: Lie = {}) => {
    const begun = await beginLinkPasskey(platform, token)
    if (begun === null) return { kind: 'gone' } as const
    const created = { token, state: begun.state, response: authenticator.create(begun.options, lie), name: '' }
    return redeemWithPasskey(platform, created, aBrowser())
  }
  assert.deepEqual(await redeem(new Authenticator(), servers.one, { flags: 0x41 }), { kind: 'invalid' })
  const authenticators = [new Authenticator(), new Authenticator()] as const
  const both = await Promise.all([redeem(authenticators[0]), redeem(authenticators[1], servers.two)])
  assert.equal(both.filter(({ kind }) => kind === 'signed-in').length, 1)
  const done = both.find((one) => one.kind === 'signed-in')
  assert.ok(done?.kind === 'signed-in')
  assert.equal((await listPasskeys(servers.one, done.session)).length, 1)
  assert.equal((await redeem(new Authenticator())).kind, 'gone')
  const works = await Promise.all(authenticators.map((one) => signIn(one)))
  assert.equal(works.filter(({ outcome }) => outcome.kind === 'signed-in').length, 1)
})

test('a passkey signs in while its name is locked by wrong passwords, in that network and at that device', async () => {
  const { person, authenticator } = await aPasskey()
  const tried = { name: person.username, password: 'wrong password', tenantSlug: person.slug }
  const guess = (at: Browser) => signInByPassword(servers.one, tried, at)
  const visit = aVisit('192.0.2.77')
  const lock = async (at: Browser) => {
    for (let n = 0; n < 5; n += 1) await guess(at)
    assert.equal((await guess(at)).kind, 'locked')
  }
  const stranger = { visit, cookieHeader: undefined }
  await lock(stranger)
  const { outcome } = await signIn(authenticator, {}, person.slug, stranger)
  assert.ok(outcome.kind === 'signed-in')
  assert.equal(outcome.session.userId, person.userId)
  const known = { visit, cookieHeader: cookieHeader(outcome.cookies[1] ?? null) }
  await lock(known)
  assert.equal((await signIn(authenticator, {}, null, known)).outcome.kind, 'signed-in')
  assert.equal((await guess(known)).kind, 'locked')
  assert.equal((await guess(stranger)).kind, 'locked', 'a passkey returns no guesses of passwords')
})
