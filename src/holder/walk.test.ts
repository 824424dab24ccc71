// Every page of the holder in every look: axe, layout, markup, budgets.
import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { axeDefects, layoutDefects } from '../../test/support/browser.ts'
import { postgresUrl } from '../../test/support/database.ts'
import { API_CALLS_MAX, apiCallsOf, effortDuring, pageSize, sizesMax } from '../../test/support/page-budgets.ts'
import { type Round, type Stop, walk } from '../../test/support/page-walk.ts'
import { until } from '../../test/support/until.ts'
import { hostileNames, isUnsendable } from '../console/test-support/hostile-names.ts'
import { cookieOf, NOTHING } from '../console/test-support/refusals.ts'
import { allLanguages } from '../contract/languages.ts'
import { foreignText } from '../protocols/foreign-text.ts'
import { VERIFIER_STATEMENT_FORMAT } from '../protocols/openid4vp/verifier-statement.ts'
import { type ForeignIssuer, foreignIssuer } from '../wallet/test-support/foreign-issuer.ts'
import { holderEndpoints } from './public-endpoints.ts'
import { askedStops } from './test-support/asked-states.ts'
import { endedOffers, pageOf, SettableClock, wrongCode } from './test-support/ended-offers.ts'
import { askedForRemoved, HolderWorld, opening, small, take } from './test-support/holder-world.ts'

const skip = postgresUrl === null ? false : 'how pages look does not depend on the database'
/** What is no page: files, and pictures of cards. */
const noPage = /\.\w+$|\/(logo|background|card)$/
const clock = new SettableClock()
/** Issuers of offers that all tests look at. */
const clubs: ForeignIssuer[] = []
let world: HolderWorld
let rounds: readonly Round[]
before(async () => {
  world = await HolderWorld.open({ clock })
  if (skip !== false) return
  await prepareStates()
  rounds = [
    { kind: 'full', as: world.thandi, stops: await fullStops() },
    { kind: 'empty', as: world.newcomer, stops: emptyStops },
  ]
})
afterEach(() => world.closeOpened())
after(async () => {
  await Promise.all(clubs.map((one) => one.close()))
  await world.close()
})

/**
 * Every page of a wallet with content: what waits, cards, consent, ends; forms that are refused; addresses of nothing.
 */
async function fullStops(): Promise<Stop[]> {
  const wallet = await world.chirograph.wallet('acme', 'thandi')
  const held = (await wallet.get('/wallet/v2/credentials')).body.data
  const waiting = held.find(({ status }: { status: string }) => status === 'pending')
  const [card] = held.filter(({ status }: { status: string }) => status === 'accepted')
  const asked = (await wallet.get('/wallet/v2/presentations?page[size]=100')).body.data
  const ended = ['answered', 'rejected'].map(
    (status) => asked.find((one: { status: string }) => one.status === status)?.id,
  )
  const pending = await wallet.post('/wallet/v2/presentations', { presentationRequest: await world.ask() })
  const said = { recipient: 'Globex, human resources', purpose: 'My application for the job as a developer' }
  const link = await wallet.post('/wallet/v2/shared-links', { credentialId: card.id, claims: [['degree']], ...said })
  assert.equal(link.status, 201, JSON.stringify(link.body))
  const shared = new URL(link.body.data.address).pathname
  const offer = await world.issue(world.withCode.id)
  const [request] = (await world.acme.get('/creds/presentations?page[size]=1')).body.data
  const paths = [
    '/me',
    '/me?page=none',
    `/me/cards/${card.id}`,
    `/me/cards/${waiting.id}`,
    `/me/cards/${card.id}/remove`,
    `/me/cards/${card.id}/share`,
    '/me/links',
    `/me/links/${link.body.data.id}`,
    shared,
    '/check-file/acme',
    '/me/history',
    '/me/scan',
    '/me/offers',
    '/me/settings',
    '/me/messages',
    '/me/data',
    '/me/delete',
    '/me/offline',
    `/me/asked/${pending.body.data.id}`,
    ...ended.map((id) => `/me/asked/${id}`),
    opening(offer.offerUri),
    ...[offer.offerPageUri, request.requestPageUri].map((uri) => new URL(uri).pathname),
  ]
  return [
    ...paths.map((path) => ({ path })),
    ...(await endedStops()),
    ...(await askedStops(world)),
    { path: '/me/scan', send: { u: 'nothing that is known' }, status: 404 },
    { path: '/me/delete', send: {}, status: 400 },
    { path: `/me/cards/${card.id}/share`, send: {}, status: 400 },
    { path: `/me/cards/${card.id}/share`, send: { ...said, 'show[]': '["degree"]' } },
    { path: `/me/links/${NOTHING}`, status: 404 },
    { path: '/check-file/acme', send: {}, status: 422 },
    { path: '/shared/nothing', status: 404 },
    { path: opening('https://nothing.example'), status: 404 },
    ...['/offer', '/offer/acme/nothing', '/request/acme/nothing'].map((path) => ({ path, status: 404 })),
    ...['', '/remove', '/share'].map((rest) => ({ path: `/me/cards/${NOTHING}${rest}`, status: 404 })),
    ...['', '/confirmed'].map((rest) => ({ path: `/me/asked/${NOTHING}${rest}`, status: 404 })),
  ]
}

/** Offers that cannot be taken, an unknown issuer, and a code that is wrong. */
async function endedStops(): Promise<Stop[]> {
  const { taken, expired, canceled, locked, unknown } = await endedOffers(world, clock)
  const ended = [taken, expired, canceled, locked].flatMap((one) => [opening(one.offerUri), pageOf(one)])
  const wrong = await world.issue(world.withCode.id)
  const [club, unusable] = [await foreignIssuer(), await foreignIssuer()]
  clubs.push(club, unusable)
  unusable.lie({ reply: { offer: (reply) => ({ ...reply, status: 404 }) } })
  return [
    ...ended.map((path) => ({ path, status: 410 })),
    ...[opening(unknown.offerUri), pageOf(unknown)].map((path) => ({ path, status: 404 })),
    { path: opening(unusable.offerUri), status: 410 },
    { path: opening(club.offerUri) },
    // Sent four times, of five tries.
    { path: opening(wrong.offerUri), send: { code: wrongCode(wrong) }, status: 400 },
  ]
}

const emptyStops: readonly Stop[] = [
  '/me',
  '/me/history',
  '/me/links',
  '/me/scan',
  '/me/offers',
  '/me/data',
  '/me/settings',
  '/me/delete',
].map((path) => ({ path }))

/**
 * Makes what waits and what was: a delivered card, an accepted one, a request that was shared and one that was refused.
 */
async function prepareStates(): Promise<void> {
  const recipient = 'thandi@example.org'
  const wallet = await world.chirograph.wallet('acme', 'thandi')
  const { offerUri } = await world.issue()
  const received = await wallet.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  await wallet.patch(`/wallet/v2/credentials/${received.body.data[0].id}`, { status: 'accepted' })
  for (const status of ['answered', 'rejected']) {
    const asked = await wallet.post('/wallet/v2/presentations', { presentationRequest: await world.ask() })
    const answered = await wallet.patch(`/wallet/v2/presentations/${asked.body.data.id}`, { status })
    assert.equal(answered.status, 200, JSON.stringify(answered.body))
  }
  const delivered = { credentialOffer: (await world.issue()).offerUri, recipient }
  const sent = await world.acme.post('/wallet/v2/orgs/credentials', delivered)
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  await until(async () => (await wallet.get('/wallet/v2/credentials?filter[status]=pending')).body.data.length > 0)
}

suite('every page is sound, light and dark, 320 and 1,360 px', { skip, concurrency: true }, () => {
  const checked = new Set<string>()
  // Scripts hardly change words: every language with them, the first two without.
  for (const language of allLanguages)
    for (const javaScriptEnabled of ['en', 'fr'].includes(language) ? [true, false] : [true])
      test(`${language}, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
        const ways = { language, javaScriptEnabled, start: '/me', rounds, checked }
        const [browser, origin] = [world.browser, world.chirograph.url]
        assert.deepEqual(await walk({ browser, origin, ...ways, pictures: process.env.PICTURES }), [])
      })
})

test('the walk visits every page of the holder', { skip }, () => {
  const pages = holderEndpoints.filter(({ method, path }) => method === 'GET' && !noPage.test(path))
  const visited = rounds.flatMap(({ stops }) => stops.map(({ path }) => path.split('?', 1)[0] ?? ''))
  const rest = pages.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return !visited.some((one) => pattern.test(one))
  })
  assert.deepEqual(
    rest.map(({ path }) => path),
    [],
  )
})

test('a page of the holder loads at most 6 kB of scripts and 12 kB of style; the decoder comes with the scan only', {
  skip,
}, async () => {
  const cookie = cookieOf(world.thandi)
  for (const { path, send, status } of rounds[0]?.stops ?? []) {
    if (send !== undefined || status !== undefined) continue
    const { scripts, style } = await pageSize(world.chirograph.url, path, cookie)
    const most = path === '/me/scan' ? sizesMax.scan : sizesMax.holder
    assert.ok(scripts <= most && style > 0 && style <= sizesMax.style, `${path}: ${scripts} B, ${style} B`)
    const html = await (await fetch(world.chirograph.url + path, { headers: { cookie } })).text()
    assert.ok(!/(?:href|src)="[^"]*jsqr/.test(html), path)
    const calls = await apiCallsOf(world.chirograph.url, path, cookie)
    assert.ok(calls.length <= API_CALLS_MAX, `${path}: ${calls.join(', ')}`)
  }
})

// Here, where one process counts all calls.
test('a consent that changed meanwhile is shown again with one call besides those that find the change', {
  skip,
}, async () => {
  const { page, close } = await world.open(world.thandi)
  const shop = await askedForRemoved(world, page)
  const { calls } = await effortDuring(world.chirograph.url, async () => {
    await page.getByRole('button', { name: /^Share it with/ }).click()
    await page.getByText('This changed while you were looking').waitFor()
  })
  // What the person chose, the refused answer, and one call for the second form.
  const one = '/wallet/v2/presentations/{id}'
  assert.deepEqual(calls, [`GET ${one}`, `GET ${one}`, `PATCH ${one}`])
  assert.equal(shop.posted.length, 0)
  await close()
})

test('who shares has seen the values: both buttons stand below them, whole and alike, on a small phone', {
  skip,
}, async () => {
  const { page, close } = await world.open(world.thandi, { viewport: { width: 360, height: 640 } })
  await take(page, (await world.issue()).offerUri)
  await page.goto(opening(await world.ask()))
  const share = page.getByRole('button', { name: /^Share these/ })
  const refuse = page.getByRole('button', { name: 'Do not share' })
  const value = page.getByText(world.claims.degree)
  const shownAt = async (one: typeof share) => (await one.boundingBox()) ?? assert.fail('it is not shown')
  const [first, above] = [await shownAt(share), await shownAt(value)]
  assert.ok(first.y > above.y + above.height, 'below the values')
  await refuse.scrollIntoViewIfNeeded()
  const [one, other] = [await shownAt(share), await shownAt(refuse)]
  assert.deepEqual([one.width, one.height], [other.width, other.height])
  assert.ok(one.y >= 0 && other.y + other.height <= 640, 'both are whole')
  const lookOf = (button: typeof share) =>
    button.evaluate(
      '(one) => { const { color, backgroundColor } = getComputedStyle(one); return color + backgroundColor }',
    )
  assert.equal(await lookOf(share), await lookOf(refuse))
  await close()
})

test('what takes the focus by the keyboard is not covered in a small window', {
  skip,
}, async () => {
  const { page, close } = await world.open(world.thandi, small)
  await page.goto(opening((await world.issue(world.withCode.id)).offerUri))
  await page.locator('.decide').waitFor()
  const focused: string[] = []
  const look = async () => {
    const [name, isSeen] = await page.evaluate<[string, boolean]>(`(() => {
      const one = document.activeElement
      const { left, width, bottom } = one.getBoundingClientRect()
      const top = document.elementFromPoint(left + width / 2, bottom - 2)
      return [one.id || one.textContent.trim(), one === top || one.contains(top)]
    })()`)
    assert.ok(isSeen, `${name} is covered`)
    focused.push(name)
  }
  while (!focused.at(-1)?.startsWith('Not now') && focused.length < 20) {
    await page.keyboard.press('Tab')
    await look()
  }
  assert.ok(focused.includes('code'), focused.join('|'))
  // Where the field was scrolled out of the window before it takes the focus.
  await page.evaluate(`scrollBy(0, document.getElementById('code').getBoundingClientRect().bottom - innerHeight + 8)`)
  await page.locator('#code').focus()
  await look()
  await close()
})

/** A picture that would run a script, were it not shown as a picture. */
const SVG = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="top.document.title=1"><script>top.document.title="owned"</script></svg>').toString('base64')}`
/** What differs in the browser; the cleaning of each of the names is tested with the pages of the console. */
const { markup, 'right-to-left override': turned, 'one long word': long } = hostileNames
const strangers = { markup: markup ?? '', turned: turned ?? '', long: long ?? '', '100 kB': 'Bank '.repeat(20_000) }
/** What is surely left of a name when it is cut and cleaned. */
const beginningOf = (name: string) => (foreignText(name, 4) ?? '').trim().slice(0, 3)

test('names, labels and purposes of strangers are shown harmless: no script, no element, no turned text, nothing sticks out', {
  skip,
}, async () => {
  const { page, troubles, close } = await world.open(world.thandi, small)
  page.setDefaultTimeout(60_000)
  const isHarmless = async (what: string, name = '') => {
    assert.ok((await page.locator('main').innerText()).includes(beginningOf(name)), `${what} is shown`)
    const html = await page.content()
    assert.equal(isUnsendable(html.replaceAll(/<textarea[^>]*>[^<]*<\/textarea>|<input[^>]*>/g, '')), false, what)
    assert(!['owned', '1'].includes(await page.title()), what)
    assert.equal(await page.locator('main script, main [onerror], main [onmouseover]').count(), 0, what)
    assert.deepEqual(await layoutDefects(page), [], what)
  }
  for (const [what, name] of Object.entries(strangers)) {
    // An issuer and a verifier for each, since the wallet keeps what it has read of one.
    const [club, shop] = [await world.aClub(), await world.aShop(world.degreeQuery)]
    const look = { name, description: name, background_color: '#ffffff', text_color: '#ffffff', logo: { uri: SVG } }
    const claims = [{ path: ['member'], display: [{ name }] }]
    const metadata = (body: unknown) => {
      const { membership } = Object(body).credential_configurations_supported
      const supported = { membership: { ...membership, credential_metadata: { display: [look], claims } } }
      return { ...Object(body), display: [{ name }], credential_configurations_supported: supported }
    }
    club.lie({ reply: { issuer: (reply) => ({ ...reply, body: metadata(reply.body) }) } })
    await page.goto(opening(club.offerUri))
    await isHarmless(`${what}: offer`, name)
    await page.getByRole('button', { name: 'Take this card' }).click()
    await page.waitForURL(/\/me\/cards\/[0-9a-f-]{36}\?new=1$/)
    await isHarmless(`${what}: card`, name)
    assert.deepEqual(await axeDefects(page, ['color-contrast']), [], `${what}: white on white`)
    // A request object is bounded: one with so long a name twice is refused before it is shown.
    const cut = name.slice(0, 4000)
    const statement = { format: VERIFIER_STATEMENT_FORMAT, data: { client_name: cut, purpose: cut } }
    shop.behave({ object: (object) => ({ ...object, verifier_info: [statement] }) })
    await page.goto(opening(shop.link()))
    await page.getByText('It calls itself').waitFor()
    await isHarmless(`${what}: request`, name)
  }
  for (const path of ['/me', '/me/history', '/me/data']) {
    await page.goto(path)
    await isHarmless(path)
  }
  assert.deepEqual(troubles, [])
  await close()
})

test('the data can be taken and everything be deleted', async () => {
  const { page, close } = await world.open(world.thandi, { javaScriptEnabled: false })
  if (skip !== false) await prepareStates()
  const file = await fetch(`${world.chirograph.url}/me/data.json`, { headers: { cookie: cookieOf(world.thandi) } })
  assert.equal(file.headers.get('content-disposition'), 'attachment; filename="wallet.json"')
  assert.equal(file.headers.get('content-type'), 'application/json')
  assert.equal(file.headers.get('content-security-policy'), "default-src 'none'; sandbox")
  assert.equal(file.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(file.headers.get('cache-control'), 'no-store')
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
