// A newcomer starts a server without a bootstrap file, and opens the link that it logs in Debian's Chromium. On
// PostgreSQL two server processes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeDefects, layoutDefects, openBrowser, visit } from '../support/browser.ts'
import { password } from '../support/oauth-person.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'
import { until } from '../support/until.ts'

let browser: Browser
before(async () => {
  browser = await openBrowser()
})
after(() => browser.close())

/** The links that the processes of a fresh start have logged, one each. */
function loggedLinks(server: ServerChildren): Promise<string[]> {
  const processes = new Set(server.urls).size
  return until(() => {
    const lines = server.log().split('\n').slice(0, -1)
    const links = lines.flatMap((line) => JSON.parse(line).link ?? [])
    return links.length >= processes && links
  })
}

/** What an operator who reads the terminal is shown. */
function shownOf(link: string): string {
  return `\nThere is no owner yet. To become one, open within an hour:\n\n  ${link}\n\n`
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('owner')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('/account')
}

for (const javaScriptEnabled of [true, false]) {
  test(`the link of a fresh start makes a newcomer the owner, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const server = await serverChildren(null, { LOG_LEVEL: 'info' })
    try {
      const links = await loggedLinks(server)
      const link = links.at(-1) ?? ''
      assert(link.startsWith(`${server.url}/sign-in/link?token=`), link)
      await until(() => links.every((one) => server.told().includes(one)))
      assert.equal(server.told(), links.map(shownOf).join(''))
      const opened = await visit(browser, server.url, { javaScriptEnabled })
      const { page } = opened
      const isSound = async () => {
        const defects = [...(javaScriptEnabled ? await axeDefects(page) : []), ...(await layoutDefects(page))]
        assert.deepEqual([...defects, ...opened.troubles], [], page.url())
      }
      await page.goto('/')
      const shown = page.getByRole('link', { name: 'Become its owner' })
      assert.ok(
        links.includes((await shown.getAttribute('href')) ?? ''),
        'the first page shows the link of its process',
      )
      await isSound()
      await page.goto(link)
      await isSound()
      await page.getByLabel('New password', { exact: true }).fill(password)
      await page.getByLabel('New password again').fill(password)
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.waitForURL('/console')
      await isSound()
      await page.goto('/account')
      await isSound()
      assert.deepEqual(await page.locator('dd').allTextContents(), ['owner', 'Default', 'Owner'])
      await page.getByText('this browser', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Go to the console' }).click()
      await page.waitForURL('/console')
      await page.goBack()

      const elsewhere = await visit(browser, server.url, { javaScriptEnabled })
      for (const used of links) {
        const status = (await elsewhere.page.goto(used))?.status()
        assert.equal(status, 410, 'a link works once, and only the newest one')
      }
      await elsewhere.page.goto('/sign-in')
      await signIn(elsewhere.page)
      await page.reload()
      await page.getByRole('button', { name: 'Sign out there' }).click()
      await page.waitForURL('/account?done=session_ended')
      await isSound()
      await elsewhere.page.goto('/account')
      assert.equal(new URL(elsewhere.page.url()).pathname, '/sign-in', 'its session was ended')
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.waitForURL('/sign-out')
      await isSound()
      await page.goto('/sign-in')
      await signIn(page)
      const told = server.told()
      await server.kill(0)
      await server.start(0)
      assert.equal(server.told(), told, 'a start with an owner shows no link')
      await elsewhere.close()
      await opened.close()
    } finally {
      await server.stop()
    }
  })
}
