import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { findRoles } from '../../../directory/users/find-roles.ts'
import { aPerson, atProvider, warningsIn } from '../test-support/at-a-provider.ts'
import { type Lie, OpenidProvider } from '../test-support/openid-provider.ts'
import { aName, type Servers, twoServers } from '../test-support/person.ts'

const op = new OpenidProvider()
const lines: object[] = []
let servers: Servers
const { aTenant, signIn, userOf } = atProvider(op, () => servers)
before(async () => {
  servers = await twoServers({ fetch: op.fetch, log: warningsIn(lines) })
})
after(() => servers.db.close())
beforeEach(() => {
  op.lie = {}
  lines.length = 0
})

const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' }
const refusals: readonly (readonly [what: string, lie: Lie])[] = [
  ['refuses the access token', { userInfoAnswer: { status: 401, headers: challenge } }],
  ['allows no request', { userInfoAnswer: { status: 403 } }],
  ['is not there', { userInfoAnswer: { status: 404 } }],
]
for (const [what, lie] of refusals) {
  test(`a person is created from the ID token alone if the UserInfo endpoint ${what}`, async () => {
    const username = aName()
    const tenant = await aTenant({ createsUsers: true })
    op.lie = lie
    const outcome = await signIn(tenant, aPerson({ preferred_username: username, employee_id: 'E1' }))
    assert.ok(outcome.kind === 'signed-in')
    assert.equal((await userOf(tenant, username)).id, outcome.session.userId)
    assert.equal(lines.length, 1)
    const nameless = await signIn(tenant, aPerson({ employee_id: 'E2' }))
    assert.ok(nameless.kind === 'refused' && nameless.problem === 'unavailable')
  })
}

const failures: readonly (readonly [what: string, lie: Lie])[] = [
  ['fails', { userInfoAnswer: { status: 503 } }],
  ['does not say whose claims these are', { userInfo: { sub: undefined, employee_id: 'E1' } }],
  ['is signed by another', { isUserInfoSigned: true, userInfo: { iss: 'https://evil.example' } }],
]
for (const [what, lie] of failures) {
  test(`a person who is known signs in, and no one is created, if the UserInfo endpoint ${what}`, async () => {
    const username = aName()
    const tenant = await aTenant({ createsUsers: true })
    const person = aPerson({ preferred_username: username, realm_access: { roles: ['chirograph-issuer'] } })
    const known = await signIn(tenant, person)
    assert.ok(known.kind === 'signed-in')
    op.lie = lie
    const again = await signIn(tenant, { sub: person.sub })
    assert.ok(again.kind === 'signed-in')
    const roles = await servers.one.store.single(tenant.tenantId, (tx) => findRoles(tx, known.session.userId))
    assert.deepEqual(roles?.toSorted(), ['issuer', 'verifier'])
    const stranger = await signIn(tenant, aPerson({ preferred_username: aName() }))
    assert.ok(stranger.kind === 'refused' && stranger.problem === 'unavailable')
  })
}

test('claims of UserInfo are read from a signed response, announced or not', async () => {
  for (const metadata of [{}, { userinfo_signing_alg_values_supported: ['ES256'] }]) {
    const username = aName()
    const tenant = await aTenant({ createsUsers: true })
    op.lie = { metadata, isUserInfoSigned: true, userInfo: { preferred_username: username } }
    assert.equal((await signIn(tenant, aPerson())).kind, 'signed-in')
    assert.ok(await userOf(tenant, username))
  }
})

test('a person whose name is at the UserInfo endpoint alone is created with it, and without it if that fails', async () => {
  const [named, nameless] = [aName(), aName()]
  const tenant = await aTenant({ createsUsers: true, claims: {} })
  const person = (username: string) => aPerson({ preferred_username: username, email: `${username}@example.org` })
  const userInfo = { given_name: 'Thandi', family_name: 'Mokoena' }
  op.lie = { userInfo }
  assert.equal((await signIn(tenant, person(named))).kind, 'signed-in')
  const user = await userOf(tenant, named)
  assert.deepEqual([user.firstName, user.lastName], ['Thandi', 'Mokoena'])
  op.lie = { userInfo, userInfoAnswer: { status: 503 } }
  assert.equal((await signIn(tenant, person(nameless))).kind, 'signed-in')
  assert.equal((await userOf(tenant, nameless)).firstName, null)
})
