// The application is written with `oauth4webapi`; the person uses a browser without scripts. On PostgreSQL two server
// processes share the work.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import * as oauth from 'oauth4webapi'
import { PlainBrowser } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { aPerson, authorize, byPassword, callback, loopback, password } from '../support/oauth-person.ts'
import { type Api, api, backendSecret, bootstrap } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const SCOPE = 'openid profile wallet:read wallet:write offline_access'
const WALLET = '/wallet/v2/credentials'

let server: ServerChildren
let school: Api
let as: oauth.AuthorizationServer
let web: Application
before(async () => {
  server = await serverChildren(bootstrap)
  const credentials = { client_id: 'acme-backend', client_secret: backendSecret }
  const granted = await api(server.url, null).form('/auth/token', { grant_type: 'client_credentials', ...credentials })
  school = api(server.url, granted.body.access_token)
  const issuer = new URL(`${server.url}/auth`)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...loopback(server) })
  as = await oauth.processDiscoveryResponse(issuer, found)
  web = await anApplication()
})
after(() => server.stop())

type Application = { readonly client: oauth.Client; readonly auth: oauth.ClientAuth }

/** A confidential application that asks for consent, made by the tenant's API. */
async function anApplication(): Promise<Application> {
  const { clientId, clientSecret } = await registered({ name: 'Campus Library', redirectUris: [callback] })
  return { client: { client_id: clientId }, auth: oauth.ClientSecretBasic(clientSecret) }
}

async function registered(body: object) {
  const grantTypes = ['authorization_code', 'refresh_token']
  const made = await school.post('/onboarding/clients', { grantTypes, ...body })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

type At = { readonly process?: 0 | 1; readonly DPoP?: oauth.DPoPHandle }

/** Requests again with the nonce that the server asks for, which the independent client has kept. */
async function withNonce<T>(request: () => Promise<T>): Promise<T> {
  return request().catch((error) => {
    if (!oauth.isDPoPNonceError(error)) throw error
    return request()
  })
}

/** Pushes the request to the first process, lets the person sign in, and redeems the code at the second one. */
async function signedIn(app: Application, browser: PlainBrowser, username: string, { DPoP }: At = {}) {
  const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState(), 'a-nonce']
  const { client, auth } = app
  const parameters = new URLSearchParams({
    redirect_uri: callback,
    response_type: 'code',
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const bound = DPoP === undefined ? {} : { DPoP }
  const pushed = await withNonce(async () => {
    const options = { ...loopback(server, 0), ...bound }
    const response = await oauth.pushedAuthorizationRequest(as, client, auth, parameters, options)
    return oauth.processPushedAuthorizationResponse(as, client, response)
  })
  const query = new URLSearchParams({ client_id: client.client_id, request_uri: pushed.request_uri })
  const { returned, pages } = await authorize(browser, `/auth/authorize?${query}`, byPassword(username))
  const answer = oauth.validateAuthResponse(as, client, returned, state)
  const redeem = (process: 0 | 1) =>
    withNonce(async () => {
      const options = { ...loopback(server, process), ...bound }
      const response = await oauth.authorizationCodeGrantRequest(as, client, auth, answer, callback, verifier, options)
      return oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: nonce })
    })
  return { redeem, pages }
}

function refresh({ client, auth }: Application, token: string | undefined, { process = 0, DPoP }: At = {}) {
  return withNonce(async () => {
    const options = { ...loopback(server, process), ...(DPoP !== undefined && { DPoP }) }
    const response = await oauth.refreshTokenGrantRequest(as, client, auth, token ?? '', options)
    return oauth.processRefreshTokenResponse(as, client, response)
  })
}

/** @returns the status of a request to the wallet at each process */
async function walletWith(token: string, DPoP?: oauth.DPoPHandle): Promise<number[]> {
  const statuses: number[] = []
  for (const process of [0, 1] as const) {
    const options = { ...loopback(server, process), ...(DPoP !== undefined && { DPoP }) }
    const url = new URL(server.url + WALLET)
    const send = () => oauth.protectedResourceRequest(token, 'GET', url, undefined, undefined, options)
    const status = await withNonce(send).then(
      (response) => response.status,
      (error: { status: number }) => error.status,
    )
    statuses.push(status)
  }
  return statuses
}

const refused = { error: 'invalid_grant' }

test('a person signs in through the pages, the application calls the wallet and refreshes, until the person signs out', async () => {
  const browser = await aPerson(server, school, 'anele')
  await browser.open('/sign-out')
  await browser.send('/sign-out')
  const { redeem, pages } = await signedIn(web, browser, 'anele')
  assert.deepEqual(pages, ['Sign in to Acme College · Acme College', 'Campus Library asks for access · Acme College'])
  const tokens = await redeem(1)
  assert.deepEqual(await walletWith(tokens.access_token), [200, 200])
  const { sub } = oauth.getValidatedIdTokenClaims(tokens) ?? {}
  const described = await oauth.userInfoRequest(as, web.client, tokens.access_token, loopback(server, 1))
  const info = await oauth.processUserInfoResponse(as, web.client, sub ?? '', described)
  assert.partialDeepStrictEqual(info, { preferred_username: 'anele', given_name: 'Thandi' })
  const next = await refresh(web, tokens.refresh_token)
  assert.deepEqual(await walletWith(next.access_token), [200, 200])
  let last = await refresh(web, next.refresh_token, { process: 1 })
  assert.notEqual(last.refresh_token, next.refresh_token)

  await browser.open('/sign-out')
  await browser.send('/sign-out')
  assert.match((await browser.open('/account')).title, /^Sign in/)
  // A job ends the tokens of the session.
  await assert.rejects(async () => {
    for (let tries = 0; tries < 100; tries += 1) {
      last = await refresh(web, last.refresh_token, { process: tries % 2 === 0 ? 0 : 1 })
      await setTimeout(50)
    }
  }, refused)
  for (const process of [0, 1] as const) await assert.rejects(refresh(web, last.refresh_token, { process }), refused)
})

test('a refresh token that is used again ends its family, at every process, and no other family', async () => {
  const browser = await aPerson(server, school, 'bongani')
  const tokens = await (await signedIn(web, browser, 'bongani')).redeem(0)
  const other = await (await signedIn(web, browser, 'bongani')).redeem(1)
  const second = await refresh(web, tokens.refresh_token, { process: 0 })
  const third = await refresh(web, second.refresh_token, { process: 1 })
  await assert.rejects(refresh(web, tokens.refresh_token, { process: 0 }), refused)
  for (const process of [0, 1] as const) await assert.rejects(refresh(web, third.refresh_token, { process }), refused)
  assert.deepEqual(await walletWith((await refresh(web, other.refresh_token)).access_token), [200, 200])
})

test('an application with a signing key gets tokens that are bound to its DPoP key, at every process', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const keys = { jwks: { keys: [publicKey.export({ format: 'jwk' })] }, dpopRequired: true, parRequired: true }
  const { clientId } = await registered({ name: 'Bank', asksConsent: false, redirectUris: [callback], ...keys })
  const pkcs8 = new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' }))
  const signing = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
  const app = { client: { client_id: clientId }, auth: oauth.PrivateKeyJwt(signing) }
  const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'))
  const browser = await aPerson(server, school, 'chidi')
  const { redeem, pages } = await signedIn(app, browser, 'chidi', { DPoP })
  assert.deepEqual(pages, [], 'a signed-in person is not asked by an application of the organisation')
  const tokens = await redeem(1)
  assert.equal(tokens.token_type, 'dpop')
  assert.deepEqual(await walletWith(tokens.access_token, DPoP), [200, 200])
  assert.deepEqual(await walletWith(tokens.access_token), [401, 401])
  const another = oauth.DPoP({}, await oauth.generateKeyPair('ES256'))
  assert.deepEqual(await walletWith(tokens.access_token, another), [401, 401])
  const next = await refresh(app, tokens.refresh_token, { process: 0, DPoP })
  assert.deepEqual(await walletWith(next.access_token, DPoP), [200, 200])
})

/** @returns how many of the promises were fulfilled */
async function fulfilled(all: readonly Promise<unknown>[]): Promise<number> {
  return (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled').length
}

const six = [0, 1, 0, 1, 0, 1] as const

test('[RFC 6749 4.1.2] of six uses of one code at two processes one gets tokens, which the others end', async () => {
  const browser = await aPerson(server, school, 'dineo')
  const { redeem } = await signedIn(web, browser, 'dineo')
  const answers = await Promise.allSettled(six.map((process) => redeem(process)))
  const [tokens, ...more] = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  assert.equal(more.length, 0)
  for (const process of [0, 1] as const) await assert.rejects(refresh(web, tokens?.refresh_token, { process }), refused)
})

test('[RFC 9700 4.14] of the successors of six uses of one refresh token at two processes one lives at most', async () => {
  const browser = await aPerson(server, school, 'esihle')
  const tokens = await (await signedIn(web, browser, 'esihle')).redeem(0)
  const answers = await Promise.allSettled(six.map((process) => refresh(web, tokens.refresh_token, { process })))
  const successors = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.refresh_token ?? ''] : []))
  assert(successors.length > 0)
  assert.equal(new Set(successors).size, successors.length)
  const used: Promise<unknown>[] = []
  for (const [index, token] of successors.entries()) {
    const one = refresh(web, token, { process: index % 2 === 0 ? 0 : 1 })
    used.push(one)
    await one.catch(() => undefined)
  }
  assert((await fulfilled(used)) <= 1)
})

test('of six uses of one one-time link at two processes one sets a password', async () => {
  await school.post('/onboarding/users', { username: 'farai' })
  const { link } = (await school.post('/onboarding/users/farai/invitation', {})).body.data
  const tries = six.map(async (_, index) => {
    const browser = new PlainBrowser(server.url)
    await browser.open(link)
    const secret = `${password} ${index}`
    return { shown: () => browser.send('/sign-in/link', { password: secret, repeated: secret }), secret }
  })
  const ready = await Promise.all(tries)
  const shown = await Promise.all(ready.map(async (one) => ({ ...(await one.shown()), secret: one.secret })))
  const [done, ...more] = shown.filter(({ title }) => title.startsWith('Your account'))
  assert.deepEqual([more.length, shown.filter(({ status }) => status === 410).length], [0, 5])
  const other = shown.find(({ secret }) => secret !== done?.secret)
  for (const one of [other, done]) {
    const browser = new PlainBrowser(server.url)
    await browser.open('/sign-in')
    const { title } = await browser.send('/sign-in', { username: 'farai', password: one?.secret ?? '' })
    assert.equal(title.startsWith('Your account'), one === done, title)
  }
})

test('of ten guesses at two processes five are checked, and then the lock refuses the right password too', async () => {
  await aPerson(server, school, 'gugu')
  const guess = async (secret: string) => {
    const browser = new PlainBrowser(server.url)
    await browser.open('/sign-in')
    return (await browser.send('/sign-in', { username: 'gugu', password: secret })).status
  }
  const statuses = await Promise.all(Array.from({ length: 10 }, (_, n) => guess(`a wrong password ${n}`)))
  assert.deepEqual(statuses.toSorted(), [...Array(5).fill(403), ...Array(5).fill(429)])
  assert.equal(await guess(password), 429)
})
