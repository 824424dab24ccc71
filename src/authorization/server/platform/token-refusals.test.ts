import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sha256Base64url } from '../../../crypto/digest.ts'
import { signCompact } from '../../../crypto/jws.ts'
import { type SigningKey, softwareKey } from '../../../crypto/signing-key.ts'
import { newId } from '../../../store/row-id.ts'
import { signAccessToken } from '../../access/platform-token.ts'
import { aListeningServer, type aPlatform } from '../../test-support/a-platform.ts'
import {
  asking,
  clientPrivateKey,
  clientSecret,
  open,
  redirectUri,
  someClients,
  targetOf,
} from '../../test-support/an-oauth-client.ts'
import { aTenantWith, signIn } from '../../test-support/sign-in.ts'
import { introspectSteps } from '../endpoint/introspect-token.ts'
import { answerPushedRequest, pushSteps } from '../endpoint/pushed-requests.ts'
import { revokeSteps } from '../endpoint/revoke-token.ts'
import { tokenSteps } from '../endpoint/token-endpoint.ts'
import { platformInstance } from './platform-instance.ts'

type Form = Record<string, string>
type Headers = Record<string, string>

let served: Awaited<ReturnType<typeof aListeningServer>>
let platform: ReturnType<typeof aPlatform>
let house: Awaited<ReturnType<typeof aDeployment>>
before(async () => {
  served = await aListeningServer()
  platform = served.platform
  house = await aDeployment()
})
after(() => served.close())

async function aDeployment() {
  const clients = someClients()
  const bound = { ...clients.web, clientId: `bound-${newId()}`, dpopRequired: true }
  const service = { ...clients.web, clientId: `service-${newId()}`, grantTypes: ['client_credentials' as const] }
  const tenant = await aTenantWith(
    platform,
    [...Object.values(clients), bound, service],
    [{ username: 'thandi', roles: ['user-admin'] }],
  )
  return { ...tenant, ...clients, bound, service, browser: await signIn(platform, tenant.tenantId) }
}

function post(endpoint: string, form: Form | string, headers: Headers = {}) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form).toString()
  return fetch(`${platform.urls.auth}/${endpoint}`, { method: 'POST', body, headers: { ...type, ...headers } })
}

async function refusal(response: Response): Promise<[number, unknown]> {
  return [response.status, ((await response.json()) as { error: unknown }).error]
}

function aKey(): SigningKey {
  return softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
}

let nonce = ''
/** A proof of a key with the nonce of the server, which the first call asks for. */
async function proofOf(key: SigningKey, claims: object = {}): Promise<string> {
  const at = { htm: 'POST', htu: `${platform.urls.auth}/token`, iat: platform.clock.now().getTime() / 1000 }
  const sign = (more: object) =>
    signCompact({ typ: 'dpop+jwt', jwk: key.publicJwk }, { ...at, jti: newId(), nonce, ...more }, key)
  const asked = await post(
    'token',
    { ...secretOf(house.service.clientId), grant_type: 'client_credentials' },
    { dpop: await sign({ nonce: undefined }) },
  )
  nonce = asked.headers.get('dpop-nonce') ?? ''
  return sign({ nonce, ...claims })
}

function secretOf(clientId: string): Form {
  return { client_id: clientId, client_secret: clientSecret }
}

/** A fresh code, as the form of its redemption. */
async function codeForm(clientId: string, change: Record<string, string | undefined> = {}): Promise<Form> {
  const { parameters, verifier } = await asking(clientId, change)
  const code = targetOf(platform, await open(platform, parameters, house.browser)).searchParams.get('code') ?? ''
  return { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
}

test('the steps of every endpoint name their clauses', () => {
  for (const { clauses } of [tokenSteps, pushSteps, revokeSteps, introspectSteps]) {
    assert(clauses.length > 2)
    for (const clause of clauses.slice(0, -1)) assert.match(clause, /\(RFC \d+/)
  }
})

for (const [what, change, expected] of [
  ['no code', { code: '' }, 'invalid_request'],
  ['an invented code (oidcc: authorization code)', { code: 'A'.repeat(86) }, 'invalid_grant'],
  ['text that is no code', { code: 'x' }, 'invalid_grant'],
  ['no code_verifier (FAPI2: PKCE verifier required)', { code_verifier: '' }, 'invalid_grant'],
  ['another code_verifier (FAPI2: wrong verifier)', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
  ['no redirect_uri', { redirect_uri: '' }, 'invalid_grant'],
  ['another redirect_uri', { redirect_uri: 'http://127.0.0.1/callback' }, 'invalid_grant'],
  ['another grant_type', { grant_type: 'refresh_token' }, 'invalid_request'],
  ['the password grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ['a foreign resource (RFC 8707 2)', { resource: 'https://other.example' }, 'invalid_target'],
] as const) {
  test(`[RFC 6749 4.1.3] a redemption with ${what} is refused`, async () => {
    const form = { ...(await codeForm(house.web.clientId)), ...secretOf(house.web.clientId), ...change }
    assert.deepEqual(await refusal(await post('token', form)), [400, expected])
  })
}

for (const [what, form, headers, expected] of [
  ['of a confidential client without a secret', () => ({ client_id: house.web.clientId }), {}, [401, 'invalid_client']],
  ['of nobody', () => ({}), {}, [401, 'invalid_client']],
  ['of a public client with a secret', () => secretOf(house.native.clientId), {}, [401, 'invalid_client']],
  ['of a signing client without assertion', () => ({ client_id: house.strict.clientId }), {}, [401, 'invalid_client']],
  ['of a client without the grant', () => secretOf(house.service.clientId), {}, [400, 'unauthorized_client']],
  ['by the client of another grant', () => secretOf(house.bound.clientId), {}, [400, 'invalid_dpop_proof']],
  ['with a proof that is none', () => secretOf(house.web.clientId), { dpop: 'x' }, [400, 'invalid_dpop_proof']],
] as const) {
  test(`[RFC 6749 5.2] a token request ${what} is refused`, async () => {
    const response = await post('token', { ...(await codeForm(house.web.clientId)), ...form() }, headers)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await refusal(response), expected)
  })
}

for (const [what, audience, header] of [
  ['the address of the token endpoint (FAPI2: aud)', () => `${platform.urls.auth}/token`, {}],
  ['a list with our issuer identifier (FAPI2: aud)', () => [platform.urls.auth], {}],
  ['our issuer identifier with a slash', () => `${platform.urls.auth}/`, {}],
  ['another algorithm (FAPI2: alg)', () => platform.urls.auth, { alg: 'RS256' }],
  ['no algorithm (FAPI2: alg)', () => platform.urls.auth, { alg: 'none' }],
] as const) {
  test(`[RFC 7523 3] a client assertion with ${what} is refused`, async () => {
    const { clientId } = house.strict
    const exp = platform.clock.now().getTime() / 1000 + 60
    const claims = { iss: clientId, sub: clientId, aud: audience(), exp, jti: newId() }
    const [head = '', body, signature] = (await signCompact({}, claims, softwareKey(clientPrivateKey))).split('.')
    const changed = Object.assign(JSON.parse(Buffer.from(head, 'base64url').toString()), header)
    const assertion = `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${body}.${signature}`
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const form = { client_assertion: assertion, client_assertion_type: type, token: 'x' }
    assert.deepEqual(await refusal(await post('revoke', form)), [401, 'invalid_client'])
  })
}

test('[RFC 9126 2] requests are pushed by POST only (par-reject-invalid-http-verb)', async () => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    assert.equal((await fetch(`${platform.urls.auth}/par`, { method })).status, 405, method)
  }
})

test('[RFC 9449 4.3] a proof with iat, nbf and exp ten seconds beside the clock of the server is accepted; two proofs are not', async () => {
  const { clientId } = house.web
  const redeem = async (dpop: string) =>
    post('token', { ...(await codeForm(clientId)), ...secretOf(clientId) }, { dpop })
  const seconds = Math.floor(platform.clock.now().getTime() / 1000)
  for (const claims of [{ iat: seconds - 10, nbf: seconds - 10, exp: seconds + 50 }, { iat: seconds + 10 }]) {
    assert.equal((await redeem(await proofOf(aKey(), claims))).status, 200)
  }
  const both = `${await proofOf(aKey())}, ${await proofOf(aKey())}`
  assert.deepEqual(await refusal(await redeem(both)), [400, 'invalid_dpop_proof'])
})

test('[RFC 6749 4.4] a public client gets no token for itself', async () => {
  const form = { grant_type: 'client_credentials', client_id: house.native.clientId }
  assert.deepEqual(await refusal(await post('token', form)), [400, 'unauthorized_client'])
})

test('[RFC 9449 8] a proof without nonce, or with an old one, is told the nonce to use', async () => {
  const key = aKey()
  const form = { ...secretOf(house.service.clientId), grant_type: 'client_credentials', scope: '' }
  for (const claims of [{ nonce: undefined }, { nonce: 'invented' }]) {
    const response = await post('token', form, { dpop: await proofOf(key, claims) })
    assert.equal(response.headers.get('dpop-nonce')?.length, 22)
    assert.deepEqual(await refusal(response), [400, 'use_dpop_nonce'])
  }
})

test('[RFC 9449 11.1] a proof is accepted once (FAPI2: jti reuse)', async () => {
  const dpop = await proofOf(aKey())
  const forms = [await codeForm(house.web.clientId), await codeForm(house.web.clientId)]
  const [first, second] = forms.map((form) => ({ ...form, ...secretOf(house.web.clientId) }))
  assert.equal((await post('token', first ?? {}, { dpop })).status, 200)
  assert.deepEqual(await refusal(await post('token', second ?? {}, { dpop })), [400, 'invalid_dpop_proof'])
})

test('[RFC 9449 10] a code that is bound to a key is redeemed with that key only', async () => {
  const [key, other] = [aKey(), aKey()]
  const form = await codeForm(house.web.clientId, { dpop_jkt: key.kid })
  const redeem = async (headers: Headers) => post('token', { ...form, ...secretOf(house.web.clientId) }, headers)
  assert.deepEqual(await refusal(await redeem({})), [400, 'invalid_grant'])
  assert.deepEqual(await refusal(await redeem({ dpop: await proofOf(other) })), [400, 'invalid_grant'])
  const right = await redeem({ dpop: await proofOf(key) })
  assert.equal(right.status, 200)
  assert.equal(((await right.json()) as { token_type: string }).token_type, 'DPoP')
})

test('[RFC 9449 5] the refresh token of a public client is bound to its key, that of another client is not', async () => {
  for (const [client, expected] of [
    [house.native.clientId, [400, 200]],
    [house.web.clientId, [200, 200]],
  ] as const) {
    const key = aKey()
    const auth: Form = client === house.web.clientId ? secretOf(client) : { client_id: client }
    const tokens = await post('token', { ...(await codeForm(client)), ...auth }, { dpop: await proofOf(key) })
    const { refresh_token: token } = (await tokens.json()) as { refresh_token: string }
    const form = { ...auth, grant_type: 'refresh_token', refresh_token: token }
    const stolen = await post('token', form, { dpop: await proofOf(aKey()) })
    assert.equal(stolen.status, expected[0])
    assert.equal((await post('token', form, { dpop: await proofOf(key) })).status, expected[1])
  }
})

test('[RFC 6749 6] a refresh token is of its client (FAPI2: bound to the client)', async () => {
  const tokens = await post('token', { ...(await codeForm(house.web.clientId)), ...secretOf(house.web.clientId) })
  const { refresh_token: token } = (await tokens.json()) as { refresh_token: string }
  const form = { grant_type: 'refresh_token', refresh_token: token }
  const others: [Form, Headers][] = [
    [{ client_id: house.native.clientId }, {}],
    [secretOf(house.bound.clientId), { dpop: await proofOf(aKey()) }],
  ]
  for (const [auth, headers] of others) {
    assert.deepEqual(await refusal(await post('token', { ...form, ...auth }, headers)), [400, 'invalid_grant'])
  }
  for (const wrong of ['', 'x', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`.slice(1)]) {
    const response = await post('token', { ...form, ...secretOf(house.web.clientId), refresh_token: wrong })
    assert.deepEqual(await refusal(response), [400, wrong === '' ? 'invalid_request' : 'invalid_grant'])
  }
  assert.equal((await post('token', { ...form, ...secretOf(house.web.clientId) })).status, 200)
})

for (const [what, form, change, expected] of [
  ['without a client', {}, {}, [401, 'invalid_client']],
  ['of a client without the code flow', () => secretOf(house.service.clientId), {}, [400, 'unauthorized_client']],
  ['with a request_uri (RFC 9126 2.1)', null, { request_uri: 'urn:x' }, [400, 'invalid_request']],
  ['with another client_id', null, { client_id: 'another' }, [400, 'invalid_request']],
  [
    'with another redirect_uri (FAPI2: unregistered)',
    null,
    { redirect_uri: 'https://evil.example/' },
    [400, 'invalid_request'],
  ],
  ['without a redirect_uri (FAPI2: required)', null, { redirect_uri: '' }, [400, 'invalid_request']],
  ['without code_challenge (FAPI2: PKCE)', null, { code_challenge: '' }, [400, 'invalid_request']],
  ['with the method plain (FAPI2: S256)', null, { code_challenge_method: 'plain' }, [400, 'invalid_request']],
  ['with response_type=token (FAPI2: code only)', null, { response_type: 'token' }, [400, 'unsupported_response_type']],
  ['with a hybrid response_type (FAPI2)', null, { response_type: 'code id_token' }, [400, 'unsupported_response_type']],
  ['without scope', null, { scope: '' }, [400, 'invalid_scope']],
  ['with a request object', null, { request: 'a.b.c' }, [400, 'request_not_supported']],
] as const) {
  test(`[RFC 9126 2.3] a pushed request ${what} is refused`, async () => {
    const { parameters } = await asking(house.web.clientId)
    const { client_id: _, ...rest } = parameters
    const auth = typeof form === 'function' ? form() : form === null ? {} : form
    const basic = Buffer.from(`${house.web.clientId}:${clientSecret}`).toString('base64')
    const headers: Headers = form === null ? { authorization: `Basic ${basic}` } : {}
    assert.deepEqual(await refusal(await post('par', { ...rest, ...auth, ...change }, headers)), expected)
  })
}

test('[RFC 9126 2.2] a pushed request is for its client, expires after a minute, and survives the sign-in', async () => {
  const push = async () => {
    const { parameters } = await asking(house.web.clientId)
    const response = await post('par', { ...parameters, ...secretOf(house.web.clientId) })
    assert.equal(response.status, 201)
    const { request_uri: requestUri, expires_in: expiresIn } = (await response.json()) as Record<string, unknown>
    assert.equal(expiresIn, 60)
    return { client_id: house.web.clientId, request_uri: String(requestUri) }
  }
  const foreign = await open(platform, { ...(await push()), client_id: house.native.clientId }, house.browser)
  assert.equal(foreign.status, 400)
  const late = await push()
  const opened = await push()
  const toSignIn = targetOf(platform, await open(platform, opened, null)).searchParams.get('continue') ?? ''
  platform.clock.shiftSeconds += 61
  assert.equal((await open(platform, late, house.browser)).status, 400)
  // RFC 9126 4: other parameters do not count
  const response = await open(
    platform,
    `${toSignIn}&redirect_uri=https%3A%2F%2Fevil.example&state=other`,
    house.browser,
  )
  const target = targetOf(platform, response)
  assert(target.searchParams.has('code'))
  assert.equal(target.searchParams.get('state'), 'a state & more')
  assert.equal((await open(platform, opened, house.browser)).status, 400)
})

test('[SEC-74] a client that does not authenticate pushes at most 60 requests a minute from an address', async () => {
  const { parameters } = await asking(house.native.clientId)
  const instance = platformInstance(platform)
  const push = (form: Form, ip: string) =>
    answerPushedRequest({ platform, instance, form: { ...parameters, ...form }, headers: {}, ip, requestId: 'r' })
  for (let n = 0; n < 60; n += 1) await push({}, '192.0.2.7')
  await assert.rejects(push({}, '192.0.2.7'), { code: 'request.rate_limited' })
  assert.equal((await push({}, '192.0.2.8')).status, 201)
  assert.equal((await push(secretOf(house.web.clientId), '192.0.2.7')).status, 201)
  const large = await post('par', { ...parameters, x: 'x'.repeat(65_536) })
  assert.equal(large.status, 413)
})

test('[RFC 9449 10.1] dpop_jkt of a pushed request is that of its proof', async () => {
  const key = aKey()
  const { parameters } = await asking(house.web.clientId, { dpop_jkt: aKey().kid })
  const dpop = await proofOf(key, { htu: `${platform.urls.auth}/par` })
  const response = await post('par', { ...parameters, ...secretOf(house.web.clientId) }, { dpop })
  assert.deepEqual(await refusal(response), [400, 'invalid_dpop_proof'])
})

test('[RFC 9449 7] the API refuses a bound token as Bearer, an unbound one as DPoP, and every proof that is not right', async () => {
  const key = aKey()
  const { userId } = house.browser
  const claims = {
    tenantId: house.tenantId,
    clientId: house.web.clientId,
    userId,
    isActing: false,
    scopes: ['users:read', 'openid'],
  }
  const bound = await signAccessToken(platform, { ...claims, jkt: key.kid })
  const bearer = await signAccessToken(platform, claims)
  const url = `${platform.urls.publicUrl}/onboarding/users`
  const at = { htm: 'GET', htu: url, ath: sha256Base64url(bound) }
  const call = async (headers: Headers, address = url) => {
    const response = await fetch(address, { headers })
    return [response.status, /error="(\w+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]]
  }
  const dpop = (proof: string, token = bound) => ({ authorization: `DPoP ${token}`, dpop: proof })
  assert.deepEqual(await call(dpop(await proofOf(key, at))), [200, undefined])
  // RFC 9110 11.1: the name of the scheme has no case (access-token-type-header-case-sensitivity)
  const lower = { ...dpop(await proofOf(key, at)), authorization: `dpop ${bound}` }
  assert.deepEqual(await call(lower), [200, undefined])
  for (const [headers, error] of [
    [{ authorization: `Bearer ${bound}` }, 'invalid_token'],
    [{ authorization: `DPoP ${bound}` }, 'invalid_dpop_proof'],
    [dpop(await proofOf(key, { ...at, ath: sha256Base64url(bearer) }), bearer), 'invalid_token'],
    [dpop(await proofOf(aKey(), at)), 'invalid_dpop_proof'],
    [dpop(await proofOf(key, { ...at, ath: undefined })), 'invalid_dpop_proof'],
    [dpop(await proofOf(key, { ...at, htm: 'POST' })), 'invalid_dpop_proof'],
    [dpop(await proofOf(key, { ...at, htu: platform.urls.publicUrl })), 'invalid_dpop_proof'],
    [dpop(await proofOf(key, { ...at, nonce: undefined })), 'use_dpop_nonce'],
    [dpop(`${await proofOf(key, at)}, ${await proofOf(key, at)}`), 'invalid_dpop_proof'],
  ] as const) {
    assert.deepEqual(await call(headers), [401, error])
  }
  // FAPI2: access-token-type-header-case-sensitivity
  assert.deepEqual(await call({ authorization: `dpop ${bound}`, dpop: await proofOf(key, at) }), [200, undefined])
  assert.deepEqual(await call({ authorization: `bEARER ${bearer}` }), [200, undefined])
  const once = dpop(await proofOf(key, at))
  assert.deepEqual([(await call(once))[0], (await call(once))[0]], [200, 401])
  const info = `${platform.urls.auth}/userinfo`
  assert.deepEqual(await call({ authorization: `Bearer ${bearer}` }, info), [200, undefined])
  assert.deepEqual(await call({ authorization: `Bearer ${bound}` }, info), [401, 'invalid_token'])
  assert.deepEqual(await call(dpop(await proofOf(key, { ...at, htu: info, nonce: undefined })), info), [
    401,
    'use_dpop_nonce',
  ])
  assert.deepEqual(await call(dpop(await proofOf(key, { ...at, htu: info })), info), [200, undefined])
})

test('[OpenID Connect Core 5.3] claims about a user need the scope openid', async () => {
  const claims = { tenantId: house.tenantId, clientId: house.web.clientId, isActing: false, scopes: ['users:read'] }
  for (const userId of [house.browser.userId, null]) {
    const token = await signAccessToken(platform, { ...claims, userId })
    const response = await fetch(`${platform.urls.auth}/userinfo`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(response.status, 403)
    assert.match(response.headers.get('www-authenticate') ?? '', /insufficient_scope.*scope="openid"/)
  }
  assert.equal((await fetch(`${platform.urls.auth}/userinfo`)).status, 401)
})
