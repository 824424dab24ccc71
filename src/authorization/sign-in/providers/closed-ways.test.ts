import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Caller } from '../../../caller.ts'
import { findRoles } from '../../../directory/users/find-roles.ts'
import { confirmNames } from '../../../directory/users/sign-in-users.ts'
import { changeUser } from '../../../directory/users/write-user.ts'
import { applyIdentityProviders } from '../../access/apply-identity-providers.ts'
import { makeLink, storeLink } from '../links/one-time-link.ts'
import { redeemWithPassword } from '../links/redeem-link.ts'
import { startSession } from '../session.ts'
import { aPerson, atProvider, warningsIn } from '../test-support/at-a-provider.ts'
import { OpenidProvider } from '../test-support/openid-provider.ts'
import { aBrowser, aName, auditOf, aVisit, type Servers, twoServers } from '../test-support/person.ts'
import { beginProviderSignIn, finishProviderSignIn, listConnectable } from './sign-in-by-provider.ts'

const op = new OpenidProvider()
const lines: object[] = []
let servers: Servers
const { entry, aTenant, signIn, userOf } = atProvider(op, () => servers)
before(async () => {
  servers = await twoServers({ fetch: op.fetch, log: warningsIn(lines) })
})
after(() => servers.db.close())
beforeEach(() => {
  op.lie = {}
})

test('an account that was opened by a told link is linked by no address, until a mailed link was used', async () => {
  const username = aName()
  const email = `${username}@example.org`
  const tenant = await aTenant({}, [{ username, email }])
  const { id } = await userOf(tenant, username)
  const open = async (isTold: boolean) => {
    const { link, told } = makeLink(servers.one, { tenantId: tenant.tenantId, userId: id }, 'welcome')
    const maker = { way: isTold ? 'told_link' : 'mailed_link', by: 'system', makerRoles: null } as const
    await servers.one.store.inTenant(tenant.tenantId, (tx) => storeLink(tx, link, maker, servers.clock.now()))
    const used = { token: new URL(told.url).searchParams.get('token') ?? '', password: 'correct horse battery' }
    return redeemWithPassword(servers.one, used, aBrowser())
  }
  assert.equal((await open(true)).kind, 'signed-in')
  const owner = aPerson({ email, email_verified: true })
  assert.partialDeepStrictEqual(await signIn(tenant, owner), { kind: 'refused', problem: 'unproven' })
  assert.equal((await open(false)).kind, 'signed-in')
  const linked = await signIn(tenant, owner)
  assert.ok(linked.kind === 'signed-in' && linked.session.userId === id)
})

test('an address that a caller set for a user in use links no account, until the user confirms it', async () => {
  const username = aName()
  const tenant = await aTenant({}, [{ username, password: 'correct horse battery', email: `${username}@example.org` }])
  const { tenantId, slug } = tenant
  const actor = { kind: 'client', id: 'hr' } as const
  const rest = { userId: null, clientId: 'hr', actingClientId: null, requestId: 'r', ip: '192.0.2.1' }
  const caller: Caller = { tenantId, tenantSlug: slug, actor, scopes: new Set(['users:write']), ...rest }
  const email = `thief-of-${username}@example.org`
  const { id } = await changeUser(servers.one, caller, { key: 'username', value: username }, { email })
  const thief = aPerson({ email, email_verified: true })
  assert.partialDeepStrictEqual(await signIn(tenant, thief), { kind: 'refused', problem: 'unproven' })
  const shown = { email, username, externalIdentifier: null }
  await servers.one.store.inTenant(tenantId, (tx) => confirmNames(tx, id, shown, 'system', servers.clock.now()))
  const linked = await signIn(tenant, thief)
  assert.ok(linked.kind === 'signed-in' && linked.session.userId === id)
})

test('a person connects an account that nothing here names, and signs in with it from then on', async () => {
  const username = aName()
  const tenant = await aTenant({ namesPeople: false }, [{ username, password: 'correct horse battery' }])
  const { tenantId, slug } = tenant
  const person = aPerson({ email: 'elsewhere@example.net', email_verified: true })
  assert.partialDeepStrictEqual(await signIn(tenant, person), { kind: 'refused', problem: 'unknown' })
  const user = await userOf(tenant, username)
  const own = await startSession(servers.one, { tenantId, userId: user.id }, ['pwd'], aVisit())
  assert.ok(own)
  const connect = async (cookies: readonly string[]) => {
    op.person = person
    const about = { tenantSlug: slug, provider: 'school', loginHint: null, connectTo: user.id }
    const begun = await beginProviderSignIn(servers.one, about, { path: '/account', ip: '192.0.2.1' })
    assert.ok(begun)
    return finishProviderSignIn(servers.two, op.authorize(begun.url), aBrowser(begun.cookies[0], ...cookies))
  }
  assert.partialDeepStrictEqual(
    await connect([]),
    { kind: 'refused', problem: 'state' },
    'a browser without the session',
  )
  const connected = await connect([own.cookie])
  assert.ok(connected.kind === 'signed-in' && connected.session.userId === user.id)
  const listed = await listConnectable(servers.one, { tenantId, userId: user.id })
  assert.deepEqual(
    listed.map(({ name, isConnected }) => [name, isConnected]),
    [
      ['other', false],
      ['school', true],
    ],
  )
  const later = await signIn(tenant, person)
  assert.ok(later.kind === 'signed-in' && later.session.userId === user.id)
})

test('a provider that does not name people links no account in use; audit trail and log say why', async () => {
  const [used, fresh] = [aName(), aName()]
  const tenant = await aTenant({ namesPeople: false }, [
    { username: used, email: `${used}@example.org`, externalIdentifier: used, password: 'correct horse battery' },
    { username: fresh, email: `${fresh}@example.org` },
  ])
  const verified = (name: string) => aPerson({ email: `${name}@example.org`, email_verified: true })
  for (const person of [verified(used), aPerson({ employee_id: used })]) {
    lines.length = 0
    assert.partialDeepStrictEqual(await signIn(tenant, person), { kind: 'refused', problem: 'unproven' })
    assert.partialDeepStrictEqual(lines, [{ reason: 'unproven' }])
  }
  const { id } = await userOf(tenant, used)
  const refusals = (await auditOf(servers.one, tenant.tenantId)).filter(({ result }) => result === 'refused')
  assert.deepEqual(
    refusals,
    [1, 2].map(() => ({ action: 'user.authenticated', result: 'refused', subject: id })),
  )
  assert.equal((await signIn(tenant, verified(fresh))).kind, 'signed-in')
})

for (const [what, claims] of [
  ['names the claim of groups in _claim_names (Entra ID, more than 200 groups)', { _claim_names: { groups: 'src1' } }],
  ['leaves out the claim', {}],
] as const) {
  test(`a provider that ${what} takes no role away`, async () => {
    const username = aName()
    const tenant = await aTenant({ claims: { roles: 'groups', externalIdentifier: 'employee_id' } }, [
      { username, externalIdentifier: 'E1' },
      { username: aName(), roles: ['owner'] },
    ])
    const person = aPerson({ employee_id: 'E1' })
    const { id } = await userOf(tenant, username)
    const roles = () => servers.one.store.single(tenant.tenantId, (tx) => findRoles(tx, id))
    assert.equal((await signIn(tenant, { ...person, groups: ['chirograph-owner'] })).kind, 'signed-in')
    assert.deepEqual(await roles(), ['owner'])
    assert.equal((await signIn(tenant, { ...person, ...claims })).kind, 'signed-in')
    assert.deepEqual(await roles(), ['owner'])
    const actions = (await auditOf(servers.one, tenant.tenantId)).map(({ action }) => action)
    assert.ok(actions.includes('user.roles_retained'))
    assert.equal((await signIn(tenant, { ...person, groups: [] })).kind, 'signed-in')
    assert.deepEqual(await roles(), [])
  })
}

test('the last owner stays one whatever the provider states; names of members of an object are roles', async () => {
  const username = aName()
  const tenant = await aTenant({ claims: { roles: 'project-roles', externalIdentifier: 'employee_id' } }, [
    { username, externalIdentifier: 'E1', roles: ['owner'] },
  ])
  const { id } = await userOf(tenant, username)
  const stated = { 'project-roles': { 'chirograph-issuer': { 2204: 'x.example' } } }
  assert.equal((await signIn(tenant, aPerson({ employee_id: 'E1', ...stated }))).kind, 'signed-in')
  const roles = await servers.one.store.single(tenant.tenantId, (tx) => findRoles(tx, id))
  assert.deepEqual(roles?.toSorted(), ['issuer', 'owner', 'verifier'])
})

test('accounts at a provider are linked to users at its issuer only', async () => {
  const username = aName()
  const tenant = await aTenant({}, [{ username, externalIdentifier: 'E1' }])
  const person = aPerson({ employee_id: 'E1' })
  assert.equal((await signIn(tenant, person)).kind, 'signed-in')
  const moved = { ...entry, issuer: 'https://other.example' }
  const file = { tenants: [{ slug: tenant.slug, name: tenant.slug, identityProviders: [moved] }] }
  await applyIdentityProviders(servers.one, file)
  await applyIdentityProviders(servers.one, tenant.file)
  const { sub } = person
  assert.partialDeepStrictEqual(await signIn(tenant, { sub }), { kind: 'refused', problem: 'unknown' })
})
