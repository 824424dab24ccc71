// The screens of verification pages: made, repaired, changed by two people, closed and deleted, without script.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser, visit } from '../../../test/support/browser.ts'
import { makeTemplate } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { type SignedIn, signInAs } from '../test-support/console-walk.ts'

let chirograph: Deployment
let browser: Browser
let acme: Api
let verifier: SignedIn
let reader: SignedIn
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  acme = await chirograph.backend('acme')
  verifier = await signInAs(browser, chirograph, acme, 'naledi', ['verifier'])
  reader = await signInAs(browser, chirograph, acme, 'auditor', ['auditor'])
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

const open = (as: SignedIn) => visit(browser, chirograph.url, { storageState: as, javaScriptEnabled: false })

test('a page is made, with its mistakes told at their fields, changed by two people, closed and deleted', async () => {
  const { page, troubles, close } = await open(verifier)
  await page.goto('/console')
  await page.getByRole('link', { name: 'Public pages' }).click()
  await page.getByText('without any code of yours').waitFor()
  await page.getByRole('link', { name: 'Make one' }).first().click()
  await page.getByText('First make a request').waitFor()
  const { type } = await makeTemplate(acme, 'badge')
  const credentials = [{ type, name: 'Student card', attributes: { level: {} } }]
  await acme.post('/creds/templates/presentations', { name: 'Student', description: '', credentials })
  await page.reload()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#name-error').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Discount')
  await page.getByLabel('Heading').fill('Show your card')
  await page.getByLabel('Websites that may').fill('https://shop.example.org/cart')
  await page.getByText('More settings').click()
  await page.getByLabel('Minutes to answer').fill('90')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#expiresInSeconds-error').getByText('60 or less').waitFor()
  await page.getByLabel('Minutes to answer').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#origins-error').getByText('nothing behind it').waitFor()
  assert.equal(await page.getByLabel('Heading').inputValue(), 'Show your card')
  await page.getByLabel('Websites that may').fill('https://shop.example.org\nhttps://www.example.org')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/console\/verification-pages\/[0-9a-f-]{36}$/)
  const [{ id, ...made }] = (await acme.get('/creds/verification-pages')).body.data
  assert.partialDeepStrictEqual(made, {
    name: 'Discount',
    heading: 'Show your card',
    expiresInSeconds: 300,
    isOpen: true,
    explanation: null,
    origins: ['https://shop.example.org', 'https://www.example.org'],
  })
  await page.getByText(`<chirograph-verify page="${id}"></chirograph-verify>`).waitFor()
  await acme.patch(`/creds/verification-pages/${id}`, { heading: 'From another person' })
  await page.getByLabel('State').selectOption({ label: 'Closed' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('was changed in the meantime').first().waitFor()
  await page.getByRole('cell', { name: 'From another person' }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/console\/verification-pages\/[0-9a-f-]{36}$/)
  const saved = (await acme.get(`/creds/verification-pages/${id}`)).body.data
  assert.deepEqual([saved.isOpen, saved.heading], [false, 'Show your card'])
  await page.goto('/console/verification-pages')
  await page.getByText('Closed').waitFor()
  await page.getByRole('link', { name: 'Discount' }).click()
  await page.getByRole('link', { name: 'See it' }).click()
  await page.getByText('This page is closed').first().waitFor()
  const other = await open(reader)
  await other.page.goto(`/console/verification-pages/${id}`)
  await other.page.getByText('Link to the page').waitFor()
  assert.equal(await other.page.getByRole('button', { name: 'Save' }).count(), 0)
  assert.equal(await other.page.getByRole('link', { name: 'Delete' }).count(), 0)
  await other.close()
  await page.goto(`/console/verification-pages/${id}/delete`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('without any code of yours').waitFor()
  assert.deepEqual(troubles, [])
  await close()
})
