// RS256 is what every library of relying parties verifies without being told; `jose` and `openid-client` are
// independent ones.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as jose from 'jose'
import * as client from 'openid-client'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { findClient } from '../../../directory/clients/find-client.ts'
import { newId } from '../../../store/row-id.ts'
import { platformTenantId } from '../../../store/store.ts'
import { aListeningServer, type aPlatform } from '../../test-support/a-platform.ts'
import { clientSecret, open, someClients, targetOf } from '../../test-support/an-oauth-client.ts'
import { aTenantWith, type SignedIn, signIn } from '../../test-support/sign-in.ts'
import { readIdToken } from '../openid/id-token.ts'
import { idTokenKey } from '../openid/id-token-keys.ts'
import { authorizationSchedules } from './jobs.ts'
import { platformInstance } from './platform-instance.ts'

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
  const { web } = someClients()
  const states = { ...web, clientId: `states-${newId()}`, idTokenSignedResponseAlg: 'ES256' as const }
  const tenant = await aTenantWith(platform, [web, states])
  return { ...tenant, web, states, browser: await signIn(platform, tenant.tenantId) }
}

/** Signs in with a client whose library knows only what a registration at us would have told it. */
async function idTokenOf(clientId: string, browser: SignedIn, metadata: Partial<client.ClientMetadata> = {}) {
  const options = { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] }
  const auth = client.ClientSecretPost(clientSecret)
  const config = await client.discovery(new URL(platform.urls.auth), clientId, metadata, auth, options)
  const verifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge_method: 'S256',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
  })
  const callback = targetOf(platform, await open(platform, `${url.pathname}${url.search}`, browser))
  const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, callback, checks)
  return tokens.id_token ?? ''
}

function verified(idToken: string, alg: string) {
  const keys = jose.createRemoteJWKSet(new URL(`${platform.urls.auth}/jwks`))
  return jose.jwtVerify(idToken, keys, { issuer: platform.urls.auth, algorithms: [alg] })
}

test('ID tokens are signed with RS256 where a client states no algorithm, else with that', async () => {
  const { web, states, browser } = await aDeployment()
  const common = await idTokenOf(web.clientId, browser, { id_token_signed_response_alg: 'RS256' })
  assert.equal((await verified(common, 'RS256')).protectedHeader.alg, 'RS256')
  const other = await idTokenOf(states.clientId, browser, { id_token_signed_response_alg: 'ES256' })
  assert.equal((await verified(other, 'ES256')).protectedHeader.alg, 'ES256')
  for (const idToken of [common, other]) assert.equal((await readIdToken(platform, idToken))?.userId, browser.userId)
})

test('the metadata name RS256, which every provider must support (OpenID Connect Discovery 3)', async () => {
  const found = await fetch(`${platform.urls.auth}/.well-known/openid-configuration`)
  const metadata: unknown = await found.json()
  assert.deepEqual(Object(metadata).id_token_signing_alg_values_supported, ['RS256', 'ES256'])
})

test('an ID token of a retired RSA key is still a hint; one whose header names another algorithm is not', async () => {
  const { web, browser } = await aDeployment()
  const before = await idTokenOf(web.clientId, browser)
  const rotation = authorizationSchedules.find(({ name }) => name === 'authorization.rotate-access-token-key')
  await rotation?.run(platform, new AbortController().signal)
  const after = await idTokenOf(web.clientId, browser)
  assert.notEqual(jose.decodeProtectedHeader(after).kid, jose.decodeProtectedHeader(before).kid)
  for (const idToken of [before, after]) {
    await verified(idToken, 'RS256')
    assert.equal((await readIdToken(platform, idToken))?.clientId, web.clientId)
  }
  const [head = '', ...rest] = after.split('.')
  const changed = Buffer.from(JSON.stringify({ ...jose.decodeProtectedHeader(after), alg: 'PS256' })).toString(
    'base64url',
  )
  assert.notEqual(changed, head)
  assert.equal(await readIdToken(platform, [changed, ...rest].join('.')), null)
})

test('with private keys in a token without RSA, ID tokens are signed with ES256, as the metadata say', async () => {
  const { web } = await aDeployment()
  const keys = { ...platform.keys, hasRsa: false }
  const instance = platformInstance({ ...platform, keys })
  assert.deepEqual(instance.keys, ['access-token', 'id-token'])
  assert.deepEqual(instance.extensions.id_token_signing_alg_values_supported, ['ES256'])
  assert.equal((await findClient(platform, web.clientId))?.idTokenSignedResponseAlg, 'RS256')
  const key = await idTokenKey(keys, { idTokenSignedResponseAlg: 'RS256' })
  assert.equal(key.kid, (await platform.keys.current(platformTenantId, 'id-token')).kid)
})

test('the bootstrap file changes the algorithm of a client, and takes it back', async () => {
  const { tenantId, states } = await aDeployment()
  const slug = (await findClient(platform, states.clientId))?.tenantSlug ?? ''
  const { idTokenSignedResponseAlg: _, ...plain } = states
  const algAfter = async (entry: typeof plain) => {
    await applyBootstrap(platform, { tenants: [{ slug, name: 'x', clients: [entry] }] })
    return (await findClient(platform, states.clientId))?.idTokenSignedResponseAlg
  }
  assert.deepEqual([tenantId !== undefined, await algAfter(plain), await algAfter(states)], [true, 'RS256', 'ES256'])
})
