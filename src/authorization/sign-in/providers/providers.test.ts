import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { readBootstrap } from '../../../directory/bootstrap/bootstrap-file.ts'
import { findRoles } from '../../../directory/users/find-roles.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import type { Platform } from '../../../platform.ts'
import { newId } from '../../../store/row-id.ts'
import { applyIdentityProviders } from '../../access/apply-identity-providers.ts'
import { aPerson, atProvider, warningsIn } from '../test-support/at-a-provider.ts'
import { type Lie, OpenidProvider } from '../test-support/openid-provider.ts'
import {
  aBrowser,
  aName,
  auditOf,
  cookieHeader,
  disableUser,
  type Servers,
  twoServers,
} from '../test-support/person.ts'
import { beginProviderSignIn, finishProviderSignIn, listSignInProviders } from './sign-in-by-provider.ts'

const op = new OpenidProvider()
const lines: object[] = []
let servers: Servers
const { entry, aTenant, begin, signIn, userOf } = atProvider(op, () => servers)
before(async () => {
  servers = await twoServers({ fetch: op.fetch, log: warningsIn(lines) })
})
after(() => servers.db.close())
beforeEach(() => {
  op.lie = {}
})

test('a new person becomes a user with roles, where the provider is set so, and is the same user next time', async () => {
  const tenant = await aTenant({ createsUsers: true })
  const username = aName()
  const person = aPerson({
    preferred_username: username,
    email: `${username}@example.org`,
    email_verified: true,
    given_name: 'Thandi',
    employee_id: 'E7',
    realm_access: { roles: ['chirograph-issuer', 'constructor', 'unknown', 7] },
  })
  const first = await signIn(tenant, person)
  assert.ok(first.kind === 'signed-in')
  assert.equal(first.continueTo, '/auth/authorize?x=1')
  assert.deepEqual(first.session.methods, ['fed'])
  assert.match(first.cookies[2] ?? '', /^__Host-chirograph-state-[\w-]{8}=; .*Max-Age=0/)
  const user = await userOf(tenant, username)
  assert.deepEqual(
    [user.id, user.email, user.firstName, user.externalIdentifier],
    [first.session.userId, `${username}@example.org`, 'Thandi', 'E7'],
  )
  const roles = () => servers.one.store.single(tenant.tenantId, (tx) => findRoles(tx, user.id))
  assert.deepEqual((await roles())?.toSorted(), ['issuer', 'verifier'])
  const again = await signIn(tenant, { ...person, preferred_username: 'renamed', realm_access: { roles: [] } })
  assert.ok(again.kind === 'signed-in')
  assert.equal(again.session.userId, user.id)
  assert.deepEqual(await roles(), [])
  const actions = (await auditOf(servers.one, tenant.tenantId)).map(({ action }) => action)
  assert.equal(actions.filter((one) => one === 'identity_provider.linked').length, 1)
})

test('a new person who signs in twice at once becomes one user', async () => {
  const tenant = await aTenant({ createsUsers: true })
  op.person = aPerson({ preferred_username: aName() })
  const begun = [await begin(tenant), await begin(tenant)]
  const outcomes = await Promise.all(
    begun.map(({ url, cookie }, at) =>
      finishProviderSignIn(at === 0 ? servers.one : servers.two, op.authorize(url), aBrowser(cookie)),
    ),
  )
  const users = outcomes.map((one) => (one.kind === 'signed-in' ? one.session.userId : one.problem))
  assert.equal(new Set(users).size, 1, users.join())
})

test('what is sent to the provider has state, nonce, S256 and the redirect URI of this provider alone', async () => {
  const { slug } = await aTenant()
  const { url, cookie } = await begin({ slug })
  const asked = new URL(url).searchParams
  assert.equal(asked.get('redirect_uri'), `https://id.example/sign-in/external/${slug}/school`)
  assert.equal(asked.get('code_challenge_method'), 'S256')
  assert.equal(asked.get('login_hint'), 'thandi')
  assert.equal(asked.get('scope'), 'openid profile email')
  const bare = await begin(await aTenant({ scopes: ['email', 'groups'] }))
  assert.equal(new URL(bare.url).searchParams.get('scope'), 'openid email groups')
  for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name)?.length ?? 0) >= 43, name)
  assert.match(
    cookie,
    /^__Host-chirograph-state-[\w-]{8}=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
})

test('an unknown person is refused where the provider creates no users', async () => {
  const tenant = await aTenant()
  const outcome = await signIn(tenant, aPerson({ preferred_username: aName() }))
  assert.ok(outcome.kind === 'refused')
  assert.equal(outcome.problem, 'unknown')
})

test('a person is linked by external identifier or verified address, never by an unverified one', async () => {
  const [byId, byMail] = [aName(), aName()]
  const tenant = await aTenant({}, [
    { username: byId, externalIdentifier: 'E1' },
    { username: byMail, email: `${byMail}@example.org` },
  ])
  const email = `${byMail.toUpperCase()}@example.org`
  for (const email_verified of [false, undefined, 'false', 'True', '1', '', 1, null]) {
    const outcome = await signIn(tenant, aPerson({ email, email_verified, preferred_username: byMail }))
    assert.ok(outcome.kind === 'refused' && outcome.problem === 'unknown', String(email_verified))
  }
  for (const [username, claims] of [
    [byId, { employee_id: 'E1' }],
    [byMail, { email, email_verified: true }],
  ] as const) {
    const outcome = await signIn(tenant, aPerson(claims))
    assert.ok(outcome.kind === 'signed-in')
    assert.equal(outcome.session.userId, (await userOf(tenant, username)).id)
    const second = await signIn(tenant, aPerson(claims))
    assert.ok(second.kind === 'refused' && second.problem === 'taken', 'another account with the same claim')
    const { userId, tenantId } = outcome.session
    const found = await servers.one.store.single(tenantId, (tx) => findSignInUser(tx, userId))
    assert.equal(found?.emailIsVerified, username === byMail)
  }
})

test('an address that is verified in words counts as verified, in the ID token and in UserInfo', async () => {
  const [one, two] = [aName(), aName()]
  const users = [one, two].map((username) => ({ username, email: `${username}@example.org` }))
  const tenant = await aTenant({}, users)
  const verified = (username: string) => ({ email: `${username}@example.org`, email_verified: 'true' })
  const first = await signIn(tenant, aPerson(verified(one)))
  op.lie = { userInfo: verified(two) }
  const second = await signIn(tenant, aPerson())
  assert.ok(first.kind === 'signed-in' && second.kind === 'signed-in')
  const expected = [(await userOf(tenant, one)).id, (await userOf(tenant, two)).id]
  assert.deepEqual([first.session.userId, second.session.userId], expected)
})

test('a username or unverified address of another user makes no user and no link', async () => {
  const username = aName()
  const tenant = await aTenant({ createsUsers: true }, [{ username, email: `${username}@example.org` }])
  const outcome = await signIn(tenant, aPerson({ preferred_username: username }))
  assert.ok(outcome.kind === 'refused' && outcome.problem === 'taken')
  const created = await signIn(tenant, aPerson({ preferred_username: aName(), email: `${username}@example.org` }))
  assert.ok(created.kind === 'signed-in')
  assert.notEqual(created.session.userId, (await userOf(tenant, username)).id)
})

test('claims come from UserInfo where the ID token lacks them, with the verification beside the address only', async () => {
  const username = aName()
  const tenant = await aTenant({}, [{ username, email: `${username}@example.org` }])
  const person = aPerson()
  op.lie = { userInfo: { email_verified: true }, claims: { email: `${username}@example.org` } }
  const mixed = await signIn(tenant, person)
  assert.ok(mixed.kind === 'refused' && mixed.problem === 'unknown', 'verified elsewhere')
  op.lie = { userInfo: { email: `${username}@example.org`, email_verified: true } }
  assert.equal((await signIn(tenant, person)).kind, 'signed-in')
  op.lie = { userInfo: { sub: 'another subject' } }
  const foreign = await signIn(tenant, person)
  assert.ok(foreign.kind === 'refused' && foreign.problem === 'provider')
})

test('claims with one value in an array name a person, and those with several do not', async () => {
  const username = aName()
  const tenant = await aTenant({ createsUsers: true }, [{ username: aName(), externalIdentifier: 'E9' }])
  const email = [`${username}@example.org`]
  const made = await signIn(tenant, aPerson({ preferred_username: [username], email, email_verified: true }))
  assert.ok(made.kind === 'signed-in')
  const user = await userOf(tenant, username)
  assert.deepEqual([user.id, user.email], [made.session.userId, `${username}@example.org`])
  const found = await signIn(tenant, aPerson({ employee_id: ['E9'] }))
  assert.ok(found.kind === 'signed-in')
  const several = await signIn(tenant, aPerson({ preferred_username: aName(), employee_id: ['E9', 'E8'] }))
  assert.ok(several.kind === 'signed-in' && several.session.userId !== found.session.userId)
})

test('a secret in the Authorization header is form-encoded, with the characters of a random one as they are', async () => {
  op.lie = { metadata: { token_endpoint_auth_methods_supported: ['client_secret_basic'] } }
  const tenant = await aTenant({ clientSecret: 'q8Q-b_x.Y ~+/=:%é' })
  await signIn(tenant, aPerson())
  const sent = op.requests.findLast(({ url }) => url.endsWith('/token'))
  const [, credentials = ''] = sent?.authorization?.split(' ') ?? []
  const expected = 'chirograph:q8Q-b_x.Y+%7E%2B%2F%3D%3A%25%C3%A9'
  assert.equal(Buffer.from(credentials, 'base64').toString(), expected)
  assert.ok(!sent?.body?.includes('client_secret'))
})

test('members of the token response that a sign-in does not read may have any form', async () => {
  const tenant = await aTenant({ createsUsers: true })
  const person = aPerson({ preferred_username: aName() })
  for (const tokens of [
    { scope: ['openid', 'profile'] },
    { scope: null, refresh_token: null, expires_in: null },
    { refresh_token: '', expires_in: -1 },
  ]) {
    op.lie = { tokens }
    assert.equal((await signIn(tenant, person)).kind, 'signed-in', JSON.stringify(tokens))
  }
  for (const tokens of [{ token_type: undefined }, { token_type: 'mac' }, { id_token: undefined }]) {
    op.lie = { tokens }
    const outcome = await signIn(tenant, person)
    assert.ok(outcome.kind === 'refused' && outcome.problem === 'provider', JSON.stringify(tokens))
  }
})

test('a disabled user is refused', async () => {
  const username = aName()
  const tenant = await aTenant({}, [{ username, externalIdentifier: 'E1' }])
  const { id: userId } = await userOf(tenant, username)
  await disableUser(servers.one, { tenantId: tenant.tenantId, userId })
  const outcome = await signIn(tenant, aPerson({ employee_id: 'E1' }))
  assert.ok(outcome.kind === 'refused' && outcome.problem === 'disabled')
})

const hour = 3600
const lies: readonly (readonly [what: string, lie: Lie])[] = [
  ['another key', { isSignedByAnother: true }],
  ['no signature', { alg: 'none' }],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['another audience', { claims: { aud: 'another client' } }],
  ['several audiences and another authorized party', { claims: { aud: ['chirograph', 'x'], azp: 'x' } }],
  ['another nonce', { claims: { nonce: 'AAAA' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['an expiry in the past', { claims: { exp: Math.floor(Date.now() / 1000) - hour } }],
  ['a subject of 256 characters', { claims: { sub: 'x'.repeat(256) } }],
]
for (const [what, lie] of lies) {
  test(`an ID token with ${what} is refused`, async () => {
    const tenant = await aTenant({ createsUsers: true })
    op.lie = lie
    const outcome = await signIn(tenant, aPerson({ preferred_username: aName() }))
    assert.ok(outcome.kind === 'refused')
    assert.equal(outcome.problem, 'provider')
  })
}

test('a sign-in ends in the browser in which it began, once, at its own redirect URI, within ten minutes', async () => {
  const tenant = await aTenant({ createsUsers: true })
  op.person = aPerson({ preferred_username: aName() })
  const [mine, foreign] = [await begin(tenant), await begin(tenant)]
  const back = op.authorize(mine.url)
  for (const [path, cookie] of [
    [back, null],
    [back, foreign.cookie],
    [back, mine.cookie.replace(/=[\w-]+/, '=AAAA')],
    [back, foreign.cookie.replace(/^[^=]+/, mine.cookie.split('=')[0] ?? '')],
    [back.replace('/school', '/other'), mine.cookie],
    [back.replace(/state=[^&]+/, 'state=AAAA'), mine.cookie],
  ] as const) {
    const outcome = await finishProviderSignIn(servers.one, path, { ...aBrowser(), cookieHeader: cookieHeader(cookie) })
    assert.ok(outcome.kind === 'refused' && outcome.problem === 'state', path)
  }
  const finish = (platform: Platform) => finishProviderSignIn(platform, back, aBrowser(mine.cookie))
  const both = await Promise.all([finish(servers.one), finish(servers.two)])
  assert.deepEqual(both.map(({ kind }) => kind).toSorted(), ['refused', 'signed-in'])
  const late = await begin(tenant)
  servers.clock.shiftSeconds = 601
  const outcome = await finishProviderSignIn(servers.one, op.authorize(late.url), aBrowser(late.cookie))
  servers.clock.shiftSeconds = 0
  assert.ok(outcome.kind === 'refused' && outcome.problem === 'state')
})

test('two tabs of a browser sign in at once, and each ends where it began', async () => {
  const tenant = await aTenant({ createsUsers: true })
  op.person = aPerson({ preferred_username: aName() })
  const first = await begin(tenant)
  const second = await begin({ ...tenant, cookieHeader: cookieHeader(first.cookie) })
  for (const [at, one] of [first, second].entries()) {
    const browser = aBrowser(first.cookie, second.cookie)
    const outcome = await finishProviderSignIn(at === 0 ? servers.two : servers.one, op.authorize(one.url), browser)
    assert.ok(outcome.kind === 'signed-in')
    // Its own cookie ends, not that of the other tab.
    assert.deepEqual(
      outcome.cookies
        .filter((text) => /^__Host-chirograph-state-.*Max-Age=0/.test(text))
        .map((text) => text.split('=')[0]),
      [one.cookie.split('=')[0]],
    )
  }
})

test('a browser that begins again and again keeps its last sign-ins, in less than 4,000 characters', async () => {
  const tenant = await aTenant({ createsUsers: true })
  op.person = aPerson({ preferred_username: aName() })
  const begun: Awaited<ReturnType<typeof begin>>[] = []
  let kept: string[] = []
  for (let round = 0; round < 12; round += 1) {
    const one = await begin({ ...tenant, cookieHeader: cookieHeader(...kept) })
    const ended = one.cookies.slice(1).map((text) => text.split('=')[0])
    kept = [...kept.filter((text) => !ended.includes(text.split('=')[0])), one.cookie]
    assert.ok(cookieHeader(...kept).length <= 4000, `round ${round}: ${cookieHeader(...kept).length}`)
    begun.push(one)
  }
  assert.ok(kept.length >= 3)
  const finish = async (at: number) => {
    const { url } = begun.at(at) ?? assert.fail()
    return finishProviderSignIn(servers.one, op.authorize(url), aBrowser(...kept))
  }
  assert.equal((await finish(-3)).kind, 'signed-in')
  assert.equal((await finish(-1)).kind, 'signed-in')
  assert.partialDeepStrictEqual(await finish(0), { kind: 'refused', problem: 'state' })
})

test('the answer of another issuer, and an error of the provider, are refused', async () => {
  const tenant = await aTenant({ createsUsers: true })
  for (const change of [
    (back: string) => back.replace(/iss=[^&]+/, `iss=${encodeURIComponent('https://evil.example')}`),
    (back: string) => back.replace(/&iss=[^&]+/, ''),
    (back: string) => back.replace(/code=[^&]+/, 'error=access_denied'),
    (back: string) => back.replace(/code=[^&]+/, 'code=wrong'),
  ]) {
    const { url, cookie } = await begin(tenant)
    const outcome = await finishProviderSignIn(servers.one, change(op.authorize(url)), aBrowser(cookie))
    assert.ok(outcome.kind === 'refused' && outcome.problem === 'provider')
  }
})

test('discovery happens once for each server and change of the provider, and an outage is told apart', async () => {
  const tenant = await aTenant({ createsUsers: true })
  const fetched = () => op.requests.filter(({ url }) => url.includes('openid-configuration')).length
  const start = fetched()
  op.lie = { isDown: true }
  const about = { tenantSlug: tenant.slug, provider: 'school', loginHint: null }
  assert.equal(await beginProviderSignIn(servers.one, about, null), null)
  op.lie = {}
  for (let n = 0; n < 3; n += 1) await begin(tenant)
  assert.equal(fetched() - start, 2, 'a failure is not kept')
  const { url, cookie } = await begin(tenant)
  op.lie = { isDown: true }
  const outcome = await finishProviderSignIn(servers.one, op.authorize(url), aBrowser(cookie))
  assert.ok(outcome.kind === 'refused' && outcome.problem === 'unavailable')
  op.lie = { metadata: { issuer: 'https://evil.example' } }
  assert.equal(await beginProviderSignIn(servers.one, { ...about, provider: 'other' }, null), null)
})

test('a key that the provider signs with unannounced is found a minute after its keys were last fetched', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const tenant = await aTenant({ createsUsers: true })
  const person = aPerson({ preferred_username: aName() })
  assert.equal((await signIn(tenant, person)).kind, 'signed-in')
  op.rotate()
  const early = await signIn(tenant, person)
  assert.ok(early.kind === 'refused' && early.problem === 'provider')
  t.mock.timers.tick(61_000)
  assert.equal((await signIn(tenant, person)).kind, 'signed-in')
})

test('no log line holds a secret, a code or a name', async () => {
  const text = JSON.stringify(lines)
  assert.ok(lines.length > 5)
  for (const secret of [op.clientSecret, 'code-', 'person', op.bearer]) assert.ok(!text.includes(secret), secret)
})

test('the page lists providers for sign-in by name, and applying the same file changes nothing', async () => {
  const { slug, tenantId, file } = await aTenant()
  assert.deepEqual(await listSignInProviders(servers.one, slug), [
    { name: 'other', displayName: 'School account' },
    { name: 'school', displayName: 'School account' },
  ])
  const count = async () => (await auditOf(servers.one, tenantId)).length
  const before = await count()
  await Promise.all([servers.one, servers.two].map((one) => applyIdentityProviders(one, file)))
  assert.equal(await count(), before)
  const [tenant] = file.tenants
  assert.ok(tenant)
  const changed = {
    tenants: [{ ...tenant, identityProviders: [{ ...entry, clientSecret: 'another', signIn: false }] }],
  }
  await applyIdentityProviders(servers.one, changed)
  assert.equal(await count(), before + 1)
  assert.equal((await listSignInProviders(servers.one, slug)).length, 1)
  assert.equal(
    await beginProviderSignIn(servers.one, { tenantSlug: slug, provider: 'school', loginHint: null }, null),
    null,
  )
})

test('a bootstrap file declares providers, with the secret from the environment', () => {
  const file = (provider: object) =>
    JSON.stringify({ tenants: [{ slug: 'acme', name: 'Acme', identityProviders: [provider] }] })
  const { clientSecret: _, ...rest } = entry
  const read = readBootstrap(file({ ...rest, clientSecret: { env: 'OP_SECRET' } }), { OP_SECRET: 'x' })
  assert.equal(read.tenants[0]?.identityProviders?.[0]?.clientSecret, 'x')
  for (const wrong of [
    { ...rest, acceptTokens: true },
    { ...rest, roles: { a: ['king'] } },
    { ...rest, name: 'A b' },
    { ...rest, more: 1 },
  ]) {
    assert.throws(() => readBootstrap(file(wrong), {}), { name: 'BootstrapMistakes' })
  }
})

test('a taken issuer and audience is a sentence that names the setting, in one file and over two', async () => {
  const claim = { ...entry, acceptTokens: true, audience: `api://${newId()}` }
  const tenant = (slug: string) => ({ slug, name: slug, identityProviders: [claim] })
  const [one, other] = [tenant(`a${newId()}`), tenant(`b${newId()}`)]
  const { clientSecret: _, ...shown } = claim
  const both = { tenants: [one, other].map((each) => ({ ...each, identityProviders: [shown] })) }
  assert.throws(
    () => readBootstrap(JSON.stringify(both), {}),
    /tenants\/1\/identityProviders\/0\/audience: is in the file twice/,
  )
  await applyBootstrap(servers.one, { tenants: [one, other] })
  await applyIdentityProviders(servers.one, { tenants: [one] })
  await applyIdentityProviders(servers.one, { tenants: [one] })
  await assert.rejects(applyIdentityProviders(servers.one, { tenants: [other] }), {
    name: 'BootstrapMistakes',
    mistakes: [
      '/tenants/0/identityProviders/0/audience: access tokens of this issuer with this audience belong to another provider. Change one of the two.',
    ],
  })
})
