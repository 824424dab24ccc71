// An organisation that wants people to sign in again before they share, on the pages and in the API, with a password
// and at `oidc-provider`. Cards that their types draw.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { axeDefects, layoutDefects } from '../../test/support/browser.ts'
import { authorize, byPassword, callback, password } from '../../test/support/oauth-person.ts'
import { type Api, backendSecret } from '../../test/support/server.ts'
import { PlainBrowser } from '../authorization/sign-in/test-support/plain-browser.ts'
import { ForeignProvider } from '../authorization/test-support/foreign-provider.ts'
import { signInAs } from '../console/test-support/console-walk.ts'
import { cookieOf } from '../console/test-support/refusals.ts'
import { sha256Base64url } from '../crypto/digest.ts'
import { randomToken } from '../crypto/random.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'

const PRESENTATIONS = '/wallet/v2/presentations'
/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
let world: HolderWorld
let wallet: Api
let clientId: string
before(async () => {
  world = await HolderWorld.open()
  const { acme, chirograph } = world
  wallet = await chirograph.wallet('acme', 'thandi')
  const changed = await acme.patch('/onboarding/organisation', { sharingConfirmation: 'sign-in' })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const application = { name: 'Phone app', grantTypes: ['authorization_code'], redirectUris: [callback], scopes: [] }
  const made = await acme.post('/onboarding/clients', application)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  clientId = made.body.data.clientId
  secret = made.body.data.clientSecret
  const { page } = await world.open(world.thandi)
  for (let count = 0; count < 2; count += 1) await take(page, (await world.issue()).offerUri)
  await untilAsked()
})
afterEach(() => world.closeOpened())
after(() => world.close())
let secret: string

/** Other processes follow within five seconds: waits until both did, four answers in a row. */
async function untilAsked(): Promise<void> {
  const { id } = await prepared()
  const end = performance.now() + 15_000
  for (let times = 0; times < 4; ) {
    const { meta } = (await wallet.get(`${PRESENTATIONS}/${id}`)).body
    times = meta.needsConfirmation === true ? times + 1 : 0
    assert.ok(performance.now() < end)
  }
}

async function prepared() {
  const { status, body } = await wallet.post(PRESENTATIONS, { presentationRequest: await world.ask() })
  assert.equal(status, 201, JSON.stringify(body))
  const shown = await wallet.get(`${PRESENTATIONS}/${body.data.id}`)
  return { id: body.data.id as string, etag: shown.headers.get('etag') ?? '', shown: shown.body }
}

async function startOf(id: string, body: object = {}): Promise<string> {
  const started = await wallet.post(`${PRESENTATIONS}/${id}/confirmation`, body)
  assert.equal(started.status, 200, JSON.stringify(started.body))
  return started.body.data.nonce
}

/** Signs in at an application of the person. @returns the ID token */
async function signInFor(browser: PlainBrowser, more: Record<string, string>, username = 'thandi'): Promise<string> {
  const verifier = randomToken()
  const members = {
    client_id: clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid',
    state: randomToken(),
    code_challenge: sha256Base64url(verifier),
    code_challenge_method: 'S256',
    ...more,
  }
  const { returned } = await authorize(browser, `/auth/authorize?${new URLSearchParams(members)}`, byPassword(username))
  const granted = await world.chirograph.nobody.form('/auth/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: secret,
    redirect_uri: callback,
    code: returned.searchParams.get('code') ?? '',
    code_verifier: verifier,
  })
  assert.equal(granted.status, 200, JSON.stringify(granted.body))
  return granted.body.id_token
}

/** `auth_time` is in whole seconds. */
function untilNextSecond(): Promise<void> {
  return delay(1001 - (Date.now() % 1000))
}

const statusOf = async (id: string) => (await wallet.get(`${PRESENTATIONS}/${id}`)).body.data.status

for (const javaScriptEnabled of [false, true]) {
  test(`after the decision the person signs in again, and what was decided is sent; scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page, troubles } = await world.open(world.thandi, { javaScriptEnabled })
    await page.goto(opening(await world.ask()))
    await page.getByText('wants you to sign in again before you share').waitFor()
    const path = new URL(page.url()).pathname
    const id = path.split('/').at(-1) ?? ''
    await page.getByRole('button', { name: 'Share these 2' }).click()
    await page.waitForURL(/\/sign-in\?/)
    assert.equal(await statusOf(id), 'pending', 'nothing leaves before the sign-in')
    // The organisation and the person are known, also where the session at the authorization server has ended.
    await page.context().clearCookies({ name: 'chirograph' })
    await page.goto(`/me/asked/${id}`)
    await page.getByRole('button', { name: 'Share these 2' }).click()
    await page.waitForURL(/\/sign-in\?/)
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Sign in to Acme College')
    assert.equal(await page.getByLabel('Username').inputValue(), 'thandi@example.org')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'You shared it' }).waitFor()
    assert.equal(new URL(page.url()).pathname, path)
    assert.equal(await statusOf(id), 'answered')
    assert.deepEqual(troubles, [])
    // The next request needs its own sign-in.
    const next = await prepared()
    await page.goto(`/me/asked/${next.id}/confirmed?${new URLSearchParams({ etag: next.etag })}`)
    await page.getByText('You did not sign in again for this').waitFor()
    await page.goto(`/me/asked/${next.id}`)
    await page.getByRole('button', { name: 'Do not share' }).click()
    await page.getByRole('heading', { name: 'You did not share' }).waitFor()
    world.thandi.cookies.splice(0, Number.POSITIVE_INFINITY, ...(await page.context().cookies()))
  })
}

test('a stolen session shares nothing: neither on the pages nor by the API', async () => {
  const { id, etag } = await prepared()
  const stolen = { cookie: cookieOf(world.thandi) }
  const base = `${world.chirograph.url}/me/asked/${id}`
  const html = await (await fetch(base, { headers: stolen })).text()
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(html) ?? []
  const form = new URLSearchParams({ csrf, etag, answer: 'answered' })
  const headers = { ...stolen, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }
  const posted = await fetch(base, { method: 'POST', headers, body: form.toString(), redirect: 'manual' })
  assert.equal(posted.status, 200)
  assert.match(posted.headers.get('refresh') ?? '', /\/auth\/authorize\?/)
  const confirmed = await fetch(`${base}/confirmed?${new URLSearchParams({ etag })}`, { headers: stolen })
  assert.equal(confirmed.status, 403)
  assert.equal(await statusOf(id), 'pending')
})

test('the API shares only with an ID token for this person, this answer and a new authentication', async () => {
  const { chirograph } = world
  const own = new PlainBrowser(chirograph.url)
  const { id, shown } = await prepared()
  const other = await prepared()
  const nonce = await startOf(id)
  const cards = shown.meta.alternatives[0].credentials.map((one: { credentialId: string }) => one.credentialId)
  assert.ok(cards.length >= 2)
  const [, second] = cards
  const earlier = await signInFor(own, {})
  const forOther = await signInFor(own, { prompt: 'login', nonce: await startOf(other.id) })
  // Of a request that the person signed in for otherwise: the sign-in is older than the nonce.
  await untilNextSecond()
  const later = await startOf(id)
  const withoutSignIn = await signInFor(own, { nonce: later })
  const right = await signInFor(own, { prompt: 'login', nonce })
  const [head = '', , signature = ''] = right.split('.')
  const claims = JSON.parse(Buffer.from(right.split('.')[1] ?? '', 'base64url').toString())
  const forged = [head, Buffer.from(JSON.stringify({ ...claims, nonce: later })).toString('base64url'), signature]
  const asked = async (confirmation: string | undefined, more: object = {}) =>
    wallet.patch(`${PRESENTATIONS}/${id}`, { status: 'answered', ...more, ...(confirmation && { confirmation }) })
  for (const [what, confirmation, more] of [
    ['none', undefined, {}],
    ['text', 'not-a-token', {}],
    ['of an earlier sign-in', earlier, {}],
    ['of another consent', forOther, {}],
    ['without a new sign-in', withoutSignIn, {}],
    ['forged', forged.join('.'), {}],
    ['of another card', right, { selectedCredentials: [{ credentialId: second }] }],
  ] as const) {
    const { status, body } = await asked(confirmation, more)
    assert.deepEqual([status, body.errors?.[0].code], [403, 'CONFIRMATION_REQUIRED'], what)
    assert.equal(await statusOf(id), 'pending', what)
  }
  const done = await asked(right)
  assert.equal(done.status, 200, JSON.stringify(done.body))
  const declined = await wallet.patch(`${PRESENTATIONS}/${other.id}`, { status: 'rejected' })
  assert.equal(declined.status, 200, 'declining needs no sign-in')
  const changed = await wallet.send('POST', `${PRESENTATIONS}/${(await prepared()).id}/confirmation`, '{}', {
    'content-type': 'application/json',
    'if-match': '"other"',
  })
  assert.equal(changed.status, 412)
})

test('a session at a foreign provider does not confirm; a new authentication there does', async (t) => {
  const { acme, chirograph } = world
  const redirectUri = `${chirograph.url}/sign-in/external/acme/campus`
  const foreign = new ForeignProvider(`${chirograph.url}/issuers/acme`, [
    { clientId: 'chirograph', clientSecret: backendSecret, redirectUri },
  ])
  await foreign.open()
  t.after(() => foreign.stop())
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
  const { page } = await world.open(world.thandi, { javaScriptEnabled: false })
  const share = async () => {
    const { id } = await prepared()
    await page.goto(`/me/asked/${id}`)
    await page.getByRole('button', { name: 'Share these 2' }).click()
    await page.waitForURL(/\/sign-in\?/)
    await page.getByRole('button', { name: /Campus account/ }).click()
    await page.waitForURL(/\/me\/asked\//)
    return id
  }
  const first = await share()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  assert.equal(await statusOf(first), 'answered')
  // A stranger at the device of the holder removes from the address what makes the provider ask again.
  await page.route(
    `${foreign.issuer}/auth?**`,
    (route) => {
      const url = new URL(route.request().url())
      url.searchParams.delete('prompt')
      url.searchParams.delete('max_age')
      return route.fulfill({ status: 302, headers: { location: url.href } })
    },
    { times: 1 },
  )
  const second = await share()
  await page.getByText('You did not sign in again for this').waitFor()
  assert.equal(await statusOf(second), 'pending')
  world.thandi.cookies.splice(0, Number.POSITIVE_INFINITY, ...(await page.context().cookies()))
})

test('a link of this deployment names the sign-in of its tenant, which the person may leave; no other link does', async () => {
  const { page, close } = await world.open(null, { javaScriptEnabled: false })
  const { offerUri, offerPageUri } = await world.issue()
  const elsewhere = 'https://elsewhere.example/issuers/acme/offers/x'
  const at = (uri: string) => `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(uri)}`
  const inDeployment = (slug: string) => at(`${world.chirograph.url}/issuers/${slug}/offers/x`)
  for (const [link, title] of [
    [offerPageUri, 'Sign in to Acme College'],
    [await world.ask(), 'Sign in to Acme College'],
    [inDeployment('globex'), 'Sign in to Globex Corporation'],
    [inDeployment('nobody'), 'Sign in'],
    [inDeployment('acme%2F..%2Fglobex'), 'Sign in'],
    [at(elsewhere), 'Sign in'],
    [elsewhere, 'Sign in'],
  ] as const) {
    await page.goto(opening(link))
    await page.getByLabel('Password', { exact: true }).waitFor()
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), title, link)
    assert.ok(page.url().startsWith(`${world.chirograph.url}/sign-in?`), page.url())
    assert.equal(await page.getByLabel('Organisation', { exact: true }).count(), title === 'Sign in' ? 1 : 0, link)
    assert.equal(await page.getByRole('alert').count(), 0, link)
  }
  await page.goto(opening(offerUri))
  await page.getByRole('link', { name: 'Sign in to another organisation' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in', exact: true }).waitFor()
  await page.getByLabel('Organisation', { exact: true }).fill('globex')
  await page.getByRole('button', { name: 'Continue to your organisation' }).click()
  await page.getByLabel('Username or e-mail address').fill('pieter')
  await page.getByLabel('Password', { exact: true }).fill('a lighthouse made of bread')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Take this card' }).waitFor()
  await close()
})

test('a card is drawn from the template of its type, with the issuer below it in our words', async (t) => {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 317 200"><rect width="317" height="200" fill="#14532d"/><text x="24" y="120" font-size="28" fill="#fff">{{who}}</text></svg>`
  const types = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(type()),
  )
  await new Promise<void>((resolve) => types.listen(0, '127.0.0.1', resolve))
  t.after(() => types.close())
  const vct = `http://127.0.0.1:${Object(types.address()).port}/card`
  const uri = `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`
  const claims = [{ path: ['given_name'], svg_id: 'who' }]
  const type = () =>
    JSON.stringify({ vct, display: [{ locale: 'en', rendering: { svg_templates: [{ uri }] } }], claims })
  const club = await world.aClub()
  club.lie({
    payload: (payload) => ({ ...payload, vct, given_name: 'Zoë <b>' }),
    reply: {
      issuer: (reply) => {
        const { membership } = Object(reply.body).credential_configurations_supported
        const supported = { membership: { ...membership, vct } }
        return { ...reply, body: { ...Object(reply.body), credential_configurations_supported: supported } }
      },
    },
  })
  const { page, troubles } = await world.open(world.thandi, small)
  await page.goto(opening(club.offerUri))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByText('The card is yours now').waitFor()
  const path = new URL(page.url()).pathname
  for (let tries = 0; tries < 100 && (await page.locator('img.drawn').count()) === 0; tries += 1) await page.goto(path)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const one of [path, '/me']) {
      await page.goto(one)
      const width = await page
        .locator('img.drawn')
        .first()
        .evaluate(async (image) => {
          await Object(image).decode()
          return Object(image).naturalWidth
        })
      assert.ok(width > 0, 'the browser draws it')
      await page
        .getByText(/^127\.0\.0\.1:\d+/)
        .first()
        .waitFor()
      assert.deepEqual([...(await layoutDefects(page)), ...(await axeDefects(page))], [])
      if (pictures !== undefined)
        await page.screenshot({ path: `${pictures}/drawn-${colorScheme}-${one === '/me' ? 'me' : 'card'}.png` })
    }
  }
  assert.deepEqual(troubles, [])
})

test('another person who signs in confirms nothing: told so, and nothing is sent', async () => {
  const { acme, browser, chirograph } = world
  await signInAs(browser, chirograph, acme, 'lerato', [])
  const { page } = await world.open(world.thandi, { javaScriptEnabled: false })
  const { id } = await prepared()
  await page.goto(`/me/asked/${id}`)
  await page.getByRole('button', { name: 'Share these 2' }).click()
  await page.waitForURL(/\/sign-in\?/)
  await page.getByLabel('Username').fill('lerato')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Another person signed in' }).waitFor()
  assert.equal(await statusOf(id), 'pending')
})
