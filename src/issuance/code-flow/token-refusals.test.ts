// Each negative clause of the token and credential endpoints in the code flow: what the wallet does, and the error.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { sessionEndedJob } from '../../authorization/server/session-end/session-ended.ts'
import { endSessionsOfUserJob } from '../../authorization/sign-in/end-sessions-of-user.ts'
import { clientJwks } from '../../authorization/test-support/an-oauth-client.ts'
import { newId } from '../../store/row-id.ts'
import {
  aCode,
  aProof,
  aRequest,
  aUser,
  authorizeAt,
  configure,
  offerOf,
  prepared,
  targetOf,
  tokenAt,
} from '../test-support/code-flow.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  aTemplate,
  type Body,
  codeOf,
  type Issuer,
  noon,
  redeem,
  request,
} from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
let template: Body
const confidential = `confidential-${newId()}`
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  template = (await issuer.api('POST', '/templates/credentials', aTemplate())).body.data
  const codes = {
    scopes: [],
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: ['https://wallet.example/cb'],
  }
  await configure(issuer, { clients: [{ ...codes, clientId: confidential, jwks: clientJwks }] })
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

const details = (...elements: unknown[]) => ({ authorization_details: JSON.stringify(elements) })
const oneOf = (code: unknown) => ({ type: 'openid_credential', credential_configuration_id: code })

for (const [what, change, error] of [
  ['without code', { code: '' }, 'invalid_request'],
  ['with an unknown code', { code: 'x' }, 'invalid_grant'],
  ['[RFC 7636 4.6] without verifier', { code_verifier: '' }, 'invalid_grant'],
  ['[RFC 7636 4.6] with another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
  ['[RFC 6749 4.1.3] with another redirect URI', { redirect_uri: 'https://evil.example/' }, 'invalid_grant'],
  ['[RFC 6749 4.1.3] by another wallet', { client_id: 'another-wallet' }, 'invalid_grant'],
  ['without a client', { client_id: '' }, 'invalid_client'],
  ['[VCI-T3] with details of another credential', details(oneOf('another')), 'invalid_authorization_details'],
  ['with a client secret', { client_secret: 'x' }, 'invalid_client'],
  ['by a client that must authenticate', { client_id: confidential }, 'invalid_client'],
  [
    'with an assertion that is none',
    { client_assertion: 'x', client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
    'invalid_client',
  ],
] as const) {
  test(`a token request ${what} is ${error}, and does not spend the code`, async () => {
    const user = await aUser(issuer)
    await prepared(issuer, template, user)
    const form = await aCode(issuer, template, user)
    const refused = await tokenAt(issuer, { ...form, ...change })
    assert.equal(refused.body.error, error)
    assert.equal(refused.headers['cache-control'], 'no-store')
    assert.equal((await tokenAt(issuer, form)).status, 200)
  })
}

test('[VCI-T11] [SEC-5] a code ends after 60 s; a second use revokes what the first brought, and the user may begin again', async () => {
  const user = await aUser(issuer)
  await prepared(issuer, template, user)
  const late = await aCode(issuer, template, user)
  issuer.clock.at = new Date(noon.getTime() + 60_001)
  assert.equal((await tokenAt(issuer, late)).body.error, 'invalid_grant')
  issuer.clock.at = noon
  const form = await aCode(issuer, template, user)
  const { body } = await tokenAt(issuer, form)
  assert.equal((await tokenAt(issuer, form)).body.error, 'invalid_grant')
  const denied = await request(issuer, body.access_token, template.code, [aKey()])
  assert.equal(denied.body.error, 'credential_request_denied')
  const { body: fresh } = await tokenAt(issuer, await aCode(issuer, template, user))
  assert.equal((await request(issuer, fresh.access_token, template.code, [aKey()])).status, 200)
})

test('[VCI-T11] an issuance is redeemed once over both grants, and a code-only offer has no other', async () => {
  const user = await aUser(issuer)
  const both = await prepared(issuer, template, user, { grants: ['authorization_code', 'pre-authorized_code'] })
  const offer = await offerOf(issuer, both)
  assert.equal(Object.keys(offer.grants).length, 2)
  const preAuthorized = await codeOf(issuer, both.offerUri)
  const form = await aCode(issuer, template, user, { issuer_state: offer.grants.authorization_code.issuer_state })
  assert.equal((await redeem(issuer, preAuthorized)).status, 200)
  assert.equal((await tokenAt(issuer, form)).body.error, 'invalid_grant')
  const second = await prepared(issuer, template, user, { grants: ['authorization_code', 'pre-authorized_code'] })
  const code = await codeOf(issuer, second.offerUri)
  assert.equal((await tokenAt(issuer, await aCode(issuer, template, user))).status, 200)
  assert.equal((await redeem(issuer, code)).body.error, 'invalid_grant')
  const missing = { credentialTemplateId: template.id, attributes: {}, grants: ['authorization_code'] }
  assert.equal((await issuer.api('POST', '/credentials/issuance', missing)).status, 400)
})

test('[RFC 9449 5] [RFC 9449 7.1] [VCI-T12] a token is bound to the key that was proven, and so is the refresh token', async () => {
  const user = await aUser(issuer)
  await prepared(issuer, template, user, { expiresInSeconds: 86_400 })
  const [key, foreign] = [aKey(), aKey()]
  const form = await aCode(issuer, template, user)
  const first = await tokenAt(issuer, form, { dpop: await aProof(issuer, key, 'token') })
  assert.deepEqual([first.status, first.body.error], [400, 'use_dpop_nonce'])
  const nonce = first.headers['dpop-nonce'] ?? ''
  const { body } = await tokenAt(issuer, form, { dpop: await aProof(issuer, key, 'token', { nonce }) })
  assert.equal(body.token_type, 'DPoP')
  const ask = async (authorization: string, proof?: string) =>
    request(issuer, '', template.code, [aKey()], {
      headers: { authorization, ...(proof !== undefined && { dpop: proof }) },
    })
  const token = body.access_token as string
  const proven = (signer = key, more: object = {}) =>
    aProof(issuer, signer, 'credential', { nonce, accessToken: token, ...more })
  for (const [authorization, proof, error] of [
    [`Bearer ${token}`, undefined, 'invalid_token'],
    [`Bearer ${token}`, await proven(), 'invalid_token'],
    [`DPoP ${token}`, undefined, 'invalid_dpop_proof'],
    [`DPoP ${token}`, await proven(foreign), 'invalid_dpop_proof'],
    [`DPoP ${token}`, await proven(key, { nonce: undefined }), 'use_dpop_nonce'],
    [`DPoP ${token}`, await proven(key, { htm: 'GET' }), 'invalid_dpop_proof'],
    [`DPoP ${token}`, await aProof(issuer, key, 'token', { nonce, accessToken: token }), 'invalid_dpop_proof'],
    [`DPoP ${token}`, await proven(key, { accessToken: 'another' }), 'invalid_dpop_proof'],
  ] as const) {
    const refused = await ask(authorization, proof)
    assert.deepEqual([refused.status, refused.body.error], [401, error])
  }
  const twice = await proven()
  const issued = await ask(`DPoP ${token}`, twice)
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  assert(issued.headers['dpop-nonce'])
  assert.equal((await ask(`DPoP ${token}`, twice)).body.error, 'invalid_dpop_proof')
  const renew = async (signer?: typeof key, refresh: string = body.refresh_token) =>
    tokenAt(
      issuer,
      { grant_type: 'refresh_token', refresh_token: refresh, client_id: form.client_id ?? '' },
      signer === undefined ? {} : { dpop: await aProof(issuer, signer, 'token', { nonce }) },
    )
  for (const signer of [undefined, foreign]) assert.equal((await renew(signer)).body.error, 'invalid_grant')
  const next = await renew(key)
  assert.equal(next.body.token_type, 'DPoP')
  // One access token at a time, and rotation.
  assert.notEqual(next.body.refresh_token, body.refresh_token)
  assert.equal((await ask(`DPoP ${token}`, await proven())).body.error, 'credential_request_denied')
})

test('a user who is disabled gets nothing more: code, refresh token and pushed request are worth nothing, also after the session job', async () => {
  const user = await aUser(issuer)
  await prepared(issuer, template, user, { expiresInSeconds: 86_400 })
  const key = aKey()
  const first = await aCode(issuer, template, user)
  const nonce = (await tokenAt(issuer, first, { dpop: await aProof(issuer, key, 'token') })).headers['dpop-nonce'] ?? ''
  const dpop = async () => ({ dpop: await aProof(issuer, key, 'token', { nonce }) })
  const { body } = await tokenAt(issuer, first, await dpop())
  await prepared(issuer, template, user)
  const form = await aCode(issuer, template, user)
  const { parameters } = await aRequest(template)
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: first.client_id ?? '' }
  const set = (enabled: boolean) => configure(issuer, { users: [{ username: user.username, enabled }] })
  const refusals = async () => [
    (await tokenAt(issuer, form, await dpop())).body.error,
    (await tokenAt(issuer, refresh, await dpop())).body.error,
    targetOf(await authorizeAt(issuer, parameters, user)).pathname,
  ]
  await set(false)
  assert.deepEqual(await refusals(), ['invalid_grant', 'invalid_grant', '/sign-in'])
  const { platform, tenant, clock } = issuer
  const ended = { userId: user.userId, before: clock.at.toISOString() }
  const signal = new AbortController().signal
  const ofTenant = { tenantId: tenant.id, attempt: 1 } as Parameters<typeof endSessionsOfUserJob.run>[3]
  await endSessionsOfUserJob.run(platform, ended, signal, ofTenant)
  await sessionEndedJob.run(
    platform,
    { tenantId: tenant.id, sessionId: user.sessionId, userId: user.userId },
    signal,
    ofTenant,
  )
  // What was granted before stays ended.
  await set(true)
  assert.deepEqual(await refusals(), ['invalid_grant', 'invalid_grant', '/sign-in'])
})

test('[RFC 9700 4.14] a replaced refresh token that returns ends the family and its access token', async () => {
  const user = await aUser(issuer)
  await prepared(issuer, template, user, { expiresInSeconds: 86_400 })
  const key = aKey()
  const nonce =
    (await tokenAt(issuer, await aCode(issuer, template, user), { dpop: await aProof(issuer, key, 'token') })).headers[
      'dpop-nonce'
    ] ?? ''
  const dpop = async () => ({ dpop: await aProof(issuer, key, 'token', { nonce }) })
  const form = await aCode(issuer, template, user)
  const { body } = await tokenAt(issuer, form, await dpop())
  const renew = async (refresh: string) =>
    tokenAt(
      issuer,
      { grant_type: 'refresh_token', refresh_token: refresh, client_id: form.client_id ?? '' },
      await dpop(),
    )
  const second = await renew(body.refresh_token)
  assert.equal(second.status, 200, JSON.stringify(second.body))
  const third = await renew(second.body.refresh_token)
  assert.equal((await renew(body.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await renew(third.body.refresh_token)).body.error, 'invalid_grant')
  const token = third.body.access_token
  const denied = await request(issuer, '', template.code, [aKey()], {
    headers: {
      authorization: `DPoP ${token}`,
      dpop: await aProof(issuer, key, 'credential', { nonce, accessToken: token }),
    },
  })
  assert.equal(denied.body.error, 'credential_request_denied')
})

test('[RFC 9449 10] a code is bound to the key of dpop_jkt; a proof for a pre-authorized code binds its token, and is verified', async () => {
  const user = await aUser(issuer)
  const issuance = await prepared(issuer, template, user, { grants: ['authorization_code', 'pre-authorized_code'] })
  const [key, foreign] = [aKey(), aKey()]
  const { thumbprint } = await import('../../crypto/jwk.ts')
  const form = await aCode(issuer, template, user, { dpop_jkt: thumbprint(key.publicJwk) })
  const nonce = (await tokenAt(issuer, form, { dpop: await aProof(issuer, key, 'token') })).headers['dpop-nonce'] ?? ''
  assert.equal((await tokenAt(issuer, form)).body.error, 'invalid_grant')
  const wrong = await tokenAt(issuer, form, { dpop: await aProof(issuer, foreign, 'token', { nonce }) })
  assert.equal(wrong.body.error, 'invalid_grant')
  const code = await codeOf(issuer, issuance.offerUri)
  const pre = { grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code', 'pre-authorized_code': code }
  assert.equal((await tokenAt(issuer, pre, { dpop: 'x' })).body.error, 'invalid_dpop_proof')
  const bound = await tokenAt(issuer, pre, { dpop: await aProof(issuer, key, 'token', { nonce }) })
  assert.equal(bound.body.token_type, 'DPoP')
  assert.equal((await request(issuer, bound.body.access_token, template.code, [aKey()])).status, 401)
})

test('[VCI-C1] [VCI-P6] [SEC-11] the token is for its credential, its wallet and its issuer only', async () => {
  const user = await aUser(issuer)
  await prepared(issuer, template, user)
  const form = await aCode(issuer, template, user, { scope: undefined, ...details(oneOf(template.code)) })
  const { body } = await tokenAt(issuer, form)
  const token = body.access_token
  const by = (more: object) => request(issuer, token, template.code, [aKey()], { body: more })
  const other = { credential_configuration_id: 'other' }
  assert.equal((await by(other)).body.error, 'unknown_credential_configuration')
  const unknown = { credential_configuration_id: undefined, credential_identifier: newId() }
  assert.equal((await by(unknown)).body.error, 'unknown_credential_identifier')
  const elsewhere = await issuer.anotherTenant()
  assert.equal((await request(issuer, token, template.code, [aKey()], { tenant: elsewhere })).status, 401)
  const { buildJwtProof } = await import('../../protocols/openid4vci/jwt-proof.ts')
  const { aNonce } = await import('../test-support/issuer.ts')
  const about = {
    issuer: issuer.platform.urls.issuer(issuer.tenant.slug),
    nonce: await aNonce(issuer),
    clientId: 'another',
  }
  const jwt = [await buildJwtProof(about, aKey(), issuer.clock.at)]
  const [identifier] = body.authorization_details[0].credential_identifiers
  const named = { credential_configuration_id: undefined, credential_identifier: identifier }
  assert.equal((await by({ ...named, proofs: { jwt } })).body.error, 'invalid_proof')
  assert.equal((await by(named)).status, 200)
})
