import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, api, backendSecret, type Deployment, deploy, type Reply } from '../support/server.ts'

let chirograph: Deployment
let school: Api
let owner: Api
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  owner = await signedIn(await created({ name: 'Owner', roles: ['owner'] }))
})
after(() => chirograph.stop())

type Made = { readonly clientId: string; readonly clientSecret: string; readonly secrets: { readonly id: string }[] }

async function created(body: object, by: Api = school): Promise<Made> {
  const reply = await by.post('/onboarding/clients', { roles: ['auditor'], ...body })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data
}

function tokenReply(clientId: string, secret: string): Promise<Reply> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret }
  return chirograph.nobody.form('/auth/token', form)
}

async function signedIn({ clientId, clientSecret }: Made): Promise<Api> {
  const { status, body } = await tokenReply(clientId, clientSecret)
  assert.equal(status, 200, JSON.stringify(body))
  return api(chirograph.url, body.access_token)
}

async function works(clientId: string, secret: string): Promise<boolean> {
  const { status, body } = await tokenReply(clientId, secret)
  assert(status === 200 || status === 401, JSON.stringify(body))
  return status === 200
}

async function rotated(clientId: string, overlapSeconds?: number): Promise<Made> {
  const body = overlapSeconds === undefined ? {} : { overlapSeconds }
  const reply = await school.post(`/onboarding/clients/${clientId}/secrets`, body)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data
}

test('a client that an organisation creates gets a token with the secret that is shown once', async () => {
  const made = await created({ name: 'Registry', roles: ['issuer'], scopes: ['webhooks:write'] })
  assert.match(made.clientSecret, /^chs_[\w-]{43}$/)
  const { status, body } = await tokenReply(made.clientId, made.clientSecret)
  assert.equal(status, 200)
  const expected = ['issuance:read', 'issuance:write', 'trust:read', 'users:read', 'webhooks:write']
  assert.deepEqual(body.scope.split(' ').sort(), expected)
  const shown = (await school.get(`/onboarding/clients/${made.clientId}`)).body.data
  assert.equal('clientSecret' in shown, false)
  assert.equal(JSON.stringify(shown).includes(made.clientSecret), false)
  const listed = (await school.get('/onboarding/clients?page[size]=100')).body.data
  assert(listed.some(({ clientId }: Made) => clientId === made.clientId))
  assert(Date.now() - Date.parse(shown.lastUsedAt) < 60_000)
})

test('a wrong secret of either form is refused like an unknown client', async () => {
  const made = await created({ name: 'Registry' })
  const otherMade = await created({ name: 'Other' })
  const replies = await Promise.all([
    tokenReply(made.clientId, otherMade.clientSecret),
    tokenReply(made.clientId, backendSecret),
    tokenReply('acme-backend', otherMade.clientSecret),
    tokenReply('unknown', otherMade.clientSecret),
  ])
  for (const { status, body } of replies) assert.deepEqual([status, body.error], [401, 'invalid_client'])
})

test('two secrets are valid at most, and the former one ends after the time given', async () => {
  const { clientId, clientSecret: first } = await created({ name: 'Registry' })
  const { clientSecret: second, secrets } = await rotated(clientId)
  assert.equal(secrets.length, 2)
  assert.deepEqual([await works(clientId, first), await works(clientId, second)], [true, true])
  const { clientSecret: third } = await rotated(clientId, 1)
  assert.deepEqual([await works(clientId, first), await works(clientId, third)], [false, true])
  await sleep(1100)
  assert.deepEqual([await works(clientId, second), await works(clientId, third)], [false, true])
})

test('concurrent rotations leave at most two valid secrets', async () => {
  const { clientId } = await created({ name: 'Registry' })
  const made = await Promise.all(Array.from({ length: 6 }, () => rotated(clientId)))
  const valid = await Promise.all(made.map(({ clientSecret }) => works(clientId, clientSecret)))
  assert.equal(valid.filter(Boolean).length, 2)
})

test('a secret is ended at once, also that of the bootstrap file', async () => {
  const { clientId, clientSecret, secrets } = await created({ name: 'Registry' })
  assert.equal((await school.delete(`/onboarding/clients/${clientId}/secrets/${secrets[0]?.id}`)).status, 204)
  assert.equal(await works(clientId, clientSecret), false)
  assert.equal((await school.delete(`/onboarding/clients/${clientId}/secrets/${secrets[0]?.id}`)).status, 404)
  const idle = (await school.get('/onboarding/clients/acme-idle')).body.data
  assert.equal(idle.secrets[0].origin, 'file')
  assert.equal((await school.delete(`/onboarding/clients/acme-idle/secrets/${idle.secrets[0].id}`)).status, 204)
  assert.equal(await works('acme-idle', backendSecret), false)
})

test('a caller gives no scope and no role that it does not hold', async () => {
  const replies = [
    await owner.post('/onboarding/clients', { name: 'x', scopes: ['users:impersonate'] }),
    await owner.post('/onboarding/clients', { name: 'x', scopes: ['platform:admin'] }),
    await school.post('/onboarding/clients', { name: 'x', scopes: ['platform:admin'] }),
  ]
  const mine = await created({ name: 'mine' }, owner)
  replies.push(await owner.patch(`/onboarding/clients/${mine.clientId}`, { scopes: ['users:impersonate'] }))
  for (const { status, body } of replies) {
    assert.deepEqual([status, body.errors[0].source.pointer], [403, '/scopes/0'])
  }
  assert.equal((await created({ name: 'x', scopes: ['users:impersonate'] })).secrets.length, 1)
})

test('a caller changes, deletes and rotates no client that has more', async () => {
  const path = '/onboarding/clients/acme-backend'
  const [{ id }] = (await owner.get(path)).body.data.secrets
  for (const { status } of [
    await owner.patch(path, { disabled: true }),
    await owner.patch(path, { scopes: [] }),
    await owner.post(`${path}/secrets`, {}),
    await owner.delete(`${path}/secrets/${id}`),
    await owner.delete(path),
  ])
    assert.equal(status, 403)
  assert.equal(await works('acme-backend', backendSecret), true)
})

test('a client of the bootstrap file is changed there: the API refuses what the next start would undo', async () => {
  const path = '/onboarding/clients/acme-idle'
  const { status, body } = await school.patch(path, { name: 'Renamed', disabled: true })
  assert.deepEqual([status, body.errors[0].source.pointer], [409, '/name'], JSON.stringify(body))
  assert.match(body.errors[0].detail, /The bootstrap file declares this client/)
  assert.equal((await school.patch(path, { disabled: true })).body.data.disabled, true)
  assert.equal((await school.patch(path, { disabled: false })).body.data.disabled, false)
  assert.equal((await school.delete(path)).status, 409)
})

test('of changes from the same state one is made; a new secret is no change, and each change has a tag of its own', async () => {
  const { clientId } = await created({ name: 'Contended' })
  const path = `/onboarding/clients/${clientId}`
  const tag = async () => (await school.get(path)).headers.get('etag') ?? ''
  const change = (name: string, ifMatch?: string) =>
    school.send('PATCH', path, JSON.stringify({ name }), {
      'content-type': 'application/json',
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    })
  const first = await tag()
  await rotated(clientId)
  assert.equal(await tag(), first)
  const answers = await Promise.all(['A', 'B', 'C', 'D'].map((name) => change(name, first)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412, 412])
  const [done] = answers.filter(({ status }) => status === 200)
  assert.equal((await school.get(path)).body.data.name, done?.body.data.name)
  assert.equal(done?.headers.get('etag'), await tag())
  const [late] = answers.filter(({ status }) => status === 412)
  assert.equal(late?.body.errors[0].code, 'PRECONDITION_FAILED')
  const merged = await Promise.all(Array.from({ length: 8 }, () => change('Same')))
  assert.equal(new Set(merged.map(({ headers }) => headers.get('etag'))).size, 8)
  assert.equal((await change('Known', `"other", ${await tag()}`)).status, 200)
})

test('a disabled client gets no token; a deleted one is unknown', async () => {
  const { clientId, clientSecret } = await created({ name: 'Registry' })
  const path = `/onboarding/clients/${clientId}`
  assert.equal((await school.patch(path, { disabled: true })).body.data.disabled, true)
  assert.equal(await works(clientId, clientSecret), false)
  assert.equal((await school.patch(path, { disabled: false })).body.data.disabled, false)
  assert.equal(await works(clientId, clientSecret), true)
  assert.equal((await school.delete(path)).status, 204)
  assert.equal(await works(clientId, clientSecret), false)
  assert.equal((await school.get(path)).status, 404)
})

test('a client with keys or without authentication has no secret', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keyed = await created({ name: 'Keyed', jwks: { keys: [publicKey.export({ format: 'jwk' })] } })
  const app = await created({ name: 'App', isPublic: true, redirectUris: ['com.example.app:/signed-in'] })
  for (const { clientId, clientSecret, secrets } of [keyed, app]) {
    assert.deepEqual([clientSecret, secrets], [undefined, []])
    const { status, body } = await school.post(`/onboarding/clients/${clientId}/secrets`, {})
    assert.deepEqual([status, body.errors[0].code], [409, 'INVALID_STATE'])
  }
})

const web = { name: 'Web', grantTypes: ['authorization_code'] }
for (const [what, body, pointer] of [
  ['an http redirect URI', { ...web, redirectUris: ['http://app.example/cb'] }, '/redirectUris/0'],
  [
    'a redirect URI to localhost by name (RFC 8252 8.3)',
    { ...web, redirectUris: ['http://localhost/cb'] },
    '/redirectUris/0',
  ],
  ['a fragment (RFC 6749 3.1.2)', { ...web, redirectUris: ['https://app.example/cb#x'] }, '/redirectUris/0'],
  ['an empty fragment', { ...web, redirectUris: ['https://app.example/cb#'] }, '/redirectUris/0'],
  ['a user in the redirect URI', { ...web, redirectUris: ['https://app@evil.example/cb'] }, '/redirectUris/0'],
  ['a relative redirect URI', { ...web, redirectUris: ['/cb'] }, '/redirectUris/0'],
  ['a line break in it', { ...web, redirectUris: ['https://app.example/\ncb'] }, '/redirectUris/0'],
  [
    'a private-use scheme of a confidential client',
    { ...web, redirectUris: ['com.example.app:/cb'] },
    '/redirectUris/0',
  ],
  ['a scheme without a domain', { name: 'x', isPublic: true, redirectUris: ['myapp:/cb'] }, '/redirectUris/0'],
  [
    'a public client without PKCE',
    { name: 'x', isPublic: true, redirectUris: ['https://a.example/'], pkceRequired: false },
    '/pkceRequired',
  ],
  ['a script as redirect URI', { name: 'x', isPublic: true, redirectUris: ['javascript:alert(1)'] }, '/redirectUris/0'],
  ['a data URI', { name: 'x', isPublic: true, redirectUris: ['data:text/html,x'] }, '/redirectUris/0'],
  ['the code flow without a redirect URI', web, '/redirectUris'],
  ['refresh tokens without the code flow', { name: 'x', grantTypes: ['refresh_token'] }, '/grantTypes'],
  [
    'client credentials of a public client',
    { name: 'x', isPublic: true, redirectUris: ['https://a.example/'], grantTypes: ['client_credentials'] },
    '/grantTypes',
  ],
  [
    'a fragment after sign-out',
    { name: 'x', postLogoutRedirectUris: ['https://a.example/#'] },
    '/postLogoutRedirectUris/0',
  ],
  ['http for logout tokens', { name: 'x', backchannelLogoutUri: 'http://a.example/' }, '/backchannelLogoutUri'],
  ['http for its terms', { name: 'x', tosUri: 'http://a.example/' }, '/tosUri'],
  ['http for its keys', { name: 'x', jwksUri: 'http://a.example/' }, '/jwksUri'],
  ['a private key', { name: 'x', jwks: { keys: [{ kty: 'EC', crv: 'P-256', d: 'x' }] } }, '/jwks/keys/0'],
  ['an unknown role', { name: 'x', roles: ['king'] }, '/roles/0'],
  ['a client id of its own', { name: 'x', clientId: 'mine' }, '/clientId'],
  ['a secret of its own', { name: 'x', clientSecret: backendSecret }, '/clientSecret'],
] as const) {
  test(`a client with ${what} is refused`, async () => {
    const reply = await school.post('/onboarding/clients', body)
    assert.equal(reply.status, 400, JSON.stringify(reply.body))
    assert.equal(reply.body.errors[0].source.pointer, pointer)
  })
}

test('another organisation sees and changes nothing of a client', async () => {
  const globex = await chirograph.backend('globex')
  const { clientId, clientSecret, secrets } = await created({ name: 'Registry' })
  const path = `/onboarding/clients/${clientId}`
  const replies = [
    await globex.get(path),
    await globex.patch(path, { disabled: true }),
    await globex.post(`${path}/secrets`, {}),
    await globex.delete(`${path}/secrets/${secrets[0]?.id}`),
    await globex.delete(path),
  ]
  for (const { status } of replies) assert.equal(status, 404)
  const listed = (await globex.get('/onboarding/clients?page[size]=100')).body.data
  assert.equal(
    listed.some((one: Made) => one.clientId === clientId),
    false,
  )
  assert.equal(await works(clientId, clientSecret), true)
})

test('a repeated request creates one client', async () => {
  const headers = { 'idempotency-key': 'one-client-only' }
  const first = await school.post('/onboarding/clients', { name: 'Once' }, headers)
  const second = await school.post('/onboarding/clients', { name: 'Once' }, headers)
  assert.equal(first.status, 201)
  assert.deepEqual(second.body.data, first.body.data)
})
