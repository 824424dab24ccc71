import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import type { TenantId } from '../../../caller.ts'
import { readPublicJwk } from '../../../crypto/jwk.ts'
import { signCompact } from '../../../crypto/jws.ts'
import { softwareKey } from '../../../crypto/signing-key.ts'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { getTenant } from '../../../directory/tenants/find-tenant.ts'
import { findUser } from '../../../directory/users/find-user.ts'
import { newId } from '../../../store/row-id.ts'
import { sql } from '../../../store/store.ts'
import { aListeningServer, type aPlatform } from '../../test-support/a-platform.ts'

const plain = { [oauth.allowInsecureRequests]: true }
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
/** With every kind of character that form encoding touches. */
const secret = 'a secret+with%signs:and=é-32-characters'
const listAudit = sql('test.token.audit', 'select action, result, actor_id, subject_id from audit_entry order by id')
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let served: Awaited<ReturnType<typeof aListeningServer>>
let platform: ReturnType<typeof aPlatform>
let as: oauth.AuthorizationServer
before(async () => {
  served = await aListeningServer()
  platform = served.platform
  const issuer = new URL(platform.urls.auth)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...plain })
  as = await oauth.processDiscoveryResponse(issuer, response)
})
after(() => served.close())

async function aTenant() {
  const own = newId()
  const jwks = { keys: [{ ...readPublicJwk(publicKey.export({ format: 'jwk' })) }] }
  const backend = `backend-${own}`
  const signer = `signer-${own}`
  await applyBootstrap(platform, {
    tenants: [
      {
        slug: `t-${own}`,
        name: 'Acme',
        clients: [
          { clientId: backend, clientSecret: secret, scopes: ['tenant:admin', 'users:impersonate'] },
          { clientId: signer, jwks, scopes: ['issuance:write'] },
        ],
        users: [{ username: 'thandi' }, { username: 'gone', enabled: false }],
      },
    ],
  })
  const tenantId = (await getTenant(platform, `t-${own}`)).id
  return { tenantId, slug: `t-${own}`, backend, signer }
}

async function tokenOf(clientId: string, auth = oauth.ClientSecretBasic(secret), more: Record<string, string> = {}) {
  const client = { client_id: clientId }
  const response = await oauth.clientCredentialsGrantRequest(as, client, auth, more, plain)
  return oauth.processClientCredentialsResponse(as, client, response)
}

async function exchanged(clientId: string, subjectToken: string, username: string, more: Record<string, string> = {}) {
  const client = { client_id: clientId }
  const parameters = {
    subject_token: subjectToken,
    subject_token_type: ACCESS_TOKEN,
    requested_subject: username,
    ...more,
  }
  const auth = oauth.ClientSecretPost(secret)
  const response = await oauth.genericTokenEndpointRequest(as, client, auth, EXCHANGE, parameters, plain)
  return oauth.processGenericTokenEndpointResponse(as, client, response)
}

function post(form: Record<string, string> | string, headers: Record<string, string> = {}) {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return fetch(`${platform.urls.auth}/token`, { method: 'POST', body, headers: { ...type, ...headers } })
}

async function refusal(response: Response): Promise<[number, string]> {
  const body = (await response.json()) as { error: string }
  return [response.status, body.error]
}

function withToken(token: string, path = '/users') {
  return fetch(`${platform.urls.publicUrl}/onboarding${path}`, { headers: { authorization: `Bearer ${token}` } })
}

function anAssertion(clientId: string, change: Record<string, unknown> = {}, header: Record<string, unknown> = {}) {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: clientId, sub: clientId, aud: platform.urls.auth, exp: now + 60, jti: newId(), ...change }
  return signCompact({ typ: 'JWT', ...header }, claims, softwareKey(privateKey))
}

function assertionForm(assertion: string): Record<string, string> {
  return {
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  }
}

test('the metadata says what is true, at both of its places', async () => {
  const openid = await fetch(`${platform.urls.auth}/.well-known/openid-configuration`)
  const body = (await openid.json()) as Record<string, unknown>
  assert.deepEqual(body, { ...as })
  assert.equal(body.issuer, platform.urls.auth)
  assert.equal(body.authorization_endpoint, `${platform.urls.auth}/authorize`)
})

for (const [name, auth] of [
  ['client_secret_basic', () => oauth.ClientSecretBasic(secret)],
  ['client_secret_post', () => oauth.ClientSecretPost(secret)],
] as const) {
  test(`an independent client gets a token by ${name} that our API takes and an independent verifier accepts`, async () => {
    const { backend } = await aTenant()
    const token = await tokenOf(backend, auth())
    assert.equal(token.expires_in, 300)
    assert.equal(token.scope, 'tenant:admin users:impersonate')
    const api = await withToken(token.access_token)
    assert.equal(api.status, 200)
    const request = new Request(platform.urls.publicUrl, { headers: { authorization: `Bearer ${token.access_token}` } })
    const claims = await oauth.validateJwtAccessToken(as, request, platform.urls.publicUrl, plain)
    assert.partialDeepStrictEqual(claims, { sub: backend, client_id: backend, iss: platform.urls.auth })
  })
}

test('an independent client gets a token by private_key_jwt', async () => {
  const { signer } = await aTenant()
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const key = await crypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), algorithm, false, ['sign'])
  const token = await tokenOf(signer, oauth.PrivateKeyJwt(key))
  assert.equal(token.scope, 'issuance:write')
})

test('[RFC 7523 3] of many requests with one assertion one gets a token', async () => {
  const { signer } = await aTenant()
  const form = assertionForm(await anAssertion(signer))
  const answers = await Promise.all(Array.from({ length: 6 }, () => post(form)))
  assert.equal(answers.filter((one) => one.status === 200).length, 1)
  assert.equal(answers.filter((one) => one.status === 401).length, 5)
})

for (const [what, change, header] of [
  ['another audience', { aud: 'https://other.example' }, {}],
  ['an audience list that names others too', { aud: ['https://other.example', 'x'] }, {}],
  ['another issuer than subject', { sub: 'other' }, {}],
  ['no exp', { exp: undefined }, {}],
  ['an exp in the past', { exp: 1_000_000 }, {}],
  ['an exp far away', { exp: 99_999_999_999 }, {}],
  ['an nbf in the future', { nbf: 99_999_999_999 }, {}],
  ['no jti', { jti: undefined }, {}],
  ['the type of an access token', {}, { typ: 'at+jwt' }],
  ['a critical extension', {}, { crit: ['x'], x: 1 }],
] as const) {
  test(`[RFC 7523 3] an assertion with ${what} is refused`, async () => {
    const { signer } = await aTenant()
    const response = await post(assertionForm(await anAssertion(signer, change, header)))
    assert.deepEqual(await refusal(response), [401, 'invalid_client'])
  })
}

test('an assertion with an unknown key is refused, and so is any assertion of a client with a secret', async () => {
  const { backend, signer } = await aTenant()
  assert.equal((await post(assertionForm(await anAssertion(backend)))).status, 401)
  const other = softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  const claims = { iss: signer, sub: signer, aud: platform.urls.auth, exp: Date.now() / 1000 + 60, jti: newId() }
  assert.equal((await post(assertionForm(await signCompact({}, claims, other)))).status, 401)
  assert.equal((await post({ grant_type: 'client_credentials', client_id: signer, client_secret: secret })).status, 401)
})

test('[RFC 6749 5.2] refusals carry the right code, and none is stored by a cache', async () => {
  const { backend } = await aTenant()
  const good = { grant_type: 'client_credentials', client_id: backend, client_secret: secret }
  const basic = { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }
  for (const [form, headers, expected] of [
    [{ ...good, grant_type: '' }, {}, [400, 'invalid_request']],
    [{ ...good, grant_type: 'password' }, {}, [400, 'unsupported_grant_type']],
    [{ ...good, client_secret: `${secret}x` }, {}, [401, 'invalid_client']],
    [{ ...good, client_id: 'nobody' }, {}, [401, 'invalid_client']],
    [{ ...good, client_id: 'no\0body' }, {}, [401, 'invalid_client']],
    [{ grant_type: 'client_credentials' }, {}, [401, 'invalid_client']],
    [{ grant_type: 'client_credentials' }, { authorization: 'Basic !' }, [401, 'invalid_client']],
    [{ grant_type: 'client_credentials', client_secret: secret }, {}, [400, 'invalid_request']],
    [good, basic, [400, 'invalid_request']],
    [{ ...good, scope: 'platform:admin' }, {}, [400, 'invalid_scope']],
    [{ ...good, scope: 'users:read nonsense' }, {}, [400, 'invalid_scope']],
    [{ ...good, resource: 'https://other.example' }, {}, [400, 'invalid_target']],
    [`grant_type=client_credentials&client_id=${backend}&client_id=${backend}`, {}, [400, 'invalid_request']],
  ] as const) {
    const response = await post(form, headers)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.has('www-authenticate'), expected[0] === 401)
    assert.deepEqual(await refusal(response), expected, JSON.stringify(form))
  }
})

test('a token may be requested with fewer scopes, and then has no more', async () => {
  const { backend } = await aTenant()
  const token = await tokenOf(backend, oauth.ClientSecretBasic(secret), { scope: 'issuance:read' })
  assert.equal(token.scope, 'issuance:read')
  const response = await withToken(token.access_token)
  assert.equal(response.status, 403)
  assert.match(response.headers.get('www-authenticate') ?? '', /scope="users:read"/)
})

test('a request with a hot secret is one statement', async () => {
  const { backend } = await aTenant()
  await tokenOf(backend)
  const before = platform.store.counts.statements
  await tokenOf(backend)
  assert.equal(platform.store.counts.statements - before, 1)
})

test('a secret that was changed is refused at once, also where the old one was hot', async () => {
  const { backend, slug } = await aTenant()
  await tokenOf(backend)
  const clientSecret = 'another-secret-of-more-than-32-characters'
  const clients = [{ clientId: backend, clientSecret, scopes: ['users:read' as const] }]
  await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', clients }] })
  await assert.rejects(tokenOf(backend), { status: 401 })
  assert.equal((await tokenOf(backend, oauth.ClientSecretBasic(clientSecret))).scope, 'users:read')
})

test('a client that starts with many requests at once gets them all', async () => {
  const { backend } = await aTenant()
  const tokens = await Promise.all(Array.from({ length: 24 }, () => tokenOf(backend)))
  assert.equal(new Set(tokens.map((one) => one.access_token)).size, 24)
})

test('after ten wrong secrets in a minute the client is rate-limited at that address', async () => {
  const { backend } = await aTenant()
  const wrong = { grant_type: 'client_credentials', client_id: backend }
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => post({ ...wrong, client_secret: `no ${n}` })))
  assert.equal(answers.filter((one) => one.status === 401).length, 10)
  const limited = answers.find((one) => one.status === 429)
  assert(Number(limited?.headers.get('retry-after')) > 0)
})

test('a client with users:impersonate acts for a user of its tenant, and each attempt is in the audit trail', async () => {
  const { backend, tenantId } = await aTenant()
  const { access_token: own } = await tokenOf(backend)
  const token = await exchanged(backend, own, 'Thandi')
  assert.equal(token.scope, 'wallet:read wallet:write')
  assert.equal(token.issued_token_type, ACCESS_TOKEN)
  const user = await platform.store.single(tenantId, (tx) => findUser(tx, 'username', 'thandi'))
  const [, payload = ''] = token.access_token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  assert.partialDeepStrictEqual(claims, { sub: user?.id, client_id: backend, act: { sub: backend }, tenant: tenantId })
  assert.equal((await withToken(token.access_token)).status, 403)
  for (const username of ['gone', 'nobody']) {
    await assert.rejects(exchanged(backend, own, username), { error: 'invalid_request' })
  }
  const audit = await platform.store.single(tenantId, (tx) => tx.rows<{ action: string; result: string }>(listAudit))
  assert.deepEqual(
    audit.filter((one) => one.action === 'user.impersonated').map((one) => one.result),
    ['done', 'refused', 'refused'],
  )
})

test('only the own client token of a client that may impersonate is exchanged', async () => {
  const [one, other] = [await aTenant(), await aTenant()]
  const { access_token: own } = await tokenOf(one.backend)
  const { access_token: wallet } = await exchanged(one.backend, own, 'thandi')
  const { access_token: less } = await tokenOf(one.backend, undefined, { scope: 'users:read' })
  for (const [clientId, token, more] of [
    [other.backend, own, {}],
    [one.backend, wallet, {}],
    [one.backend, less, {}],
    [one.backend, 'x.y.z', {}],
    [one.backend, own, { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }],
    [one.backend, own, { actor_token: own }],
  ] as const) {
    await assert.rejects(exchanged(clientId, token, 'thandi', more), { error: 'invalid_request' })
  }
  await assert.rejects(exchanged(one.backend, own, 'thandi', { scope: 'users:read' }), { error: 'invalid_scope' })
  const form = { ...assertionForm(await anAssertion(one.signer)), grant_type: EXCHANGE, subject_token: own }
  assert.deepEqual(await refusal(await post(form)), [400, 'unauthorized_client'])
})

test('a key that was rotated away still verifies, and the set names both', async () => {
  const { backend } = await aTenant()
  const { access_token: old } = await tokenOf(backend)
  await platform.keys.rotate('00000000-0000-0000-0000-000000000000' as TenantId, 'access-token')
  const { access_token: fresh } = await tokenOf(backend)
  platform.clock.shiftSeconds += 4
  assert.equal((await withToken(fresh)).status, 200)
  assert.equal((await withToken(old)).status, 200)
  const jwks = (await (await fetch(as.jwks_uri ?? '')).json()) as { keys: { kid: string; d?: string }[] }
  const kids = [old, fresh].map(
    (token) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid,
  )
  const published = jwks.keys.map((key) => key.kid)
  assert(kids.every((kid) => published.includes(kid)))
  assert(jwks.keys.every((key) => key.d === undefined))
})
