// A table of 320 people as an office keeps it becomes cards that are mailed; a person without an account takes one on a
// phone, shares it and gets a corrected one; a wallet of another maker takes another. On PostgreSQL two server
// processes answer in turn.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { signInAs } from '../../src/console/test-support/console-walk.ts'
import { phone } from '../../src/holder/test-support/holder-world.ts'
import { redeemByPeer } from '../../src/issuance/test-support/peer-wallet.ts'
import { aMailServer, type MailServer, textOf } from '../../src/mail/test-support/mail-server.ts'
import { verifiedBySdJwtLibrary } from '../../src/wallet/test-support/verify-link-file.ts'
import { downloaded, openBrowser, type Visit, visit } from '../support/browser.ts'
import { password } from '../support/oauth-person.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'
import { until } from '../support/until.ts'

const ROWS = 320
/** After the file is chosen, until its cards are issued. A decision is what a page proposes to be taken or changed. */
const [PRESSES_MAX, DECISIONS_MAX] = [12, 3]
/** From the first page of the clerk to the last of the stranger, also beside other tests. */
const STORY_SECONDS_MAX = 300

let mails: MailServer
let chirograph: Deployment
let browser: Browser
let college: Api
const opened: Visit[] = []
before(async () => {
  mails = await aMailServer()
  ;[chirograph, browser] = await Promise.all([deploy({}, { SMTP_URL: mails.url }), openBrowser()])
  college = await chirograph.backend('acme')
  await college.patch('/onboarding/organisation', { heldAttributes: 'kept' })
})
after(async () => {
  await browser?.close()
  await chirograph?.stop()
  await mails.close()
})

async function aBrowser(options: object = {}): Promise<Page> {
  const visited = await visit(browser, chirograph.url, { acceptDownloads: true, ...options })
  opened.push(visited)
  visited.page.setDefaultTimeout(15_000)
  return visited.page
}

const addressOf = (at: number) => `person${at}@example.org`

/** With a title, empty rows, a total, decimal commas and days as they are written there, in Windows-1252. */
function graduates(): Buffer {
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const day = `${String((at % 28) + 1).padStart(2, '0')}.03.1999`
    return `Müller ${at};Jürgen;${day};Völkerkunde;${1 + (at % 3)},${at % 10};${addressOf(at)}`
  })
  const above = ['Absolventinnen und Absolventen, Sommer 2026;;;;;', ';;;;;', 'Stand: 12.05.2026;;;;;', ';;;;;']
  const head = 'Name;Vorname;Geburtsdatum;Studiengang;Note;E-Mail'
  const lines = [...above, head, ...rows.toSpliced(100, 0, ';;;;;'), ';;;;;', `Summe;;;;${ROWS};`, ';;;;;']
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

/** Counts from now on what is pressed on the pages of a browser: buttons, links, boxes, and their labels. */
async function countPresses(page: Page): Promise<() => number> {
  let presses = 0
  await page.exposeFunction('countPress', () => {
    presses += 1
  })
  const watch = `addEventListener('pointerdown', ({ target }) => {
    if (target.closest('a, button, input, select, summary, label') !== null) countPress()
  }, true)`
  await page.addInitScript(watch)
  await page.evaluate(watch)
  return () => presses
}

/** Issues the table, and says what that took of the clerk. */
async function issueTable(page: Page): Promise<{ readonly presses: number; readonly decisions: readonly string[] }> {
  await page.goto('/console/issue')
  const file = { name: 'absolventen_2026.csv', mimeType: 'text/csv', buffer: graduates() }
  await page.getByLabel('File').setInputFiles(file)
  const presses = await countPresses(page)
  const decisions: string[] = []
  /** What is proposed is on the page before the press that takes it. */
  const decide = async (what: string, ...seen: readonly Locator[]) => {
    for (const one of seen) await one.waitFor()
    decisions.push(what)
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await press('Check the table')
  await page.getByText('The headings are in row 5.').waitFor()
  const card = page.locator('.credential').getByText('Müller 0 · Jürgen')
  await decide('what the card says', card, page.getByText('A date: 320 of 320 cells are dates.'))
  await press('Make this card')
  await page.getByText('All 320 rows are ready').waitFor()
  await press('Next: who gets it')
  await decide('who gets it', page.getByText('The column “E-Mail” has an address in 320 of 320 rows.'))
  await press('Check who is reached')
  await decide('whether to issue', page.getByText('320 rows reach their people'))
  await press('Issue 320 credentials')
  await page.getByText('Finished').waitFor()
  assert.deepEqual(await page.locator('dd.figure').allInnerTexts(), ['320', '0', '0', '320'])
  return { presses: presses(), decisions }
}

/** The https link in the newest mail to a person of the table. */
async function mailedLink(at: number, before = 0): Promise<string> {
  const found = await until(() => mails.mails.filter(({ to }) => to.includes(`<${addressOf(at)}>`))[before])
  return /https?:\/\/\S+\/offer\/[\w/-]+/.exec(textOf(found.raw))?.[0] ?? assert.fail(found.raw)
}

/** Opens the mail of a person who has no account, makes a wallet, and takes the card. @returns its path */
async function takeInNewWallet(page: Page, link: string): Promise<string> {
  await page.goto(link)
  await page.getByRole('button', { name: 'Make a wallet and take it' }).click()
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('New password again').fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
  return takeCard(page)
}

async function takeCard(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.waitForURL(/\/me\/cards\/[0-9a-f-]{36}\?new=1$/)
  return new URL(page.url()).pathname
}

/** Makes a link that shows the grade. @returns its address */
async function shareGrade(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Share a link' }).click()
  await page.getByLabel('Note').check()
  await page.getByLabel('Who is it for?').fill('Globex')
  await page.getByLabel('What is it for?').fill('My application')
  await page.getByRole('button', { name: 'Create the link' }).click()
  return (await page.locator('code.secret').innerText()).trim()
}

const verdictOf = (page: Page) => page.locator('.verdict h2').innerText()

/** Opens a link in a browser without a session, and lets another library verify what can be downloaded there. */
async function checkLink(page: Page, address: string): Promise<Record<string, unknown>> {
  await page.goto(address)
  assert.equal(await verdictOf(page), 'Valid')
  const file = await downloaded(page, 'Download the presentation')
  const { payload } = await verifiedBySdJwtLibrary(chirograph.nobody, JSON.parse(file.toString()))
  return payload
}

/** Finds the card of the first person, and issues one with its values and another grade in its place. */
async function correctGrade(page: Page): Promise<void> {
  await page.goto('/console/credentials')
  await page.getByLabel('Name').fill('Müller 0')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('row', { name: 'Müller 0 Jürgen' }).getByRole('link').click()
  await page.getByRole('link', { name: 'Replace' }).click()
  await page.getByLabel('Note', { exact: true }).fill('1,1')
  await page.getByLabel('Send the offer by mail to').fill(addressOf(0))
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.waitForURL(/\/console\/credentials\/[0-9a-f-]{36}$/)
}

test('from a messy table to the card in a hand, shared, verified by another library, corrected; and into a foreign wallet', async () => {
  const from = performance.now()
  const storageState = await signInAs(browser, chirograph, college, 'registrar', ['issuer'])
  const clerk = await aBrowser({ storageState })
  const { presses, decisions } = await issueTable(clerk)

  const person = await aBrowser(phone)
  const old = await takeInNewWallet(person, await mailedLink(0))
  const link = await shareGrade(person)
  const stranger = await aBrowser()
  const { note, studiengang, vorname } = await checkLink(stranger, link)
  assert.deepEqual(
    [note, studiengang, vorname],
    [1, 'Völkerkunde', undefined],
    'what all have in common is always shown',
  )

  await correctGrade(clerk)
  await person.goto(await mailedLink(0, 1))
  await person.getByRole('link', { name: 'Take it here' }).click()
  const corrected = await takeCard(person)
  // The issuer is told in the background that the new one was taken; then the wallet looks what became of the old one.
  await until(async () => {
    await person.goto('/me')
    return (await person.locator('a.credential').count()) === 1
  }, 200)
  await person.locator(`a[href="${corrected}"]`).click()
  await person.locator(`a[href="${old}"]`).waitFor()
  await stranger.goto(link)
  assert.equal(await verdictOf(stranger), 'Revoked')

  const other = await aBrowser(phone)
  await other.goto(await mailedLink(1))
  const app = await other.getByRole('link', { name: 'Open another wallet' }).getAttribute('href')
  const { credentialResponse } = await redeemByPeer(app ?? '')
  assert.equal(credentialResponse.credentials?.length, 1)

  await until(() => new Set(mails.mails.map(({ to }) => to)).size === ROWS)
  const seconds = (performance.now() - from) / 1000
  console.log(`${presses} presses and ${decisions.length} decisions (${decisions.join(', ')}) from the file to ${ROWS}`)
  console.log(`cards; ${seconds.toFixed(1)} s in all`)
  assert.ok(presses <= PRESSES_MAX && decisions.length <= DECISIONS_MAX)
  assert.ok(seconds <= STORY_SECONDS_MAX, `${seconds} s`)
  assert.deepEqual(
    opened.flatMap(({ troubles }) => troubles),
    [],
  )
})
