// The files of programs in a browser: from each to cards that are issued as they are proposed, into a wallet of ours
// and into one of another maker, and to a link that a third library verifies.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, visit } from '../../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { redeemByPeer } from '../../issuance/test-support/peer-wallet.ts'
import { type ProgramExport, textExports } from '../../tables/test-support/text-exports.ts'
import { workbookExports } from '../../tables/test-support/workbook-exports.ts'
import { verifiedBySdJwtLibrary } from '../../wallet/test-support/verify-link-file.ts'
import { chooseWho } from '../test-support/choose-who.ts'
import { type SignedIn, signInAs } from '../test-support/console-walk.ts'

const LINKS = 'A file with links'

let chirograph: Deployment
let browser: Browser
let school: Api
let thandi: Api
let secretary: SignedIn
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  secretary = await signInAs(browser, chirograph, school, 'secretary', ['issuer'])
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

/** Issues a file as the pages propose it. @returns the id of its batch */
async function issue(page: Page, { program, file, rows, dates }: ProgramExport, at: number): Promise<string> {
  await page.goto('/console/issue')
  const extension = workbookExports.some((one) => one.file === file) ? 'xlsx' : 'csv'
  const upload = { name: `export ${at}.${extension}`, mimeType: 'application/octet-stream', buffer: Buffer.from(file) }
  await page.getByLabel('File').setInputFiles(upload)
  await page.getByRole('button', { name: 'Check the table' }).click()
  await page.waitForURL(/\/card$/)
  await page.getByRole('button', { name: 'Make this card' }).click()
  if (dates !== undefined) {
    await page.getByLabel('Dates', { exact: true }).selectOption(dates)
    await page.getByRole('button', { name: 'Check again' }).click()
  }
  await page.getByText(`All ${rows} rows are ready`).waitFor()
  await chooseWho(page, LINKS)
  await page.getByRole('button', { name: `Issue ${rows} credentials` }).click()
  await page.waitForURL(/\/console\/batches\/[0-9a-f-]{36}\?by=links$/)
  await page.getByText('Finished').waitFor()
  assert.deepEqual(await page.locator('dd.figure').allInnerTexts(), [`${rows}`, '0', '0', `${rows}`], program)
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

/** Takes an offer into a wallet of this server, and shares the card by a link. @returns what the link gives */
async function share(credentialOffer: string) {
  const taken = await thandi.post('/wallet/v2/credentials', { credentialOffer })
  assert.equal(taken.status, 201, JSON.stringify(taken.body))
  const [{ id: credentialId }] = taken.body.data
  assert.equal((await thandi.patch(`/wallet/v2/credentials/${credentialId}`, { status: 'accepted' })).status, 200)
  const { data } = (await thandi.get(`/wallet/v2/credentials/${credentialId}/shareable-claims`)).body
  const [{ path }] = data.selectable
  const asked = { credentialId, claims: [path], recipient: 'Globex', purpose: 'An application' }
  const { status, body } = await thandi.post('/wallet/v2/shared-links', asked)
  assert.equal(status, 201, JSON.stringify(body))
  const { pathname } = new URL(body.data.address)
  const shared = await chirograph.nobody.get(`${pathname}/presentation.json`)
  return { shared: shared.body, name: path[0] as string }
}

for (const [at, one] of [...textExports, ...workbookExports].entries())
  test(`a file of ${one.program} reaches the wallets of its people`, async () => {
    const { page, troubles, close } = await visit(browser, chirograph.url, { storageState: secretary })
    page.setDefaultTimeout(10_000)
    const batch = await issue(page, one, at)
    const { items, credentialTemplateId } = (await school.get(`/creds/credentials/issuance/batch/${batch}`)).body.data
    const { shared, name } = await share(items[0].offerUri)
    const { payload } = await verifiedBySdJwtLibrary(chirograph.nobody, shared)
    assert.ok(name in payload)
    const { credentialResponse } = await redeemByPeer(items[1].offerUri)
    assert.equal(credentialResponse.credentials?.length, 1)
    assert.deepEqual(troubles, [])
    await close()
    // The next file is that of another organisation, which has no card for it.
    assert.equal((await school.delete(`/creds/templates/credentials/${credentialTemplateId}`)).status, 200)
  })
