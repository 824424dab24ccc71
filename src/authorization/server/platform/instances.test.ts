// The steps are those of any instance: here one that issues its own tokens, besides the platform.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { platformOn } from '../../../../test/support/platform.ts'
import type { Platform } from '../../../platform.ts'
import { asking, clientSecret, redirectUri, someClients } from '../../test-support/an-oauth-client.ts'
import { aTenantWith, signIn } from '../../test-support/sign-in.ts'
import { authorize } from '../endpoint/authorize.ts'
import { describeServer, publishKeys } from '../endpoint/describe-server.ts'
import { answerIntrospection } from '../endpoint/introspect-token.ts'
import { answerPushedRequest } from '../endpoint/pushed-requests.ts'
import { answerRevocation } from '../endpoint/revoke-token.ts'
import { answerTokenRequest } from '../endpoint/token-endpoint.ts'
import { authorizationCode } from '../grants/authorization-code.ts'
import { refreshToken } from '../grants/refresh-token.ts'
import type { ServerInstance, UserPolicy } from '../instance.ts'
import type { TokenAnswer } from '../token-request.ts'
import { platformInstance } from './platform-instance.ts'

let db: TestDatabase
let platform: Platform
before(async () => {
  db = await openTestDatabase()
  platform = platformOn({ store: db.store })
})
after(() => db.close())

const users: UserPolicy = {
  consentPage: '/consent',
  needsScope: true,
  refreshTokens: 'offline_access',
  decide: async (_platform, { request }) => {
    return { kind: 'grant', scopes: request.scopes.filter((one) => one !== 'refused'), details: null }
  },
  tokens: {
    kind: 'self-contained',
    issue: async (_platform, { scopes, refreshToken: refresh }) => ({
      access_token: 'of its own format',
      token_type: 'Bearer',
      expires_in: 60,
      scope: scopes.join(' '),
      ...(refresh !== null && { refresh_token: refresh }),
    }),
  },
}

/** Another authorization server with the same clients. */
function anotherInstance(issuer = 'https://server.example/issuers/acme'): ServerInstance {
  return {
    ...platformInstance(platform),
    issuer,
    users,
    grants: [authorizationCode(users), refreshToken(users)],
    acceptsDpop: false,
    keys: [],
    endpoints: { token: `${issuer}/token`, authorization: `${issuer}/authorize` },
    readToken: async () => null,
    extensions: {},
  }
}

const from = { ip: '192.0.2.1', requestId: 'r' }

async function aHouse() {
  const { web } = someClients()
  const { tenantId } = await aTenantWith(platform, [web])
  const browser = await signIn(platform, tenantId)
  const ask = (instance: ServerInstance, form: Record<string, string>) => {
    const auth = { client_id: web.clientId, client_secret: clientSecret }
    return { platform, instance, form: { ...form, ...auth }, headers: {}, ...from }
  }
  const visit = async (instance: ServerInstance, query: Record<string, string>) =>
    new URL(await authorize({ platform, instance, query, cookie: browser.cookie, ...from }), 'https://here.example')
  const codeOf = async (instance: ServerInstance) => {
    const { parameters, verifier } = await asking(web.clientId, { scope: 'degree refused offline_access' })
    const { searchParams } = await visit(instance, parameters)
    assert.equal(searchParams.get('iss'), instance.issuer)
    const code = searchParams.get('code') ?? ''
    return { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  }
  return { web, ask, visit, codeOf }
}

test('an instance issues tokens of its own format, for scopes of its own, by the same steps', async () => {
  const { ask, codeOf, visit, web } = await aHouse()
  const instance = anotherInstance()
  const { body } = await answerTokenRequest(ask(instance, await codeOf(instance)))
  assert.partialDeepStrictEqual(body, { access_token: 'of its own format', scope: 'degree offline_access' })
  const { refresh_token: token = '' } = body as TokenAnswer
  const next = await answerTokenRequest(ask(instance, { grant_type: 'refresh_token', refresh_token: token }))
  assert.notEqual((next.body as TokenAnswer).refresh_token, token)
  const { parameters } = await asking(web.clientId, { prompt: 'login' })
  const page = await visit(instance, parameters)
  assert(page.searchParams.get('continue')?.startsWith('/issuers/acme/authorize?'))
})

test('[SEC-11] codes, refresh tokens and request_uris of one instance are worth nothing at another', async () => {
  const { ask, codeOf, visit, web } = await aHouse()
  const [one, other] = [anotherInstance(), anotherInstance('https://server.example/issuers/globex')]
  const form = await codeOf(one)
  await assert.rejects(answerTokenRequest(ask(other, form)), { code: 'grant.invalid' })
  const { body } = await answerTokenRequest(ask(one, form))
  const { refresh_token: token = '' } = body as TokenAnswer
  const refresh = { grant_type: 'refresh_token', refresh_token: token }
  await assert.rejects(answerTokenRequest(ask(other, refresh)), { code: 'grant.invalid' })
  await answerRevocation(ask(other, { token }))
  assert.deepEqual((await answerIntrospection(ask(other, { token }))).body, { active: false })
  assert.partialDeepStrictEqual((await answerIntrospection(ask(one, { token }))).body, {
    active: true,
    iss: one.issuer,
  })
  const pushed = await answerPushedRequest(ask(one, (await asking(web.clientId)).parameters))
  const query = { client_id: web.clientId, request_uri: (pushed.body as { request_uri: string }).request_uri }
  await assert.rejects(visit(other, query), { code: 'request_uri.invalid' })
  assert((await visit(one, query)).searchParams.has('code'))
})

test('an instance says of itself what it has, and nothing else', async () => {
  const instance = anotherInstance()
  assert.deepEqual(Object.keys(describeServer({ ...instance, scopes: null })).sort(), [
    'authorization_endpoint',
    'authorization_response_iss_parameter_supported',
    'code_challenge_methods_supported',
    'grant_types_supported',
    'issuer',
    'response_modes_supported',
    'response_types_supported',
    'token_endpoint',
    'token_endpoint_auth_methods_supported',
    'token_endpoint_auth_signing_alg_values_supported',
  ])
  assert.deepEqual(await publishKeys(platform, instance), { keys: [] })
})
