// The https link of a request: what it says to whom has it, and how it opens a wallet.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { axeDefects, layoutDefects } from '../../test/support/browser.ts'
import { publicRequestTexts } from './app/public-request-texts.ts'
import { offerTexts } from './offers/texts.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
let world: HolderWorld
before(async () => {
  world = await HolderWorld.open()
  const { page } = await world.open(world.thandi)
  await take(page, (await world.issue()).offerUri)
})
after(async () => {
  await world.closeOpened()
  await world.close()
})

/** Asks for a degree. `verifierConfig`: of the template. */
async function asked(verifierConfig: object = { purpose: 'For your application.' }) {
  const credentials = [{ type: world.diploma.type, name: 'Diploma', attributes: { degree: {} } }]
  const body = { name: 'Degree', description: 'internal', credentials, verifierConfig }
  const made = await world.acme.post('/creds/templates/presentations', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const request = await world.acme.post('/creds/presentations/request', { presentationTemplateId: made.body.data.id })
  assert.equal(request.status, 200, JSON.stringify(request.body))
  return request.body.data
}

for (const [what, verifierConfig] of [
  ['signed', undefined],
  ['by value', { clientIdPrefix: 'redirect_uri', purpose: 'For your application.' }],
] as const)
  test(`a request ${what} has a page without a session, which opens the wallet here, another one, or shows a code`, async () => {
    const request = await asked(verifierConfig)
    assert.equal(new URL(request.requestPageUri).origin, world.chirograph.url)
    for (const look of [small, { colorScheme: 'dark', locale: 'fr', javaScriptEnabled: false }] as const) {
      const { page, troubles } = await world.open(null, look)
      assert.equal((await page.goto(request.requestPageUri))?.status(), 200)
      const t = publicRequestTexts['locale' in look ? 'fr' : 'en']
      await page.getByRole('heading', { level: 1, name: t.title('Acme College') }).waitFor()
      const text = await page.locator('main').innerText()
      for (const part of ['Diploma', 'For your application.']) assert.ok(text.includes(part), text)
      assert.ok(!text.includes('internal'))
      const qr = await page.locator('img.qr').getAttribute('src')
      assert.equal((await fetch(world.chirograph.url + qr)).status, 200)
      assert.equal(await page.locator(`a[href="${request.authorizationRequestUri}"]`).count(), 1)
      assert.deepEqual([await layoutDefects(page), troubles], [[], []])
      if (!('locale' in look)) assert.deepEqual(await axeDefects(page), [])
      if (pictures !== undefined)
        await page.screenshot({ path: `${pictures}/request-${what}-${'locale' in look}.png`, fullPage: true })
    }
    const { page } = await world.open(world.thandi, { locale: 'en' })
    // Pasted into the wallet, the link leads to the same page.
    await page.goto(opening(request.requestPageUri))
    assert.equal(page.url(), request.requestPageUri)
    await page.getByRole('link', { name: publicRequestTexts.en.here }).click()
    await page.getByRole('button', { name: /^Share/ }).click()
    await page.getByRole('heading', { name: 'You shared it' }).waitFor()
    const { body } = await world.acme.get(`/creds/presentations/${request.id}`)
    assert.equal(body.data.status, 'verified')
    // The page says that it is over; the person's wallet knows who answered.
    assert.equal((await page.goto(request.requestPageUri))?.status(), 410)
    await page.getByRole('heading', { level: 1, name: offerTexts.en.answered[0] ?? '' }).waitFor()
    assert.ok(!(await page.locator('main').innerText()).includes('Diploma'))
    await page.getByRole('link', { name: offerTexts.en.mine }).waitFor()
  })

test('the wallet of the person who answered is one click from the page of a request that is over', async () => {
  const request = await asked()
  const { page } = await world.open(world.thandi, { locale: 'en' })
  await page.goto(request.requestPageUri)
  await page.getByRole('link', { name: publicRequestTexts.en.here }).click()
  await page.getByRole('button', { name: /^Share/ }).click()
  await page.getByRole('heading', { name: 'You shared it' }).waitFor()
  const answered = page.url()
  await page.goto(request.requestPageUri)
  await page.getByRole('link', { name: offerTexts.en.mine }).click()
  assert.equal(page.url(), answered)
})

test('the page of a request that was withdrawn or never was says so, and nothing else of it', async () => {
  const request = await asked()
  assert.equal((await world.acme.delete(`/creds/presentations/${request.id}`)).status, 200)
  const { page } = await world.open(null, { locale: 'en', ...small })
  const unknown = `${world.chirograph.url}/request/acme/${'a'.repeat(43)}`
  for (const [uri, status, title = ''] of [
    [request.requestPageUri, 410, offerTexts.en.canceled[0]],
    [unknown, 404, offerTexts.en.noRequest[0]],
    [unknown.replace('acme', 'nobody'), 404, offerTexts.en.noRequest[0]],
    [request.requestPageUri.replace('acme', 'globex'), 404, offerTexts.en.noRequest[0]],
    [`${world.chirograph.url}/request/acme/x`, 404, offerTexts.en.noRequest[0]],
    [`${world.chirograph.url}/request/acme/%00`, 404, offerTexts.en.noRequest[0]],
  ] as const) {
    assert.equal((await page.goto(uri))?.status(), status, uri)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    assert.deepEqual(await layoutDefects(page), [], uri)
  }
})
