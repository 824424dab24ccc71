import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import type { Scope } from '../../../caller.ts'
import { setVerifiedEmail } from '../../../directory/users/sign-in-users.ts'
import { newId } from '../../../store/row-id.ts'
import { sql } from '../../../store/store.ts'
import { aListeningServer, type aPlatform } from '../../test-support/a-platform.ts'
import {
  type Asked,
  asking,
  clientKey,
  clientSecret,
  open,
  plain,
  redirectUri,
  someClients,
  targetOf,
} from '../../test-support/an-oauth-client.ts'
import { aTenantWith, type SignedIn, signIn } from '../../test-support/sign-in.ts'

const listAudit = sql(
  'test.code_flow.audit',
  'select action, result, actor_id, subject_id from audit_entry order by id',
)
const users = [{ username: 'thandi', email: 'thandi@example.org', firstName: 'Thandi', roles: ['issuer' as const] }]

let served: Awaited<ReturnType<typeof aListeningServer>>
let platform: ReturnType<typeof aPlatform>
let as: oauth.AuthorizationServer
before(async () => {
  served = await aListeningServer()
  platform = served.platform
  const issuer = new URL(platform.urls.auth)
  as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...plain }),
  )
})
after(() => served.close())

/** Returns a client that signs nobody in. */
function aService(scopes: readonly Scope[]) {
  return { clientId: `service-${newId()}`, clientSecret, scopes: [...scopes] }
}

async function aDeployment() {
  const services = {
    neighbour: aService(['issuance:write']),
    gateway: aService(['tokens:introspect']),
    admin: aService(['tenant:admin']),
  }
  const clients = { ...someClients(), ...services }
  const tenant = await aTenantWith(platform, Object.values(clients), users)
  const browser = await signIn(platform, tenant.tenantId)
  return { ...tenant, ...clients, browser }
}

/** Validates the redirect with the independent client, and redeems its code. */
async function redeem(asked: Asked, callback: URL, clientId: string, auth: oauth.ClientAuth, options: object = {}) {
  const client = { client_id: clientId }
  const parameters = oauth.validateAuthResponse(as, client, callback, asked.parameters.state)
  return oauth.authorizationCodeGrantRequest(as, client, auth, parameters, redirectUri, asked.verifier, {
    ...plain,
    ...options,
  })
}

async function webTokens({ web, browser }: { web: { clientId: string }; browser: SignedIn }, scope?: string) {
  const asked = await asking(web.clientId, scope === undefined ? {} : { scope })
  const callback = targetOf(platform, await open(platform, asked.parameters, browser))
  const auth = oauth.ClientSecretBasic(clientSecret)
  const response = await redeem(asked, callback, web.clientId, auth)
  const expected = { expectedNonce: 'a-nonce', ...(scope === undefined && { requireIdToken: true }) }
  const client = { client_id: web.clientId }
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, scope === undefined ? expected : {})
  return { tokens, client, auth, callback }
}

test('a web application signs a user in, reads claims, calls the API and refreshes', async () => {
  const house = await aDeployment()
  const { tokens, client, auth, callback } = await webTokens(house)
  assert(callback.href.startsWith(`${redirectUri}&`))
  assert.equal(callback.searchParams.get('iss'), platform.urls.auth)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  assert.partialDeepStrictEqual(claims, {
    sub: house.browser.userId,
    sid: house.browser.sessionId,
    acr: 'urn:chirograph:acr:single-factor',
    amr: ['pwd'],
    email: 'thandi@example.org',
    email_verified: false,
  })
  assert.equal(tokens.scope, 'openid profile email users:read offline_access')
  assert.equal(tokens.token_type, 'bearer')
  const info = await oauth.userInfoRequest(as, client, tokens.access_token, plain)
  assert.partialDeepStrictEqual(await oauth.processUserInfoResponse(as, client, house.browser.userId, info), {
    email: 'thandi@example.org',
    email_verified: false,
    given_name: 'Thandi',
    preferred_username: 'thandi',
  })
  const list = await fetch(`${platform.urls.publicUrl}/onboarding/users`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  })
  assert.equal(list.status, 200)
  const refreshed = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', plain)
  const next = await oauth.processRefreshTokenResponse(as, client, refreshed)
  assert.notEqual(next.refresh_token, tokens.refresh_token)
  assert.equal(next.scope, tokens.scope)
  const audit = await platform.store.single(house.tenantId, (tx) =>
    tx.rows<{ action: string; subject_id: string }>(listAudit),
  )
  const authorized = audit.filter(({ action }) => action === 'user.authorized')
  assert.deepEqual(
    authorized.map((one) => one.subject_id),
    [house.browser.userId],
  )
})

test('email_verified is true of an address that the user has proven, in the ID token and at userinfo', async () => {
  const house = await aDeployment()
  const { tenantId, browser } = house
  const { userId } = browser
  await platform.store.single(tenantId, (tx) => setVerifiedEmail(tx, userId, 'Thandi@Example.org'))
  const { tokens, client } = await webTokens(house)
  assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.email_verified, true)
  const info = await oauth.userInfoRequest(as, client, tokens.access_token, plain)
  const claims = await oauth.processUserInfoResponse(as, client, userId, info)
  assert.deepEqual([claims.email, claims.email_verified], ['thandi@example.org', true])
})

test('a token has the scopes of the request that the roles of the user allow, and no others', async () => {
  const house = await aDeployment()
  const { tokens } = await webTokens(house, 'wallet:read issuance:write users:write unknown')
  assert.equal(tokens.scope, 'wallet:read issuance:write')
  assert.equal(tokens.id_token, undefined)
  assert.equal(tokens.refresh_token, undefined)
})

test('[RFC 7591 2] a client gets no scope that it is not registered for, also none of an owner', async () => {
  const house = await aDeployment()
  const more = 'wallet:read tenant:admin users:write verification:write'
  assert.equal((await webTokens(house, more)).tokens.scope, 'wallet:read')
})

test('a native app redeems its code without a secret, from any port of loopback', async () => {
  const { native, browser } = await aDeployment()
  const asked = await asking(native.clientId, { redirect_uri: 'http://127.0.0.1:51004/callback' })
  const response = await open(platform, asked.parameters, browser)
  assert.equal(response.status, 303)
  const callback = targetOf(platform, response)
  assert.equal(callback.origin, 'http://127.0.0.1:51004')
  const client = { client_id: native.clientId }
  const parameters = oauth.validateAuthResponse(as, client, callback, asked.parameters.state)
  const uri = asked.parameters.redirect_uri ?? ''
  const granted = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    parameters,
    uri,
    asked.verifier,
    plain,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, granted, { expectedNonce: 'a-nonce' })
  assert(tokens.refresh_token)
})

test('a client of the high-assurance profile pushes its request and gets tokens that are bound to its key', async () => {
  const { strict, browser } = await aDeployment()
  const client = { client_id: strict.clientId }
  const auth = oauth.PrivateKeyJwt(await clientKey())
  const keys = await oauth.generateKeyPair('ES256')
  const DPoP = oauth.DPoP({}, keys)
  const asked = await asking(strict.clientId)
  const push = () => oauth.pushedAuthorizationRequest(as, client, auth, asked.parameters, { DPoP, ...plain })
  // The first proof has no nonce; the independent client remembers the one that it is given.
  await assert.rejects(
    push().then((one) => oauth.processPushedAuthorizationResponse(as, client, one)),
    { error: 'use_dpop_nonce' },
  )
  const pushed = await oauth.processPushedAuthorizationResponse(as, client, await push())
  const query = { client_id: strict.clientId, request_uri: pushed.request_uri }
  const callback = targetOf(platform, await open(platform, query, browser))
  const response = await redeem(asked, callback, strict.clientId, auth, { DPoP })
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: 'a-nonce' })
  assert.equal(tokens.token_type, 'dpop')
  const url = new URL(`${platform.urls.publicUrl}/onboarding/users`)
  const call = (options: object) =>
    oauth.protectedResourceRequest(tokens.access_token, 'GET', url, undefined, undefined, { ...plain, ...options })
  assert.equal((await call({ DPoP })).status, 200)
  await assert.rejects(call({}), { name: 'WWWAuthenticateChallengeError' })
  const info = await oauth.userInfoRequest(as, client, tokens.access_token, { DPoP, ...plain })
  assert.equal((await oauth.processUserInfoResponse(as, client, browser.userId, info)).sub, browser.userId)
  const again = await open(platform, query, browser)
  assert.equal(again.status, 400)
  assert.match(await again.text(), /used or expired/)
  // FAPI 2.0: the refresh token of such a client does not rotate
  const refreshed = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', {
    DPoP,
    ...plain,
  })
  const next = await oauth.processRefreshTokenResponse(as, client, refreshed)
  assert.equal(next.refresh_token, tokens.refresh_token)
})

test('a code of one client is not redeemed by another, and the failed attempt does not spend it', async () => {
  const { web, native, browser } = await aDeployment()
  const asked = await asking(web.clientId)
  const callback = targetOf(platform, await open(platform, asked.parameters, browser))
  const thief = await redeem(asked, callback, native.clientId, oauth.None())
  assert.equal(thief.status, 400)
  const wrong = await redeem(
    { ...asked, verifier: oauth.generateRandomCodeVerifier() },
    callback,
    web.clientId,
    oauth.ClientSecretBasic(clientSecret),
  )
  assert.equal(wrong.status, 400)
  assert.equal((await redeem(asked, callback, web.clientId, oauth.ClientSecretBasic(clientSecret))).status, 200)
})

test('[RFC 6749 4.1.2] a code that is used again ends the refresh token that it brought', async () => {
  const house = await aDeployment()
  const asked = await asking(house.web.clientId)
  const callback = targetOf(platform, await open(platform, asked.parameters, house.browser))
  const auth = oauth.ClientSecretBasic(clientSecret)
  const client = { client_id: house.web.clientId }
  const first = await redeem(asked, callback, house.web.clientId, auth)
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, first, { expectedNonce: 'a-nonce' })
  const second = await redeem(asked, callback, house.web.clientId, auth)
  assert.equal(second.status, 400)
  assert.equal(((await second.json()) as { error: string }).error, 'invalid_grant')
  const refreshed = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', plain)
  await assert.rejects(oauth.processRefreshTokenResponse(as, client, refreshed), { error: 'invalid_grant' })
  const audit = await platform.store.single(house.tenantId, (tx) =>
    tx.rows<{ action: string; result: string }>(listAudit),
  )
  assert(audit.some(({ action, result }) => action === 'user.grant_reused' && result === 'refused'))
})

test('a used code that another client saw, and a token made up from the id in it, end no refresh token', async () => {
  const house = await aDeployment()
  const other = await aDeployment()
  const asked = await asking(house.web.clientId)
  const callback = targetOf(platform, await open(platform, asked.parameters, house.browser))
  const auth = oauth.ClientSecretBasic(clientSecret)
  const client = { client_id: house.web.clientId }
  const first = await redeem(asked, callback, house.web.clientId, auth)
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, first, { expectedNonce: 'a-nonce' })
  for (const clientId of [house.native.clientId, other.web.clientId]) {
    const proof = clientId === house.native.clientId ? oauth.None() : auth
    assert.equal((await redeem(asked, callback, clientId, proof)).status, 400)
  }
  const code = Buffer.from(callback.searchParams.get('code') ?? '', 'base64url')
  // The id of the family is in the code.
  const madeUp = Buffer.concat([code.subarray(0, 32), randomBytes(32)]).toString('base64url')
  for (const token of [madeUp, callback.searchParams.get('code') ?? '']) {
    const refused = await oauth.refreshTokenGrantRequest(as, client, auth, token, plain)
    await assert.rejects(oauth.processRefreshTokenResponse(as, client, refused), { error: 'invalid_grant' })
  }
  const refreshed = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', plain)
  assert((await oauth.processRefreshTokenResponse(as, client, refreshed)).access_token)
})

test('[RFC 6749 4.1.2] a code expires after a minute', async () => {
  const { web, browser } = await aDeployment()
  const asked = await asking(web.clientId)
  const callback = targetOf(platform, await open(platform, asked.parameters, browser))
  platform.clock.shiftSeconds += 61
  const response = await redeem(asked, callback, web.clientId, oauth.ClientSecretBasic(clientSecret))
  platform.clock.shiftSeconds -= 61
  assert.equal(response.status, 400)
})

test('a replaced refresh token is accepted within seconds, since the answer may be lost; later it ends the family', async () => {
  const house = await aDeployment()
  const { tokens, client, auth } = await webTokens(house)
  const refresh = async (token: string | undefined) => {
    const response = await oauth.refreshTokenGrantRequest(as, client, auth, token ?? '', plain)
    return oauth.processRefreshTokenResponse(as, client, response)
  }
  const lost = await refresh(tokens.refresh_token)
  const received = await refresh(tokens.refresh_token)
  const next = await refresh(received.refresh_token)
  assert(next.refresh_token)
  await assert.rejects(refresh(lost.refresh_token), { error: 'invalid_grant' })
  await assert.rejects(refresh(next.refresh_token), { error: 'invalid_grant' })
})

test('a refresh token that was replaced more than ten seconds ago ends the family', async () => {
  const house = await aDeployment()
  const { tokens, client, auth } = await webTokens(house)
  const refresh = async (token: string | undefined, more: Record<string, string> = {}) => {
    const options = { ...plain, additionalParameters: more }
    const response = await oauth.refreshTokenGrantRequest(as, client, auth, token ?? '', options)
    return oauth.processRefreshTokenResponse(as, client, response)
  }
  await assert.rejects(refresh(tokens.refresh_token, { scope: 'issuance:write' }), { error: 'invalid_scope' })
  const next = await refresh(tokens.refresh_token, { scope: 'users:read' })
  assert.equal(next.scope, 'users:read')
  platform.clock.shiftSeconds += 11
  await assert.rejects(refresh(tokens.refresh_token), { error: 'invalid_grant' })
  await assert.rejects(refresh(next.refresh_token), { error: 'invalid_grant' })
})

test('a refresh token that the client revoked is refused, and another client cannot revoke it', async () => {
  const house = await aDeployment()
  const { tokens, client, auth } = await webTokens(house)
  const token = tokens.refresh_token ?? ''
  const active = async () => {
    const response = await oauth.introspectionRequest(as, client, auth, token, plain)
    return (await oauth.processIntrospectionResponse(as, client, response)).active
  }
  const foreign = await oauth.revocationRequest(as, { client_id: house.native.clientId }, oauth.None(), token, plain)
  await oauth.processRevocationResponse(foreign)
  assert.equal(await active(), true)
  await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, plain))
  assert.equal(await active(), false)
  const refreshed = await oauth.refreshTokenGrantRequest(as, client, auth, token, plain)
  await assert.rejects(oauth.processRefreshTokenResponse(as, client, refreshed), { error: 'invalid_grant' })
  const access = await oauth.revocationRequest(as, client, auth, tokens.access_token, plain)
  await assert.rejects(oauth.processRevocationResponse(access), { error: 'unsupported_token_type' })
})

test('[RFC 7662 2.2, 4] a client describes its own tokens, others of its tenant with tokens:introspect', async () => {
  const [one, other] = [await aDeployment(), await aDeployment()]
  const { tokens, auth } = await webTokens(one)
  const describe = async (clientId: string, token = tokens.access_token) => {
    const client = { client_id: clientId }
    const response = await oauth.introspectionRequest(as, client, auth, token, plain)
    return { ...(await oauth.processIntrospectionResponse(as, client, response)) }
  }
  const inactive = { active: false }
  const active = { active: true, client_id: one.web.clientId, sub: one.browser.userId, token_type: 'Bearer' }
  assert.partialDeepStrictEqual(await describe(one.web.clientId), active)
  assert.deepEqual(await describe(one.neighbour.clientId), inactive)
  assert.partialDeepStrictEqual(await describe(one.gateway.clientId), active)
  assert.partialDeepStrictEqual(await describe(one.admin.clientId), active)
  for (const { clientId } of [other.web, other.gateway, other.admin]) {
    assert.deepEqual(await describe(clientId), inactive)
  }
  // A refresh token is for its client and the authorization server alone (RFC 6749 1.5).
  assert.equal((await describe(one.web.clientId, tokens.refresh_token)).active, true)
  assert.deepEqual(await describe(one.gateway.clientId, tokens.refresh_token), inactive)
  const anonymous = { client_id: one.native.clientId }
  const refused = await oauth.introspectionRequest(as, anonymous, oauth.None(), tokens.access_token, plain)
  assert.equal(refused.status, 401)
})
