import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as jose from 'jose'
import * as oauth from 'oauth4webapi'
import { type Caller, roles, type TenantId } from '../../../caller.ts'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { changeUser, deleteUser } from '../../../directory/users/write-user.ts'
import type { OutboundRequest, Platform } from '../../../platform.ts'
import { sql } from '../../../store/store.ts'
import { passwordJobs } from '../../sign-in/passwords/jobs.ts'
import { sweepSessions } from '../../sign-in/sweep-sessions.ts'
import { PlainBrowser } from '../../sign-in/test-support/plain-browser.ts'
import { aListeningServer, type aPlatform } from '../../test-support/a-platform.ts'
import { asking, clientSecret, open, plain, someClients, targetOf } from '../../test-support/an-oauth-client.ts'
import { aTenantWith, type SignedIn, signIn } from '../../test-support/sign-in.ts'
import { logoutSteps } from '../openid/logout.ts'
import { sessionEndedJob } from '../session-end/session-ended.ts'
import { authorizationJobs, resumeSessionEnds } from './jobs.ts'

type Parameters = Record<string, string | undefined>
type Queued = { readonly name: string; readonly payload: { readonly clientId?: string } }

const bye = 'https://rp.example/bye?from=us'
const listJobs = sql('test.logout.jobs', 'select name, payload from job where tenant_id = $1 order by id')
const deleteJobs = sql('test.logout.delete_jobs', 'delete from job where tenant_id = $1')

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

async function aDeployment() {
  const clients = someClients()
  const tenant = await aTenantWith(platform, Object.values(clients))
  return { ...tenant, ...clients, browser: await signIn(platform, tenant.tenantId) }
}

/** Tokens of a client for the session of a browser. */
async function tokensOf(clientId: string, browser: SignedIn) {
  const client = { client_id: clientId }
  const asked = await asking(clientId)
  const callback = targetOf(platform, await open(platform, asked.parameters, browser))
  const parameters = oauth.validateAuthResponse(as, client, callback, asked.parameters.state)
  const uri = asked.parameters.redirect_uri ?? ''
  const auth = oauth.ClientSecretPost(clientSecret)
  const response = await oauth.authorizationCodeGrantRequest(as, client, auth, parameters, uri, asked.verifier, plain)
  return oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: 'a-nonce' })
}

async function logOut(parameters: Parameters, browser: SignedIn | null, method = 'GET'): Promise<Response> {
  const present = Object.entries(parameters).filter((one): one is [string, string] => one[1] !== undefined)
  const query = new URLSearchParams(present)
  const headers: Record<string, string> = browser === null ? {} : { cookie: browser.cookie }
  const url = `${platform.urls.auth}/logout`
  if (method === 'GET') return fetch(`${url}?${query}`, { headers, redirect: 'manual' })
  return fetch(url, { method, body: query, headers, redirect: 'manual' })
}

async function isSignedIn(clientId: string, browser: SignedIn): Promise<boolean> {
  const { parameters } = await asking(clientId, { prompt: 'none' })
  return targetOf(platform, await open(platform, parameters, browser)).searchParams.has('code')
}

/** Runs what is in the queue, as the worker would, with requests that arrive at `receive`. */
async function runJobs(tenantId: TenantId, receive: (url: string, request: OutboundRequest) => number): Promise<void> {
  const queued = await platform.store.inTenant(tenantId, (tx) => tx.rows<Queued>(listJobs, [tenantId]))
  await platform.store.inTenant(tenantId, (tx) => tx.rows(deleteJobs, [tenantId]))
  const fetch: Platform['fetch'] = async (_tenantId, url, request) => {
    return { status: receive(url, request), headers: {}, contentType: '', body: Buffer.alloc(0) }
  }
  for (const { name, payload } of queued) {
    const job = [...authorizationJobs, ...passwordJobs].find((one) => one.name === name)
    // Of another room.
    if (name === 'wallet.delete-push-subscriptions') continue
    assert(job, name)
    const run = { id: '', tenantId, attempt: 1 }
    await job.run({ ...platform, fetch }, payload, new AbortController().signal, run)
  }
}

test('the steps name their clauses', () => {
  assert.equal(logoutSteps.clauses.length, 5)
})

test('a client signs the user out with the ID token of this session (oidcc-rp-initiated-logout)', async () => {
  const { web, browser } = await aDeployment()
  const { id_token: hint } = await tokensOf(web.clientId, browser)
  platform.clock.shiftSeconds += 400
  assert.equal(await isSignedIn(web.clientId, browser), true)
  const response = await logOut({ id_token_hint: hint, post_logout_redirect_uri: bye, state: 'a b' }, browser)
  assert.equal(response.status, 303)
  assert.equal(response.headers.get('location'), `${bye}&state=a+b`)
  assert.equal(await isSignedIn(web.clientId, browser), false)
  const again = await logOut({ id_token_hint: hint, post_logout_redirect_uri: bye }, browser)
  assert.equal(again.status, 303)
  assert.equal(again.headers.get('location')?.includes('state'), false)
})

test('without a target the browser is sent to the page that says that the user is signed out', async () => {
  const { web, browser } = await aDeployment()
  const { id_token: hint } = await tokensOf(web.clientId, browser)
  const response = await logOut({ id_token_hint: hint }, browser)
  assert.deepEqual([response.status, response.headers.get('location')], [303, '/sign-out'])
  assert.match(response.headers.get('set-cookie') ?? '', /^chirograph=; Path=\/; Max-Age=0;/)
  assert.equal(await isSignedIn(web.clientId, browser), false)
})

test('the form of another website, with which browsers send no cookie, is redirected to the same request by GET', async () => {
  const { web, browser } = await aDeployment()
  const { id_token: hint } = await tokensOf(web.clientId, browser)
  const posted = await logOut({ id_token_hint: hint, post_logout_redirect_uri: bye, state: 'a b' }, null, 'POST')
  assert.equal(posted.status, 303)
  const again = new URL(posted.headers.get('location') ?? '', platform.urls.publicUrl)
  assert.equal(again.pathname, '/auth/logout')
  const response = await logOut(Object.fromEntries(again.searchParams), browser)
  assert.equal(response.headers.get('location'), `${bye}&state=a+b`)
  assert.equal(await isSignedIn(web.clientId, browser), false)
})

for (const [what, change] of [
  [
    'another post_logout_redirect_uri (bad-post-logout-redirect-uri)',
    { post_logout_redirect_uri: 'https://evil.example/' },
  ],
  ['more query (query-added-to-post-logout-redirect-uri)', { post_logout_redirect_uri: `${bye}&x=1` }],
  ['the redirect URI of the code flow', { post_logout_redirect_uri: 'https://rp.example/callback?kind=test' }],
  ['no hint and no client (no-id-token-hint)', { id_token_hint: undefined }],
  ['a hint that is no token (bad-id-token-hint)', { id_token_hint: 'x' }],
  ['an altered hint (modified-id-token-hint)', { id_token_hint: 'altered' }],
  ['another client_id than that of the hint', { client_id: 'another' }],
] as const) {
  test(`[RP-Initiated Logout 3] a request with ${what} redirects nowhere and ends nothing`, async () => {
    const { web, browser } = await aDeployment()
    const { id_token: hint = '', access_token: token } = await tokensOf(web.clientId, browser)
    const good: Parameters = { id_token_hint: hint, post_logout_redirect_uri: bye, ...change }
    const altered = `${hint.slice(0, -4)}${hint.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    const sent = good.id_token_hint === 'altered' ? { ...good, id_token_hint: altered } : good
    const response = await logOut(sent, browser)
    assert.equal(response.status, 400)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal(response.headers.has('location'), false)
    // An access token is none either.
    assert.equal((await logOut({ ...good, id_token_hint: token }, browser)).status, 400)
    assert.equal(await isSignedIn(web.clientId, browser), true)
  })
}

test('without a hint of this session the user confirms, in their language, and another site cannot confirm for the user', async () => {
  const { web, browser, tenantId } = await aDeployment()
  const elsewhere = await signIn(platform, tenantId)
  const { id_token: otherHint } = await tokensOf(web.clientId, elsewhere)
  const good = { client_id: web.clientId, post_logout_redirect_uri: bye, state: '"><script>' }
  for (const parameters of [{}, { state: 'only' }, good, { ...good, id_token_hint: otherHint }]) {
    const response = await logOut(parameters, browser)
    assert.deepEqual([response.status, response.headers.has('set-cookie')], [303, false])
    assert.match(response.headers.get('location') ?? '', /^\/sign-out(\?|$)/)
  }
  const asked = (await logOut(good, browser)).headers.get('location') ?? ''
  const user = new PlainBrowser(platform.urls.publicUrl, { 'accept-language': 'fr' })
  const [name = '', value = ''] = browser.cookie.split('=')
  user.cookies.set(name, value)
  const page = await user.open(asked)
  assert.match(page.title, /^Se déconnecter/)
  assert.equal(page.html.includes('<script>'), false)
  const { action, hidden } = user.form('/sign-out')
  const foreign = await user.request('POST', action, new URLSearchParams(hidden).toString(), {
    'sec-fetch-site': 'cross-site',
  })
  assert.equal(foreign.status, 403)
  assert.equal(await isSignedIn(web.clientId, browser), true)
  await user.open(asked)
  const left = await user.send('/sign-out')
  assert.equal(user.cookies.has(name), false)
  assert.equal(await isSignedIn(web.clientId, browser), false)
  assert.equal(await isSignedIn(web.clientId, elsewhere), true)
  const back = await fetch(new URL(left.url, platform.urls.publicUrl), { redirect: 'manual' })
  assert.equal(back.headers.get('location'), `${bye}&state=%22%3E%3Cscript%3E`)
})

test('the page of the sign-out continues nowhere but at the endpoint, which checks its target again', async () => {
  const { browser } = await aDeployment()
  const user = new PlainBrowser(platform.urls.publicUrl)
  const [name = '', value = ''] = browser.cookie.split('=')
  for (const target of ['https://evil.example/', '//evil.example', '/auth/logout/../x?', '/auth/authorize?x=1']) {
    user.cookies.set(name, value)
    await user.open(`/sign-out?${new URLSearchParams({ continue: target })}`)
    assert.equal(user.form('/sign-out').action, '/sign-out')
  }
  const forged = `/auth/logout?${new URLSearchParams({ post_logout_redirect_uri: 'https://evil.example/' })}`
  const response = await fetch(new URL(forged, platform.urls.publicUrl), { redirect: 'manual' })
  assert.equal(response.status, 400)
  assert.match(await response.text(), /The application made a mistake[\s\S]*post_logout_redirect_uri is not registered/)
})

/** Deletes the jobs of a tenant, as a coordinator of a distributed database that ends between two commits. */
const loseJobs = (tenantId: TenantId) => platform.store.inTenant(tenantId, (tx) => tx.rows(deleteJobs, [tenantId]))

/** Runs what is in the queue, and what that enqueues. @returns the sessions of the logout tokens */
async function loggedOut(tenantId: TenantId): Promise<string[]> {
  const sessions: string[] = []
  const receive = (_: string, { body = '' }: OutboundRequest) => {
    const { sid } = jose.decodeJwt(new URLSearchParams(body).get('logout_token') ?? '')
    sessions.push(String(sid))
    return 200
  }
  for (let turn = 0; turn < 3; turn += 1) await runJobs(tenantId, receive)
  return sessions
}

/** The answer to a code that is redeemed after its session ended. */
async function redeemLate(
  clientId: string,
  { parameters: asked, verifier }: Awaited<ReturnType<typeof asking>>,
  to: URL,
) {
  const client = { client_id: clientId }
  const parameters = oauth.validateAuthResponse(as, client, to, asked.state)
  const auth = oauth.ClientSecretPost(clientSecret)
  return oauth.authorizationCodeGrantRequest(as, client, auth, parameters, asked.redirect_uri ?? '', verifier, plain)
}

test('the end of a session ends refresh tokens and codes, and each client gets one logout token', async () => {
  const { web, tenantId, browser } = await aDeployment()
  const { id_token: hint, refresh_token: refreshToken = '' } = await tokensOf(web.clientId, browser)
  await tokensOf(web.clientId, browser)
  const asked = await asking(web.clientId)
  const callback = targetOf(platform, await open(platform, asked.parameters, browser))
  await logOut({ id_token_hint: hint }, browser)
  const sent: [string, OutboundRequest][] = []
  const receive = (status: number) => (url: string, request: OutboundRequest) => {
    sent.push([url, request])
    return status
  }
  await runJobs(tenantId, receive(200))
  assert.equal(sent.length, 0)
  await runJobs(tenantId, receive(204))
  await runJobs(tenantId, receive(200))
  assert.equal(sent.length, 1)
  const [url, { body = '' }] = sent[0] ?? ['', { accept: [], bytesMax: 0 }]
  assert.equal(url, web.backchannelLogoutUri)
  const token = new URLSearchParams(body).get('logout_token') ?? ''
  const keys = jose.createRemoteJWKSet(new URL(as.jwks_uri ?? ''))
  const { payload } = await jose.jwtVerify(token, keys, {
    issuer: as.issuer,
    audience: web.clientId,
    typ: 'logout+jwt',
    currentDate: platform.clock.now(),
  })
  assert.partialDeepStrictEqual(payload, {
    sub: browser.userId,
    sid: browser.sessionId,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
  assert.equal(payload.nonce, undefined)
  await assert.rejects(refresh(web.clientId, refreshToken), { error: 'invalid_grant' })
  assert.equal((await redeemLate(web.clientId, asked, callback)).status, 400)
})

test('[Back-Channel Logout 2.8] a logout token that a client did not get is sent again; one that it refuses is not', async () => {
  const { web, tenantId, browser } = await aDeployment()
  const { id_token: hint } = await tokensOf(web.clientId, browser)
  await logOut({ id_token_hint: hint }, browser)
  await runJobs(tenantId, () => 200)
  const job = authorizationJobs.find(({ name }) => name === 'authorization.send-logout')
  const payload = { tenantId, sessionId: browser.sessionId, userId: browser.userId, clientId: web.clientId }
  const send = async (status: number, clientId = web.clientId) => {
    const fetch: Platform['fetch'] = async () => ({ status, headers: {}, contentType: '', body: Buffer.alloc(0) })
    const run = { id: '', tenantId, attempt: 1 }
    await job?.run({ ...platform, fetch }, { ...payload, clientId }, new AbortController().signal, run)
  }
  for (const status of [500, 503, 404]) await assert.rejects(send(status), { code: 'upstream.answer' })
  for (const status of [200, 204, 400]) await send(status)
  await send(500, 'a client that is gone')
})

/** An owner of the tenant, as the routes of the directory see one. */
function anOwner(tenantId: TenantId): Caller {
  const actor = { kind: 'client', id: 'console' } as const
  const rest = { userId: null, clientId: 'console', actingClientId: null, requestId: 'r', ip: '192.0.2.1' }
  return { tenantId, tenantSlug: 't', actor, scopes: new Set(roles.owner.scopes), ...rest }
}

async function refresh(clientId: string, token: string) {
  const client = { client_id: clientId }
  const response = await oauth.refreshTokenGrantRequest(as, client, oauth.ClientSecretPost(clientSecret), token, plain)
  return oauth.processRefreshTokenResponse(as, client, response)
}

const ends = {
  'a user is disabled, also if enabled again': async (tenantId: TenantId) => {
    for (const enabled of [false, true]) {
      await changeUser(platform, anOwner(tenantId), { key: 'username', value: 'thandi' }, { enabled })
    }
  },
  'a user is disabled by the bootstrap file': async (_: TenantId, slug: string) => {
    const users = [{ username: 'thandi', enabled: false }]
    await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', users }] })
  },
  'a user is deleted': (tenantId: TenantId) =>
    deleteUser(platform, anOwner(tenantId), { key: 'username', value: 'thandi' }, false),
  'a user is destroyed': (tenantId: TenantId) =>
    deleteUser(platform, anOwner(tenantId), { key: 'username', value: 'thandi' }, true),
  'the lifetime of a session is over': async () => {
    platform.clock.shiftSeconds += 30 * 86_400
    await sweepSessions(platform, new AbortController().signal)
  },
}
for (const [what, end] of Object.entries(ends)) {
  test(`when ${what}, refresh tokens end and the client gets its logout token`, async () => {
    const { web, tenantId, slug, browser } = await aDeployment()
    const { refresh_token: token = '' } = await tokensOf(web.clientId, browser)
    const elsewhere = await aDeployment()
    await tokensOf(elsewhere.web.clientId, elsewhere.browser)
    await end(tenantId, slug)
    assert.deepEqual(await loggedOut(tenantId), [browser.sessionId])
    await assert.rejects(refresh(web.clientId, token), { error: 'invalid_grant' })
    assert.equal(await isSignedIn(web.clientId, browser), false)
  })
}

test('a session that is idle keeps its refresh tokens, but not the browser, until its lifetime is over', async () => {
  const { web, tenantId, browser } = await aDeployment()
  const { refresh_token: token = '' } = await tokensOf(web.clientId, browser)
  platform.clock.shiftSeconds += 13 * 3600
  await sweepSessions(platform, new AbortController().signal)
  await runJobs(tenantId, () => assert.fail('nothing ended'))
  assert.equal(await isSignedIn(web.clientId, browser), false)
  assert((await refresh(web.clientId, token)).access_token)
})

test('a session whose end is lost gives no more tokens, and is found again, so that the client gets its logout token', async () => {
  const { web, tenantId, browser } = await aDeployment()
  const { id_token: hint, refresh_token: token = '' } = await tokensOf(web.clientId, browser)
  const asked = await asking(web.clientId)
  const callback = targetOf(platform, await open(platform, asked.parameters, browser))
  await logOut({ id_token_hint: hint }, browser)
  await loseJobs(tenantId)
  await assert.rejects(refresh(web.clientId, token), { error: 'invalid_grant' })
  assert.equal((await redeemLate(web.clientId, asked, callback)).status, 400)
  // Of another session, which lives on.
  const { refresh_token: revoked = '' } = await tokensOf(web.clientId, await signIn(platform, tenantId))
  await oauth.revocationRequest(as, { client_id: web.clientId }, oauth.ClientSecretPost(clientSecret), revoked, plain)
  for (const [seconds, expected] of [
    [0, []],
    [121, [browser.sessionId]],
    [121, []],
  ] as const) {
    platform.clock.shiftSeconds += seconds
    await resumeSessionEnds(platform, new AbortController().signal)
    assert.deepEqual(await loggedOut(tenantId), expected)
  }
})

test('an end whose run loses the messages that it enqueued is repeated, and the client gets its logout token', async () => {
  const { web, tenantId, browser } = await aDeployment()
  const { id_token: hint } = await tokensOf(web.clientId, browser)
  await logOut({ id_token_hint: hint }, browser)
  await loseJobs(tenantId)
  const crashing: Platform['store'] = {
    ...platform.store,
    inTenant: async (id, work) => {
      await platform.store.inTenant(id, work)
      await loseJobs(tenantId)
      throw new Error('the coordinator has ended')
    },
  }
  const payload = { tenantId, sessionId: browser.sessionId, userId: browser.userId }
  const run = (store: Platform['store']) =>
    sessionEndedJob.run({ ...platform, store }, payload, new AbortController().signal, { id: '', tenantId, attempt: 1 })
  await assert.rejects(run(crashing), /the coordinator has ended/)
  await run(platform.store)
  assert.deepEqual(await loggedOut(tenantId), [browser.sessionId])
})

test('the sessions of a user whose job of the end is lost are ended by the sweep of idle ones', async () => {
  const { web, tenantId, browser } = await aDeployment()
  await tokensOf(web.clientId, browser)
  await changeUser(platform, anOwner(tenantId), { key: 'username', value: 'thandi' }, { enabled: false })
  await loseJobs(tenantId)
  platform.clock.shiftSeconds += 12 * 3600 + 1
  await sweepSessions(platform, new AbortController().signal)
  assert.deepEqual(await loggedOut(tenantId), [browser.sessionId])
})
