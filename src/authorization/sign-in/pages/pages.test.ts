import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import { recentImpersonations } from '../../../events/audit/recent-impersonations.ts'
import { sql } from '../../../store/store.ts'
import { applyIdentityProviders } from '../../access/apply-identity-providers.ts'
import { createOwnerLink } from '../links/create-owner-link.ts'
import { OpenidProvider } from '../test-support/openid-provider.ts'
import { PASSWORD, pageVisitors } from '../test-support/page-visitors.ts'
import { aLink, aPagesServer, type PagesServer } from '../test-support/pages-server.ts'
import { aName, aTenantWith } from '../test-support/person.ts'
import { PlainBrowser } from '../test-support/plain-browser.ts'
import { consentPages, type FindPendingConsent } from './consent-pages.ts'
import { signInEndpoints } from './public-endpoints.ts'

let server: PagesServer
before(async () => {
  server = await aPagesServer()
})
after(() => server.close())

const { aPerson, aBrowser, signedIn } = pageVisitors(() => server)

test('a person sets a password by a one-time link, signs out, and signs in by name or address', async () => {
  const { browser, person } = await signedIn()
  assert.match(browser.shown?.html ?? '', new RegExp(`<dd>${person.username}@example.org</dd>`))
  await browser.open('/sign-out')
  const out = await browser.send('/sign-out')
  assert.match(out.title, /^You are signed out/)
  assert.equal(out.headers.get('clear-site-data'), '"cache", "storage"')
  assert.equal(browser.cookies.has('chirograph'), false)
  assert.match((await browser.open('/account')).title, /^Sign in/)
  assert.match(
    (await browser.send('/sign-in', { username: person.username, password: PASSWORD })).title,
    /^Your account/,
  )
  const other = aBrowser()
  await other.open(`/sign-in?tenant=${person.slug}`)
  const address = `${person.username}@example.org`.toUpperCase()
  assert.match((await other.send('/sign-in', { username: address, password: PASSWORD })).title, /^Your account/)
})

test('an owner link for an account in use is shown to its user, one for another account is not', async () => {
  const { browser, person } = await signedIn()
  const { kind } = await createOwnerLink(server.platform, person.slug, person.username)
  assert.equal(kind, 'link')
  for (const [language, said] of [
    ['en', 'The operator of this server made a link to your account'],
    ['fr', 'L’exploitant de ce serveur a créé un lien vers votre compte'],
  ] as const) {
    const { html } = await browser.request('GET', '/account', undefined, { 'accept-language': language })
    assert.ok(html.includes(said), html)
  }
  const newcomer = await aPerson()
  await createOwnerLink(server.platform, newcomer.slug, newcomer.username)
  assert.deepEqual(await recentImpersonations(server.platform, newcomer), [])
})

test('what is missing is said at its field and in the summary, and what was typed stays, except the password', async () => {
  const browser = aBrowser()
  await browser.open('/sign-in')
  const shown = await browser.send('/sign-in', { username: '<thandi>', password: '' })
  assert.deepEqual([shown.status, shown.title], [400, 'Error: Sign in · Chirograph'])
  assert.match(shown.html, /role="alert" tabindex="-1" autofocus>[\s\S]*<a href="#password">Enter your password<\/a>/)
  assert.match(shown.html, /id="password-error">Enter your password/)
  assert.match(shown.html, /value="&#60;thandi&#62;"/)
  const wrong = await browser.send('/sign-in', { username: 'thandi', password: 'not the password' })
  assert.equal(wrong.status, 403)
  assert(wrong.html.includes('The username or the password is wrong.') && !wrong.html.includes('not the password'))
})

test('known and unknown names get the same page, until too many attempts lock with the time to wait', async () => {
  const { person } = await signedIn()
  const [known, unknown] = [aBrowser(), aBrowser()]
  const plain = ({ html }: { readonly html: string }, name: string) =>
    html
      .replaceAll(name, 'NAME')
      .replaceAll(/(value|options)="[^"]*"/g, '$1')
      .replaceAll(/nonce-[\w-]+/g, '')
  await known.open('/sign-in')
  await unknown.open('/sign-in')
  let locked = null
  for (let attempt = 0; attempt < 20 && locked === null; attempt += 1) {
    const one = await known.send('/sign-in', { username: person.username, password: 'wrong' })
    const other = await unknown.send('/sign-in', { username: `${person.username}x`, password: 'wrong' })
    assert.equal(plain(one, person.username), plain(other, `${person.username}x`))
    if (one.status === 429) locked = one
  }
  assert.match(locked?.html ?? '', /Too many attempts\. Try again in \d+ (second|minute)s?\./)
  assert(Number(locked?.headers.get('retry-after')) > 0)
})

test('a person of several organisations chooses one, once', async () => {
  const username = aName()
  const [one, other] = [await signedIn(await aPerson(username)), await signedIn(await aPerson(username))]
  const browser = aBrowser()
  await browser.open('/sign-in')
  const shown = await browser.send('/sign-in', { username, password: PASSWORD })
  assert.match(shown.title, /^Choose an organisation/)
  assert(shown.html.includes(`Org ${one.person.slug}`) && shown.html.includes(`Org ${other.person.slug}`))
  const { action, hidden } = browser.form('/choose-organisation')
  const chosen = await browser.send('/choose-organisation', { organisation: other.person.slug })
  assert.equal(chosen.title, `Your account · Org ${other.person.slug}`)
  const again = await browser.request(
    'POST',
    action,
    new URLSearchParams({ ...hidden, organisation: one.person.slug }).toString(),
  )
  assert.equal(again.status, 403, 'the form is of before the sign-in')
})

for (const [what, to] of [
  [
    '/auth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fapp.example',
    '/auth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fapp.example',
  ],
  ['/account', '/account'],
  ['https://evil.example', '/account'],
  ['//evil.example', '/account'],
  ['/\\evil.example', '/account'],
  ['/auth/authorize', '/account'],
  ['/auth/authorize/../../x?', '/account'],
  ['/auth/authorize?a\r\nset-cookie: x=1', '/account'],
  ['javascript:alert(1)', '/account'],
  ['/sign-out', '/account'],
] as const) {
  test(`after the sign-in, continue=${JSON.stringify(what)} leads to ${to.slice(0, 20)}`, async () => {
    const { person } = await signedIn()
    const browser = aBrowser()
    await browser.open(`/sign-in?${new URLSearchParams({ continue: what })}`)
    const shown = await browser.send('/sign-in', { username: person.username, password: PASSWORD })
    assert.equal(shown.url, to)
    // With the session, the way is the same at once; with again=1 the person is asked once more.
    assert.equal((await browser.open(`/sign-in?${new URLSearchParams({ continue: what })}`)).url, to)
    assert.match(
      (await browser.open(`/sign-in?${new URLSearchParams({ continue: what, again: '1' })}`)).title,
      /^Sign in/,
    )
  })
}

test('a session of one organisation does not answer for another', async () => {
  const { browser } = await signedIn()
  const other = await aPerson()
  assert.equal(
    (await browser.open(`/sign-in?tenant=${other.slug}`)).title,
    `Sign in to Org ${other.slug} · Org ${other.slug}`,
  )
})

test('an organisation that does not exist is named as unknown, and does not stand in the way', async () => {
  const { person } = await signedIn()
  const browser = aBrowser()
  const shown = await browser.open('/sign-in?tenant=nobody&continue=%2Faccount')
  assert.match(shown.html, /<a href="#tenant">There is no organisation with this short name<\/a>/)
  assert.match(shown.html, /name="tenant"[^>]*value="nobody"/)
  assert.equal(browser.form('/sign-in').action, '/sign-in?continue=%2Faccount')
  assert.match(
    (await browser.send('/sign-in', { username: person.username, password: PASSWORD })).title,
    /^Your account/,
  )
})

test('a link works once; a used, unknown or cut one says what to do', async () => {
  const person = await aPerson()
  const link = await aLink(server.platform, person, 'welcome')
  const [browser, second] = [aBrowser(), aBrowser()]
  await browser.open(link)
  await second.open(link)
  const weak = await browser.send('/sign-in/link', { password: 'password', repeated: 'password' })
  assert.match(weak.html, /Choose a password that is harder to guess/)
  const differs = await browser.send('/sign-in/link', { password: PASSWORD, repeated: 'another' })
  assert.match(differs.html, /Enter the same password twice/)
  await browser.send('/sign-in/link', { password: PASSWORD, repeated: PASSWORD })
  const late = await second.send('/sign-in/link', { password: `${PASSWORD} 2`, repeated: `${PASSWORD} 2` })
  // A used link still says of which organisation it was.
  const ofOrganisation = `/reset?tenant=${person.slug}`
  for (const [shown, href] of [
    [late, ofOrganisation],
    [await second.open(link), ofOrganisation],
    [await second.open('/sign-in/link?token=x'), '/reset'],
    [await second.open('/sign-in/link'), '/reset'],
  ] as const) {
    assert.deepEqual([shown.status, shown.title], [410, 'Error: This link does not work any more · Chirograph'])
    assert(shown.html.includes(`href="${href}"`))
  }
})

test('a link of a reset mail sets a new password and ends every session', async () => {
  const { browser, person } = await signedIn()
  const other = aBrowser()
  await other.open(await aLink(server.platform, person, 'reset'))
  assert.match(other.shown?.title ?? '', /^Set a new password/)
  await other.send('/sign-in/link', { password: `${PASSWORD} 2`, repeated: `${PASSWORD} 2` })
  assert.match(other.shown?.title ?? '', /^Your account/)
  assert.match((await browser.open('/account')).title, /^Sign in/)
})

test('a reset is answered alike for every name, and honestly where no mail can be sent', async () => {
  assert.match((await aBrowser().open('/reset')).html, /This server sends no mail/)
  const mailing = await aPagesServer({ SMTP_URL: 'smtp://127.0.0.1:9' })
  const browser = new PlainBrowser(mailing.origin)
  const answers: string[] = []
  for (const username of ['thandi', 'nobody']) {
    await browser.open('/reset')
    const { html, status } = await browser.send('/reset', { username })
    answers.push(`${status} ${html}`)
  }
  assert.equal(answers[0], answers[1])
  assert.match(answers[0] ?? '', /^200 [\s\S]*Check your mail/)
  await browser.open('/reset')
  assert.match((await browser.send('/reset', { username: ' ' })).html, /Enter your username/)
  await mailing.close()
})

test('an organisation names its providers; a person signs in there and continues; every failure says what to do', async () => {
  const provider = new OpenidProvider()
  const silent = () => undefined
  const log = { debug: silent, info: silent, warn: silent, error: silent }
  const foreign = await aPagesServer({}, { fetch: provider.fetch, log })
  const slug = 'acme'
  const entry = { name: 'school', displayName: 'School account', issuer: provider.issuer, clientId: 'chirograph' }
  const school = { ...entry, clientSecret: provider.clientSecret, createsUsers: true }
  const file = { tenants: [{ slug, name: 'Acme College', identityProviders: [school] }] }
  await applyBootstrap(foreign.platform, file)
  await applyIdentityProviders(foreign.platform, file)
  const browser = new PlainBrowser(foreign.origin)
  const begin = async () => {
    await browser.open(`/sign-in?tenant=${slug}&continue=${encodeURIComponent('/auth/authorize?x=1')}`)
    return browser.send('/sign-in/provider/school')
  }
  assert.doesNotMatch((await browser.open('/sign-in')).html, /School account/)
  provider.person = { sub: 's1', preferred_username: 'thandi', email: 'thandi@example.org', email_verified: true }
  const sent = await begin()
  assert.deepEqual([sent.status, sent.url.split('?')[0]], [200, `${provider.issuer}/authorize`])
  const back = await browser.open(provider.authorize(sent.url))
  assert.equal(back.url, '/auth/authorize?x=1')
  assert.match((await browser.open('/account')).html, /<dd>thandi@example.org<\/dd>/)
  const used = await browser.open(provider.authorize(sent.url))
  assert.deepEqual([used.status, used.title], [403, 'Error: The sign-in was interrupted · Chirograph'])
  assert(used.html.includes(`href="/sign-in?tenant=${slug}"`))
  const other = new PlainBrowser(foreign.origin)
  await other.open(`/sign-in?tenant=${slug}`)
  const canceled = await other.send('/sign-in/provider/school')
  const state = new URL(canceled.url).searchParams.get('state')
  const refused = await other.open(
    `/sign-in/external/${slug}/school?error=access_denied&state=${state}&iss=${provider.issuer}`,
  )
  assert.match(refused.title, /^Error: The other service did not sign you in/)
  await other.open('/sign-in?tenant=nobody')
  assert.throws(() => other.form('/sign-in/provider/school'))
  await foreign.close()
})

test('a person allows or denies an application; only what was shown is granted', async () => {
  const granted: string[][] = []
  let scopes = ['openid', 'wallet:read']
  const host = 'library.example.org'
  const find: FindPendingConsent = async (_platform, path) => {
    if (path.includes('consented')) return null
    const who = { clientName: 'Campus Library', host, terms: null, username: 'thandi' }
    const about = { ...who, organisation: 'Acme College', scopes }
    return { ...about, grant: async () => void granted.push(about.scopes) }
  }
  const server = await aPagesServer({}, { endpoints: consentPages(find) })
  const browser = new PlainBrowser(server.origin)
  const at = (path: string) => `/consent?${new URLSearchParams({ continue: path })}`
  const asked = '/auth/authorize?client_id=library'
  assert.match((await browser.open(at(asked))).title, /^Sign in/)
  const { people } = await aTenantWith(server.platform, [{ username: 'thandi' }])
  const [person] = people
  assert.ok(person)
  await browser.open(await aLink(server.platform, person, 'welcome'))
  await browser.send('/sign-in/link', { password: PASSWORD, repeated: PASSWORD })
  const shown = await browser.open(at(asked))
  assert.equal(shown.title, 'Campus Library asks for access · Acme College')
  for (const text of ['see your credentials and what you shared', host]) assert(shown.html.includes(text), text)
  assert.equal((await browser.send('/consent', { answer: 'deny' })).url, `${asked}&consent=denied`)
  await browser.open(at(asked))
  scopes = ['openid', 'wallet:read', 'wallet:write']
  const changed = await browser.send('/consent', { answer: 'allow' })
  assert.match(changed.html, /accept, share and remove your credentials/)
  assert.deepEqual(granted, [])
  assert.equal((await browser.send('/consent', { answer: 'allow' })).url, asked)
  assert.deepEqual(granted, [scopes])
  assert.equal((await browser.open(at('/auth/authorize?consented'))).url, '/auth/authorize?consented')
  assert.match((await browser.open(at('https://evil.example'))).title, /^Your account/)
  const forged = await browser.request('POST', at(asked), 'answer=allow&shown=x')
  assert.deepEqual([forged.status, granted.length], [403, 1])
  await server.close()
})

test('a person changes the password with the current one, and ends sessions', async () => {
  const { browser, person } = await signedIn()
  const other = aBrowser()
  await other.open('/sign-in')
  await other.send('/sign-in', { username: person.username, password: PASSWORD })
  await browser.open('/account/password')
  const change = { password: `${PASSWORD} 2`, repeated: `${PASSWORD} 2` }
  assert.match((await browser.send('/account/password', { ...change, current: 'x' })).html, /current password is wrong/)
  await browser.send('/account/password', { ...change, current: PASSWORD })
  assert.match(browser.shown?.html ?? '', /The password was changed/)
  assert.match((await other.open('/account')).title, /^Sign in/)
  await other.send('/sign-in', { username: person.username, password: `${PASSWORD} 2` })
  await browser.open('/account')
  const end = /action="(\/account\/sessions\/[\w-]+\/end)"/.exec(browser.shown?.html ?? '')?.[1] ?? ''
  assert.match((await browser.send(end)).html, /That session has ended/)
  assert.match((await other.open('/account')).title, /^Sign in/)
  await browser.open('/account')
  assert.match((await browser.send('/account/sign-out-everywhere')).title, /^You are signed out/)
})

test('a passkey is added only soon after the sign-in', async () => {
  const { browser } = await signedIn()
  assert.match(browser.shown?.html ?? '', /Add a passkey/)
  server.clock.shiftSeconds = 16 * 60
  const later = await browser.open('/account')
  server.clock.shiftSeconds = 0
  assert.match(later.html, /first confirm that it is you/)
  assert.match(later.html, /href="\/sign-in\?again=1&#38;continue=%2Faccount"/)
})

const posts = signInEndpoints
  .filter(({ method }) => method === 'POST')
  .map(({ path }) => path.replace(/\{\w+\}/, '00000000-0000-7000-8000-000000000000'))

test('the refusals cover every form', () => assert(posts.length >= 11))

/** A browser with a session, and the token that its form to this path would carry. */
async function withToken(path: string): Promise<{ readonly browser: PlainBrowser; readonly token: string }> {
  const { csrfKey, formToken } = await import('../../../pages/csrf.ts')
  const { browser } = await signedIn()
  const token = formToken(await csrfKey(server.platform), browser.cookies.get('chirograph') ?? '', path)
  return { browser, token }
}

for (const path of posts) {
  test(`POST ${path} is refused without its own form [SEC-76]`, async () => {
    const [{ browser, token }, other] = [await withToken(path), await withToken(path)]
    const elsewhere = await withToken('/elsewhere')
    const refused = async (what: string, sent: string, headers: Record<string, string> = {}, by = browser) => {
      const { status, html } = await by.request('POST', path, sent, headers)
      assert.deepEqual([status, /Nothing was changed/.test(html)], [403, true], what)
    }
    await refused('a foreign origin', `csrf=${token}`, {
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
    })
    await refused('another host of the site', `csrf=${token}`, { 'sec-fetch-site': 'same-site' })
    await refused('a missing token', 'a=1')
    await refused('the token of another session', `csrf=${other.token}`)
    await refused('the token of another form', `csrf=${elsewhere.token}`, {}, elsewhere.browser)
    await refused('no cookie', `csrf=${token}`, { cookie: '' })
    const own = await browser.request('POST', path, `csrf=${token}`)
    assert.doesNotMatch(own.html, /Nothing was changed/, 'its own form')
    await browser.open('/sign-out')
    await browser.request('POST', '/sign-out', `csrf=${(await tokenOf(browser, '/sign-out')) ?? ''}`)
    await browser.open('/sign-in')
    await refused('a form of before the sign-out, replayed', `csrf=${token}`)
  })
}

async function tokenOf(browser: PlainBrowser, path: string): Promise<string | null> {
  return browser.cookies.has('chirograph') ? (browser.form(path).hidden.csrf ?? null) : null
}

test('a person confirms an address that their organisation set, the one that was shown, and soon after the sign-in only', async () => {
  const { browser, person } = await signedIn()
  const { tenantId, userId } = person
  const set = sql(
    'test.new_email',
    'update user_account set email = $3, email_is_new = true where tenant_id = $1 and id = $2',
  )
  const isNew = async () =>
    (await server.platform.store.single(tenantId, (tx) => findSignInUser(tx, userId)))?.emailIsNew
  await server.platform.store.single(tenantId, (tx) => tx.rows(set, [tenantId, userId, 'one@example.org']))
  assert.match((await browser.open('/account')).html, /changed how your account is named.*one@example\.org/s)
  await server.platform.store.single(tenantId, (tx) => tx.rows(set, [tenantId, userId, 'two@example.org']))
  await browser.send('/account/names')
  assert.equal(await isNew(), true)
  server.clock.shiftSeconds += 1000
  await browser.open('/account')
  assert.match((await browser.send('/account/names')).title, /^Sign in/)
  server.clock.shiftSeconds -= 1000
  await browser.open('/account')
  assert.match((await browser.send('/account/names')).html, /your names are confirmed/)
  assert.equal(await isNew(), false)
})
