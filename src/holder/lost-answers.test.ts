// The connection ends in the middle of an answer, at each step of a person: nothing is lost or doubled, and the page
// says how it stands.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Locator, Page, Request } from 'playwright-core'
import { freePort } from '../../test/support/free-port.ts'
import { password } from '../../test/support/oauth-person.ts'
import type { Api } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'
import { type CutAt, type CuttingProxy, cuttingProxy } from './test-support/cutting-proxy.ts'
import { HolderWorld, opening } from './test-support/holder-world.ts'

const CREDENTIALS = '/wallet/v2/credentials'
const PRESENTATIONS = '/wallet/v2/presentations'
/** By what the browser got of the answer. */
const cuts: Readonly<Record<string, CutAt>> = {
  'nothing, and the server is still at work': 'sent',
  'no byte': 0,
  'twelve bytes': 12,
  'half of the page': 'page',
}
let world: HolderWorld
let wallet: Api
let students = 0
before(async () => {
  // Browsers have no passkeys for an address.
  world = await HolderWorld.open({}, { PUBLIC_URL: `http://localhost:${await freePort()}` })
  wallet = await world.chirograph.wallet('acme', 'thandi')
  await card()
})
after(async () => {
  await world.closeOpened()
  await Promise.all(proxies.map((one) => one.close()))
  await world.close()
})

/** What is not mine alone is told apart by the number of the student. */
type Prepared = {
  /** Where the button is. */
  readonly path: string
  /** Before it is pressed. */
  readonly fill?: (page: Page) => Promise<void>
  readonly button: RegExp
  /** Path of the form, whose answer is cut off. */
  readonly sends: RegExp
  /** What the page says once it arrives. */
  readonly end: (page: Page) => Locator
  /** What it says when the person goes back and, if the button is still there, presses it again. */
  readonly again: (page: Page) => Locator
  /** Of the server: once. */
  readonly check: () => Promise<void>
}

const heading = (name: RegExp | string) => (page: Page) => page.getByRole('heading', { level: 1, name })
const text = (words: RegExp | string) => (page: Page) => page.getByText(words).first()

async function offer(template = world.diploma.id) {
  students += 1
  const attributes = { ...world.claims, student_number: `S-${students}` }
  const made = await world.acme.post('/creds/credentials/issuance', { credentialTemplateId: template, attributes })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  return { ...made.body.data, student: attributes.student_number } as Record<string, string>
}

/** Returns the credentials of a student. */
async function held(student = ''): Promise<{ id: string; status: string }[]> {
  const { data } = (await wallet.get(`${CREDENTIALS}?page[size]=100`)).body
  return data.filter(({ claims }: { claims: Record<string, string> }) => claims.student_number === student)
}

async function card(status: 'accepted' | 'pending' = 'accepted') {
  const { offerUri, student } = await offer()
  const made = await wallet.post(CREDENTIALS, { credentialOffer: offerUri })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const id: string = made.body.data[0].id
  if (status === 'accepted') await wallet.patch(`${CREDENTIALS}/${id}`, { status })
  return { id, student: student ?? '' }
}

async function asked() {
  const shop = await world.aShop(world.degreeQuery)
  const { status, body } = await wallet.post(PRESENTATIONS, { presentationRequest: shop.link() })
  assert.equal(status, 201, JSON.stringify(body))
  const id: string = body.data.id
  return { shop, id, path: `/me/asked/${id}` }
}

const statusOf = async (id: string) => (await wallet.get(`${PRESENTATIONS}/${id}`)).body.data.status
const isMine = heading(/^This card is already yours$/)

async function takes(template?: string): Promise<Prepared> {
  const { offerUri = '', student = '', txCode } = await offer(template)
  return {
    path: opening(offerUri),
    button: /^Take this card$/,
    sends: /^\/me\/offers$/,
    ...(txCode !== undefined && { fill: (page) => page.getByLabel('Code', { exact: true }).fill(txCode) }),
    end: text('The card is yours now'),
    again: isMine,
    check: async () =>
      assert.deepEqual(
        (await held(student)).map(({ status }) => status),
        ['accepted'],
      ),
  }
}

async function decides(consent: 'accepted' | 'rejected'): Promise<Prepared> {
  const { id, student } = await card('pending')
  const isTaken = consent === 'accepted'
  const said = isTaken ? text('The card is yours now') : heading('Your cards')
  return {
    path: `/me/cards/${id}`,
    button: isTaken ? /^Accept$/ : /^Decline$/,
    sends: /^\/me\/cards\/[^/]+$/,
    end: said,
    again: isTaken ? text('Where it was shown') : text('You declined it'),
    check: async () => assert.deepEqual(await held(student).then((all) => all.map(({ status }) => status)), [consent]),
  }
}

async function answers(way: 'answered' | 'rejected'): Promise<Prepared> {
  const { shop, id, path } = await asked()
  const end = heading(way === 'answered' ? 'You shared it' : 'You did not share')
  return {
    path,
    button: way === 'answered' ? /^Share it with/ : /^Do not share$/,
    sends: /^\/me\/asked\/[^/]+$/,
    end,
    again: end,
    check: async () => {
      assert.equal(await statusOf(id), way)
      assert.equal(shop.posted.length, 1, 'the verifier got one answer')
    },
  }
}

const steps: Readonly<Record<string, () => Promise<Prepared>>> = {
  'take an offer': () => takes(),
  'take an offer with a code': () => takes(world.withCode.id),
  'enter a wrong code': async () => {
    const { offerUri = '', student, txCode } = await offer(world.withCode.id)
    const wrong = txCode === '111111' ? '222222' : '111111'
    return {
      path: opening(offerUri),
      button: /^Take this card$/,
      sends: /^\/me\/offers$/,
      fill: (page) => page.getByLabel('Code', { exact: true }).fill(wrong),
      // Sent up to three times, it is one of the five attempts; the second is one that the person makes.
      end: text('You can try 4 more times'),
      again: text('You can try 3 more times'),
      check: async () => assert.deepEqual(await held(student), []),
    }
  },
  'accept a card that waits': () => decides('accepted'),
  'decline a card that waits': () => decides('rejected'),
  share: () => answers('answered'),
  refuse: () => answers('rejected'),
  'remove a card': async () => {
    const { id, student } = await card()
    return {
      path: `/me/cards/${id}/remove`,
      button: /^Remove this card$/,
      sends: /\/remove$/,
      end: text(/^The card was removed\.$|not in your wallet any more/),
      again: heading('You removed this card'),
      check: async () => assert.deepEqual(await held(student), []),
    }
  },
}

async function press(page: Page, { fill, button }: Prepared): Promise<void> {
  await fill?.(page)
  await page.getByRole('button', { name: button }).click({ noWaitAfter: true })
}

/** A browser tries a request whose connection ended again at once, or not at all. */
const QUIET_MS = 2000

/**
 * Does one thing whose answer gets lost, also when the browser sends it again by itself; then the connection is back.
 */
async function lose(
  page: Page,
  proxy: CuttingProxy,
  [method, path, at]: Lost,
  act: () => Promise<void>,
): Promise<void> {
  // Ends when the navigation fails, of which nothing is told where a timed redirect began it. A browser may show what
  // it got of an answer as a page, which then never finishes loading.
  const failed = page.waitForURL(/^chrome-error:/, { waitUntil: 'commit' }).catch(() => undefined)
  proxy.cut(method, path, at)
  const broken = { predicate: (request: Request) => request.isNavigationRequest() }
  const shown =
    at === 0 || at === 'sent'
      ? proxy.givenUp(QUIET_MS)
      : Promise.any([page.waitForEvent('load'), page.waitForEvent('requestfailed', broken)]).catch(() => undefined)
  await act()
  await Promise.race([failed, shown])
  assert.ok((await proxy.answered()) > 0)
  proxy.mend()
  // While the page of the error takes the place of the other one there is nothing to load.
  await until(() =>
    page
      .reload()
      .then(() => true)
      .catch(() => false),
  )
}

type Lost = readonly [method: 'GET' | 'POST', path: RegExp, at: CutAt]

async function recover(page: Page, proxy: CuttingProxy, step: Prepared, at: CutAt): Promise<void> {
  await page.goto(step.path)
  await lose(page, proxy, ['POST', step.sends, at], () => press(page, step))
  await step.end(page).waitFor()
  await step.check()
  await page.goBack()
  // A form that posts to the address of its page has no entry of its own in the history.
  if (!page.url().endsWith(step.path)) await page.goto(step.path)
  if ((await page.getByRole('button', { name: step.button }).count()) > 0) await press(page, step)
  await step.again(page).waitFor()
  await step.check()
}

/** Those that no test uses at the moment. A profile of the browser belongs to each. */
const proxies: CuttingProxy[] = []

suite('the answer is lost', { concurrency: 2 }, () => {
  for (const [index, [what, prepare]] of Object.entries(steps).entries())
    for (const javaScriptEnabled of [false, true])
      for (const [got, at] of Object.entries(cuts).filter((_, n) => (n + index) % 2 === Number(javaScriptEnabled)))
        test(`${what}, the browser gets ${got}, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
          const step = await prepare()
          const proxy = proxies.pop() ?? (await cuttingProxy())
          const page = await world.openBeside(world.thandi, { javaScriptEnabled, proxy: { server: proxy.address } })
          await recover(page, proxy, step, at)
          await page.close()
          proxies.push(proxy)
        })
})

suite('the answer is lost at the end', { concurrency: 3 }, () => {
  test('the answer to the deletion of everything is lost: the wallet is empty, and says so', async (t) => {
    const proxy = await cuttingProxy()
    t.after(proxy.close)
    const { page } = await world.open(world.newcomer, { proxy: { server: proxy.address } })
    await page.goto('/me/delete')
    await page.getByLabel('I know that this is final').check()
    const act = () => page.getByRole('button', { name: 'Delete everything' }).click({ noWaitAfter: true })
    await lose(page, proxy, ['POST', /^\/me\/delete$/, 0], act)
    await page.getByText('Your wallet is empty').waitFor()
    await page.goto('/me/data')
    await page.getByText('it has no card and no history').waitFor()
  })

  test('an answer of the sign-in that confirms a decision is lost: it is shared once, after a new sign-in at most', async (t) => {
    await wantConfirmation()
    const proxy = await cuttingProxy()
    t.after(proxy.close)
    const { page } = await world.open(world.thandi, { javaScriptEnabled: false, proxy: { server: proxy.address } })
    for (const [method, path] of [
      ['POST', /^\/sign-in$/],
      ['GET', /^\/session\/callback$/],
      ['GET', /\/confirmed$/],
    ] as const)
      await confirm(page, proxy, [method, path, 0], () => signInByPassword(page))
  })

  test('an answer to the passkey that confirms a decision is lost: it is shared once, after a new use of the passkey at most', async (t) => {
    await wantConfirmation()
    const proxy = await cuttingProxy()
    t.after(proxy.close)
    const { page } = await world.open(null, { proxy: { server: proxy.address } })
    await page.goto('/sign-in?tenant=acme')
    await signInByPassword(page)
    await page.waitForURL('/account')
    await addPasskey(page)
    const usePasskey = () => page.getByRole('button', { name: 'Sign in with a passkey' }).click({ noWaitAfter: true })
    for (const at of Object.values(cuts)) await confirm(page, proxy, ['POST', /^\/sign-in\/passkey$/, at], usePasskey)
    for (const path of [/^\/session\/callback$/, /\/confirmed$/])
      await confirm(page, proxy, ['GET', path, 0], usePasskey)
  })
})

/** Shares with a new verifier, by a sign-in whose answer is lost, and a new one at most. */
async function confirm(page: Page, proxy: CuttingProxy, [method, path, at]: Lost, authenticate: () => Promise<void>) {
  const { shop, ...request } = await asked()
  const isNeeded = async () => (await wallet.get(`${PRESENTATIONS}/${request.id}`)).body.meta.needsConfirmation
  // Of two servers each has a copy of the settings, and they take turns.
  await until(async () => (await isNeeded()) === true && (await isNeeded()) === true)
  await page.goto(request.path)
  await share(page)
  await lose(page, proxy, [method, path, at], authenticate)
  const shared = page.getByRole('heading', { level: 1, name: 'You shared it' })
  const refused = page.getByText('You did not sign in again for this')
  const unsigned = page.getByText('This sign-in was used or took too long')
  // The answer that began the session arrived in part: the form is of the time before.
  const old = page.getByRole('link', { name: 'Open the page again' })
  await shared.or(refused).or(unsigned).or(old).first().waitFor()
  if (!(await shared.isVisible())) {
    assert.equal(shop.posted.length, 0)
    if (await refused.isVisible()) await share(page)
    if (await old.isVisible()) await old.click()
    await authenticate()
    await shared.waitFor()
  }
  assert.equal(await statusOf(request.id), 'answered')
  assert.equal(shop.posted.length, 1, `${method} ${path}`)
  // Back to the sign-in or to the page of the request: nothing is shared again.
  await page.goto(request.path)
  await shared.waitFor()
  assert.equal(shop.posted.length, 1, `${method} ${path}`)
}

async function wantConfirmation(): Promise<void> {
  const changed = await world.acme.patch('/onboarding/organisation', { sharingConfirmation: 'sign-in' })
  assert.equal(changed.status, 200)
}

/** Gives the browser an authenticator that verifies its user, and the signed-in person a passkey in it. */
async function addPasskey(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  })
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('The passkey was added.').waitFor()
}

async function share(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Share it with/ }).click()
  await page.waitForURL(/\/sign-in\?/)
}

async function signInByPassword(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('thandi')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click({ noWaitAfter: true })
}
