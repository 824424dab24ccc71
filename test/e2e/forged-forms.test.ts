// No form of another website, session or address is carried out, and no page can be framed: over all pages, from the
// list of endpoints.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PlainBrowser } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { endpoints } from '../../src/contributions.ts'
import { atConsole, byPassword, openConsole } from '../support/oauth-person.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

const NOTHING = '01890000-0000-7000-8000-000000000000'
const PLACES: Readonly<Record<string, string>> = { tenant: 'acme', name: 'campus' }
const pages = endpoints
  .filter(({ tag }) => tag === 'Pages')
  .map(({ method, path }) => ({ method, path: path.replaceAll(/\{(\w+)\}/g, (_, name) => PLACES[name] ?? NOTHING) }))
const forms = pages.filter(({ method }) => method === 'POST').map(({ path }) => path)
/** The pages behind a sign-in keep a form that is not theirs to show it again; the others refuse it. */
const isBehindSession = (path: string) => /^\/(console|me|open)(\/|$)/.test(path)
/** It is embedded by the organisations that ask for it, shows nothing of a session and has no form. */
const EMBEDDED = /\/digital-credentials\/page$/

let chirograph: Deployment
let acme: Api
let owner: PlainBrowser
let other: PlainBrowser
/** Cookies of a session that has ended. */
let ended: string
/** Of a form of the owner: the token, and its path. */
let token: string
const OWN = '/console/people/new'
/** A token of the owner's earlier session for the same form. */
let earlier: string
before(async () => {
  chirograph = await deploy()
  acme = await chirograph.backend('acme')
  owner = await atConsole(chirograph, acme, 'naledi', ['owner'])
  other = await atConsole(chirograph, acme, 'auditor', ['owner'])
  earlier = await tokenOf(owner)
  ended = owner.cookieHeader
  await owner.open('/session/end')
  await owner.send('/session/end')
  owner = await again('naledi')
  token = await tokenOf(owner)
})
after(() => chirograph.stop())

async function again(username: string): Promise<PlainBrowser> {
  const browser = new PlainBrowser(chirograph.url)
  await browser.open('/sign-in?tenant=acme')
  await byPassword(username)(browser)
  return openConsole(browser)
}

async function tokenOf(browser: PlainBrowser): Promise<string> {
  const shown = await browser.open(OWN)
  assert.equal(shown.status, 200, shown.html)
  return browser.form(OWN).hidden.csrf ?? ''
}

type Forgery = {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookie: string
  readonly token: string
}

const own = { 'sec-fetch-site': 'same-origin' }
const origin = (headers: Readonly<Record<string, string>>) => ({ headers, cookie: owner.cookieHeader, token })

/** Refused before anything else is looked at: 403. */
const ofAnotherOrigin = (): readonly Forgery[] => [
  { name: 'from another website', ...origin({ 'sec-fetch-site': 'cross-site' }) },
  { name: 'from another host of the site', ...origin({ 'sec-fetch-site': 'same-site' }) },
  { name: 'typed into the address bar', ...origin({ 'sec-fetch-site': 'none' }) },
  { name: 'from another origin', ...origin({ origin: 'https://evil.example' }) },
  { name: 'from an opaque origin', ...origin({ origin: 'null' }) },
  { name: 'from nowhere', ...origin({}) },
]

/** Forms that are not of this session and address. `toSignIn`: there is no session at all. */
const ofAnotherForm = (): readonly (Forgery & { readonly toSignIn?: boolean })[] => [
  { name: 'without a token', headers: own, cookie: owner.cookieHeader, token: '' },
  { name: 'with the token of another form', headers: own, cookie: owner.cookieHeader, token },
  { name: 'stolen from another session', headers: own, cookie: other.cookieHeader, token },
  { name: 'replayed from an earlier session', headers: own, cookie: owner.cookieHeader, token: earlier },
  { name: 'without a cookie', headers: own, cookie: '', token, toSignIn: true },
  { name: 'of a session that ended', headers: own, cookie: ended, token: earlier, toSignIn: true },
]

async function post(path: string, { headers, cookie, token }: Forgery): Promise<Response> {
  const body = new URLSearchParams({ csrf: token, do: 'save', sure: '1', username: 'forged', name: 'x' })
  const sent = await fetch(chirograph.url + path, {
    method: 'POST',
    redirect: 'manual',
    body,
    headers: { ...(cookie !== '' && { cookie }), ...headers },
  })
  await sent.body?.cancel()
  return sent
}

const lastChange = async () => (await acme.get('/creds/audit?page[size]=1')).body.data[0].id

test('no form of another website, session or address is carried out', async () => {
  assert(forms.length > 55 && token !== '' && earlier !== '' && token !== earlier)
  for (const path of ['/console/people/new', '/me/delete', '/account/password', '/session/end', '/sign-in'])
    assert(forms.includes(path), path)
  const last = await lastChange()
  for (const path of forms) {
    for (const one of ofAnotherOrigin()) assert.equal((await post(path, one)).status, 403, `${path} ${one.name}`)
    // A frame has no session: it begins a request of its own, and its origin is all that is checked.
    if (path.startsWith('/embed/')) continue
    for (const one of ofAnotherForm()) {
      if (path === OWN && one.name === 'with the token of another form') continue
      const { status, headers } = await post(path, one)
      const to = headers.get('location') ?? ''
      if (!isBehindSession(path)) assert.equal(status, 403, `${path} ${one.name}: ${status}`)
      else assert.match(`${status} ${to}`, one.toSignIn ? /^303 \/session\/start\?to=/ : /^303 .*[?&]kept=1/, one.name)
    }
  }
  assert.equal(await lastChange(), last)
  assert.equal((await acme.get('/onboarding/users/forged')).status, 404)
})

test('the form of the session itself is carried out', async () => {
  const { status } = await post(OWN, { name: 'own', headers: own, cookie: owner.cookieHeader, token })
  assert.equal(status, 303)
  assert.equal((await acme.get('/onboarding/users/forged')).status, 200)
})

test('no page can be framed, stored or read by another website; without a session those of a person lead to the sign-in', async () => {
  for (const { method, path } of pages) {
    if (method !== 'GET' || EMBEDDED.test(path)) continue
    const shown = await fetch(chirograph.url + path, { headers: { cookie: owner.cookieHeader }, redirect: 'manual' })
    await shown.body?.cancel()
    const { headers } = shown
    const isHtml = headers.get('content-type')?.startsWith('text/html') === true
    if (isHtml) {
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path)
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path)
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path)
      assert.equal(headers.get('cache-control'), 'no-store', path)
    }
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    if (!isBehindSession(path) || /\.(webmanifest|svg)$|\/me\/offline$/.test(path)) continue
    const stranger = await fetch(chirograph.url + path, { redirect: 'manual' })
    assert.equal(stranger.headers.get('location'), `/session/start?to=${encodeURIComponent(path)}`)
  }
})
