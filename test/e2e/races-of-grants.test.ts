// A hundred callers at the same moment with what is accepted once: on PostgreSQL at two server processes on one
// database.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import type { PlainBrowser } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { clientJwks, clientPrivateKey } from '../../src/authorization/test-support/an-oauth-client.ts'
import { generateKeyPair as softwareKeyPair } from '../../src/crypto/jwk.ts'
import { softwareKey } from '../../src/crypto/signing-key.ts'
import { buildJwtProof } from '../../src/protocols/openid4vci/jwt-proof.ts'
import { newId } from '../../src/store/row-id.ts'
import { aBrowserRequest, encrypted, shop } from '../../src/verification/test-support/browser-request.ts'
import { aPresentation, aRequest } from '../../src/verification/test-support/presentation-request.ts'
import { aPerson, callback } from '../support/oauth-person.ts'
import { assertOneWinner, CALLERS, tally, together } from '../support/race.ts'
import { holderKey } from '../support/sd-jwt.ts'
import { type Api, api, backendSecret, type Reply } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const issuer = '/issuers/acme'
const walletId = 'https://wallet.example'

let server: ServerChildren
let school: Api
let templateId: string
let browser: PlainBrowser
before(async () => {
  const shared = { scopes: ['tenant:admin' as const], roles: ['owner' as const] }
  const clients = [
    { ...shared, clientId: 'backend', clientSecret: backendSecret },
    { scopes: ['users:read' as const], clientId: 'signing', jwks: clientJwks },
  ]
  server = await serverChildren({ tenants: [{ slug: 'acme', name: 'Acme', clients }] })
  const credentials = { client_id: 'backend', client_secret: backendSecret }
  const granted = await api(server.url, null).form('/auth/token', { grant_type: 'client_credentials', ...credentials })
  school = api(server.url, granted.body.access_token)
  const attributes = { given_name: { type: 'string' } }
  const made = await school.post('/creds/templates/credentials', { name: 'Card', code: 'card', attributes })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  templateId = made.body.data.id
  browser = await aPerson(server, school, 'palesa')
})
after(() => server.stop())

type Prepared = { readonly recipient?: boolean; readonly template?: string }

/** An issuance for the person, or for the bearer of its pre-authorized code. */
async function anIssuance({ recipient = false, template = templateId }: Prepared) {
  const mine = { grants: ['authorization_code'], recipient: { identifierType: 'username', value: 'palesa' } }
  const body = { credentialTemplateId: template, attributes: { given_name: 'Palesa' }, expiresInSeconds: 86_400 }
  const opened = await school.post('/creds/credentials/issuance', { ...body, ...(recipient && mine) })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  return opened.body.data
}

/** The token request for a pre-authorized code. */
async function redemption({ offerUri }: { readonly offerUri: string }): Promise<Record<string, string>> {
  const { grants } = (await school.get(new URL(offerUri).searchParams.get('credential_offer_uri') ?? '')).body
  const [[type, grant] = ['', {}]] = Object.entries(grants as Record<string, Record<string, string>>)
  return { grant_type: type, 'pre-authorized_code': grant['pre-authorized_code'] ?? '' }
}

/** An access token for a credential, by its pre-authorized code. */
async function aToken(issuance: { readonly offerUri: string }): Promise<string> {
  const { status, body } = await school.form(`${issuer}/token`, await redemption(issuance), { authorization: '' })
  assert.equal(status, 200, JSON.stringify(body))
  return body.access_token
}

async function aCNonce(): Promise<string> {
  return (await api(server.url, null).form(`${issuer}/nonce`, {})).body.c_nonce
}

/** The body of a credential request with a proof by a new key. */
async function credentialRequest(configuration: string, nonce: string): Promise<object> {
  const about = { issuer: server.url + issuer, nonce, clientId: null }
  const jwt = [await buildJwtProof(about, softwareKey(softwareKeyPair().privateKey), new Date())]
  return { credential_configuration_id: configuration, proofs: { jwt } }
}

/** The school as a verifier. */
const verifier = {
  aTenant: async () => {
    const { organisation } = (await school.get('/onboarding/me')).body.data
    const ask = (method: string, path: string, body?: unknown) =>
      school.send(method, `/creds${path}`, body === undefined ? undefined : JSON.stringify(body), {
        ...(body !== undefined && { 'content-type': 'application/json' }),
      })
    return { slug: 'acme', tenantId: organisation.id, ask }
  },
}

/** A code of the person for a public wallet. @returns the form that redeems it */
async function aCode(): Promise<Record<string, string>> {
  await anIssuance({ recipient: true })
  const verifier = oauth.generateRandomCodeVerifier()
  const query = new URLSearchParams({
    client_id: 'a-wallet',
    redirect_uri: callback,
    response_type: 'code',
    scope: 'card',
    state: 's',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  await browser.open(`${issuer}/authorize?${query}`)
  const { url } = await browser.send(`${issuer}/consent`, { answer: 'allow' })
  const code = new URL(url).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier }
  return { ...form, client_id: 'a-wallet', redirect_uri: callback }
}

async function aPair() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { privateKey, publicJwk: await exportJWK(publicKey) }
}
type Pair = { readonly privateKey: CryptoKey; readonly publicJwk: JWK }

/** The nonce of the server, which proofs of possession of attested keys have as their challenge too. */
async function aNonce(): Promise<string> {
  return (await api(server.url, null).form(`${issuer}/challenge`, {})).body.attestation_challenge
}

async function dpopProof({ privateKey, publicJwk }: Pair, path: string, nonce: string, more: object = {}) {
  return new SignJWT({ htm: 'POST', htu: server.url + path, jti: newId(), nonce, ...more })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: publicJwk })
    .setIssuedAt()
    .sign(privateKey)
}

test('[VCI-T11] of a hundred redemptions of one code one gets a token', async () => {
  const form = await aCode()
  const replies = await together(server, (caller) => caller.form(`${issuer}/token`, form))
  assertOneWinner(replies, 'invalid_grant')
})

test('[RFC 9700 4.14] of a hundred uses of one refresh token the access token of one lives', async () => {
  const key = await aPair()
  const nonce = await aNonce()
  const proof = (path: string, more: object = {}) => dpopProof(key, path, nonce, more)
  const headers = async () => ({ dpop: await proof(`${issuer}/token`) })
  const first = await api(server.url, null).form(`${issuer}/token`, await aCode(), await headers())
  assert.equal(first.status, 200, JSON.stringify(first.body))
  const form = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token, client_id: 'a-wallet' }
  const sent = await Promise.all(Array.from({ length: CALLERS }, headers))
  const replies = await together(server, (caller, at) => caller.form(`${issuer}/token`, form, sent[at] ?? {}))
  const tokens = replies.flatMap(({ body }): string[] => body.access_token ?? [])
  assert(tokens.length > 0, JSON.stringify(tally(replies)))
  const outcomes: Reply[] = []
  for (const token of tokens) {
    const ath = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('base64url')
    const about = { issuer: server.url + issuer, nonce: '', clientId: null }
    const { c_nonce: cNonce } = (await api(server.url, null).form(`${issuer}/nonce`, {})).body
    const jwt = [await buildJwtProof({ ...about, nonce: cNonce }, holderKey, new Date())]
    const body = JSON.stringify({ credential_configuration_id: 'card', proofs: { jwt } })
    const dpop = await proof(`${issuer}/credential`, { ath })
    const bound = { authorization: `DPoP ${token}`, dpop, 'content-type': 'application/json' }
    outcomes.push(await api(server.url, null).send('POST', `${issuer}/credential`, body, bound))
  }
  const { ok = 0, ...others } = tally(outcomes)
  assert.deepEqual([ok, Object.values(others)[0] ?? 0], [1, tokens.length - 1], JSON.stringify(others))
})

test('[RFC 9449 11.1] of a hundred token requests with one DPoP proof one gets a token', async () => {
  const dpop = await dpopProof(await aPair(), '/auth/token', await aNonce())
  const form = { grant_type: 'client_credentials', client_id: 'backend', client_secret: backendSecret }
  const replies = await together(server, (caller) => caller.form('/auth/token', form, { dpop }))
  assertOneWinner(replies, 'invalid_dpop_proof')
})

test('[RFC 7523 3] of a hundred token requests with one client assertion one gets a token', async () => {
  const assertion = await new SignJWT({ iss: 'signing', sub: 'signing', aud: `${server.url}/auth`, jti: newId() })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(clientPrivateKey)
  const form = {
    grant_type: 'client_credentials',
    client_assertion: assertion,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  }
  const replies = await together(server, (caller) => caller.form('/auth/token', form))
  assertOneWinner(replies, 'invalid_client')
})

test('draft 10, 12.1: of a hundred token requests with one proof of an attested key one gets a token', async () => {
  const [attester, instance] = [await aPair(), await aPair()]
  const did = `did:jwk:${Buffer.from(JSON.stringify(attester.publicJwk)).toString('base64url')}`
  const entity = { name: 'Wallet provider', dids: [{ did }], purposes: ['attester'] }
  const trusted = await school.post('/creds/trusted-entities', entity)
  assert.equal(trusted.status, 201, JSON.stringify(trusted.body))
  const attestation = await new SignJWT({ sub: walletId, cnf: { jwk: instance.publicJwk } })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-client-attestation+jwt', kid: `${did}#0` })
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(attester.privateKey)
  const pop = await new SignJWT({ aud: server.url + issuer, jti: newId(), challenge: await aNonce() })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-client-attestation-pop+jwt' })
    .setIssuedAt()
    .sign(instance.privateKey)
  const headers = { 'oauth-client-attestation': attestation, 'oauth-client-attestation-pop': pop }
  const forms: Record<string, string>[] = []
  for (let made = 0; made < 10; made += 1) forms.push(await redemption(await anIssuance({})))
  const replies = await together(server, (caller, at) => caller.form(`${issuer}/token`, forms[at % 10] ?? {}, headers))
  assertOneWinner(replies, 'invalid_client_attestation')
})

test('[VCI-N2] of a hundred credential requests with one nonce one gets a credential', async () => {
  const tokens: string[] = []
  for (let made = 0; made < 10; made += 1) tokens.push(await aToken(await anIssuance({})))
  const nonce = await aCNonce()
  const bodies = await Promise.all(Array.from({ length: CALLERS }, () => credentialRequest('card', nonce)))
  const replies = await together(server, (caller, at) =>
    caller.post(`${issuer}/credential`, bodies[at], { authorization: `Bearer ${tokens[at % 10]}` }),
  )
  assertOneWinner(replies, 'invalid_nonce', 'credential_request_denied')
})

test('[VCI-D3] of a hundred polls of one deferred transaction one gets the credential', async () => {
  const about = { name: 'Approved', code: 'approved', attributes: { given_name: { type: 'string' } } }
  const made = await school.post('/creds/templates/credentials', { ...about, approvalRequired: true })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const issuance = await anIssuance({ template: made.body.data.id })
  const headers = { authorization: `Bearer ${await aToken(issuance)}` }
  const body = await credentialRequest('approved', await aCNonce())
  const deferred = await api(server.url, null).post(`${issuer}/credential`, body, headers)
  assert.equal(deferred.status, 202, JSON.stringify(deferred.body))
  assert.equal((await school.post(`/creds/credentials/${issuance.id}/approve`)).status, 200)
  const poll = { transaction_id: deferred.body.transaction_id }
  const replies = await together(server, (caller) => caller.post(`${issuer}/deferred-credential`, poll, headers))
  assertOneWinner(replies, 'pending', 'invalid_transaction_id')
})

test('[SEC-50] of a hundred responses to one presentation request one is accepted', async () => {
  const request = await aRequest(verifier)
  const form = {
    vp_token: JSON.stringify({ c0: [await aPresentation(request)] }),
    state: String(request.object.state),
  }
  const path = new URL(String(request.object.response_uri)).pathname
  const replies = await together(server, (caller) => caller.form(path, form))
  assertOneWinner(replies, 'invalid_request', 'temporarily_unavailable')
  assert.equal((await request.result()).status, 'verified')
})

test('[SEC-50] of a hundred answers of browsers with one nonce one is accepted', async () => {
  const request = await aBrowserRequest(verifier)
  const presentation = await aPresentation({ ...request, aud: `origin:${shop}` })
  const data = JSON.stringify(await encrypted(request, { vp_token: { c0: [presentation] } }))
  const form = { protocol: 'openid4vp-v1-unsigned', data }
  const path = new URL(request.uri).pathname
  const replies = await together(server, (caller) => caller.form(path, form, { origin: shop }))
  assertOneWinner(replies, 'invalid_request', 'temporarily_unavailable')
  assert.equal((await request.result()).status, 'verified')
})
