// A newcomer opens the link of a fresh start's log, and an organisation works with pages alone: diplomas from a
// spreadsheet, a card taken, a check at the desk. Then the same with people who sign in at `oidc-provider`. On
// PostgreSQL two server processes answer in turn. `PICTURES=docs/pictures` makes the pictures of README and docs.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { ForeignProvider } from '../../src/authorization/test-support/foreign-provider.ts'
import { chooseWho } from '../../src/console/test-support/choose-who.ts'
import { downloaded, openBrowser, type Visit, visit } from '../support/browser.ts'
import { password } from '../support/oauth-person.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const secret = 'the-secret-of-our-client-at-the-provider'
const ROWS = 1000
const BAD_ROWS = 20
const [DAY_OF_NO_MONTH, REPAIRED] = ['31.02.2026', '28.02.2026']
/** From the link in the log to the last offer. */
const FIRST_DAY_SECONDS_MAX = 300
/** In the page: a promise for the verdict. */
const VALID_SHOWN = `new Promise((done) => {
  const look = () => document.querySelector('.verdict b')?.textContent === 'Valid' && done()
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
  look()
})`
/** Checks of each of the two people. */
const CHECKS = 10
/**
 * From the answer of the wallet to the verdict at the desk. The budget is 500 ms for 95 of 100, which
 * `npm run bench -- --what pages` measures on a quiet machine; here other tests run too. A desk that is not told waits
 * for 6 s.
 */
const [MEDIAN_MS_MAX, P95_MS_MAX] = [1000, 2500]

/** Folder for pictures of the first person's pages; none are made without it. */
let pictures = process.env.PICTURES

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

let browser: Browser
let server: ServerChildren
let foreign: ForeignProvider
before(async () => {
  browser = await openBrowser()
  server = await serverChildren(null, { LOG_LEVEL: 'info' })
  foreign = new ForeignProvider(server.url)
  await foreign.open()
})
after(async () => {
  // A server that did not start leaves the others open, and the process would not end.
  await browser?.close()
  await server?.stop()
  await foreign?.stop()
})

async function aBrowser(javaScriptEnabled = true): Promise<Visit> {
  const visited = await visit(browser, server.url, { javaScriptEnabled, acceptDownloads: true })
  visited.page.setDefaultTimeout(30_000)
  return visited
}

/** The link that works: the newest one, when each process has logged its own. */
async function ownerLink(): Promise<string> {
  for (let tries = 0; tries < 400; tries += 1) {
    const lines = server.log().split('\n').slice(0, -1)
    const links = lines.flatMap((line) => JSON.parse(line).link ?? [])
    if (links.length >= new Set(server.urls).size) return links.at(-1)
    await setTimeout(25)
  }
  return assert.fail(server.log())
}

async function makeDiploma(page: Page, name: string): Promise<void> {
  await page.goto('/console/templates/new?from=diploma')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('/console/templates')
}

/** Semicolons, umlauts in Windows-1252, and a day in each 50th row that no month has. */
function graduates(): Buffer {
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const day = n % 50 === 7 ? DAY_OF_NO_MONTH : '31.01.2026'
    return `Müller-Lüdenscheidt ${n};Jürgen;BSc Völkerkunde;${day};student-${n}`
  })
  return Buffer.from(['Family name;Given name;Degree;Awarded on;Student no.', ...rows].join('\r\n'), 'latin1')
}

async function loadTable(page: Page, template: string, buffer: Buffer): Promise<void> {
  await page.goto('/console/issue')
  await page.getByRole('link', { name: `From a table: ${template}` }).click()
  await page.getByLabel('File').setInputFiles({ name: 'graduates.csv', mimeType: 'text/csv', buffer })
  await page.getByRole('button', { name: 'Check the table' }).click()
}

/** Waits for the end of a batch. @returns its offers */
async function offersOf(page: Page, count: string): Promise<readonly string[]> {
  await page.waitForURL(/\/console\/batches\/[0-9a-f-]{36}\?(table=[0-9a-f-]{36}&)?by=links$/)
  await page.getByText('Finished').waitFor()
  assert.deepEqual(await page.locator('dd.figure').allInnerTexts(), [count, '0', '0', count])
  return (await downloaded(page, 'List with links (CSV)')).toString().match(/https?:[^,"\r]+/g) ?? []
}

type IssuesTable = (page: Page, template: string) => Promise<readonly string[]>

/** Issues the good rows, takes the bad ones home, and loads them repaired. @returns the offers */
const issueInTwo: IssuesTable = async (page, template) => {
  await loadTable(page, template, graduates())
  await page.getByText('20 of 1,000 rows cannot be issued').waitFor()
  const home = (await downloaded(page, 'Take the 20 rows home as CSV')).toString()
  assert.equal(home.split(DAY_OF_NO_MONTH).length - 1, BAD_ROWS)
  assert.match(home, /What is wrong/)
  await picture(page, 'issue-many')
  await chooseWho(page)
  await page.getByRole('button', { name: 'Issue 980 credentials' }).click()
  const offers = await offersOf(page, '980')
  await loadTable(page, template, Buffer.from(home.replaceAll(DAY_OF_NO_MONTH, REPAIRED)))
  await page.getByText('All 20 rows are ready').waitFor()
  await page.getByText('Müller-Lüdenscheidt 7').first().waitFor()
  await chooseWho(page)
  await page.getByRole('button', { name: 'Issue 20 credentials' }).click()
  return [...offers, ...(await offersOf(page, '20'))]
}

/** Repairs the bad rows on the page, and issues all at once. @returns the offers */
const issueAtOnce: IssuesTable = async (page, template) => {
  await loadTable(page, template, graduates())
  await page.getByText('20 of 1,000 rows cannot be issued').waitFor()
  const days = page.getByRole('textbox', { name: /^Awarded on, row/ })
  assert.equal(await days.count(), BAD_ROWS)
  for (let at = 0; at < BAD_ROWS; at += 1) await days.nth(at).fill(REPAIRED)
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('All 1,000 rows are ready').waitFor()
  await chooseWho(page)
  await page.getByRole('button', { name: 'Issue 1,000 credentials' }).click()
  return offersOf(page, '1,000')
}

async function makeRequest(page: Page, template: string): Promise<void> {
  await page.goto('/console/requests/new')
  await page.getByLabel('Which of your credentials').selectOption({ label: template })
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Name', { exact: true }).fill(`Proof of a ${template}`)
  await page.getByLabel('Degree').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('/console/requests')
}

/** Answers in the wallet what the desk asks for. @returns after how many ms the desk shows *Valid* */
async function answer(desk: Page, phone: Page): Promise<number> {
  await desk.getByText('Waiting for the wallet').waitFor()
  const link = (await desk.locator('code.secret', { hasText: 'openid4vp:' }).textContent())?.trim() ?? ''
  await phone.goto(`/open?u=${encodeURIComponent(link)}`)
  await picture(phone, 'consent')
  // As the page changes: the driver itself looks for a text every half second only.
  const shown = desk.evaluate(VALID_SHOWN).then(() => performance.now())
  const answered = phone
    .waitForResponse((one) => one.request().method() === 'POST' && one.url().includes('/me/asked/'))
    .then(() => performance.now())
  await phone.getByRole('button', { name: /^Share (it|this)/ }).click()
  const [at, from] = await Promise.all([shown, answered])
  return Math.max(0, at - from)
}

/** Makes a template and its thousand offers. @returns one of them */
async function issueAll(page: Page, template: string, issues: IssuesTable): Promise<string> {
  await makeDiploma(page, template)
  const offers = await issues(page, template)
  assert.equal(new Set(offers).size, ROWS)
  return offers[0] ?? ''
}

/** Takes an offer in the wallet of the person, and checks it at the desk. @returns the times until *Valid* */
async function checkAtDesk({ page }: Visit, template: string, offer: string): Promise<readonly number[]> {
  await makeRequest(page, template)
  const phone = await page.context().newPage()
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto(offer)
  await phone.getByRole('link', { name: 'Take it here' }).click()
  await phone.getByRole('button', { name: 'Take this card' }).click()
  await phone.waitForURL(/\/me\/cards\/[0-9a-f-]{36}\?new=1$/)
  await picture(phone, 'card')
  await page.goto('/console/verify')
  await page.getByRole('combobox').selectOption({ label: `Proof of a ${template}` })
  await page.getByRole('button', { name: 'Ask for it' }).click()
  const times: number[] = []
  for (let turn = 0; turn < CHECKS; turn += 1) {
    if (turn > 0) await page.getByRole('button', { name: 'Next person' }).click()
    times.push(await answer(page, phone))
    if (turn === 0) await picture(page, 'desk')
  }
  await phone.close()
  return times
}

/** Adds the provider on the page, and registers there the redirect address that the page then shows. */
async function addProvider(page: Page): Promise<void> {
  await page.goto('/console/sign-in-providers/new')
  await page.getByLabel('Name (optional)', { exact: true }).fill('Campus account')
  await page.getByLabel('Short name').fill('campus')
  await page.getByLabel('Address of the provider').fill(foreign.issuer)
  await page.getByLabel('Client id').fill('chirograph')
  await page.getByLabel('Client secret').fill(secret)
  await page.getByLabel('People who are not here yet are added').check()
  await page.getByLabel('Where the provider names them').fill('/realm/roles')
  for (const [row, role] of [
    [1, 'Issuer'],
    [2, 'Verifier'],
  ] as const) {
    await page.getByLabel(`Name, row ${row}`).fill('registrar')
    await page.getByLabel(`Role here, row ${row}`).selectOption({ label: role })
  }
  await page.getByRole('button', { name: 'Save' }).click()
  const redirectUri = (await page.locator('code.secret').first().innerText()).trim()
  await foreign.register({ clientId: 'chirograph', clientSecret: secret, redirectUri })
}

test('from the link in the log to a thousand offers and Valid at the desk, with pages alone; then by people of a foreign provider', async () => {
  const from = performance.now()
  const owner = await aBrowser()
  await owner.page.goto(await ownerLink())
  await owner.page.getByLabel('New password', { exact: true }).fill(password)
  await owner.page.getByLabel('New password again').fill(password)
  await owner.page.getByRole('button', { name: 'Set the password' }).click()
  await owner.page.waitForURL('/console')
  const offer = await issueAll(owner.page, 'Diploma', issueInTwo)
  const seconds = (performance.now() - from) / 1000
  assert.ok(seconds <= FIRST_DAY_SECONDS_MAX, `${seconds} s`)
  const times = [...(await checkAtDesk(owner, 'Diploma', offer))]
  await owner.page.goto('/console')
  await picture(owner.page, 'console')
  pictures = undefined

  await addProvider(owner.page)
  foreign.person = { sub: 'lerato-at-campus', preferred_username: 'lerato', realm: { roles: ['registrar'] } }
  const secretary = await aBrowser()
  await secretary.page.goto('/sign-in?tenant=default')
  await secretary.page.getByRole('button', { name: /Campus account/ }).click()
  await secretary.page.waitForURL('/account')
  const template = 'Diploma of the campus'
  const another = await issueAll(secretary.page, template, issueAtOnce)
  times.push(...(await checkAtDesk(secretary, template, another)))
  const foreigners = secretary.troubles.filter((one) => !one.startsWith(`foreign: ${foreign.issuer}/`))
  assert.deepEqual([...owner.troubles, ...foreigners], [])

  const sorted = times.toSorted((a, b) => a - b).map(Math.round)
  const [median = Number.NaN, p95 = Number.NaN] = [sorted[CHECKS], sorted[Math.ceil(0.95 * sorted.length) - 1]]
  console.log(`from the link to ${ROWS} offers ${seconds.toFixed(1)} s; the wallet answered, the desk shows it after`)
  console.log(`${median} ms, p95 of ${sorted.length} ${p95} ms (${sorted.join(' ')})`)
  assert.ok(median <= MEDIAN_MS_MAX && p95 <= P95_MS_MAX)
})
