// A tenant whose people sign in at `oidc-provider` only: no user is created here, and none has a password. On
// PostgreSQL two server processes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import * as oauth from 'oauth4webapi'
import { PlainBrowser, type Shown } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { ForeignProvider } from '../../src/authorization/test-support/foreign-provider.ts'
import { authorize, callback, loopback } from '../support/oauth-person.ts'
import { type Api, api, backendSecret } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const secret = 'the-secret-of-our-client-at-the-provider'
const library = { client_id: 'library' }
const auth = oauth.ClientSecretPost(backendSecret)

let server: ServerChildren
let school: Api
let foreign: ForeignProvider
let as: oauth.AuthorizationServer
before(async () => {
  const codes = { grantTypes: ['authorization_code', 'refresh_token'], redirectUris: [callback], asksConsent: false }
  const shared = { clientSecret: backendSecret }
  const backend = { ...shared, clientId: 'college-backend', scopes: ['tenant:admin', 'users:impersonate'] }
  const scopes = ['issuance:write', 'verification:write']
  const clients = [backend, { ...shared, ...codes, clientId: 'library', name: 'Library', scopes }]
  server = await serverChildren({ tenants: [{ slug: 'college', name: 'College', clients }] })
  const credentials = { client_id: 'college-backend', client_secret: backendSecret }
  const granted = await api(server.url, null).form('/auth/token', { grant_type: 'client_credentials', ...credentials })
  school = api(server.url, granted.body.access_token)
  const client = { clientSecret: secret, redirectUri: `${server.url}/sign-in/external/college/campus` }
  // The audience that an organisation may name without the operator.
  const audience = `${server.url}/issuers/college`
  foreign = new ForeignProvider(audience, [
    { ...client, clientId: 'chirograph' },
    { ...client, clientId: 'another' },
  ])
  await foreign.open()
  await foreign.publishNextKey()
  const issuer = new URL(`${server.url}/auth`)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...loopback(server) })
  as = await oauth.processDiscoveryResponse(issuer, found)
  const made = await school.post('/onboarding/identity-providers', {
    name: 'campus',
    displayName: 'Campus account',
    issuer: foreign.issuer,
    clientId: 'chirograph',
    clientSecret: secret,
    createsUsers: true,
    acceptTokens: true,
    audience,
    claims: { externalIdentifier: 'employee_id', roles: '/realm/roles' },
    roles: { registrar: ['issuer'], desk: ['verifier'] },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
})
after(async () => {
  await server.stop()
  await foreign.stop()
})

const lerato = {
  sub: 'lerato-at-campus',
  preferred_username: 'lerato',
  given_name: 'Lerato',
  employee_id: 'E7',
  email: 'lerato@college.example',
  email_verified: true,
  realm: { roles: ['registrar', 'gardener'] },
}

/** The person chooses the provider on the sign-in page. */
function byProvider(browser: PlainBrowser): Promise<Shown> {
  return browser.send('/sign-in/provider/campus')
}

/**
 * Signs in at the provider, without an application.
 *
 * @param change Of the address of the provider's authorization endpoint.
 * @returns the browser, and the address that the provider sends it back to
 */
async function atProvider(change: (address: string) => string = (address) => address) {
  foreign.person = lerato
  const browser = new PlainBrowser(server.url)
  await browser.open('/sign-in?tenant=college')
  let shown = await byProvider(browser)
  for (let steps = 0; steps < 10 && shown.url.startsWith(foreign.issuer); steps += 1) {
    shown = await browser.open(change(shown.url))
  }
  assert(shown.url.startsWith(`${server.url}/sign-in/external/college/campus?`), shown.url)
  return { browser, back: shown.url }
}

/** @returns status and title of the page at which a sign-in without an application ends, at this process */
async function signedIn(process: 0 | 1, change?: (address: string) => string) {
  const { browser, back } = await atProvider(change)
  const { status, title } = await browser.open(back.replace(server.url, server.urls[process]))
  return [status, title]
}

const welcome = [200, 'Your account · College']

/** Signs the person in for the application, and redeems the code at the second process. */
async function tokensOf(person: Record<string, unknown>, browser = new PlainBrowser(server.url)) {
  foreign.person = person
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const query = new URLSearchParams({
    client_id: 'library',
    redirect_uri: callback,
    response_type: 'code',
    state,
    scope: 'openid profile wallet:read issuance:write verification:write offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const { returned } = await authorize(browser, `/auth/authorize?${query}`, byProvider)
  const answer = oauth.validateAuthResponse(as, library, returned, state)
  const options = loopback(server, 1)
  const response = await oauth.authorizationCodeGrantRequest(as, library, auth, answer, callback, verifier, options)
  return oauth.processAuthorizationCodeResponse(as, library, response)
}

/** Who a token says the caller is, at both processes; null where it is refused. */
async function callersWith(token: string) {
  const seen: unknown[] = []
  for (const url of server.urls) {
    const { status, body } = await api(url, token).get('/onboarding/me')
    assert(status === 200 || status === 401, JSON.stringify(body))
    const { name, scopes } = status === 401 ? { name: null, scopes: [] } : body.data
    seen.push(name === null ? null : [name, scopes.includes('issuance:write'), scopes.includes('verification:write')])
  }
  return seen
}

const asRegistrar = [
  ['Lerato', true, false],
  ['Lerato', true, false],
]
const refused = [null, null]

test('a person nobody created signs in, becomes a user with the roles of the claims, and uses the wallet', async () => {
  const browser = new PlainBrowser(server.url)
  const tokens = await tokensOf(lerato, browser)
  assert.equal(tokens.scope, 'openid profile wallet:read issuance:write offline_access')
  assert.deepEqual(await callersWith(tokens.access_token), asRegistrar)
  assert.equal((await api(server.url, tokens.access_token).get('/wallet/v2/credentials')).status, 200)
  const user = (await school.get('/onboarding/users/by-external-identifier/E7')).body.data
  assert.partialDeepStrictEqual(user, { username: 'lerato', email: 'lerato@college.example', roles: ['issuer'] })
  const response = await oauth.refreshTokenGrantRequest(
    as,
    library,
    auth,
    tokens.refresh_token ?? '',
    loopback(server, 0),
  )
  assert.ok((await oauth.processRefreshTokenResponse(as, library, response)).access_token)
  const account = await browser.open('/account')
  assert.match(account.title, /^Your account/)

  const next = await tokensOf({ ...lerato, preferred_username: 'renamed', realm: { roles: ['desk'] } })
  assert.equal(next.scope, 'openid profile wallet:read verification:write offline_access')
  const everybody = (await school.get('/onboarding/users')).body.data
  assert.deepEqual(
    everybody.map((one: { username: string; roles: string[] }) => [one.username, one.roles]),
    [['lerato', ['verifier']]],
  )
})

test('nobody signs in with a password', async () => {
  const browser = new PlainBrowser(server.url)
  for (const secret of ['', 'lerato', 'a lighthouse made of bread']) {
    await browser.open('/sign-in?tenant=college')
    const { status } = await browser.send('/sign-in', { username: 'lerato', password: secret })
    assert.equal(status, secret === '' ? 400 : 403)
  }
})

const claims = { employee_id: 'E7', realm: { roles: ['registrar'] } }

test('access tokens of the provider are accepted at every process, and the roles are those of the token', async () => {
  assert.deepEqual(await callersWith(await foreign.token(claims)), asRegistrar)
  const other = await foreign.token(claims, 'https://other.example')
  assert.deepEqual(await callersWith(other), refused, 'a token for another audience')
  assert.deepEqual(await callersWith(await foreign.token({ employee_id: 'E8' })), refused, 'an unknown person')
})

test('the provider signs with the key that it published before: nobody is refused', async () => {
  const former = await foreign.token(claims)
  await foreign.useNextKey()
  const next = await foreign.token(claims)
  assert.notEqual(decodeProtectedHeader(next).kid, decodeProtectedHeader(former).kid)
  assert.deepEqual(await callersWith(next), asRegistrar)
  for (const process of [0, 1] as const) assert.deepEqual(await signedIn(process), welcome)
})

test('while the provider is away its tokens are accepted and a sign-in says so; when it is back people sign in', async () => {
  const { browser, back } = await atProvider()
  await foreign.stop()
  assert.deepEqual(await callersWith(await foreign.forged(claims)), asRegistrar)
  const { status, title } = await browser.open(back)
  assert.deepEqual([status, title], [403, 'Error: The other service cannot be reached · Chirograph'])
  await foreign.start()
  assert.deepEqual(await signedIn(1), welcome)
})

for (const [what, change] of [
  ['another nonce', (address: string) => address.replace(/nonce=[^&]+/, 'nonce=AAAAAAAAAAAAAAAA')],
  ['the code of another client', (address: string) => address.replace('client_id=chirograph', 'client_id=another')],
] as const) {
  test(`an answer of the provider with ${what} signs nobody in`, async () => {
    const sent: string[] = []
    const page = await signedIn(0, (address) => {
      const next = address.startsWith(`${foreign.issuer}/auth?`) ? change(address) : address
      if (next !== address) sent.push(next)
      return next
    })
    assert.equal(sent.length, 1)
    assert.deepEqual(page, [403, 'Error: The other service did not sign you in · Chirograph'])
  })
}
