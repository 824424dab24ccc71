// A club renews its cards from the table of its members: in a browser, with scripts and without.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, visit } from '../../../test/support/browser.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { chooseWho } from '../test-support/choose-who.ts'
import { type SignedIn, signInAs } from '../test-support/console-walk.ts'

let chirograph: Deployment
let browser: Browser
let club: Api
let secretary: SignedIn
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  club = await chirograph.backend('acme')
  secretary = await signInAs(browser, chirograph, club, 'secretary', ['issuer'])
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

async function aTemplate(code: string): Promise<string> {
  const attributes = { name: { type: 'string', name: 'Name', required: true } }
  const made = await club.post('/creds/templates/credentials', { name: 'Member', code, attributes })
  return made.body.data.id
}

/** An offer that nobody has taken. */
async function offered(template: string, reference: string): Promise<string> {
  const body = { credentialTemplateId: template, attributes: { name: 'Ada' }, reference }
  return (await club.post('/creds/credentials/issuance', body)).body.data.id
}

async function upload(page: Page, template: string, text: string): Promise<void> {
  await page.goto(`/console/issue/table?template=${template}`)
  await page.getByLabel('File').setInputFiles({ name: 'members.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByRole('button', { name: 'Check the table' }).click()
}

async function issue(page: Page, button: string): Promise<void> {
  await chooseWho(page)
  await page.getByRole('button', { name: button }).click()
  await page.waitForURL(/\/console\/batches\/[0-9a-f-]{36}/)
  for (let tries = 0; tries < 40 && !(await page.getByText('Finished').isVisible()); tries += 1) await page.reload()
  await page.getByText('Finished').waitFor()
}

const ofReference = async (template: string, reference: string) => {
  const query = `filter[templateId]=${template}&filter[reference]=${reference}`
  return (await club.get(`/creds/credentials?${query}`)).body.data
}

for (const javaScriptEnabled of [true, false]) {
  test(`who has a card already gets a new one in its place, until the day in the table: scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    const template = await aTemplate(`member-${javaScriptEnabled}`)
    const old = await offered(template, 'm-1')
    const { page, troubles, close } = await visit(browser, chirograph.url, {
      storageState: secretary,
      javaScriptEnabled,
    })
    page.setDefaultTimeout(8000)
    await upload(page, template, 'Name;Mitgliedsnummer;Gültig bis\nAda;m-1;31.12.2099\nBea;m-2;31.12.2099\n')
    await page.getByText('All 2 rows are ready').waitFor()
    assert.equal(await page.getByLabel('“Gültig bis” becomes').inputValue(), 'validUntil')
    await page.getByRole('heading', { name: 'One of these people has a card of this kind already' }).waitFor()
    await page.getByLabel('What they get').selectOption({ label: 'A new card in place of theirs' })
    await page.getByRole('button', { name: 'Apply the choice' }).click()
    await page.getByText('All 2 rows are ready').waitFor()
    assert.equal(await page.getByLabel('What they get').inputValue(), 'replace')
    await issue(page, 'Issue 2 credentials')
    const [renewed] = await ofReference(template, 'm-1')
    const validUntil = '2099-12-31T23:59:59.999Z'
    assert.partialDeepStrictEqual(renewed, { validUntil, replaces: { issuanceId: old, revoke: 'whenTaken' } })
    const [further] = await ofReference(template, 'm-2')
    assert.deepEqual([further.replaces, further.validUntil], [undefined, validUntil])
    assert.equal((await club.get(`/creds/credentials/${old}`)).body.data.status, 'canceled')
    assert.deepEqual(troubles, [])
    await close()
  })
}

test('two rows for one card, a day that has passed, and a reference of nobody are said in their cells', async () => {
  const template = await aTemplate('member-wrong')
  await offered(template, 'm-1')
  const { page, close } = await visit(browser, chirograph.url, { storageState: secretary })
  page.setDefaultTimeout(8000)
  await upload(
    page,
    template,
    'Name;Replaces;Expires\nAda;m-1;31.12.2099\nAda;m-1;31.12.2098\nBea;m-9;31.12.2099\nCy;;31.12.1999\n',
  )
  await page.getByText('3 of 4 rows cannot be issued').waitFor()
  for (const words of [
    'Row 3: Replaces the card with this reference: Another one takes its place already. Replace that one.',
    'Row 4: Replaces the card with this reference: There is no such credential to replace.',
    'Row 5: Valid until: The end has passed.',
  ])
    await page.getByRole('link', { name: words }).waitFor()
  assert.equal(await page.getByText('a card of this kind already').count(), 0, 'the table says itself what it replaces')
  await close()
})

test('who has several cards with a reference is asked about in the row, once cards are replaced', async () => {
  const template = await aTemplate('member-several')
  await offered(template, 'm-1')
  await offered(template, 'm-1')
  const { page, close } = await visit(browser, chirograph.url, { storageState: secretary })
  page.setDefaultTimeout(8000)
  await upload(page, template, 'Name;Reference\nAda;m-1\nBea;m-2\n')
  await page.getByText('All 2 rows are ready').waitFor()
  await page.getByLabel('What they get').selectOption('replace')
  await page.getByRole('button', { name: 'Apply the choice' }).click()
  await page.getByText('1 of 2 rows cannot be issued').waitFor()
  await page.getByText('Several credentials have this reference. Choose one of them.').first().waitFor()
  await page.getByLabel('What they get').selectOption('further')
  await page.getByRole('button', { name: 'Apply the choice' }).click()
  await page.getByText('All 2 rows are ready').waitFor()
  await issue(page, 'Issue 2 credentials')
  assert.equal((await ofReference(template, 'm-1')).length, 3)
  await close()
})
