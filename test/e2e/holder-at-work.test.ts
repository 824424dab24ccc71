// A person with a phone, whom a foreign OpenID provider signs in, takes a card and shows two of its six attributes: by
// links and without script, to a desk by the camera, and on a website on another origin. On PostgreSQL two server
// processes answer in turn.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ForeignProvider } from '../../src/authorization/test-support/foreign-provider.ts'
import { signInAs } from '../../src/console/test-support/console-walk.ts'
import { opening, phone } from '../../src/holder/test-support/holder-world.ts'
import { openBrowser, type Visit, visit } from '../support/browser.ts'
import { type Api, api, backendSecret, type Reply } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const SECRET = 'the-secret-of-our-client-at-the-provider'
/** How often the desk is measured. */
const CHECKS = 5
/** Half of them; the slowest of so few is bounded like the 95th of 100 while other tests run. */
const [VERDICT_MS_MAX, SLOWEST_MS_MAX] = [500, 2500]
const claims = {
  family_name: 'Molefe',
  given_name: 'Lerato',
  birth_date: '2001-03-14',
  student_number: 'S-2041',
  degree: 'BSc Computer Science',
  grade: 78,
}
const shared = ['degree', 'grade']
const lerato = {
  sub: 'lerato-at-campus',
  preferred_username: 'lerato',
  given_name: 'Lerato',
  employee_id: 'E7',
  email: 'lerato@college.example',
  email_verified: true,
}

const folder = mkdtempSync(join(tmpdir(), 'holder-at-work-'))
/** What the camera of the phone sees: a film of one picture, read again whenever the camera is switched on. */
const film = join(folder, 'camera.mjpeg')
const opened: { readonly close: () => Promise<void> }[] = []
let server: ServerChildren
let provider: ForeignProvider
let browser: Browser
let college: Api
let diploma: string
let proof: string
before(async () => {
  const backend = { clientId: 'college-backend', clientSecret: backendSecret, scopes: ['tenant:admin' as const] }
  const tenants = [{ slug: 'college', name: 'College', clients: [{ ...backend, roles: ['owner' as const] }] }]
  const camera = ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${film}`]
  server = await serverChildren({ tenants })
  browser = await openBrowser('everything', camera)
  const credentials = { client_id: 'college-backend', client_secret: backendSecret }
  const granted = await api(server.url, null).form('/auth/token', { grant_type: 'client_credentials', ...credentials })
  college = api(server.url, granted.body.access_token)
  const client = { clientId: 'chirograph', clientSecret: SECRET }
  const redirectUri = `${server.url}/sign-in/external/college/campus`
  provider = new ForeignProvider(server.url, [{ ...client, redirectUri }])
  await provider.open()
  provider.person = lerato
  const about = { name: 'campus', displayName: 'Campus account', issuer: provider.issuer, createsUsers: true }
  const matched = { claims: { externalIdentifier: 'employee_id' } }
  await made('/onboarding/identity-providers', { ...about, ...client, ...matched })
  ;[diploma, proof] = await makeTemplates()
})
afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())))
after(async () => {
  await browser.close()
  await server.stop()
  await provider.stop()
  rmSync(folder, { recursive: true })
})

async function made(path: string, body: object): Promise<Reply['body']> {
  const reply = await college.post(path, body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
  return reply.body.data
}

async function makeTemplates(): Promise<[diploma: string, proof: string]> {
  const kinds = Object.entries(claims).map(([name, value]) => [name, { type: typeof value }])
  const attributes = Object.fromEntries(kinds)
  const card = await made('/creds/templates/credentials', { name: 'Diploma', code: 'diploma', attributes })
  const credentials = [{ type: card.type, name: 'Diploma', attributes: { degree: {}, grade: {} } }]
  const asked = { name: 'Proof of a degree', description: '', credentials }
  return [card.id, (await made('/creds/templates/presentations', asked)).id]
}

/** Opens the phone at an address, where the person is sent to the provider to sign in and back. */
async function phoneAt(path: string, options: { javaScriptEnabled?: boolean; permissions?: string[] } = {}) {
  const visited = await visit(browser, server.url, { ...phone, ...options })
  opened.push(visited)
  const { page } = visited
  page.setDefaultTimeout(15_000)
  await page.goto(path)
  if (path.startsWith('/offer/')) await page.getByRole('link', { name: 'I have one: sign in' }).click()
  // A link names the tenant; nothing is typed.
  if (path.startsWith('/me')) {
    await page.getByLabel('Organisation', { exact: true }).fill('college')
    await page.getByRole('button', { name: 'Continue to your organisation' }).click()
  }
  await page.getByRole('button', { name: 'Campus account' }).click()
  await page.waitForURL((url) => url.origin === server.url && /^\/(me|open)/.test(url.pathname))
  return visited
}

/** What must not have happened in a page; the way to the provider and back is meant. */
function troublesOf({ troubles }: Visit): string[] {
  return troubles.filter((one) => !one.startsWith(`foreign: ${provider.issuer}/`))
}

async function newOffer(): Promise<{ id: string; offerPageUri: string; offerUri: string }> {
  return made('/creds/credentials/issuance', { credentialTemplateId: diploma, attributes: claims })
}

/** Lets the person have a card, taken on this page. */
async function takeCard(page: Page): Promise<void> {
  await page.goto(opening((await newOffer()).offerUri))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByText('The card is yours now').waitFor()
}

async function share(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'College asks for 2 things' }).waitFor()
  assert.equal(await page.getByText('not shared').count(), 4)
  await page.getByRole('button', { name: 'Share these 2 with College' }).click()
}

/**
 * Checks that the organisation got the two attributes and nothing else.
 *
 * @returns when the answer was recorded, in milliseconds
 */
async function checkResult(id: string): Promise<number> {
  const { data } = (await college.get(`/creds/presentations/${id}`)).body
  assert.equal(data.status, 'verified', JSON.stringify(data))
  assert.deepEqual(Object.keys(data.credentials[0].attributes).toSorted(), shared)
  return Date.parse(data.updatedAt)
}

test('a phone without script signs in at the provider, takes an offer and shares two of six attributes', async () => {
  const { id, offerPageUri } = await newOffer()
  const visited = await phoneAt(new URL(offerPageUri).pathname, { javaScriptEnabled: false })
  const { page } = visited
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByText('The card is yours now').waitFor()
  assert.equal((await college.get(`/creds/credentials/issuance/${id}`)).body.data.status, 'completed')
  const asked = await made('/creds/presentations/request', { presentationTemplateId: proof })
  await page.goto(opening(asked.authorizationRequestUri))
  await share(page)
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  await checkResult(asked.id)
  assert.deepEqual(troublesOf(visited), [])
})

test('a phone scans the code at the desk and shares, and the desk shows Valid within half a second', async () => {
  const [clerk, scanning] = await Promise.all([
    signInAs(browser, server, college, 'naledi', ['verifier']),
    phoneAt('/me/scan', { permissions: ['camera'] }),
  ])
  const desk = await visit(browser, server.url, { storageState: clerk })
  opened.push(desk)
  await takeCard(scanning.page)
  const tookMs: number[] = []
  for (let check = 0; check < CHECKS; check += 1)
    tookMs.push(await checkAtDesk(desk.page, scanning.page, check === 0 ? scan : openLink))
  const sorted = tookMs.toSorted((one, other) => one - other)
  console.log(`recorded answer to Valid at the desk, in ms: ${sorted.join(', ')}`)
  assert.ok((sorted[Math.floor(CHECKS / 2)] ?? Number.NaN) <= VERDICT_MS_MAX)
  assert.ok((sorted.at(-1) ?? Number.NaN) <= SLOWEST_MS_MAX)
  assert.deepEqual([...troublesOf(scanning), ...desk.troubles], [])
})

/** How a request comes from the page of the desk into the wallet. */
type Way = (desk: Page, wallet: Page) => Promise<void>

/** The desk asks, the phone shares. @returns milliseconds from the recorded answer to the verdict on the page */
async function checkAtDesk(desk: Page, wallet: Page, receive: Way): Promise<number> {
  await desk.goto('/console/verify')
  await desk.getByRole('button', { name: 'Ask for it' }).click()
  await desk.waitForURL(/\/console\/verify\/[0-9a-f-]{36}$/)
  await receive(desk, wallet)
  const shown = desk.evaluate<number>(`new Promise((resolve) => {
    const look = () => { if (document.querySelector('.verdict b')?.textContent === 'Valid') resolve(Date.now()) }
    new MutationObserver(look).observe(document.querySelector('live-region'), { childList: true, subtree: true })
  })`)
  await share(wallet)
  await wallet.getByRole('heading', { name: 'You shared it' }).waitFor()
  const at = await shown
  await desk.getByText('BSc Computer Science').waitFor()
  return at - (await checkResult(desk.url().split('/').at(-1) ?? ''))
}

/** The camera of the phone sees the page of the desk. */
async function scan(desk: Page, wallet: Page): Promise<void> {
  const code = desk.locator('img.qr')
  await code.evaluate('(image) => image.decode()')
  const { x, y, width, height } = (await code.boundingBox()) ?? assert.fail('the desk shows no code')
  const clip = { x: Math.max(0, x + width / 2 - 320), y: Math.max(0, y + height / 2 - 240), width: 640, height: 480 }
  writeFileSync(film, await desk.screenshot({ type: 'jpeg', clip }))
  await wallet.goto('/me/scan')
  await wallet.getByRole('button', { name: 'Use the camera' }).click()
}

async function openLink(desk: Page, wallet: Page): Promise<void> {
  const link = await desk.locator('code.secret').first().textContent()
  await wallet.goto(link?.trim() ?? '')
  await wallet.getByRole('link', { name: 'Answer it here' }).click()
}

/**
 * A website on an origin of its own, whose backend reads the results. Its policy forbids everything else of other
 * origins.
 */
async function aSite(page: () => string) {
  const results: { readonly status: string; readonly reference: string }[] = []
  const policy = `default-src 'none'; connect-src 'self'; script-src 'self' ${server.url}; frame-src ${server.url}; require-trusted-types-for 'script'; trusted-types`
  const script = `addEventListener('verified', async ({ detail }) => {
    const told = await fetch('/result', { method: 'POST', body: JSON.stringify(detail) })
    document.querySelector('h1').textContent = await told.text()
  })`
  const site = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const answer = (type: string, body: string) =>
      response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body)
    if (request.url === '/shop.js') return answer('text/javascript', script)
    if (request.url !== '/result')
      return answer(
        'text/html',
        `<!doctype html><html lang="en"><title>Shop</title><script src="/shop.js"></script><script type="module" src="${server.url}/embed.js"></script><h1>Shop</h1><chirograph-verify page="${page()}" reference="order-17"></chirograph-verify>`,
      )
    const told = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const { data } = (await college.get(`/creds/presentations/${told.request}?responseCode=${told.responseCode}`)).body
    results.push(data)
    return answer('text/plain', `Discount for ${data.credentials[0].attributes.degree}`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  opened.push({
    close: async () => {
      site.closeAllConnections()
      site.close()
    },
  })
  return { origin: `http://127.0.0.1:${(site.address() as AddressInfo).port}`, results }
}

test('a website on another origin embeds the element, the person shares with their wallet, the backend reads the result', async () => {
  let id = ''
  const site = await aSite(() => id)
  const about = { name: 'Discount', presentationTemplateId: proof, origins: [site.origin] }
  id = (await made('/creds/verification-pages', about)).id
  const visited = await phoneAt('/me')
  await takeCard(visited.page)
  const { page } = visited
  await page.goto(site.origin)
  const frame = page.frameLocator('chirograph-verify iframe')
  await frame.getByRole('button', { name: 'Begin' }).click()
  const wallet = page.context().waitForEvent('page')
  await frame.getByRole('link', { name: /^Use your wallet at/ }).click()
  await share(await wallet)
  await frame.getByRole('heading', { name: 'Accepted' }).waitFor()
  await page.getByRole('heading', { name: 'Discount for BSc Computer Science' }).waitFor()
  assert.partialDeepStrictEqual(site.results, [{ status: 'verified', reference: 'order-17' }])
})
