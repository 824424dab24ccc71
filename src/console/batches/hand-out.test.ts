// A batch is handed out from its page: as a list, as letters, and its failed rows as a new table.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeDefects, layoutDefects, openBrowser, visit } from '../../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { chooseWho } from '../test-support/choose-who.ts'
import { signInAs } from '../test-support/console-walk.ts'

let chirograph: Deployment
let browser: Browser
let school: Api
let batch: string
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  school = await chirograph.backend('acme')
  const text = (name: string) => ({ type: 'string', name, required: true })
  const template = await school.post('/creds/templates/credentials', {
    name: 'Member',
    code: 'member',
    label: ['/family_name'],
    txCode: { length: 6 },
    attributes: { family_name: text('Family name'), level: { type: 'number', name: 'Level' } },
  })
  const query = new URLSearchParams({
    credentialTemplateId: template.body.data.id,
    name: 'Spring',
    keep: '["Family name","Level","Room"]',
  })
  const table = 'Family name,Level,Room\nMolefe,1,B 12\nDube,high,B 13'
  const path = '/creds/credentials/issuance/batch'
  const made = await school.send('POST', `${path}?${query}`, table, { 'content-type': 'text/csv' })
  assert.equal(made.status, 202, JSON.stringify(made.body))
  batch = made.body.data.id
  for (let tries = 0; tries < 30; tries += 1) {
    const { body } = await school.get(`${path}/${batch}`, { prefer: 'wait=5' })
    if (body.data.status === 'completed') return
  }
  assert.fail('the batch does not end')
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

async function download(page: Page, name: string): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
  return readFileSync(await file.path())
}

test('letters, codes and lists are saved, and the failed rows become a new table with the columns of the first', async () => {
  const signedIn = await signInAs(browser, chirograph, school, 'secretary', ['issuer'])
  const { page, troubles } = await visit(browser, chirograph.url, { storageState: signedIn, acceptDownloads: true })
  await page.goto(`/console/batches/${batch}`)
  for (const name of ['Letters to print (PDF)', 'Letters without codes (PDF)', 'Codes to print (PDF)'])
    assert.equal((await download(page, name)).toString('latin1', 0, 5), '%PDF-')
  assert.equal((await download(page, 'List with links (Excel)')).toString('latin1', 0, 2), 'PK')
  const failed = (await download(page, 'Take failed rows home (CSV)')).toString()
  assert.match(failed, /^\ufeffFamily name,Level,Room,What is wrong\r\nDube,high,B 13,level /)
  for (const width of [1360, 320]) {
    await page.setViewportSize({ width, height: 900 })
    assert.deepEqual(await layoutDefects(page), [])
  }
  assert.deepEqual(await axeDefects(page), [])
  await page.getByRole('button', { name: 'Repair and repeat the failed rows' }).click()
  await page.getByRole('link', { name: 'Row 2: Write Level as a number, such as 60.5' }).waitFor()
  await page.getByRole('textbox', { name: /^Level, row/ }).fill('7')
  await page.getByRole('button', { name: 'Check the repairs' }).click()
  await page.getByText('The row is ready').waitFor()
  await chooseWho(page, 'Letters to print')
  await page.getByRole('button', { name: 'Issue 1 credential' }).click()
  await page.waitForURL(/\/console\/batches\/[0-9a-f-]{36}\?by=letters$/)
  await page.getByText('Finished').waitFor()
  assert.deepEqual(await page.locator('dd.figure').allInnerTexts(), ['1', '0', '0', '1'])
  assert.deepEqual(troubles, [])
})
