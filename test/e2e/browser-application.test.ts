// An application that is nothing but a page of another origin, in Chromium: a public client written with
// `oauth4webapi`, with PAR, PKCE and DPoP.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { aPerson, password } from '../support/oauth-person.ts'
import { type Api, api, backendSecret, bootstrap } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const library = readFileSync(fileURLToPath(import.meta.resolve('oauth4webapi')), 'utf8')

/** The application. Secrets of its sign-in live in its session storage, its DPoP key in memory. */
const application = `
import * as oauth from '/oauth4webapi.js'
const insecure = { [oauth.allowInsecureRequests]: true }
const withNonce = (send) => send().catch((error) => { if (!oauth.isDPoPNonceError(error)) throw error; return send() })
const callback = location.origin + '/callback'
async function serverOf(issuer) {
  const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oidc', ...insecure })
  return oauth.processDiscoveryResponse(new URL(issuer), found)
}
globalThis.begin = async (issuer, client) => {
  const as = await serverOf(issuer)
  const verifier = oauth.generateRandomCodeVerifier()
  sessionStorage.verifier = verifier
  const parameters = new URLSearchParams({
    redirect_uri: callback, response_type: 'code', scope: 'openid profile wallet:read wallet:write', state: 's',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  })
  const response = await oauth.pushedAuthorizationRequest(as, client, oauth.None(), parameters, insecure)
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, response)
  location.href = as.authorization_endpoint + '?' + new URLSearchParams({ client_id: client.client_id, request_uri })
}
globalThis.finish = async (issuer, client, wallet) => {
  const as = await serverOf(issuer)
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
  const options = { ...insecure, DPoP }
  const answer = oauth.validateAuthResponse(as, client, new URL(location.href), 's')
  const tokens = await withNonce(async () => {
    const response = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), answer, callback, sessionStorage.verifier, options)
    return oauth.processAuthorizationCodeResponse(as, client, response)
  })
  const token = tokens.access_token
  const userInfo = await withNonce(() => oauth.userInfoRequest(as, client, token, options))
  const { preferred_username: username } = await userInfo.json()
  const list = await withNonce(() => oauth.protectedResourceRequest(token, 'GET', new URL(wallet), undefined, undefined, options))
  const refused = await fetch(wallet, { headers: { authorization: 'Bearer x' } })
  const revoked = await oauth.revocationRequest(as, client, oauth.None(), 'x', insecure)
  return {
    username, listed: list.status, token_type: tokens.token_type, revoked: revoked.status,
    refused: [refused.status, refused.headers.get('www-authenticate') !== null, refused.headers.get('x-request-id') !== null],
  }
}
`

let server: ServerChildren
let school: Api
let site: Server
let browser: Browser
let origin: string
let clientId: string
before(async () => {
  server = await serverChildren(bootstrap)
  const credentials = { client_id: 'acme-backend', client_secret: backendSecret }
  const granted = await api(server.url, null).form('/auth/token', { grant_type: 'client_credentials', ...credentials })
  school = api(server.url, granted.body.access_token)
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  const files: Readonly<Record<string, string>> = { '/oauth4webapi.js': library, '/app.js': application }
  site = createServer(({ url = '' }, response) => {
    const script = files[url]
    const type = script === undefined ? 'text/html' : 'text/javascript'
    response.writeHead(200, { 'content-type': type }).end(script ?? '<script type="module" src="/app.js"></script>')
  })
  site.listen(port, '127.0.0.1')
  await once(site, 'listening')
  clientId = await registered({ isPublic: true, redirectUris: [`${origin}/callback`], asksConsent: false })
  // Clients whose origins the rows of refusals are like.
  await registered({ redirectUris: ['https://confidential.example/callback'] })
  await registered({ isPublic: true, redirectUris: ['https://App.example:443/callback', 'com.example.app:/callback'] })
  browser = await openBrowser()
})
after(async () => {
  await server.stop()
  site.closeAllConnections()
  site.close()
  await browser.close()
})

async function registered(body: object): Promise<string> {
  const made = await school.post('/onboarding/clients', {
    name: 'An application',
    grantTypes: ['authorization_code'],
    ...body,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.clientId
}

test('a page of another origin signs a person in and calls the API with its token', async () => {
  await aPerson(server, school, 'naledi')
  const page = await (await browser.newContext()).newPage()
  await page.goto(origin)
  await page.waitForFunction('globalThis.begin !== undefined')
  const client = JSON.stringify({ client_id: clientId, token_endpoint_auth_method: 'none' })
  const [issuer, wallet] = [`${server.url}/auth`, `${server.url}/wallet/v2/credentials`]
  await page.evaluate(`begin('${issuer}', ${client})`)
  await page.waitForURL(`${server.url}/sign-in?**`)
  await page.fill('input[name=username]', 'naledi')
  await page.fill('input[name=password]', password)
  await page.click('form[action^="/sign-in?"] button[type=submit], form[action^="/sign-in?"] button:not([type])')
  await page.waitForURL(`${origin}/callback?**`)
  await page.waitForFunction('globalThis.finish !== undefined')
  const seen = await page.evaluate(`finish('${issuer}', ${client}, '${wallet}')`)
  assert.deepEqual(seen, {
    username: 'naledi',
    listed: 200,
    token_type: 'dpop',
    revoked: 200,
    refused: [401, true, true],
  })
  await page.context().close()
})

const preflight = (path: string, from: string, method = 'POST') =>
  fetch(server.url + path, {
    method: 'OPTIONS',
    headers: { origin: from, 'access-control-request-method': method, 'access-control-request-headers': 'dpop' },
  })

test('[SEC-75] a preflight of a known origin names methods and headers, is kept for two hours, and allows no cookies', async () => {
  for (const path of ['/auth/token', '/auth/par', '/auth/revoke', '/auth/userinfo', '/wallet/v2/credentials']) {
    const { status, headers } = await preflight(path, origin)
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, origin], path)
    assert.match(headers.get('access-control-allow-methods') ?? '', path.startsWith('/auth/') ? /POST/ : /GET/)
    assert.match(headers.get('access-control-allow-headers') ?? '', /Authorization, Content-Type, DPoP/)
    assert.equal(headers.get('access-control-max-age'), '7200')
    assert.equal(headers.get('access-control-allow-credentials'), null)
    assert.equal(headers.get('vary'), 'Origin')
  }
})

test('[SEC-75] the origin of a client is what browsers send: in lower case, without the default port', async () => {
  const { headers } = await preflight('/auth/token', 'https://app.example')
  assert.equal(headers.get('access-control-allow-origin'), 'https://app.example')
})

test('[SEC-75] responses to a known origin expose what a client reads, errors too, and vary by origin also without one', async () => {
  const token = (from?: string) => {
    const body = new URLSearchParams({ grant_type: 'x' })
    return fetch(`${server.url}/auth/token`, {
      method: 'POST',
      body,
      headers: from === undefined ? {} : { origin: from },
    })
  }
  const known = await token(origin)
  assert.deepEqual([known.status, known.headers.get('access-control-allow-origin')], [400, origin])
  const exposed = known.headers.get('access-control-expose-headers')
  for (const name of ['DPoP-Nonce', 'WWW-Authenticate', 'Retry-After', 'ETag', 'Location'])
    assert(exposed?.includes(name))
  assert.equal(known.headers.get('access-control-allow-credentials'), null)
  const none = await token()
  assert.deepEqual([none.headers.get('access-control-allow-origin'), none.headers.get('vary')], [null, 'Origin'])
})

for (const [what, from] of [
  ['of no client', 'https://evil.example'],
  ['of a confidential client', 'https://confidential.example'],
  ['of a private-use scheme', 'com.example.app:'],
  ['of a sandboxed page', 'null'],
  ['that begins with that of a client', 'https://app.example.evil.example'],
  ['with another scheme than that of a client', 'http://app.example'],
  ['with another port than that of a client', 'https://app.example:8443'],
  ['that is too long', `https://${'a'.repeat(400)}.example`],
] as const) {
  test(`[SEC-75] an origin ${what} is allowed nothing`, async () => {
    for (const path of ['/auth/token', '/wallet/v2/credentials']) {
      const { status, headers } = await preflight(path, from)
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, null])
      const sent = await fetch(server.url + path, { headers: { origin: from } })
      assert.equal(sent.headers.get('access-control-allow-origin'), null)
    }
  })
}

test('[SEC-75] no page of ours answers another origin, and no endpoint that uses a session', async () => {
  for (const path of ['/sign-in', '/account', '/auth/authorize', '/auth/logout', '/consent', '/auth/introspect']) {
    const answer = await preflight(path, origin, 'GET')
    assert.equal(answer.headers.get('access-control-allow-origin'), null, path)
    const got = await fetch(server.url + path, { headers: { origin }, redirect: 'manual' })
    assert.equal(got.headers.get('access-control-allow-origin'), null, path)
  }
})

/** A wallet that is nothing but a page of an origin that nobody registered. */
const wallet = `async (issuer, offerAddress) => {
  const text = (bytes) => new Uint8Array(bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
  const json = (value) => text(new TextEncoder().encode(JSON.stringify(value)))
  const at = (name) => issuer.replace('/issuers/', '/.well-known/' + name + '/issuers/')
  const published = async (name) => (await fetch(at(name))).json()
  const metadata = await published('openid-credential-issuer')
  const server = await published('oauth-authorization-server')
  const offer = await (await fetch(offerAddress)).json()
  const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
  const code = offer.grants[grant]['pre-authorized_code']
  const form = new URLSearchParams({ grant_type: grant, 'pre-authorized_code': code })
  const unproven = await fetch(server.token_endpoint, { method: 'POST', body: form, headers: { dpop: 'x' } })
  const token = await (await fetch(server.token_endpoint, { method: 'POST', body: form })).json()
  const answer = await fetch(metadata.nonce_endpoint, { method: 'POST' })
  const { c_nonce: nonce } = await answer.json()
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const head = json({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: { kty, crv, x, y } })
  const input = head + '.' + json({ aud: issuer, iat: Math.floor(Date.now() / 1000), nonce })
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
  const signed = await crypto.subtle.sign(algorithm, pair.privateKey, new TextEncoder().encode(input))
  const headers = { authorization: 'Bearer ' + token.access_token, 'content-type': 'application/json' }
  const send = (address, body) => fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })
  const configuration = { credential_configuration_id: offer.credential_configuration_ids[0] }
  const proofs = { jwt: [input + '.' + text(signed)] }
  const issued = await send(metadata.credential_endpoint, { ...configuration, proofs })
  const body = await issued.json()
  const accepted = { notification_id: body.notification_id, event: 'credential_accepted' }
  const told = await send(metadata.notification_endpoint, accepted)
  const deferred = await send(metadata.deferred_credential_endpoint, { transaction_id: 'unknown' })
  const par = server.pushed_authorization_request_endpoint
  const pushed = await fetch(par, { method: 'POST', body: new URLSearchParams({ client_id: 'a' }) })
  return {
    unproven: unproven.status, nonce: answer.headers.get('dpop-nonce') !== null, issued: issued.status,
    credentials: body.credentials.length, told: told.status, deferred: (await deferred.json()).error,
    pushed: (await pushed.json()).error,
  }
}`

test('[SEC-75] a wallet in a page of any origin redeems an offer, notifies the issuer and reads refusals', async () => {
  const { id } = await makeTemplate(school, 'pass')
  const { offerUri } = await openIssuance(school, id)
  const offer = new URL(offerUri).searchParams.get('credential_offer_uri')
  const page = await (await browser.newContext()).newPage()
  await page.goto(origin.replace('127.0.0.1', 'localhost'))
  const seen = await page.evaluate(`(${wallet})('${server.url}/issuers/acme', '${offer}')`)
  assert.deepEqual(seen, {
    unproven: 400,
    nonce: true,
    issued: 200,
    credentials: 1,
    told: 204,
    deferred: 'invalid_transaction_id',
    pushed: 'invalid_request',
  })
  await page.context().close()
})
