import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { axeDefects, layoutDefects, openBrowser, type Visit, visit } from '../../../../test/support/browser.ts'
import { aLink, aPagesServer, type PagesServer } from '../test-support/pages-server.ts'
import { aName, aTenantWith } from '../test-support/person.ts'
import type { UserRef } from '../visit.ts'

const PASSWORD = 'a lighthouse made of bread'
const KILOBYTE = 1000

let server: PagesServer
let browser: Browser
before(async () => {
  server = await aPagesServer()
  browser = await openBrowser()
})
after(async () => {
  await browser.close()
  await server.close()
})

type Person = UserRef & { readonly slug: string; readonly username: string }

async function aPerson(): Promise<Person> {
  const username = aName()
  const { slug, people } = await aTenantWith(server.platform, [{ username, firstName: 'Thandi', lastName: 'Molefe' }])
  const [person] = people
  assert.ok(person)
  return { ...person, slug, username }
}

/** Nothing is wrong with the page, nor was anything on the way to it. */
async function isSound({ page, troubles }: Visit): Promise<void> {
  assert.deepEqual([...(await axeDefects(page)), ...(await layoutDefects(page)), ...troubles], [])
}

/** An authenticator inside of the browser, which holds passkeys and verifies its user. */
async function withAuthenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  })
  return session
}

/** Presses Tab until the element with this name has the focus, as a person without a mouse does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      `(() => { const one = document.activeElement; return (one.labels?.[0] ?? one).textContent.trim() })()`,
    )
    if (name.test(focused)) return
  }
  assert.fail(`Tab does not reach ${name} at ${page.url()}`)
}

async function welcomed(person: Person, opened: Visit): Promise<void> {
  const { page } = opened
  await page.goto(await aLink(server.platform, person, 'welcome'))
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('New password again').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.waitForURL('/account')
}

for (const javaScriptEnabled of [true, false]) {
  test(`by keyboard alone: a first sign-in, sign-out and sign-in, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const person = await aPerson()
    const opened = await visit(browser, server.origin, { javaScriptEnabled, viewport: { width: 320, height: 640 } })
    const { page, troubles, close } = opened
    await page.goto(await aLink(server.platform, person, 'welcome'))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.match(page.url(), /#main$/, 'the first stop skips the header')
    await tabTo(page, /^New password$/)
    await page.keyboard.type('short')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=alert]')
    assert.equal(await page.evaluate(`document.activeElement.getAttribute('role')`), 'alert')
    assert.match(await page.title(), /^Error: /)
    await tabTo(page, /^Enter the same/)
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.name'), 'repeated', 'the summary leads to the field')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.type(PASSWORD)
    await tabTo(page, /^New password again$/)
    await page.keyboard.type(PASSWORD)
    await tabTo(page, /^Set the password$/)
    await page.keyboard.press('Enter')
    await page.waitForURL('/account')
    await tabTo(page, /^Sign out$/)
    await page.keyboard.press('Enter')
    await page.waitForURL('/sign-out')
    await tabTo(page, /^Sign in again$/)
    await page.keyboard.press('Enter')
    await page.waitForURL('/sign-in')
    await tabTo(page, /^Username/)
    await page.keyboard.type(person.username)
    await tabTo(page, /^Password$/)
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL('/account')
    assert.deepEqual([...(await layoutDefects(page)), ...troubles], [])
    await close()
  })
}

test('a passkey: the first sign-in by a link, a sign-in without a username, rename and remove', async () => {
  const person = await aPerson()
  const opened = await visit(browser, server.origin)
  const { page } = opened
  await withAuthenticator(page)
  await page.goto(await aLink(server.platform, person, 'welcome'))
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL('/account')
  await page
    .getByText(/^(Chrome|Safari), Linux$/)
    .first()
    .waitFor()
  await isSound(opened)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL('/account')
  await page.getByRole('link', { name: 'Rename' }).click()
  await page.getByLabel('Name').fill('My phone')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('My phone', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove the passkey “My phone”?' })
  assert.deepEqual(await layoutDefects(page), [])
  assert.deepEqual(await axeDefects(page), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await page.getByText('My phone', { exact: true }).count(), 1)
  await page.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The passkey was removed.').waitFor()
  assert.equal(await page.getByText('My phone', { exact: true }).count(), 0)
  assert.deepEqual(opened.troubles, [])
  await opened.close()
})

test('a person with a password adds a passkey, once a device; a removed one is refused with a way out', async () => {
  const opened = await visit(browser, server.origin)
  const { page } = opened
  await withAuthenticator(page)
  await welcomed(await aPerson(), opened)
  const add = page.getByRole('button', { name: 'Add a passkey' })
  await page.getByLabel('Name').fill('Laptop')
  await add.click()
  await page.getByText('The passkey was added.').waitFor()
  await add.click()
  await page.getByText('No passkey was added.').waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The passkey was removed.').waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This passkey is not known here.').waitFor()
  await isSound(opened)
  await opened.close()
})

test('the sign-in leads on to the authorization endpoint, past the policy for forms', async () => {
  const person = await aPerson()
  const opened = await visit(browser, server.origin)
  await welcomed(person, opened)
  const { page } = opened
  const target = '/auth/authorize?client_id=a'
  await page.goto(`/sign-in?again=1&continue=${encodeURIComponent(target)}`)
  await page.getByLabel('Username').fill(person.username)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(target)
  assert.deepEqual(opened.troubles, [])
  await opened.close()
})

test('the policy holds: no inline script runs, no string becomes HTML', async () => {
  const { page, close } = await visit(browser, server.origin)
  await page.goto('/sign-in')
  const tried = await page.evaluate(`(() => {
    const script = document.createElement('script')
    try { script.text = 'globalThis.ran = true' } catch (error) { return error.name }
    document.body.append(script)
    return globalThis.ran ?? 'not run'
  })()`)
  assert.equal(tried, 'TypeError')
  assert.equal(
    await page.evaluate(
      `(() => { try { document.body.innerHTML = '<b>x</b>' } catch (error) { return error.name } })()`,
    ),
    'TypeError',
  )
  await close()
})

test('the sign-in page weighs at most 10 kB in all', async () => {
  const response = await fetch(`${server.origin}/sign-in`)
  const html = await response.text()
  const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const asset = await fetch(server.origin + path, { headers: { 'accept-encoding': 'identity' } })
      return brotliCompressSync(Buffer.from(await asset.text())).length
    }),
  )
  const total = Buffer.byteLength(html) + sizes.reduce((sum, one) => sum + one, 0)
  console.log(
    `sign-in: HTML ${Buffer.byteLength(html)} B as sent, ${paths.map((path, index) => `${path} ${sizes[index]} B`).join(', ')}`,
  )
  assert(total <= 10 * KILOBYTE, String(total))
})
