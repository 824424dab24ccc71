// What people do with their wallet in a browser: whole jobs, what goes wrong, races, lies.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { axeDefects, layoutDefects } from '../../test/support/browser.ts'
import { until } from '../../test/support/until.ts'
import { cookieOf } from '../console/test-support/refusals.ts'
import { VERIFIER_STATEMENT_FORMAT } from '../protocols/openid4vp/verifier-statement.ts'
import { askedForRemoved, HolderWorld, opening, small, take } from './test-support/holder-world.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
let world: HolderWorld
before(async () => {
  world = await HolderWorld.open()
})
afterEach(() => world.closeOpened())
after(() => world.close())

for (const javaScriptEnabled of [false, true]) {
  test(`a phone takes an offer from its https link and shares two of six, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const { page, troubles, close } = await world.open(world.thandi, { javaScriptEnabled })
    const { offerPageUri, id } = await world.issue()
    await page.goto(offerPageUri)
    await page.getByRole('heading', { name: 'Acme College has a card for you' }).waitFor()
    await page.getByRole('link', { name: 'Take it here' }).click()
    await page.getByText('Your organisation', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Take this card' }).click()
    await page.getByText('The card is yours now').waitFor()
    await page.getByText('BSc Computer Science').first().waitFor()
    assert.equal((await world.acme.get(`/creds/credentials/issuance/${id}`)).body.data.status, 'completed')
    const request = await world.ask()
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
    const results = (await world.acme.get('/creds/presentations')).body.data
    assert.equal(results[0].status, 'verified')
    assert.deepEqual(Object.keys(results[0].credentials[0].attributes).toSorted(), ['degree', 'grade'])
    assert.deepEqual(troubles, [])
    await close()
  })
}

test('a wrong code says how many tries are left; after five the offer is closed and says so', async () => {
  const { page, close } = await world.open(world.thandi, { javaScriptEnabled: false })
  const { offerUri, txCode } = await world.issue(world.withCode.id)
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
  const right = await world.issue(world.withCode.id)
  await page.goto(opening(right.offerUri))
  await page.getByLabel('Code', { exact: true }).fill(`${right.txCode.slice(0, 3)} ${right.txCode.slice(3)}`)
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByText('The card is yours now').waitFor()
  await close()
})

test('the buttons never cover the code field that has the focus, at 320 px', async () => {
  const { offerUri } = await world.issue(world.withCode.id)
  for (const height of [640, 720]) {
    const { page, close } = await world.open(world.thandi, { viewport: { width: 320, height } })
    await page.goto(opening(offerUri))
    const code = page.getByLabel('Code', { exact: true })
    const isFree = async () => {
      const [field, bar] = await Promise.all([code.boundingBox(), page.locator('.decide').boundingBox()])
      return field !== null && bar !== null && field.y >= 0 && field.y + field.height <= Math.min(bar.y, height)
    }
    for (let tabs = 0; tabs < 30 && (await page.evaluate('document.activeElement.id')) !== 'code'; tabs += 1)
      await page.keyboard.press('Tab')
    await until(isFree)
    await page.evaluate('scrollTo(0, 0)')
    await page.keyboard.type('1')
    await until(isFree)
    await page.getByRole('button', { name: 'Take this card' }).click()
    await page.getByText('Enter the code as it was sent').or(page.getByText('That code is not right')).waitFor()
    await until(isFree)
    await close()
  }
})

test('an offer that another person took, and links that lead nowhere: a page each, and no redirect', async () => {
  const { page, troubles, close } = await world.open(world.thandi)
  const taken = await world.issue()
  const pieter = await world.chirograph.wallet('acme', 'pieter')
  assert.equal((await pieter.post('/wallet/v2/credentials', { credentialOffer: taken.offerUri })).status, 201)
  await page.goto(opening(taken.offerUri))
  await page.getByRole('heading', { name: 'This card was taken already' }).waitFor()
  const gone = `${world.chirograph.url}/issuers/acme/offers/${'a'.repeat(43)}`
  for (const [link, status, title] of [
    ['https://evil.example/phish', 404, 'This is not a link for your wallet'],
    ['javascript:alert(1)', 404, 'This is not a link for your wallet'],
    ['data:text/html,x', 404, 'This is not a link for your wallet'],
    ['hello', 404, 'This is not a link for your wallet'],
    ['', 404, 'No link'],
    ['{"credential_issuer":1}', 404, 'This link cannot be read'],
    ['openid-credential-offer://?credential_offer=x', 404, 'This link cannot be read'],
    [`openid-credential-offer://?credential_offer_uri=${encodeURIComponent(gone)}`, 404, 'There is no such offer'],
    ['openid-credential-offer://?credential_offer_uri=http%3A%2F%2F127.0.0.1%3A9%2Fo', 504, 'There was no answer'],
    ['openid4vp://?client_id=x', 403, 'Your organisation does not accept this request'],
    ['openid4vp://?client_id=redirect_uri%3Ax', 422, 'This request cannot be answered'],
    [`${world.chirograph.url}/offer/acme/${'a'.repeat(43)}`, 404, 'There is no such offer'],
  ] as const) {
    const response = await page.goto(opening(link))
    assert.deepEqual([response?.status(), page.url().startsWith(world.chirograph.url)], [status, true], link)
    await page.getByRole('heading', { name: title }).waitFor()
    assert.deepEqual(await layoutDefects(page), [], link)
  }
  const token = 'a'.repeat(43)
  for (const [path, status] of [
    [`/offer/acme/${token}`, 404],
    [`/offer/nobody/${token}`, 404],
    ['/offer/acme/x', 404],
    ['/offer/acme/%00', 404],
  ] as const) {
    assert.equal((await page.goto(path))?.status(), status, path)
  }
  for (const path of ['/me/cards/01890000-0000-7000-8000-000000000000', '/me/asked/x'])
    assert.ok([400, 404].includes((await page.goto(path))?.status() ?? 0), path)
  assert.deepEqual(troubles, [])
  await close()
})

test('two tabs share and refuse at once: one answer is sent, and both tabs say which', async () => {
  const pages = [await world.open(world.thandi), await world.open(world.thandi)]
  const request = await world.ask()
  for (const { page } of pages) await page.goto(opening(request))
  assert.equal(pages[0]?.page.url(), pages[1]?.page.url(), 'one request is opened once')
  await Promise.all(
    pages.map(async ({ page }, index) => {
      await page.getByRole('button', { name: index === 0 ? /^Share these/ : 'Do not share' }).click()
      await page.waitForURL(/\/me\/asked\/[^/]+$/)
      const end = page.getByRole('heading', { name: /^You (shared it|did not share)$/ })
      // A tab that decides while the answer of the other one is on its way is told that.
      for (let loads = 0; loads < 50 && !(await end.isVisible()); loads += 1) await page.reload()
      await end.waitFor()
    }),
  )
  await Promise.all(pages.map(({ page }) => page.reload()))
  const titles = await Promise.all(pages.map(({ page }) => page.getByRole('heading', { level: 1 }).innerText()))
  assert.equal(titles[0], titles[1])
  await Promise.all(pages.map(({ close }) => close()))
})

test('a double tap sends one answer; the back button shows how it stands', async () => {
  const { page, close } = await world.open(world.thandi)
  const shop = await world.aShop(world.degreeQuery)
  await page.goto(opening(shop.link()))
  await page.getByText('Not known to your organisation').waitFor()
  await page.getByRole('button', { name: /^Share it with/ }).dblclick()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  assert.equal(shop.posted.length, 1)
  await page.goto('/me')
  await page.goBack()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  await close()
})

test('a card that is gone meanwhile: nothing is sent, and the page says what changed', async () => {
  const { page, close } = await world.open(world.thandi)
  const shop = await askedForRemoved(world, page)
  await page.getByRole('button', { name: /^Share it with/ }).click()
  await page.getByText('This changed while you were looking').waitFor()
  assert.equal(shop.posted.length, 0)
  await page.getByRole('button', { name: 'Do not share' }).click()
  await page.getByRole('heading', { name: 'You did not share' }).waitFor()
  assert.equal(shop.posted[0]?.get('error'), 'access_denied')
  await close()
})

test('another card can be chosen, and is the one that is sent', async () => {
  const { page, close } = await world.open(world.thandi, { javaScriptEnabled: false })
  await take(page, (await world.issue()).offerUri)
  await page.goto(opening(await world.ask()))
  await page.getByText('use another card').first().click()
  const other = page.getByRole('link', { name: /^Use Diploma/ }).first()
  const id = new URL((await other.getAttribute('href')) ?? '', world.chirograph.url).searchParams
    .get('use')
    ?.split(':')[1]
  await other.click()
  await page.getByRole('button', { name: 'Share these 2' }).click()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  await page.goto(`/me/cards/${id}`)
  await page.getByText('They saw: Degree, Grade').first().waitFor()
  await close()
})

const hostile = `<img src=x onerror=alert(1)>\u202eknaB ruoY ${'W'.repeat(3000)}`

test('an issuer and a verifier that lie are shown harmless: names, colours, markup, 30 MB', async () => {
  const { page, troubles, close } = await world.open(world.thandi, small)
  const club = await world.aClub()
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
  assert.equal(large?.status(), 502)
  await page.getByRole('heading', { name: 'Too much was sent' }).waitFor()
  metadata = () => ({ credential_issuer: 'https://other.example' })
  assert.equal((await page.goto(opening(club.offerUri)))?.status(), 502)
  const shop = await world.aShop(world.degreeQuery)
  const statement = { format: VERIFIER_STATEMENT_FORMAT, data: { client_name: hostile, purpose: hostile } }
  shop.behave({ object: (object) => ({ ...object, verifier_info: [statement] }) })
  await page.goto(opening(shop.link()))
  await page.getByText('It calls itself').waitFor()
  assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /^127\.0\.0\.1:\d+ asks/)
  assert.deepEqual([...(await layoutDefects(page)), ...(await axeDefects(page))], [])
  assert.deepEqual(troubles, [])
  await close()
})

test('after the answer the browser goes where the verifier says, without script too', async () => {
  const { page, close } = await world.open(world.thandi, { javaScriptEnabled: false })
  const shop = await world.aShop(world.degreeQuery, true)
  await page.goto(opening(shop.link()))
  const asked = page.url()
  const [left] = await Promise.all([
    page.waitForRequest((request) => request.url().includes('/done')),
    page.getByRole('button', { name: /^Share it with/ }).click(),
  ])
  assert.equal(new URL(left.url()).origin, new URL(shop.responseUri).origin)
  // Who comes back has a link.
  await page.goto(asked)
  const back = page.getByRole('link', { name: /^Back to 127/ })
  assert.match((await back.getAttribute('href')) ?? '', /\/done/)
  await close()
})

test('an unproved verifier: a warning, and the button says so', async () => {
  const { page, close } = await world.open(world.thandi, small)
  const answers = `${world.chirograph.url}/nobody`
  const query = world.degreeQuery
  const members = new URLSearchParams({
    client_id: `redirect_uri:${answers}`,
    response_type: 'vp_token',
    response_mode: 'direct_post',
    response_uri: answers,
    nonce: 'n-0S6_WzA2Mj.0123456789',
    dcql_query: JSON.stringify(query),
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
  const { page, close } = await world.open(null)
  const { offerUri } = await world.issue()
  await page.goto(opening(offerUri))
  await page.getByRole('heading', { level: 1, name: 'Sign in to Acme College', exact: true }).waitFor()
  await page.getByLabel('Username or e-mail address').fill('thandi')
  await page.getByLabel('Password', { exact: true }).fill('a lighthouse made of bread')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Take this card' }).waitFor()
  await close()
})

test('an offer with a sign-in at its issuer leads there, told first', async () => {
  const { page, close } = await world.open(world.thandi, { javaScriptEnabled: false })
  const club = await world.aClub({ code: {} })
  await page.goto(opening(club.offerUri))
  await page.getByText('wants you to sign in there').waitFor()
  const [left] = await Promise.all([
    page.waitForRequest((request) => request.url().includes('request_uri') || request.url().includes('/authorize')),
    page.getByRole('button', { name: /^Continue at/ }).click(),
  ])
  assert.ok(left.url().startsWith(club.server), left.url())
  await close()
})

test('without a connection an installed wallet says so, and keeps nothing of the person', async () => {
  const { page, close } = await world.open(world.thandi)
  await page.goto('/me')
  const wait = 'new Promise((_, reject) => setTimeout(() => reject(new Error("no worker")), 10000))'
  await page.evaluate(`Promise.race([navigator.serviceWorker.ready.then(() => undefined), ${wait}])`)
  const manifest = Object(await (await fetch(`${world.chirograph.url}/me/manifest.webmanifest`)).json())
  assert.deepEqual([manifest.start_url, manifest.share_target.action], ['/me', '/open'])
  const kept = await page.evaluate<string[]>(
    `(async () => (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).flat())()`,
  )
  assert.ok(kept.length > 0 && kept.every((path) => /^\/(assets\/|me\/(offline|icon\.svg)$)/.test(path)), kept.join())
  await page.context().setOffline(true)
  await page.goto('/me/history')
  await page.getByText('Your cards are kept on the server').waitFor()
  await close()
})

test('by keyboard alone: open, look, refuse', async () => {
  const { page, close } = await world.open(world.thandi)
  await page.goto(opening(await world.ask()))
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
  const { page, close } = await world.open(world.thandi, { javaScriptEnabled: false })
  await page.goto('/me/scan')
  await page.getByLabel('Or paste the link').fill(`Look: ${(await world.issue()).offerUri} thanks`)
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByRole('button', { name: 'Take this card' }).waitFor()
  const stolen = await fetch(`${world.chirograph.url}/me/delete`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ csrf: 'x', sure: '1' }),
    headers: { cookie: cookieOf(world.thandi), 'sec-fetch-site': 'same-origin' },
  })
  assert.match(stolen.headers.get('location') ?? '', /kept=1/)
  const foreign = await fetch(`${world.chirograph.url}/me/delete`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ sure: '1' }),
    headers: { cookie: cookieOf(world.thandi), 'sec-fetch-site': 'cross-site' },
  })
  assert.equal(foreign.status, 403)
  assert.ok(
    (await (await world.chirograph.wallet('acme', 'thandi')).get('/wallet/v2/credentials')).body.data.length > 0,
  )
  await close()
})
