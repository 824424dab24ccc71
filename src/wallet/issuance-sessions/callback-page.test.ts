import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, before, test } from 'node:test'
import { continueTo } from '../../authorization/sign-in/pages/request.ts'
import { startSession } from '../../authorization/sign-in/session.ts'
import { aPagesServer, type PagesServer } from '../../authorization/sign-in/test-support/pages-server.ts'
import {
  aTenantWith,
  aVisit,
  cookieHeader,
  disableUser,
  twoServers,
} from '../../authorization/sign-in/test-support/person.ts'
import type { UserRef } from '../../authorization/sign-in/visit.ts'
import type { Caller, UserId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import { openOutbound } from '../../http/outbound/outbound.ts'
import { Memory } from '../../memory/memory.ts'
import { newId } from '../../store/row-id.ts'
import { platformTenantId } from '../../store/store.ts'
import { walletProviderEndpoints } from '../issuer-access/public-endpoints.ts'
import { publishProviderRoot, walletProvider } from '../issuer-access/wallet-provider.ts'
import { type ForeignIssuer, foreignIssuer } from '../test-support/foreign-issuer.ts'
import { issuanceSessionPages } from './callback-page.ts'
import { createSession } from './create-session.ts'
import { finishSession } from './finish-session.ts'
import { getSession } from './show-session.ts'

let server: PagesServer
let issuer: ForeignIssuer
const inside = () => Promise.reject(new Error('no request goes to our own address'))
const outbound = openOutbound({
  config: readConfig({ PUBLIC_URL: 'http://localhost:1' }),
  memory: new Memory(),
  inside,
})
before(async () => {
  const endpoints = [...issuanceSessionPages, ...walletProviderEndpoints]
  server = await aPagesServer({}, { fetch: outbound.fetch, endpoints })
  issuer = await foreignIssuer({ code: {} })
})
after(async () => {
  await Promise.all([server.close(), issuer.close()])
  await outbound.close()
})

/** A user with the cookie of a browser in which the user is signed in. */
async function signedIn({ tenantId, userId }: UserRef, slug: string) {
  const started = await startSession(server.platform, { tenantId, userId }, ['pwd'], aVisit())
  const caller: Caller & { readonly userId: UserId } = {
    tenantId,
    tenantSlug: slug,
    actor: { kind: 'user', id: userId },
    userId,
    clientId: 'app',
    actingClientId: null,
    scopes: new Set(['wallet:read', 'wallet:write'] as const),
    requestId: 'r',
    ip: '::1',
  }
  return { caller, cookie: cookieHeader(started?.cookie ?? null) }
}

async function twoPeople() {
  const { slug, people } = await aTenantWith(server.platform, [{ username: 'thandi' }, { username: 'pieter' }])
  const [thandi, pieter] = await Promise.all(people.map((one) => signedIn(one, slug)))
  assert.ok(thandi && pieter)
  return { thandi, pieter }
}

/** Creates a session, goes to the issuer, and returns the path to which its server sends the browser. */
async function comingBack(caller: Caller) {
  const id = newId()
  await createSession(server.platform, caller, { credentialOffer: issuer.offerUri }, id)
  const { authorizationUrl } = await getSession(server.platform, caller, id)
  return { id, path: `/issuance-sessions/callback?${issuer.code.authorize(authorizationUrl ?? '')}` }
}

async function visit(path: string, cookie = '', language = 'en') {
  const headers = { cookie, 'accept-language': language }
  const response = await fetch(server.origin + path, { headers, redirect: 'manual' })
  return { status: response.status, html: await response.text(), location: response.headers.get('location') }
}

test('a browser comes back to a page that says the credential is there; a second visit, as after a lost page, says the same', async () => {
  const { thandi } = await twoPeople()
  const { id, path } = await comingBack(thandi.caller)
  const first = await visit(path, thandi.cookie)
  assert.equal(first.status, 200)
  assert.match(first.html, /Credential received/)
  assert.equal((await getSession(server.platform, thandi.caller, id)).status, 'completed')
  const second = await visit(path, thandi.cookie, 'fr')
  assert.equal(second.status, 200)
  assert.match(second.html, /Attestation reçue/)
})

test('a browser without a session goes to the sign-in and comes back; the code is not spent before [W-A2]', async () => {
  const { thandi } = await twoPeople()
  const { id, path } = await comingBack(thandi.caller)
  const { status, location } = await visit(path)
  assert.equal(status, 303)
  assert.equal(location, `/sign-in?${new URLSearchParams({ continue: path })}`)
  assert.equal(continueTo({ query: { continue: path } }), path)
  assert.equal((await getSession(server.platform, thandi.caller, id)).status, 'pending')
  assert.equal((await visit(path, thandi.cookie)).status, 200)
})

for (const path of [
  '//issuance-sessions/callback?a',
  '/issuance-sessions/callback/../x?a',
  '/issuance-sessions/callback',
]) {
  test(`after the sign-in ${path} is not followed`, () => {
    assert.equal(continueTo({ query: { continue: path } }), '/account')
  })
}

test('the browser of another user ends no session, and the session stays open [W-A2]', async () => {
  const { thandi, pieter } = await twoPeople()
  const { path } = await comingBack(thandi.caller)
  const refused = await visit(path, pieter.cookie)
  assert.equal(refused.status, 404)
  assert.match(refused.html, /Not your request/)
  assert.equal((await visit(path, thandi.cookie)).status, 200)
})

test('of 20 visits at the same moment one redeems the code', async () => {
  const { thandi } = await twoPeople()
  const { path } = await comingBack(thandi.caller)
  const before = issuer.calls.filter(({ place }) => place === 'token').length
  const all = await Promise.all(Array.from({ length: 20 }, () => visit(path, thandi.cookie)))
  // Those that come while the code is being redeemed are told that the link is used, later ones what became of it.
  for (const { status, html } of all)
    assert.match(html, status === 200 ? /Credential received/ : /Link used or expired/, String(status))
  assert.ok(all.some(({ status }) => status === 200))
  assert.equal(issuer.calls.filter(({ place }) => place === 'token').length - before, 1)
})

test('a refusal at the issuer is told, and nothing was added', async () => {
  const { thandi } = await twoPeople()
  const { path } = await comingBack(thandi.caller)
  const { status, html } = await visit(path.replace(/code=[^&]+/, 'error=access_denied'), thandi.cookie)
  assert.equal(status, 400)
  assert.match(html, /No credential received/)
})

test('the root of the wallet provider is published, and stays when an attesting key is rotated [W-I1]', async () => {
  const root = async () => (await visit('/wallet-provider/roots.pem')).html
  const leaf = async () => (await walletProvider(server.platform)).x5c[0]

  const [before, first] = [await root(), await leaf()]
  await server.platform.keys.rotate(platformTenantId, 'wallet-provider')
  assert.equal(await root(), before)
  const second = await leaf()
  assert.notEqual(second, first)
  const {
    subject,
    issuer: above,
    subjectAltName,
    validToDate,
  } = new X509Certificate(Buffer.from(second ?? '', 'base64'))
  assert.equal(above, new X509Certificate(before).subject)
  assert.match(subject, /^CN=\S+ Wallet Provider$/)
  assert.ok(subjectAltName?.includes(`URI:${server.platform.urls.publicUrl}`))
  assert.ok(validToDate.getTime() > Date.now() + 180 * 86_400_000)
})

test('of 100 callers in two processes one makes the root of the wallet provider, and all get certificates under it', async () => {
  const { one, two, db } = await twoServers()
  try {
    const calls = Array.from({ length: 50 }, () => [publishProviderRoot(one), publishProviderRoot(two)]).flat()
    const [root = '', ...others] = new Set(await Promise.all(calls))
    assert.deepEqual(others, [])
    const keys = await Promise.all([one, two].map(async (platform) => (await walletProvider(platform)).x5c[0] ?? ''))
    for (const key of keys) {
      const leaf = new X509Certificate(Buffer.from(key, 'base64'))
      assert.ok(leaf.verify(new X509Certificate(root).publicKey))
    }
  } finally {
    await db.close()
  }
})

test('a user who may not sign in any more completes no session, which stays until it expires', async () => {
  const { thandi } = await twoPeople()
  const { id, path } = await comingBack(thandi.caller)
  await disableUser(server.platform, thandi.caller)
  const { location } = await visit(path, thandi.cookie)
  assert.match(location ?? '', /^\/sign-in/)
  // A callback whose session was read before.
  const visitor = { ...thandi.caller, by: thandi.caller }
  const query = new URL(path, server.origin).searchParams
  await assert.rejects(finishSession(server.platform, visitor, query), { code: 'state.invalid' })
  assert.equal((await getSession(server.platform, thandi.caller, id)).status, 'pending')
})
