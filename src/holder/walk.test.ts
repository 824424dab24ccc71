import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { axeDefects, layoutDefects, markupDefects, openBrowser, type Visit, visit } from '../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { type SignedIn, signInAs } from '../console/test-support/console-walk.ts'
import { cookieOf } from '../console/test-support/refusals.ts'
import { foreignIssuer } from '../wallet/test-support/foreign-issuer.ts'
import { foreignVerifier } from '../wallet/test-support/foreign-verifier.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
const phone = { viewport: { width: 390, height: 844 } } as const
const small = { viewport: { width: 320, height: 640 } } as const

let chirograph: Deployment
let browser: Browser
let acme: Api
let thandi: SignedIn
let newcomer: SignedIn
let diploma: { id: string; type: string }
let withCode: { id: string; type: string }
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  acme = await chirograph.backend('acme')
  thandi = await signInAs(browser, chirograph, acme, 'thandi', [])
  newcomer = await signInAs(browser, chirograph, await chirograph.backend('globex'), 'pieter', [])
  const attributes = Object.fromEntries(
    (
      [
        ['family_name', 'Family name', 'string'],
        ['given_name', 'Given name', 'string'],
        ['birth_date', 'Date of birth', 'date'],
        ['student_number', 'Student number', 'string'],
        ['degree', 'Degree', 'string'],
        ['grade', 'Grade', 'number'],
      ] as const
    ).map(([code, name, type]) => [code, { type, name }]),
  )
  const display = { name: 'Diploma', locale: 'en', backgroundColor: '#1f2d4a', textColor: '#ffffff' }
  const make = async (code: string, more: object = {}) => {
    const made = await acme.post('/creds/templates/credentials', {
      ...{ name: 'Diploma', code, attributes, display },
      ...more,
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.data
  }
  diploma = await make('diploma')
  withCode = await make('with-code', { txCode: { length: 6 } })
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

const claims = {
  ...{ family_name: 'Molefe', given_name: 'Thandi', birth_date: '2001-03-14', student_number: 'S-2041' },
  ...{ degree: 'BSc Computer Science', grade: 78 },
}

async function issue(credentialTemplateId = diploma.id) {
  const opened = await acme.post('/creds/credentials/issuance', { credentialTemplateId, attributes: claims })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  return opened.body.data
}

async function open(as: SignedIn | null, options: BrowserContextOptions = {}): Promise<Visit> {
  const opened = await visit(browser, chirograph.url, {
    ...phone,
    ...(as !== null && { storageState: as }),
    ...options,
  })
  opened.page.setDefaultTimeout(8000)
  return opened
}

let degreeTemplate: string | null = null
/** Asks for two of six attributes. @returns the link of the request */
async function ask(): Promise<string> {
  if (degreeTemplate === null) {
    const made = await acme.post('/creds/templates/presentations', {
      ...{ name: 'Proof of a degree', description: '', retentionSeconds: 86_400 * 30 },
      credentials: [{ type: diploma.type, attributes: { degree: {}, grade: {} } }],
      verifierConfig: { purpose: 'To check the degree you gave in your application.' },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    degreeTemplate = made.body.data.id
  }
  const asked = await acme.post('/creds/presentations/request', { presentationTemplateId: degreeTemplate })
  return asked.body.data.authorizationRequestUri
}

const opening = (link: string) => `/open?u=${encodeURIComponent(link)}`

async function take(page: Page, offerUri: string): Promise<string> {
  await page.goto(opening(offerUri))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.waitForURL(/\/me\/cards\/[0-9a-f-]{36}\?new=1$/)
  return new URL(page.url()).pathname
}

for (const javaScriptEnabled of [false, true]) {
  test(`a phone takes an offer from its https link and shares two of six, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await open(thandi, { javaScriptEnabled })
    const { offerPageUri, id } = await issue()
    await page.goto(offerPageUri)
    await page.getByRole('heading', { name: 'Acme College has a card for you' }).waitFor()
    await page.getByRole('link', { name: 'Take it here' }).click()
    await page.getByText('Your organisation', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Take this card' }).click()
    await page.getByText('The card is yours now').waitFor()
    await page.getByText('BSc Computer Science').first().waitFor()
    assert.equal((await acme.get(`/creds/credentials/issuance/${id}`)).body.data.status, 'completed')
    const request = await ask()
    await page.goto(opening(request))
    await page.getByRole('heading', { name: 'Acme College asks for 2 things' }).waitFor()
    await page.getByText('To check the degree').waitFor()
    await page.getByText('30 days').waitFor()
    assert.equal(await page.getByText('not shared').count(), 4)
    assert.equal(await page.getByText('Molefe').count(), 0, 'what stays is shown by name only')
    await page.getByRole('button', { name: 'Share these 2 with Acme College' }).click()
    await page.getByRole('heading', { name: 'You shared it' }).waitFor()
    await page.getByText('Grade').first().waitFor()
    await page.goto('/me/history')
    await page.getByText('They saw: Degree, Grade').first().waitFor()
    const results = (await acme.get('/creds/presentations')).body.data
    assert.equal(results[0].status, 'verified')
    assert.deepEqual(Object.keys(results[0].credentials[0].attributes).toSorted(), ['degree', 'grade'])
    assert.deepEqual(troubles, [])
    await close()
  })
}

test('a wrong code says how many tries are left; after five the offer is closed and says so', async () => {
  const { page, close } = await open(thandi, { javaScriptEnabled: false })
  const { offerUri, txCode } = await issue(withCode.id)
  await page.goto(opening(offerUri))
  await page.getByLabel('Code', { exact: true }).fill('12 34')
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByText('Enter the code as it was sent').waitFor()
  assert.match(await page.title(), /^Error: /)
  const wrong = txCode === '111111' ? '222222' : '111111'
  for (const left of ['4 more times', '3 more times', '2 more times', 'once more']) {
    await page.getByLabel('Code', { exact: true }).fill(wrong)
    await page.getByRole('button', { name: 'Take this card' }).click()
    await page.getByText(left).waitFor()
  }
  await page.getByLabel('Code', { exact: true }).fill(wrong)
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByRole('heading', { name: 'The code was wrong too often' }).waitFor()
  const right = await issue(withCode.id)
  await page.goto(opening(right.offerUri))
  await page.getByLabel('Code', { exact: true }).fill(`${right.txCode.slice(0, 3)} ${right.txCode.slice(3)}`)
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByText('The card is yours now').waitFor()
  await close()
})

test('an offer that somebody else took, and links that lead nowhere: a page each, and nobody is sent anywhere', async () => {
  const { page, troubles, close } = await open(thandi)
  const taken = await issue()
  const pieter = await chirograph.wallet('acme', 'pieter')
  assert.equal((await pieter.post('/wallet/v2/credentials', { credentialOffer: taken.offerUri })).status, 201)
  await page.goto(opening(taken.offerUri))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByRole('heading', { name: 'This offer has ended' }).waitFor()
  const gone = `${chirograph.url}/issuers/acme/offers/${'a'.repeat(43)}`
  for (const [link, status, title] of [
    ['https://evil.example/phish', 404, 'This is not a link for your wallet'],
    ['javascript:alert(1)', 404, 'This is not a link for your wallet'],
    ['data:text/html,x', 404, 'This is not a link for your wallet'],
    ['hello', 404, 'This is not a link for your wallet'],
    ['', 404, 'No link'],
    ['{"credential_issuer":1}', 404, 'This link cannot be read'],
    ['openid-credential-offer://?credential_offer=x', 404, 'This link cannot be read'],
    [`openid-credential-offer://?credential_offer_uri=${encodeURIComponent(gone)}`, 410, 'This offer has ended'],
    ['openid-credential-offer://?credential_offer_uri=http%3A%2F%2F127.0.0.1%3A9%2Fo', 504, 'The other side did not'],
    ['openid4vp://?client_id=x', 410, 'This request cannot be answered'],
    [`${chirograph.url}/offer/acme/${'a'.repeat(43)}`, 410, 'This offer has ended'],
  ] as const) {
    const response = await page.goto(opening(link))
    assert.deepEqual([response?.status(), page.url().startsWith(chirograph.url)], [status, true], link)
    await page.getByRole('heading', { name: title }).waitFor()
    assert.deepEqual(await layoutDefects(page), [], link)
  }
  for (const path of [`/offer/acme/${'a'.repeat(43)}`, '/offer/nobody/x', '/offer/acme/%2e%2e']) {
    assert.equal((await page.goto(path))?.status(), 410, path)
  }
  for (const path of ['/me/cards/01890000-0000-7000-8000-000000000000', '/me/asked/x'])
    assert.ok([400, 404].includes((await page.goto(path))?.status() ?? 0), path)
  assert.deepEqual(troubles, [])
  await close()
})

test('two tabs share and refuse at once: one answer is sent, and both tabs say which', async () => {
  const pages = [await open(thandi), await open(thandi)]
  const request = await ask()
  for (const { page } of pages) await page.goto(opening(request))
  assert.equal(pages[0]?.page.url(), pages[1]?.page.url(), 'one request is opened once')
  await Promise.all(
    pages.map(async ({ page }, index) => {
      await page.getByRole('button', { name: index === 0 ? /^Share these/ : 'Do not share' }).click()
      await page.getByRole('heading', { name: /^You (shared it|did not share)$/ }).waitFor()
    }),
  )
  await Promise.all(pages.map(({ page }) => page.reload()))
  const titles = await Promise.all(pages.map(({ page }) => page.getByRole('heading', { level: 1 }).innerText()))
  assert.equal(titles[0], titles[1])
  await Promise.all(pages.map(({ close }) => close()))
})

test('a double tap sends one answer; the back button shows how it stands', async () => {
  const { page, close } = await open(thandi)
  const shop = await foreignVerifier({
    credentials: [
      { id: 'd', format: 'dc+sd-jwt', meta: { vct_values: [diploma.type] }, claims: [{ path: ['degree'] }] },
    ],
  })
  await page.goto(opening(shop.link()))
  await page.getByText('Not known to your organisation').waitFor()
  await page.getByRole('button', { name: /^Share it with/ }).dblclick()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  assert.equal(shop.posted.length, 1)
  const back = page.getByRole('link', { name: /^Back to 127/ })
  assert.match((await back.getAttribute('href')) ?? '', /\/done/)
  await page.goto('/me')
  await page.goBack()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  await shop.close()
  await close()
})

test('a card that is gone meanwhile: nothing is sent, and the page says what changed', async () => {
  const { page, close } = await open(thandi)
  const path = await take(page, (await issue()).offerUri)
  const shop = await foreignVerifier({
    credentials: [
      { id: 'd', format: 'dc+sd-jwt', meta: { vct_values: [diploma.type] }, claims: [{ path: ['degree'] }] },
    ],
  })
  await page.goto(opening(shop.link()))
  const wallet = await chirograph.wallet('acme', 'thandi')
  await wallet.delete(`/wallet/v2/credentials/${path.split('/').at(-1)}`)
  await page.getByRole('button', { name: /^Share it with/ }).click()
  await page.getByText('This changed while you were looking').waitFor()
  assert.equal(shop.posted.length, 0)
  await page.getByRole('button', { name: 'Do not share' }).click()
  await page.getByRole('heading', { name: 'You did not share' }).waitFor()
  assert.equal(shop.posted[0]?.get('error'), 'access_denied')
  await shop.close()
  await close()
})

test('another card can be chosen, and is the one that is sent', async () => {
  const { page, close } = await open(thandi, { javaScriptEnabled: false })
  await take(page, (await issue()).offerUri)
  await page.goto(opening(await ask()))
  await page.getByText('use another card').first().click()
  const other = page.getByRole('link', { name: /^Use Diploma/ }).first()
  const id = new URL((await other.getAttribute('href')) ?? '', chirograph.url).searchParams.get('use')?.split(':')[1]
  await other.click()
  await page.getByRole('button', { name: 'Share these 2' }).click()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  await page.goto(`/me/cards/${id}`)
  await page.getByText('They saw: Degree, Grade').first().waitFor()
  await close()
})

const hostile = `<img src=x onerror=alert(1)>\u202eknaB ruoY ${'W'.repeat(3000)}`

test('an issuer and a verifier that lie are shown harmless: names, colours, markup, 30 MB', async () => {
  const { page, troubles, close } = await open(thandi, small)
  const club = await foreignIssuer()
  let metadata: (body: object) => unknown = (body) => body
  club.lie({ reply: { issuer: (reply) => ({ ...reply, body: metadata(Object(reply.body)) }) } })
  metadata = (body) => {
    const { membership } = Object(body).credential_configurations_supported
    const look = { name: hostile, description: hostile, background_color: '#ffffff', text_color: '#fffffe' }
    const claims = [{ path: ['member'], display: [{ name: hostile }] }]
    const supported = { membership: { ...membership, credential_metadata: { display: [look], claims } } }
    return { ...body, display: [{ name: 'Your Bank' }], credential_configurations_supported: supported }
  }
  await page.goto(opening(club.offerUri))
  await page.getByText('Not known to your organisation').waitFor()
  assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /^127\.0\.0\.1:\d+ offers you a card$/)
  assert.deepEqual([...(await layoutDefects(page)), ...(await axeDefects(page))], [])
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByText('The card is yours now').waitFor()
  assert.deepEqual([...(await layoutDefects(page)), ...(await axeDefects(page))], [])
  await page.goto('/me')
  assert.deepEqual([...(await layoutDefects(page)), ...(await axeDefects(page))], [])
  metadata = () => Buffer.alloc(30_000_000, 'x').toString()
  const large = await page.goto(opening(club.offerUri))
  assert.equal(large?.status(), 504)
  metadata = () => ({ credential_issuer: 'https://other.example' })
  assert.equal((await page.goto(opening(club.offerUri)))?.status(), 502)
  await club.close()
  const shop = await foreignVerifier({
    credentials: [
      { id: 'd', format: 'dc+sd-jwt', meta: { vct_values: [diploma.type] }, claims: [{ path: ['degree'] }] },
    ],
  })
  shop.behave({
    object: (object) => ({
      ...object,
      client_metadata: { client_name: hostile, purpose: hostile, vp_formats_supported: { 'dc+sd-jwt': {} } },
    }),
  })
  await page.goto(opening(shop.link()))
  await page.getByText('It calls itself').waitFor()
  assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /^127\.0\.0\.1:\d+ asks/)
  assert.deepEqual([...(await layoutDefects(page)), ...(await axeDefects(page))], [])
  await shop.close()
  assert.deepEqual(troubles, [])
  await close()
})

test('an unproved verifier: a warning, and the button says so', async () => {
  const { page, close } = await open(thandi, small)
  const answers = `${chirograph.url}/nobody`
  const query = {
    credentials: [
      { id: 'd', format: 'dc+sd-jwt', meta: { vct_values: [diploma.type] }, claims: [{ path: ['degree'] }] },
    ],
  }
  const members = new URLSearchParams({
    ...{ client_id: `redirect_uri:${answers}`, response_type: 'vp_token', response_mode: 'direct_post' },
    ...{ response_uri: answers, nonce: 'n-0S6_WzA2Mj.0123456789', dcql_query: JSON.stringify(query) },
    client_metadata: JSON.stringify({ vp_formats_supported: { 'dc+sd-jwt': {} } }),
  })
  await page.goto(opening(`openid4vp://?${members}`))
  await page.getByText('Nothing proves who this is').waitFor()
  assert.deepEqual([...(await layoutDefects(page)), ...(await axeDefects(page))], [])
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/unproved.png`, fullPage: true })
  const [share, refuse] = ['Share anyway', 'Do not share'].map((name) => page.getByRole('button', { name }))
  const sizes = await Promise.all([share, refuse].map((one) => one?.boundingBox()))
  assert.ok((sizes[1]?.width ?? 0) >= (sizes[0]?.width ?? 1) && (sizes[1]?.height ?? 0) >= (sizes[0]?.height ?? 1))
  await refuse?.click()
  await page.getByRole('heading', { name: 'You did not share' }).waitFor()
  await close()
})

test('after the sign-in a person is back at the same link', async () => {
  const { page, close } = await open(null)
  const { offerUri } = await issue()
  await page.goto(opening(offerUri))
  await page.getByLabel('E-mail address or username').fill('thandi')
  await page.getByLabel('Password').fill('a lighthouse made of bread')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Take this card' }).waitFor()
  await close()
})

test('an offer with a sign-in at its issuer leads there, told first', async () => {
  const { page, close } = await open(thandi, { javaScriptEnabled: false })
  const club = await foreignIssuer({ code: {} })
  await page.goto(opening(club.offerUri))
  await page.getByText('wants you to sign in there').waitFor()
  const [left] = await Promise.all([
    page.waitForRequest((request) => request.url().includes('request_uri') || request.url().includes('/authorize')),
    page.getByRole('button', { name: /^Continue at/ }).click(),
  ])
  assert.ok(left.url().startsWith(club.server), left.url())
  await club.close()
  await close()
})

test('by keyboard alone: open, look, refuse', async () => {
  const { page, close } = await open(thandi)
  await page.goto(opening(await ask()))
  const names: string[] = []
  for (let at = 0; at < 30; at += 1) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate<string>('document.activeElement.textContent.trim()')
    names.push(name)
    if (name === 'Do not share') break
  }
  assert.ok(names.includes('Do not share') && names.some((one) => one.startsWith('Share these 2')), names.join('|'))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'You did not share' }).waitFor()
  await close()
})

test('a pasted link is opened, also one that is not for the wallet; a form of another session is not carried out', async () => {
  const { page, close } = await open(thandi, { javaScriptEnabled: false })
  await page.goto('/me/scan')
  await page.getByLabel('Or paste the link').fill(`Look: ${(await issue()).offerUri} thanks`)
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByRole('button', { name: 'Take this card' }).waitFor()
  const stolen = await fetch(`${chirograph.url}/me/delete`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf: 'x', sure: '1' }) },
    headers: { cookie: cookieOf(thandi), 'sec-fetch-site': 'same-origin' },
  })
  assert.match(stolen.headers.get('location') ?? '', /kept=1/)
  const foreign = await fetch(`${chirograph.url}/me/delete`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ sure: '1' }) },
    headers: { cookie: cookieOf(thandi), 'sec-fetch-site': 'cross-site' },
  })
  assert.equal(foreign.status, 403)
  assert.ok((await (await chirograph.wallet('acme', 'thandi')).get('/wallet/v2/credentials')).body.data.length > 0)
  await close()
})

const looks: readonly (BrowserContextOptions & { readonly name: string; readonly language: string })[] = [
  { name: 'phone', language: 'en', colorScheme: 'light', javaScriptEnabled: true, ...phone },
  { name: 'small-dark', language: 'fr', colorScheme: 'dark', javaScriptEnabled: true, ...small },
  { name: 'small-plain', language: 'en', colorScheme: 'light', javaScriptEnabled: false, ...small },
  {
    name: 'wide-dark',
    language: 'fr',
    colorScheme: 'dark',
    javaScriptEnabled: false,
    viewport: { width: 1360, height: 900 },
  },
]

/** Paths of a wallet with content: what waits, cards in every state, consent, ends. */
async function fullPaths(): Promise<string[]> {
  const wallet = await chirograph.wallet('acme', 'thandi')
  const held = (await wallet.get('/wallet/v2/credentials')).body.data
  const waiting = held.find(({ status }: { status: string }) => status === 'pending')
  const [card] = held.filter(({ status }: { status: string }) => status === 'accepted')
  const asked = (await wallet.get('/wallet/v2/presentations?page[size]=100')).body.data
  const ended = ['answered', 'rejected'].map(
    (status) => asked.find((one: { status: string }) => one.status === status)?.id,
  )
  const pending = await wallet.post('/wallet/v2/presentations', { presentationRequest: await ask() })
  const offer = await issue(withCode.id)
  return [
    ...['/me', '/me?page=none', `/me/cards/${card.id}`, `/me/cards/${waiting.id}`, `/me/cards/${card.id}/remove`],
    ...['/me/history', '/me/scan', '/me/settings', '/me/data', '/me/delete', '/me/offline'],
    ...[`/me/asked/${pending.body.data.id}`, ...ended.map((id) => `/me/asked/${id}`)],
    ...[opening(offer.offerUri), new URL(offer.offerPageUri).pathname, opening('https://nothing.example')],
    ...['/me/cards/01890000-0000-7000-8000-000000000000'],
  ]
}

/** Makes what waits: a delivered card, and a revoked one. */
async function prepareStates(page: Page): Promise<void> {
  const { offerUri } = await issue()
  const sent = await acme.post('/wallet/v2/orgs/credentials', {
    credentialOffer: offerUri,
    recipient: 'thandi@example.org',
  })
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  const wallet = await chirograph.wallet('acme', 'thandi')
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await wallet.get('/wallet/v2/credentials?filter[status]=pending')).body.data.length > 0) break
    await page.waitForTimeout(100)
  }
}

for (const { name, language, ...options } of looks) {
  test(`every page is sound: ${name}, ${language}`, async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
    const full = await open(thandi, options)
    const empty = await open(newcomer, options)
    await prepareStates(full.page)
    const defects: string[] = []
    const walk = async ({ page }: Visit, paths: readonly string[], kind: string) => {
      await page.goto(`/me?lang=${language}`)
      for (const [index, path] of paths.entries()) {
        const response = await page.goto(path)
        const found = [
          // axe waits for timers, which do not run where scripts are off.
          ...(options.javaScriptEnabled === false ? [] : await axeDefects(page)),
          ...(await layoutDefects(page)),
          ...(await markupDefects(response)),
        ]
        if (pictures !== undefined)
          await page.screenshot({
            path: `${pictures}/${name}-${kind}-${String(index).padStart(2, '0')}.png`,
            fullPage: true,
          })
        defects.push(...found.map((one) => `${path} ${name}: ${one}`))
      }
    }
    await walk(full, await fullPaths(), 'full')
    await walk(empty, ['/me', '/me/history', '/me/data', '/me/settings'], 'empty')
    assert.deepEqual([...defects, ...full.troubles, ...empty.troubles], [])
    await Promise.all([full.close(), empty.close()])
  })
}

test('right to left: nothing sticks out, nothing is covered', async () => {
  const { page, close } = await open(thandi, small)
  const defects: string[] = []
  for (const path of await fullPaths()) {
    await page.goto(path)
    await page.evaluate(`document.documentElement.dir = 'rtl'`)
    defects.push(...(await layoutDefects(page)).map((one) => `${path}: ${one}`))
  }
  assert.deepEqual(defects, [])
  await close()
})

test('a page of the holder loads at most 6 kB of scripts and 12 kB of style; the decoder comes with the scan only', async () => {
  const loadedBy = async (path: string) => {
    const html = await (await fetch(chirograph.url + path, { headers: { cookie: cookieOf(thandi) } })).text()
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, one = '']) => one)
    return Promise.all(
      paths.map(
        async (one) => [one, gzipSync(Buffer.from(await (await fetch(chirograph.url + one)).text())).length] as const,
      ),
    )
  }
  for (const [path, max] of [
    ['/me', 6000],
    ['/me/scan', 20_000],
  ] as const) {
    const sizes = await loadedBy(path)
    const sum = (ending: string) =>
      sizes.filter(([one]) => one.endsWith(ending)).reduce((total, [, size]) => total + size, 0)
    console.log(path, `${sum('.js')} B of scripts, ${sum('.css')} B of style (gzip)`)
    assert.ok(sum('.js') > 0 && sum('.js') <= max && sum('.css') > 0 && sum('.css') <= 12_000)
    assert.ok(!sizes.some(([one]) => one.includes('jsqr')))
  }
})

test('the data can be taken and everything be deleted', async () => {
  const { page, close } = await open(thandi, { javaScriptEnabled: false })
  const file = await fetch(`${chirograph.url}/me/data.json`, { headers: { cookie: cookieOf(thandi) } })
  assert.match(file.headers.get('content-disposition') ?? '', /attachment/)
  const data = Object(await file.json())
  assert.ok(data.credentials.length > 0 && data.history.length > 0)
  await page.goto('/me/delete')
  await page.getByRole('button', { name: 'Delete everything' }).click()
  await page.getByText('Tick the box').waitFor()
  await page.getByLabel('I know that this is final').check()
  await page.getByRole('button', { name: 'Delete everything' }).click()
  await page.getByText('Your wallet is empty').waitFor()
  await page.goto('/me')
  await page.getByText('You have no cards yet').waitFor()
  await close()
})
