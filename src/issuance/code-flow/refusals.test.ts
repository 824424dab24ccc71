// Each negative clause of the code flow is a row: what the wallet, the user or another party does, and the error.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { clientJwks } from '../../authorization/test-support/an-oauth-client.ts'
import type { SignedIn } from '../../authorization/test-support/sign-in.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import {
  aCode,
  answerConsent,
  aRequest,
  aUser,
  authorizeAt,
  type Change,
  configure,
  offerOf,
  postConsent,
  prepared,
  targetOf,
  tokenAt,
  visit,
} from '../test-support/code-flow.ts'
import { aDatabase, anIssuer, aTemplate, type Body, type Issuer, type Reply } from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
let template: Body
let other: Body
let browser: SignedIn & { readonly username: string }
const disable = sql('test.code_flow.disable', 'update client set disabled_at = now() where client_id = $1')
const confidential = `confidential-${newId()}`
const disabled = `disabled-${newId()}`
const strict = `strict-${newId()}`
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  template = (await issuer.api('POST', '/templates/credentials', aTemplate())).body.data
  other = (await issuer.api('POST', '/templates/credentials', aTemplate())).body.data
  const codes = {
    scopes: [],
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: ['https://wallet.example/cb'],
  }
  await configure(issuer, {
    clients: [
      { ...codes, clientId: confidential, jwks: clientJwks },
      { ...codes, clientId: disabled, isPublic: true },
      { ...codes, clientId: strict, isPublic: true, parRequired: true, dpopRequired: true },
    ],
  })
  await db.store.inTenant(issuer.tenant.id, (tx) => tx.rows(disable, [disabled]))
  browser = await aUser(issuer)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

/** What the wallet is told: the error of the redirect; null: a page. */
function errorOf(response: Reply): string | null {
  return targetOf(response).searchParams.get('error')
}
const details = (...elements: unknown[]) => ({ authorization_details: JSON.stringify(elements) })
const oneOf = (code: unknown, more: object = {}) => ({
  type: 'openid_credential',
  credential_configuration_id: code,
  ...more,
})

for (const [what, change, error] of [
  ['[VCI-A1] without PKCE', () => ({ code_challenge: undefined }), 'invalid_request'],
  ['[VCI-A1] with PKCE plain', () => ({ code_challenge_method: 'plain' }), 'invalid_request'],
  ['[VCI-A2] without scope and authorization_details', () => ({ scope: undefined }), 'invalid_scope'],
  ['[VCI-A3] with unknown scopes only', () => ({ scope: 'openid unknown' }), 'invalid_scope'],
  ['with two credentials by scope', () => ({ scope: `${template.code} ${other.code}` }), 'invalid_scope'],
  ['[VCI-A2] with details that are no JSON', () => ({ authorization_details: '{' }), 'invalid_authorization_details'],
  ['[VCI-A2] with details that are no array', () => ({ authorization_details: '{}' }), 'invalid_authorization_details'],
  ['[VCI-A2] with no element', () => details(), 'invalid_authorization_details'],
  [
    '[VCI-A2] with another type',
    () => details({ ...oneOf(template.code), type: 'x' }),
    'invalid_authorization_details',
  ],
  ['[VCI-A2] without configuration', () => details(oneOf(undefined)), 'invalid_authorization_details'],
  ['[VCI-A2] with an unknown configuration', () => details(oneOf('unknown')), 'invalid_authorization_details'],
  ['[VCI-A2] with a configuration that no column takes', () => details(oneOf('a\0b')), 'invalid_authorization_details'],
  ['with two credentials', () => details(oneOf(template.code), oneOf(other.code)), 'invalid_authorization_details'],
  [
    '[VCI-M15] with contradictory claims',
    () => details(oneOf(template.code, { claims: [{ path: ['a'] }, { path: ['a'] }] })),
    'invalid_authorization_details',
  ],
  ['[VCI-A4] with an issuer_state of nobody', () => ({ issuer_state: 'x' }), 'invalid_request'],
  ['for a credential that nobody prepared', () => ({ scope: other.code }), 'access_denied'],
  ['with response_type=token', () => ({ response_type: 'token' }), 'unsupported_response_type'],
  ['with a request object', () => ({ request: 'x' }), 'request_not_supported'],
  [
    'of a registered wallet that must push it',
    () => ({ client_id: strict, redirect_uri: 'https://wallet.example/cb' }),
    'invalid_request',
  ],
  ['silently', () => ({ prompt: 'none' }), 'consent_required'],
] as const) {
  test(`an authorization request ${what} is ${error}`, async () => {
    await prepared(issuer, template, browser)
    const { parameters } = await aRequest(template, change() as Change)
    const response = await authorizeAt(issuer, parameters, browser)
    assert.equal(errorOf(response), error)
    // [VCI-A6]
    const { searchParams } = targetOf(response)
    assert.equal(searchParams.get('iss'), issuer.platform.urls.issuer(issuer.tenant.slug))
    assert.equal(searchParams.get('state'), parameters.state)
    assert.equal(searchParams.get('code'), null)
  })
}

for (const [what, change] of [
  [
    'an unknown redirect URI of a registered wallet',
    () => ({ client_id: confidential, redirect_uri: 'https://evil.example/' }),
  ],
  ['the name of a disabled wallet of the tenant', () => ({ client_id: disabled })],
  ['a plain http address', () => ({ redirect_uri: 'http://wallet.example/cb' })],
  ['localhost by name', () => ({ redirect_uri: 'http://localhost:9/cb' })],
  ['a scheme that is no domain name', () => ({ redirect_uri: 'javascript:alert(1)' })],
  ['a data address', () => ({ redirect_uri: 'data:text/html,x' })],
  ['a fragment', () => ({ redirect_uri: 'https://wallet.example/cb#x' })],
  ['a scheme without a dot', () => ({ redirect_uri: 'openid-credential-offer://com.example.wallet' })],
  ['no redirect URI', () => ({ redirect_uri: undefined })],
  ['a client id with control characters', () => ({ client_id: 'a\nb' })],
  ['a client id of 256 characters', () => ({ client_id: 'a'.repeat(256) })],
] as const) {
  test(`[RFC 6749 4.1.2.1] [RFC 8252 7] a request with ${what} is a page, and nothing is sent there`, async () => {
    const { parameters } = await aRequest(template, change() as Change)
    const response = await authorizeAt(issuer, parameters, browser)
    assert.deepEqual([response.status, response.headers.location], [400, undefined])
  })
}

for (const [what, change, detail] of [
  [
    'a scheme without a dot',
    { redirect_uri: 'openid-credential-offer://wallet' },
    /must be https or a loopback address/,
  ],
  ['no redirect_uri', { redirect_uri: undefined }, /^The redirect_uri is missing\.$/],
  ['a redirect_uri of another', { client_id: strict, redirect_uri: 'https://evil.example/' }, /is not registered/],
  ['no client_id', { client_id: undefined }, /names no client: send client_id/],
] as const) {
  test(`a pushed request with ${what} hears what is wrong`, async () => {
    const { parameters } = await aRequest(template, change)
    const { body } = await issuer.open(`/issuers/${issuer.tenant.slug}/par`, { form: parameters })
    assert.match(body.error_description, detail)
  })
}

for (const redirect of [
  'https://wallet.example/cb',
  'http://127.0.0.1:49152/cb',
  'http://[::1]:1/cb',
  'com.example.app:/cb',
]) {
  test(`[RFC 8252 7] an unregistered wallet may return to ${redirect}`, async () => {
    const user = await aUser(issuer)
    await prepared(issuer, template, user)
    const form = await aCode(issuer, template, user, { redirect_uri: redirect })
    assert.equal((await tokenAt(issuer, form)).status, 200)
  })
}

test('[VCI-A3] [VCI-A5] unknown scopes and parameters are ignored; details win over the scope of the same credential', async () => {
  const user = await aUser(issuer)
  await prepared(issuer, template, user)
  const more = { scope: `openid ${template.code}`, wallet_issuer: 'x', resource: 'y', ...details(oneOf(template.code)) }
  const { body } = await tokenAt(issuer, await aCode(issuer, template, user, more))
  assert.equal(body.authorization_details[0].credential_configuration_id, template.code)
})

test('[VCI-A4] [SEC-10] an offer for another user, one that has ended, and that of another tenant are denied', async () => {
  const [mine, theirs] = [await aUser(issuer), await aUser(issuer)]
  const issuance = await prepared(issuer, template, mine)
  const state = (await offerOf(issuer, issuance)).grants.authorization_code.issuer_state
  await prepared(issuer, template, theirs)
  const { parameters } = await aRequest(template, { issuer_state: state })
  assert.equal(errorOf(await authorizeAt(issuer, parameters, theirs)), 'access_denied')
  assert.equal(targetOf(await authorizeAt(issuer, parameters, mine)).pathname, `/issuers/${issuer.tenant.slug}/consent`)
  const wrong = { ...parameters, scope: other.code }
  assert.equal(errorOf(await authorizeAt(issuer, wrong, mine)), 'access_denied')
  await issuer.api('DELETE', `/credentials/${issuance.id}`)
  assert.equal(errorOf(await authorizeAt(issuer, parameters, mine)), 'access_denied')
})

test('a user of another tenant is asked to sign in at this one', async () => {
  const elsewhere = await anIssuer(db, undefined, {}, await issuer.anotherTenant())
  const stranger = await aUser(elsewhere)
  const { parameters } = await aRequest(template)
  const target = targetOf(await authorizeAt(issuer, parameters, stranger))
  assert.deepEqual([target.pathname, target.searchParams.get('tenant')], ['/sign-in', issuer.tenant.slug])
  const page = await visit(
    issuer,
    `/issuers/${issuer.tenant.slug}/consent?continue=%2Fissuers%2F${issuer.tenant.slug}%2Fauthorize%3Fx`,
    stranger,
  )
  assert(!String(page.body).includes('answer'))
  await elsewhere.server.close(0)
})

test('[HAIP-2] [VCI-A8] a tenant can require pushed requests, keys, and registered wallets', async () => {
  const own = await anIssuer(db, undefined, {}, await issuer.anotherTenant())
  const made = (await own.api('POST', '/templates/credentials', aTemplate())).body.data
  const user = await aUser(own)
  await prepared(own, made, user)
  const meta = async () => (await own.open(`/.well-known/oauth-authorization-server/issuers/${own.tenant.slug}`)).body
  assert.equal((await meta()).require_pushed_authorization_requests, undefined)
  await configure(own, { settings: { pushedRequests: 'required', walletDpop: 'required' } })
  assert.equal((await meta()).require_pushed_authorization_requests, true)
  const { parameters, verifier } = await aRequest(made)
  assert.equal(errorOf(await authorizeAt(own, parameters, user)), 'invalid_request')
  const push = (form: Record<string, string>) => own.open(`/issuers/${own.tenant.slug}/par`, { form })
  const pushed = await push(parameters)
  assert.equal(pushed.status, 201, JSON.stringify(pushed.body))
  assert.equal(pushed.headers['cache-control'], 'no-store')
  const { client_id: clientId = '', redirect_uri: redirect = '' } = parameters
  const link = { client_id: clientId, request_uri: pushed.body.request_uri, scope: 'ignored' }
  const { response } = await answerConsent(own, await authorizeAt(own, link, user), user)
  const code = targetOf(response).searchParams.get('code') ?? ''
  // A request_uri is used once, and by its client.
  assert.equal((await authorizeAt(own, link, user)).status, 400)
  const again = await push(parameters)
  assert.equal(
    (await authorizeAt(own, { ...link, client_id: 'x', request_uri: again.body.request_uri }, user)).status,
    400,
  )
  for (const change of [
    { request_uri: 'x' },
    { redirect_uri: 'http://x.example' },
    { scope: 'unknown' },
    { code_challenge: '' },
  ]) {
    assert.equal((await push({ ...parameters, ...change })).status, 400)
  }
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: redirect,
  }
  assert.equal((await tokenAt(own, form)).body.error, 'invalid_dpop_proof')
  await configure(own, { settings: { unregisteredWallets: 'refused' } })
  assert.equal((await push(parameters)).body.error, 'invalid_client')
  assert.equal((await authorizeAt(own, parameters, user)).status, 400)
  await own.server.close(0)
})

test('declining is access_denied; the answer of another session, a forged and a foreign form do nothing', async () => {
  const [user, another] = [await aUser(issuer), await aUser(issuer)]
  await prepared(issuer, template, user)
  await prepared(issuer, template, another)
  const { parameters } = await aRequest(template)
  const asked = await authorizeAt(issuer, parameters, user)
  assert.equal(errorOf((await answerConsent(issuer, asked, user, 'deny')).response), 'access_denied')
  const { pathname, search } = targetOf(asked)
  const page = await visit(issuer, pathname + search, user)
  assert.equal((await postConsent(issuer, page, another)).status, 403)
  const agreed = targetOf(await postConsent(issuer, page, user))
  // The consent of one session is worth nothing in another, nor for another wallet.
  assert.equal(
    targetOf(await visit(issuer, agreed.pathname + agreed.search, another)).pathname.endsWith('/consent'),
    true,
  )
  const stolen = new URL(agreed)
  stolen.searchParams.set('redirect_uri', 'https://evil.example/cb')
  assert.equal(targetOf(await visit(issuer, stolen.pathname + stolen.search, user)).pathname.endsWith('/consent'), true)
  const first = await visit(issuer, agreed.pathname + agreed.search, user)
  assert(targetOf(first).searchParams.has('code'))
  // One code for each consent.
  assert.equal(errorOf(await visit(issuer, agreed.pathname + agreed.search, user)), 'invalid_request')
  // Each request asks.
  const { parameters: next } = await aRequest(template, { client_id: parameters.client_id ?? '' })
  assert.equal(targetOf(await authorizeAt(issuer, next, user)).pathname.endsWith('/consent'), true)
})
