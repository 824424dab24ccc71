import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../support/server.ts'

const path = '/onboarding/identity-providers'
const entra = {
  name: 'entra',
  issuer: 'https://login.example/v2.0',
  clientId: 'chirograph',
  clientSecret: 'the-secret',
}

let chirograph: Deployment
let school: Api
let globex: Api
/** Accepts access tokens with the audience of the organisation. */
let tokens: { readonly acceptTokens: true; readonly audience: string }
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  globex = await chirograph.backend('globex')
  tokens = { acceptTokens: true, audience: `${chirograph.url}/issuers/acme` }
})
after(() => chirograph.stop())

test('a provider is added, changed and deleted, and its secret is never returned', async () => {
  const made = await school.post(path, entra)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  assert.partialDeepStrictEqual(made.body.data, {
    name: 'entra',
    displayName: 'entra',
    hasClientSecret: true,
    signIn: true,
  })
  const change = {
    displayName: 'Entra ID',
    claims: { roles: '/realm/roles' },
    roles: { teachers: ['issuer'] },
    ...tokens,
  }
  const changed = await school.patch(`${path}/${id}`, change)
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const claims = { username: 'preferred_username', email: 'email', roles: '/realm/roles', externalIdentifier: null }
  assert.partialDeepStrictEqual(changed.body.data, { ...change, claims, hasClientSecret: true, issuer: entra.issuer })
  const withoutSecret = await school.patch(`${path}/${id}`, { clientSecret: null })
  assert.equal(withoutSecret.body.data.hasClientSecret, false)
  const shown = [made, changed, await school.get(`${path}/${id}`), await school.get(path)]
  for (const { body } of shown) assert.equal(JSON.stringify(body).includes(entra.clientSecret), false)
  assert.equal((await school.delete(`${path}/${id}`)).status, 204)
  assert.equal((await school.get(`${path}/${id}`)).status, 404)
})

test('a provider says which redirect URI to register, and a change of another state than the one that was read is refused', async () => {
  const made = await school.post(path, { ...entra, name: 'tagged' })
  const { id, redirectUri } = made.body.data
  assert.equal(redirectUri, `${chirograph.url}/sign-in/external/acme/tagged`)
  const read = await school.get(`${path}/${id}`)
  const etag = read.headers.get('etag') ?? assert.fail('no entity tag')
  assert.equal(made.headers.get('etag'), etag)
  const first = await school.patch(`${path}/${id}`, { displayName: 'First' }, { 'if-match': etag })
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.notEqual(first.headers.get('etag'), etag)
  const second = await school.patch(`${path}/${id}`, { displayName: 'Second' }, { 'if-match': etag })
  assert.equal(second.status, 412)
  assert.equal((await school.get(`${path}/${id}`)).body.data.displayName, 'First')
})

test('of concurrent changes of one state of a provider one is carried out', async () => {
  const { id } = (await school.post(path, { ...entra, name: 'raced' })).body.data
  const headers = { 'if-match': (await school.get(`${path}/${id}`)).headers.get('etag') ?? '' }
  const names = ['A', 'B', 'C', 'D']
  const replies = await Promise.all(names.map((displayName) => school.patch(`${path}/${id}`, { displayName }, headers)))
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 412, 412, 412])
})

test('issuer and audience belong to one provider of the tenant, and a name, too', async () => {
  const one = await school.post(path, { ...entra, name: 'one', ...tokens })
  assert.equal(one.status, 201, JSON.stringify(one.body))
  for (const [body, pointer] of [
    [{ ...entra, name: 'two', ...tokens }, '/audience'],
    [{ ...entra, name: 'one' }, '/name'],
  ] as const) {
    const { status, body: answer } = await school.post(path, body)
    assert.deepEqual([status, answer.errors[0].source.pointer], [409, pointer])
  }
})

test('no organisation claims the access tokens of another: an audience that the API sets names its own organisation', async () => {
  const { id } = (await globex.get('/onboarding/me')).body.data.organisation
  const theirs = { ...entra, ...tokens }
  const foreign = [tokens.audience, 'https://api.acme.example', 'globex', `${chirograph.url}/issuers/globex/x`]
  for (const [n, audience] of foreign.entries()) {
    const { status, body } = await globex.post(path, { ...theirs, name: `foreign${n}`, audience })
    assert.deepEqual([status, body.errors[0].source.pointer], [400, '/audience'], audience)
  }
  const own = [`${chirograph.url}/issuers/globex`, `api://chirograph/${id}`]
  for (const [n, audience] of own.entries()) {
    const made = await globex.post(path, { ...theirs, name: `own${n}`, audience })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const taking = await globex.patch(`${path}/${made.body.data.id}`, { audience: tokens.audience })
    assert.deepEqual([taking.status, taking.body.errors[0].source.pointer], [400, '/audience'])
    assert.equal((await globex.patch(`${path}/${made.body.data.id}`, { displayName: 'Own' })).status, 200)
  }
})

for (const [what, change, pointer, rule] of [
  ['tokens without an audience', { acceptTokens: true }, '/audience', 'provider.audience_needed'],
  ['an issuer with a query', { issuer: 'https://login.example/?x' }, '/issuer', 'provider.issuer'],
  ['an issuer with a fragment', { issuer: 'https://login.example/#x' }, '/issuer', 'provider.issuer'],
  ['an issuer with a user', { issuer: 'https://a@login.example/' }, '/issuer', 'provider.issuer'],
  ['an issuer of another scheme', { issuer: 'ftp://login.example/' }, '/issuer', 'provider.issuer'],
  ['a port that is never called', { issuer: 'https://login.example:22/' }, '/issuer', 'address.uncallable'],
  ['the audience of others', { acceptTokens: true, audience: 'x' }, '/audience', 'provider.audience_own'],
  ['an unknown role', { roles: { a: ['king'] } }, '/roles/a/0', 'enum'],
  ['a name that is no part of a path', { name: 'A b' }, '/name', 'pattern'],
] as const) {
  test(`a provider with ${what} is refused`, async () => {
    const reply = await school.post(path, { ...entra, name: 'refused', ...change })
    assert.equal(reply.status, 400, JSON.stringify(reply.body))
    const [{ source, meta }] = reply.body.errors
    assert.deepEqual([source.pointer, meta.rule], [pointer, rule])
  })
}

test('a caller is told who it is, with its organisation, roles and scopes', async () => {
  const backend = (await school.get('/onboarding/me')).body.data
  assert.partialDeepStrictEqual(backend, {
    kind: 'client',
    id: 'acme-backend',
    organisation: { slug: 'acme', name: 'Acme College' },
  })
  assert.deepEqual(backend.scopes, ['tenant:admin', 'users:impersonate'])
  const thandi = (await (await chirograph.wallet('acme', 'thandi')).get('/onboarding/me')).body.data
  assert.partialDeepStrictEqual(thandi, {
    kind: 'user',
    name: 'Thandi Molefe',
    email: 'thandi@example.org',
    actingClientId: 'acme-backend',
  })
  assert.deepEqual([thandi.roles, thandi.scopes], [[], ['wallet:read', 'wallet:write']])
})
