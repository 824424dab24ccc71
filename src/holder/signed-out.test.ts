// People without a session who open an offer or a request: through the sign-in, their own or that of a provider, and
// back to the same place.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { password } from '../../test/support/oauth-person.ts'
import { type Api, backendSecret } from '../../test/support/server.ts'
import { ForeignProvider } from '../authorization/test-support/foreign-provider.ts'
import { randomToken } from '../crypto/random.ts'
import { pageTexts } from '../pages/messages/page-texts.ts'
import { HolderWorld, opening, take } from './test-support/holder-world.ts'

const PRESENTATIONS = '/wallet/v2/presentations'
let aheadMs = 0
let world: HolderWorld
let wallet: Api
let foreign: ForeignProvider
/** Of offers that are taken after the tokens of the backend have expired. */
const offers: string[] = []
before(async () => {
  world = await HolderWorld.open({ clock: { now: () => new Date(Date.now() + aheadMs) } })
  const { acme, chirograph } = world
  wallet = await chirograph.wallet('acme', 'thandi')
  const redirectUri = `${chirograph.url}/sign-in/external/acme/campus`
  foreign = new ForeignProvider(`${chirograph.url}/issuers/acme`, [
    { clientId: 'chirograph', clientSecret: backendSecret, redirectUri },
  ])
  await foreign.open()
  foreign.person = { sub: 'thandi-at-campus', employee_id: 'EXT/1+a@é' }
  const made = await acme.post('/onboarding/identity-providers', {
    name: 'campus',
    displayName: 'Campus account',
    issuer: foreign.issuer,
    clientId: 'chirograph',
    clientSecret: backendSecret,
    claims: { externalIdentifier: 'employee_id' },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { page } = await world.open(world.thandi)
  for (let count = 0; count < 2; count += 1) {
    await take(page, (await world.issue()).offerUri)
    const lasting = { credentialTemplateId: world.diploma.id, attributes: world.claims, expiresInSeconds: 86_400 }
    offers.push((await acme.post('/creds/credentials/issuance', lasting)).body.data.offerUri)
  }
})
afterEach(() => world.closeOpened())
after(async () => {
  await world.close()
  await foreign.stop()
})

/** Signs in where the browser was led to. */
async function signIn(page: Page, way: 'password' | 'provider'): Promise<void> {
  // The way through a provider has a dozen pages.
  page.setDefaultTimeout(60_000)
  await page.waitForURL(/\/sign-in\?/)
  const organisation = page.getByLabel('Organisation', { exact: true })
  if ((await organisation.count()) > 0) {
    await organisation.fill('acme')
    await page.getByRole('button', { name: 'Continue to your organisation' }).click()
  }
  if (way === 'provider') return page.getByRole('button', { name: /Campus account/ }).click()
  await page.getByLabel(/^Username/).fill('thandi')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs in where organisation and person are known. */
async function confirmIdentity(page: Page): Promise<void> {
  await page.waitForURL(/\/sign-in\?/)
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Sign in to Acme College')
  assert.equal(await page.getByLabel('Organisation', { exact: true }).count(), 0)
  assert.match(await page.getByLabel(/^Username/).inputValue(), /^thandi(@example\.org)?$/)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function prepared() {
  const shop = await world.aShop(world.degreeQuery)
  shop.behave({ object: (object) => ({ ...object, exp: Math.floor(Date.now() / 1000) + 14_400 }) })
  const { status, body } = await wallet.post(PRESENTATIONS, { presentationRequest: shop.link() })
  assert.equal(status, 201, JSON.stringify(body))
  return { shop, path: `/me/asked/${body.data.id}` }
}

/** Text that cannot be compressed. */
const random = (chars: number) => Array.from({ length: Math.ceil(chars / 43) }, () => randomToken()).join('')

/** A request by value, with what verifiers put into them: six thousand characters. */
function aLongRequest(): string {
  const answers = `${world.chirograph.url}/nobody`
  const keys = Array.from({ length: 8 }, () => ({ kty: 'EC', crv: 'P-256', x: randomToken(), y: randomToken() }))
  const members = new URLSearchParams({
    client_id: `redirect_uri:${answers}`,
    response_type: 'vp_token',
    response_mode: 'direct_post',
    response_uri: answers,
    nonce: 'n-0S6_WzA2Mj.0123456789',
    dcql_query: JSON.stringify(world.degreeQuery),
    client_metadata: JSON.stringify({
      vp_formats_supported: { 'dc+sd-jwt': {} },
      jwks: { keys },
      purpose: 'To check your degree. '.repeat(100),
    }),
  })
  return `openid4vp://?${members}`
}

type PublicPage = { readonly path: string; readonly shows: string; readonly title?: string }

async function anOfferWith(note: string): Promise<PublicPage> {
  const value = JSON.stringify({ ...(await world.aClub()).offer(), note })
  return { path: `/offer?${new URLSearchParams({ credential_offer: value })}`, shows: 'Take this card' }
}

const places: Readonly<Record<string, () => Promise<PublicPage>>> = {
  'an offer by value': () => anOfferWith('a member of a later version, '.repeat(120)),
  'an offer by value that no cookie can hold': () => anOfferWith(random(10_000)),
  'an offer of ours by reference': async () => {
    const [, members] = (await world.issue()).offerUri.split('?')
    return { path: `/offer?${members}`, shows: 'Take this card', title: 'Sign in to Acme College' }
  },
  'a request by value': async () => ({ path: opening(aLongRequest()), shows: 'Share anyway' }),
  'a request that was asked': async () => ({ path: (await prepared()).path, shows: 'Do not share' }),
}

for (const [what, place] of Object.entries(places))
  for (const [way, javaScriptEnabled] of [
    ['password', false],
    ['provider', true],
  ] as const)
    test(`${what} leads through the sign-in with ${way} and back, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const { path, shows, title } = await place()
      const { page } = await world.open(null, { javaScriptEnabled })
      await page.goto(path)
      if (title !== undefined) assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), title)
      await signIn(page, way)
      await page.getByRole('button', { name: shows }).waitFor()
      assert.ok(page.url().startsWith(world.chirograph.url), page.url())
    })

test('with script off an offer that no cookie can hold comes back through the provider too', async () => {
  const { path, shows } = await anOfferWith(random(10_000))
  const { page } = await world.open(null, { javaScriptEnabled: false })
  await page.goto(path)
  await signIn(page, 'provider')
  await page.getByRole('button', { name: shows }).waitFor()
})

for (const javaScriptEnabled of [false, true])
  test(`the answer of an issuer that no cookie can hold comes back whole through the provider, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page } = await world.open(null, { javaScriptEnabled })
    const path = `/issuance-sessions/callback?${new URLSearchParams({ code: random(3900), state: randomToken() })}`
    await page.goto(path)
    await signIn(page, 'provider')
    await page.getByRole('heading', { name: 'Not your request' }).waitFor()
    assert.equal(page.url(), world.chirograph.url + path)
    const longest = Math.max(...(await page.context().cookies()).map(({ name, value }) => name.length + value.length))
    assert.ok(longest < 4096, `${longest} characters of a cookie`)
  })

test('many links that nobody signed in for leave the browser able to sign in', async () => {
  const { page } = await world.open(null, { javaScriptEnabled: false })
  for (let count = 0; count < 8; count += 1) {
    await page.goto(opening(`https://hostile.example/${random(2500)}`))
    // The page on the way leads on by itself.
    await page.waitForURL(/\/sign-in\?/)
  }
  const cookies = await page.context().cookies()
  const chars = cookies.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
  assert.ok(chars < 9000, `${chars} characters of cookies`)
  await signIn(page, 'password')
  await page.waitForURL(/\/open\?/)
})

test('an address that opens many long links has no more of them kept: told, and the link is opened again', async () => {
  const path = opening(`https://hostile.example/${random(9000)}`)
  // Each server counts by itself.
  for (let count = 0; count < 60; count += 1) await (await fetch(world.chirograph.url + path)).text()
  const { page } = await world.open(null, { javaScriptEnabled: false })
  await page.goto(path)
  await signIn(page, 'password')
  await page.getByText(pageTexts.en.formLost).waitFor()
  assert.equal(new URL(page.url()).pathname, '/open')
})

test('no address outside is followed after the sign-in, long or short', async () => {
  const long = 'a'.repeat(4000)
  for (const to of ['//evil.example', `//evil.example/${long}`, '/\\evil.example', `https://evil.example/${long}`]) {
    const { page, close } = await world.open(null, { javaScriptEnabled: false })
    await page.goto(`/session/start?${new URLSearchParams({ to, tenant: 'acme' })}`)
    await signIn(page, 'password')
    await page.waitForURL(/\/(me|console)?$/)
    assert.equal(new URL(page.url()).origin, world.chirograph.url, to)
    await close()
  }
})

test('everywhere signed out in the middle of a consent: nothing is sent, the person is told, and can share', async () => {
  const { shop, path } = await prepared()
  const { page } = await world.open(null, { javaScriptEnabled: false })
  await page.goto(path)
  await signIn(page, 'password')
  const share = page.getByRole('button', { name: /^Share it with/ })
  await share.waitFor()
  const other = await page.context().newPage()
  await other.goto('/account')
  const ended = other.waitForResponse(/sign-out-everywhere$/)
  await other.getByRole('button', { name: /everywhere/i }).click()
  await ended
  await share.click()
  await signIn(page, 'password')
  await page.getByText(pageTexts.en.formLost).waitFor()
  assert.equal(shop.posted.length, 0)
  await share.click()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  assert.equal(shop.posted.length, 1)
})

test('idle in the middle of a consent: the chosen card is kept over the sign-in, also if the page is loaded again', async () => {
  const { shop, path } = await prepared()
  const { page } = await world.open(null, { javaScriptEnabled: false })
  await page.goto(path)
  await signIn(page, 'password')
  await page.getByText('use another card').click()
  const other = page.getByRole('link', { name: /^Use / }).first()
  const use = new URL((await other.getAttribute('href')) ?? '', world.chirograph.url).searchParams.get('use') ?? ''
  await other.click()
  aheadMs = 31 * 60_000
  const share = page.getByRole('button', { name: /^Share it with/ })
  await share.click()
  await confirmIdentity(page)
  const kept = page.getByText('You were signed out before this was sent')
  for (let loads = 0; loads < 2; loads += 1) {
    await kept.waitFor()
    assert.equal(await page.locator('input[name=use]').first().inputValue(), use)
    await page.reload()
  }
  assert.equal(shop.posted.length, 0)
  await share.click()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  assert.equal(shop.posted.length, 1)
  await page.goBack()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  assert.equal(await kept.count(), 0)
})

for (const [what, isSignedIn] of [
  ['whose authentication is half an hour old', true],
  ['that has ended', false],
] as const)
  test(`a session at the authorization server ${what}: an offer in its middle asks for the password of the same person only`, async () => {
    const { page } = await world.open(null, { javaScriptEnabled: !isSignedIn })
    await page.goto(opening(offers.pop() ?? ''))
    await signIn(page, 'password')
    const taking = page.getByRole('button', { name: 'Take this card' })
    await taking.waitFor()
    aheadMs += 31 * 60_000
    if (!isSignedIn) await page.context().clearCookies({ name: 'chirograph' })
    await taking.click()
    await confirmIdentity(page)
    await page.getByText('You were signed out before this was sent').waitFor()
    await taking.click()
    await page.getByText('The card is yours now').waitFor()
  })

test('the sign-in page fills in the username of the session of the browser, never a username from its address', async () => {
  const { page } = await world.open(null, { javaScriptEnabled: false })
  const shown = async () => {
    await page.waitForURL(/\/sign-in\?/)
    return page.getByLabel(/^Username/).inputValue()
  }
  for (const named of ['thandi@example.org', 'nobody@example.org']) {
    await page.goto(
      `/session/start?${new URLSearchParams({ to: '/me', tenant: 'acme', login_hint: named, hint: named })}`,
    )
    assert.equal(await shown(), '')
  }
  await signIn(page, 'password')
  await page.waitForURL(/\/me$/)
  aheadMs += 31 * 60_000
  await page.context().clearCookies({ name: 'chirograph' })
  await page.goto('/session/start?to=%2Fme&tenant=globex')
  assert.equal(await shown(), '', 'another organisation does not learn the person')
})
