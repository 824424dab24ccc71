// A second independent client, which checks more of OpenID Connect by itself.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import { aListeningServer, type aPlatform } from '../../test-support/a-platform.ts'
import { clientKey, clientSecret, open, someClients, targetOf } from '../../test-support/an-oauth-client.ts'
import { aTenantWith, signIn } from '../../test-support/sign-in.ts'

/** This client takes the redirect URI from the address that it returns to, without its query. */
const redirectUri = 'https://rp.example/plain'

let served: Awaited<ReturnType<typeof aListeningServer>>
let platform: ReturnType<typeof aPlatform>
before(async () => {
  served = await aListeningServer()
  platform = served.platform
})
after(() => served.close())

async function aDeployment() {
  const clients = someClients()
  const { tenantId } = await aTenantWith(platform, Object.values(clients))
  return { ...clients, browser: await signIn(platform, tenantId) }
}

function discover(clientId: string, auth: client.ClientAuth): Promise<client.Configuration> {
  const options = { execute: [client.allowInsecureRequests] }
  return client.discovery(new URL(platform.urls.auth), clientId, undefined, auth, options)
}

test('openid-client signs a user in, reads the claims, refreshes, and signs out', async () => {
  const { web, browser } = await aDeployment()
  const config = await discover(web.clientId, client.ClientSecretPost(clientSecret))
  assert.equal(config.serverMetadata().supportsPKCE(), true)
  const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
  const challenge = await client.calculatePKCECodeChallenge(verifier)
  const parameters = { redirect_uri: redirectUri, scope: 'openid profile offline_access', state, nonce }
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const url = client.buildAuthorizationUrl(config, { ...parameters, ...pkce, max_age: '600' })
  const callback = targetOf(platform, await open(platform, `${url.pathname}${url.search}`, browser))
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 600 }
  const tokens = await client.authorizationCodeGrant(config, callback, { ...checks, idTokenExpected: true })
  assert.equal(tokens.claims()?.sid, browser.sessionId)
  const info = await client.fetchUserInfo(config, tokens.access_token, browser.userId)
  assert.equal(info.preferred_username, 'thandi')
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  assert.equal((await client.tokenIntrospection(config, refreshed.refresh_token ?? '')).active, true)
  await client.tokenRevocation(config, refreshed.refresh_token ?? '')
  assert.equal((await client.tokenIntrospection(config, refreshed.refresh_token ?? '')).active, false)
  const bye = {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: 'https://rp.example/bye?from=us',
    state,
  }
  const logout = client.buildEndSessionUrl(config, bye)
  const left = await open(platform, `${logout.pathname}${logout.search}`, browser)
  assert.equal(targetOf(platform, left).href, `https://rp.example/bye?from=us&state=${state}`)
  const silent = client.buildAuthorizationUrl(config, { ...parameters, ...pkce, prompt: 'none' })
  const after = targetOf(platform, await open(platform, `${silent.pathname}${silent.search}`, browser))
  await assert.rejects(client.authorizationCodeGrant(config, after, checks), { error: 'login_required' })
})

test('openid-client pushes a request, proves its key, and calls the API, asking for nonces by itself', async () => {
  const { strict, browser } = await aDeployment()
  const config = await discover(strict.clientId, client.PrivateKeyJwt(await clientKey()))
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair())
  const verifier = client.randomPKCECodeVerifier()
  const parameters = {
    redirect_uri: redirectUri,
    scope: 'wallet:read offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  const url = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
  assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri'])
  const callback = targetOf(platform, await open(platform, `${url.pathname}${url.search}`, browser))
  const tokens = await client.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier }, undefined, {
    DPoP,
  })
  assert.equal(tokens.token_type, 'dpop')
  const users = new URL(`${platform.urls.publicUrl}/onboarding/users`)
  const answer = client.fetchProtectedResource(config, tokens.access_token, users, 'GET', undefined, undefined, {
    DPoP,
  })
  // The key is right; the user has no role that reads users.
  await assert.rejects(answer, (error: client.WWWAuthenticateChallengeError) => error.status === 403)
  const again = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP })
  assert.equal(again.scope, 'wallet:read offline_access')
})
