// Many server-side applications send no PKCE challenge and rely on the nonce of the ID token (RFC 9700 2.1.1).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as jose from 'jose'
import { newId } from '../../../store/row-id.ts'
import { aListeningServer, type aPlatform } from '../../test-support/a-platform.ts'
import { asking, clientSecret, open, redirectUri, someClients, targetOf } from '../../test-support/an-oauth-client.ts'
import { aTenantWith, type SignedIn, signIn } from '../../test-support/sign-in.ts'

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
  const { web } = someClients()
  const plain = { ...web, clientId: `plain-${newId()}`, pkceRequired: false }
  const { tenantId } = await aTenantWith(platform, [web, plain])
  return { web, plain, browser: await signIn(platform, tenantId) }
}

const unchallenged = { code_challenge: undefined, code_challenge_method: undefined }

async function visit(clientId: string, change: Change, browser: SignedIn = house.browser) {
  const { parameters, verifier } = await asking(clientId, change)
  return { verifier, answer: targetOf(platform, await open(platform, parameters, browser)).searchParams }
}

async function push(clientId: string, change: Change) {
  const { parameters } = await asking(clientId, change)
  const body = new URLSearchParams({ ...parameters, client_secret: clientSecret })
  return (await fetch(`${platform.urls.auth}/par`, { method: 'POST', body })).status
}

async function redeem(clientId: string, code: string | null, more: Record<string, string> = {}) {
  const form = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: redirectUri, ...more }
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret })
  const response = await fetch(`${platform.urls.auth}/token`, { method: 'POST', body })
  const tokens: Record<string, string> = Object(await response.json())
  return { status: response.status, tokens }
}

test('a client without PKCE signs a user in by a nonce, which its ID token has', async () => {
  const { clientId } = house.plain
  const { answer } = await visit(clientId, unchallenged)
  const { status, tokens } = await redeem(clientId, answer.get('code'))
  assert.equal(status, 200)
  assert.equal(jose.decodeJwt(tokens.id_token ?? '').nonce, 'a-nonce')
  assert.equal(await push(clientId, unchallenged), 201)
})

for (const [what, change] of [
  ['without a nonce', { nonce: undefined }],
  ['without openid, since no ID token brings the nonce back', { scope: 'users:read' }],
  ['with a method without challenge', { code_challenge_method: 'S256' }],
] as const) {
  test(`its request ${what} is refused, pushed or not`, async () => {
    const { answer } = await visit(house.plain.clientId, { ...unchallenged, ...change })
    assert.deepEqual([answer.get('error'), answer.get('code')], ['invalid_request', null])
    assert.equal(await push(house.plain.clientId, { ...unchallenged, ...change }), 400)
  })
}

test('every other client needs PKCE', async () => {
  assert.equal((await visit(house.web.clientId, unchallenged)).answer.get('error'), 'invalid_request')
  assert.equal(await push(house.web.clientId, unchallenged), 400)
})

test('a verifier for a code without challenge is refused, and spends nothing (RFC 9700 4.8.2)', async () => {
  const { clientId } = house.plain
  const { answer, verifier } = await visit(clientId, unchallenged)
  assert.equal((await redeem(clientId, answer.get('code'), { code_verifier: verifier })).tokens.error, 'invalid_grant')
  assert.equal((await redeem(clientId, answer.get('code'), { code_verifier: 'short' })).tokens.error, 'invalid_grant')
  assert.equal((await redeem(clientId, answer.get('code'))).status, 200)
})

test('a challenge that the client sends all the same binds its code', async () => {
  const { clientId } = house.plain
  const { answer, verifier } = await visit(clientId, {})
  assert.equal((await redeem(clientId, answer.get('code'))).tokens.error, 'invalid_grant')
  assert.equal((await redeem(clientId, answer.get('code'), { code_verifier: verifier })).status, 200)
})
