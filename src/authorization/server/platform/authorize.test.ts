import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TenantId } from '../../../caller.ts'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { clientDefaults } from '../../../directory/clients/client.ts'
import { putClient } from '../../../directory/clients/client-store.ts'
import { newId } from '../../../store/row-id.ts'
import { platformTenantId } from '../../../store/store.ts'
import { aListeningServer, type aPlatform } from '../../test-support/a-platform.ts'
import { asking, open, redirectUri, someClients, targetOf } from '../../test-support/an-oauth-client.ts'
import { aTenantWith, type SignedIn, signIn, signInAgain } from '../../test-support/sign-in.ts'
import { grantConsent } from '../consent-store.ts'
import { requestSteps, trustSteps } from '../endpoint/authorize.ts'
import { signIdToken } from '../openid/id-token.ts'
import { findPendingConsent } from './find-pending-consent.ts'
import { platformInstance } from './platform-instance.ts'

type Change = Record<string, string | undefined>

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
  const foreign = { ...clients.web, clientId: `foreign-${newId()}`, name: 'A foreign application', asksConsent: true }
  const service = { ...clients.web, clientId: `service-${newId()}`, grantTypes: ['client_credentials' as const] }
  const tenant = await aTenantWith(platform, [...Object.values(clients), foreign, service])
  const browser = await signIn(platform, tenant.tenantId)
  return { ...tenant, ...clients, foreign, service, browser }
}

async function visit(clientId: string, change: Change = {}, browser: Pick<SignedIn, 'cookie'> | null = house.browser) {
  const { parameters } = await asking(clientId, change)
  return open(platform, parameters, browser)
}

/** Follows the redirect to a page, which returns the browser to `continue`. */
async function returned(response: Response, browser: Pick<SignedIn, 'cookie'> | null = house.browser, more = '') {
  const path = targetOf(platform, response).searchParams.get('continue') ?? ''
  assert(path.startsWith('/auth/authorize?'))
  return open(platform, path + more, browser)
}

function outcomeOf(response: Response): string {
  const target = targetOf(platform, response)
  if (target.pathname === '/sign-in' || target.pathname === '/consent') return target.pathname
  return target.searchParams.get('error') ?? (target.searchParams.has('code') ? 'code' : 'page')
}

test('the steps name their clauses', () => {
  for (const clause of [...trustSteps.clauses, ...requestSteps.clauses]) assert.match(clause, /\((RFC|OpenID)/)
})

for (const [what, change] of [
  ['no client_id', { client_id: undefined }],
  ['an unknown client_id', { client_id: 'nobody' }],
  ['a client_id with NUL', { client_id: 'no\0body' }],
  ['no redirect_uri (oidcc-ensure-redirect-uri-in-authorization-request)', { redirect_uri: undefined }],
  ['another redirect_uri (oidcc-ensure-registered-redirect-uri)', { redirect_uri: 'https://evil.example/' }],
  ['a redirect_uri with more query', { redirect_uri: `${redirectUri}&x=1` }],
  ['a redirect_uri with another query', { redirect_uri: 'https://rp.example/callback?kind=other' }],
  ['a redirect_uri without its query', { redirect_uri: 'https://rp.example/callback' }],
  ['a redirect_uri with a fragment (RFC 6749 3.1.2)', { redirect_uri: `${redirectUri}#x` }],
  ['an invented request_uri', { request_uri: `urn:ietf:params:oauth:request_uri:${'A'.repeat(86)}` }],
  ['a value beyond the limit', { state: 'x'.repeat(8193) }],
] as const) {
  test(`[RFC 6749 4.1.2.1] a request with ${what} is answered by a page and never redirected`, async () => {
    const response = await visit(house.web.clientId, change)
    assert.equal(response.status, 400)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal(response.headers.has('location'), false)
  })
}

test('[RFC 6749 3.1] a repeated parameter is answered by a page', async () => {
  const { parameters } = await asking(house.web.clientId)
  const query = `/auth/authorize?${new URLSearchParams(parameters)}&redirect_uri=https%3A%2F%2Fevil.example`
  const response = await open(platform, query, house.browser)
  assert.equal(response.status, 400)
  assert.equal(response.headers.has('location'), false)
})

for (const [what, change, error] of [
  ['no response_type (oidcc-response-type-missing)', { response_type: undefined }, 'invalid_request'],
  ['response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
  ['response_type=code id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['response_mode=fragment', { response_mode: 'fragment' }, 'invalid_request'],
  ['no code_challenge (FAPI2: ensure PKCE required)', { code_challenge: undefined }, 'invalid_request'],
  ['code_challenge_method=plain (FAPI2: plain fails)', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['no code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a malformed code_challenge', { code_challenge: 'short' }, 'invalid_request'],
  ['no scope (RFC 6749 3.3)', { scope: undefined }, 'invalid_scope'],
  ['unknown scopes only', { scope: 'nonsense' }, 'invalid_scope'],
  ['a scope that the user lacks only', { scope: 'tenant:admin' }, 'invalid_scope'],
  ['a request object (oidcc-unsigned-request-object)', { request: 'a.b.c' }, 'request_not_supported'],
  ['a foreign request_uri', { request_uri: 'https://rp.example/r' }, 'request_uri_not_supported'],
  ['registration', { registration: '{}' }, 'registration_not_supported'],
  ['prompt=none and login', { prompt: 'none login' }, 'invalid_request'],
  ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
  ['a negative max_age', { max_age: '-1' }, 'invalid_request'],
  ['a malformed dpop_jkt (RFC 9449 10)', { dpop_jkt: 'x' }, 'invalid_request'],
  ['an id_token_hint that is none', { id_token_hint: 'a.b.c' }, 'invalid_request'],
  ['the refusal of the user', { consent: 'denied' }, 'access_denied'],
] as const) {
  test(`[RFC 6749 4.1.2.1] a request with ${what} is refused at the client, with state and iss`, async () => {
    const response = await visit(house.web.clientId, change)
    assert.equal(response.status, 303)
    const { origin, searchParams } = targetOf(platform, response)
    assert.equal(origin, 'https://rp.example')
    assert.equal(searchParams.get('error'), error)
    assert.equal(searchParams.get('state'), 'a state & more')
    assert.equal(searchParams.get('iss'), platform.urls.auth)
    assert.equal(searchParams.get('kind'), 'test')
    assert.equal(searchParams.has('code'), false)
  })
}

test('a client without the code flow, and one that must push its requests, are refused', async () => {
  assert.equal(outcomeOf(await visit(house.service.clientId)), 'unauthorized_client')
  assert.equal(outcomeOf(await visit(house.strict.clientId)), 'invalid_request')
})

for (const [what, change] of [
  ['an unknown parameter (oidcc-ensure-request-with-unknown-parameter-succeeds)', { extra: 'x' }],
  ['no nonce (oidcc-ensure-request-without-nonce-succeeds-for-code-flow)', { nonce: undefined }],
  ['no state', { state: undefined }],
  ['a nonce of 64 characters (FAPI2: 64-char-nonce)', { nonce: 'n'.repeat(64) }],
  ['a long nonce and state (FAPI2: long-nonce, long-state)', { nonce: 'n'.repeat(384), state: 's'.repeat(384) }],
  ['scopes in another order (FAPI2: other-scope-order)', { scope: 'email profile openid' }],
  ['display (oidcc-display-popup)', { display: 'popup' }],
  ['ui_locales (oidcc-ui-locales)', { ui_locales: 'se', claims_locales: 'se' }],
  ['claims, which are not supported', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
  ['other scopes (oidcc-scope-address, oidcc-scope-phone)', { scope: 'openid address phone' }],
  ['acr_values that are unknown (oidcc-ensure-request-with-acr-values-succeeds)', { acr_values: '1 2' }],
  ['response_mode=query', { response_mode: 'query' }],
] as const) {
  test(`a request with ${what} is answered with a code`, async () => {
    const response = await visit(house.web.clientId, change)
    assert.equal(outcomeOf(response), 'code')
    assert.equal(targetOf(platform, response).searchParams.get('iss'), platform.urls.auth)
  })
}

test('discovery names what there is: every address answers', async () => {
  const discovered = await fetch(`${platform.urls.auth}/.well-known/openid-configuration`)
  const metadata = (await discovered.json()) as Record<string, unknown>
  const addresses = Object.entries(metadata).filter(([name]) => /(_endpoint|_uri)$/.test(name))
  assert.equal(addresses.length, 8)
  for (const [name, url] of addresses) {
    const methods = await Promise.all(
      ['GET', 'POST'].map(async (method) => (await fetch(String(url), { method })).status),
    )
    assert(!methods.includes(404), name)
    assert(
      methods.some((status) => status !== 405),
      name,
    )
  }
  assert.deepEqual(metadata.response_types_supported, ['code'])
  assert.deepEqual(metadata.code_challenge_methods_supported, ['S256'])
  assert.equal(metadata.request_uri_parameter_supported, false)
  assert.equal((metadata.introspection_endpoint_auth_methods_supported as string[]).includes('none'), false)
})

test('parameters in a form are answered as those of a query (oidcc-server post)', async () => {
  const { parameters } = await asking(house.web.clientId)
  const headers = { cookie: house.browser.cookie }
  const body = new URLSearchParams(parameters)
  const response = await fetch(`${platform.urls.auth}/authorize`, { method: 'POST', body, headers, redirect: 'manual' })
  assert.equal(response.status, 303)
  assert.equal(outcomeOf(response), 'code')
  assert.equal(response.headers.has('access-control-allow-origin'), false)
})

test('without a session the browser is sent to sign in, and returns', async () => {
  const response = await visit(house.web.clientId, { login_hint: 'thandi' }, null)
  assert.equal(response.status, 303)
  const { pathname, searchParams } = targetOf(platform, response)
  assert.equal(pathname, '/sign-in')
  assert.equal(searchParams.get('tenant'), house.slug)
  assert.equal(searchParams.get('hint'), 'thandi')
  assert.equal(searchParams.has('again'), false)
  assert.equal(outcomeOf(await returned(response)), 'code')
})

test('a state of thousands of characters comes back as it was, also after a sign-in', async () => {
  const state = 'Sealed-'.repeat(900)
  for (const browser of [house.browser, null]) {
    const answer = await visit(house.web.clientId, { state }, browser)
    const done = browser === null ? await returned(answer) : answer
    assert.equal(outcomeOf(done), 'code')
    assert.equal(targetOf(platform, done).searchParams.get('state'), state)
  }
})

test('a login_hint is repeated without a look-up: one that names a user is answered as one that names none', async () => {
  for (const named of ['thandi', 'thandi@example.org', 'nobody@example.org']) {
    const { pathname, searchParams } = targetOf(platform, await visit(house.web.clientId, { login_hint: named }, null))
    searchParams.delete('continue')
    assert.deepEqual([pathname, ...searchParams], ['/sign-in', ['tenant', house.slug], ['hint', named]])
  }
})

test('prompt=none without a session is login_required (oidcc-prompt-none-not-logged-in)', async () => {
  assert.equal(outcomeOf(await visit(house.web.clientId, { prompt: 'none' }, null)), 'login_required')
  assert.equal(outcomeOf(await visit(house.web.clientId, { prompt: 'none' })), 'code')
})

for (const [what, change] of [
  ['prompt=login (oidcc-prompt-login)', { prompt: 'login' }],
  ['prompt=select_account', { prompt: 'select_account' }],
  ['max_age (oidcc-max-age-1)', { max_age: '1' }],
  ['acr_values that the session does not satisfy', { acr_values: 'urn:chirograph:acr:two-factor' }],
] as const) {
  test(`${what} asks the user to sign in again, once, and nothing in the address skips it`, async () => {
    const browser = await signIn(platform, house.tenantId)
    platform.clock.shiftSeconds += 2
    const asked = await visit(house.web.clientId, change, browser)
    assert.equal(outcomeOf(asked), '/sign-in')
    assert.equal(targetOf(platform, asked).searchParams.get('again'), '1')
    const isOther = 'prompt' in change && change.prompt === 'select_account'
    assert.equal(targetOf(platform, asked).searchParams.has('hint'), !isOther, 'names the person of the session')
    assert.equal(outcomeOf(await returned(asked, browser)), '/sign-in')
    const forged = await visit(house.web.clientId, { ...change, since: `1000000000000.${'A'.repeat(43)}` }, browser)
    assert.equal(outcomeOf(forged), '/sign-in')
    platform.clock.shiftSeconds += 1
    await signInAgain(platform, house.tenantId, browser)
    assert.equal(outcomeOf(await returned(asked, browser)), 'code')
    platform.clock.shiftSeconds += 2
    const path = targetOf(platform, asked).searchParams.get('continue') ?? ''
    const since = new URL(path, platform.urls.publicUrl).searchParams.get('since') ?? ''
    assert.equal(outcomeOf(await visit(house.web.clientId, { ...change, since }, browser)), '/sign-in')
  })
}

test('max_age with prompt=none is login_required when the sign-in is older, and acr is voluntary', async () => {
  const browser = await signIn(platform, house.tenantId)
  platform.clock.shiftSeconds += 10
  const silent = (change: Change) => visit(house.web.clientId, { prompt: 'none', ...change }, browser)
  assert.equal(outcomeOf(await silent({ max_age: '5' })), 'login_required')
  assert.equal(outcomeOf(await silent({ max_age: '10000' })), 'code')
  assert.equal(outcomeOf(await silent({ acr_values: 'urn:chirograph:acr:two-factor' })), 'code')
})

test('two factors satisfy acr_values', async () => {
  for (const methods of [
    ['pwd', 'otp'],
    ['hwk', 'user'],
    ['pwd', 'mfa'],
  ]) {
    const browser = await signIn(platform, house.tenantId, { methods })
    const response = await visit(house.web.clientId, { acr_values: 'urn:chirograph:acr:two-factor' }, browser)
    assert.equal(outcomeOf(response), 'code')
  }
})

test('a hint that names another user asks for a sign-in', async () => {
  const other = await aDeployment()
  const hintOf = (browser: SignedIn) => {
    const client = { ...house.web, tenantId: house.tenantId, tenantSlug: house.slug } as never
    const about = { scopes: [], jkt: null, nonce: null, methods: [], familyId: newId(), details: null }
    const granted = { ...browser, client, tenantId: house.tenantId, ...about }
    return signIdToken(platform, { ...granted, authenticatedAt: new Date(), isRefresh: false, refreshToken: null }, 'x')
  }
  const silent = { prompt: 'none', id_token_hint: await hintOf(house.browser) }
  assert.equal(outcomeOf(await visit(house.web.clientId, silent)), 'code')
  const foreign = { prompt: 'none', id_token_hint: await hintOf(other.browser) }
  assert.equal(outcomeOf(await visit(house.web.clientId, foreign)), 'login_required')
  assert.equal(outcomeOf(await visit(house.foreign.clientId, silent)), 'invalid_request')
})

test('a client signs in users of its own tenant only; one of the platform those of every tenant', async () => {
  const other = await aDeployment()
  const response = await visit(house.web.clientId, {}, other.browser)
  assert.equal(outcomeOf(response), '/sign-in')
  assert.equal(targetOf(platform, response).searchParams.get('again'), '1')
  const { name, clientSecret: _, ...rest } = someClients().web
  const central = { ...clientDefaults, ...rest, name, isPublic: true, secretHash: null, replaces: null }
  await platform.store.inTenant(platformTenantId, (tx) => putClient(tx, central, new Date()))
  for (const browser of [house.browser, other.browser]) {
    assert.equal(outcomeOf(await visit(central.clientId, {}, browser)), 'code')
  }
})

test('a foreign application is allowed by the user first; more scopes and prompt=consent ask again', async () => {
  const { clientId } = house.foreign
  const { userId } = house.browser
  const { issuer } = platformInstance(platform)
  const allow = (tenantId: TenantId, scopes: readonly string[]) =>
    platform.store.inTenant(tenantId, (tx) =>
      grantConsent(tx, { userId, clientId, scopes, issuer }, platform.clock.now()),
    )
  assert.equal(outcomeOf(await visit(clientId, { prompt: 'none', scope: 'openid' })), 'consent_required')
  const asked = await visit(clientId, { scope: 'openid wallet:read issuance:write' })
  assert.equal(outcomeOf(asked), '/consent')
  const path = targetOf(platform, asked).searchParams.get('continue') ?? ''
  assert.partialDeepStrictEqual(await findPendingConsent(platform, path, house.browser.cookie), {
    clientName: 'A foreign application',
    host: new URL(redirectUri).host,
    scopes: ['openid', 'wallet:read'],
  })
  assert.equal(outcomeOf(await returned(asked, house.browser, '&consent=denied')), 'access_denied')
  await allow(house.tenantId, ['openid'])
  assert.equal(outcomeOf(await returned(asked)), '/consent')
  await allow(house.tenantId, ['wallet:read'])
  assert.equal(outcomeOf(await returned(asked)), 'code')
  assert.equal(outcomeOf(await visit(clientId, { scope: 'wallet:read' })), 'code')
  platform.clock.shiftSeconds += 2
  const forced = await visit(clientId, { scope: 'wallet:read', prompt: 'consent' })
  assert.equal(outcomeOf(forced), '/consent')
  platform.clock.shiftSeconds += 1
  await allow(house.tenantId, ['wallet:read'])
  assert.equal(outcomeOf(await returned(forced)), 'code')
})

test('a disabled user is sent to sign in', async () => {
  const own = await aDeployment()
  const disabled = { username: 'thandi', enabled: false }
  await applyBootstrap(platform, { tenants: [{ slug: own.slug, name: 'Acme', users: [disabled] }] })
  assert.equal(outcomeOf(await visit(own.web.clientId, {}, own.browser)), '/sign-in')
})
