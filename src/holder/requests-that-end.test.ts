// Requests that somebody else answered, that were withdrawn, or that nobody knows: which it was, and who has seen what.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { layoutDefects } from '../../test/support/browser.ts'
import { askedTexts } from './asked/texts.ts'
import { offerTexts } from './offers/texts.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'

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

async function told(page: Page, [title = '', what = '']: readonly string[]): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.locator('.outcome').getByText(what).waitFor()
  assert.deepEqual(await layoutDefects(page), [], title)
}

const thandisPage = (options = {}): Promise<Page> =>
  world.openBeside(world.thandi, { locale: 'en', ...small, ...options })

test('a request that another person answered shares nothing more, opened before or after, and says so', async () => {
  const pieter = await world.chirograph.wallet('acme', 'pieter')
  const card = await pieter.post('/wallet/v2/credentials', { credentialOffer: (await world.issue()).offerUri })
  await pieter.patch(`/wallet/v2/credentials/${card.body.data[0].id}`, { status: 'accepted' })
  const link = await world.ask()
  const page = await thandisPage()
  await page.goto(opening(link))
  const share = page.getByRole('button', { name: /^Share these 2/ })
  await share.waitFor()
  const asked = await pieter.post('/wallet/v2/presentations', { presentationRequest: link })
  const path = `/wallet/v2/presentations/${asked.body.data.id}`
  assert.equal((await pieter.patch(path, { status: 'answered' })).status, 200)
  await share.click()
  const [title = '', unread = ''] = askedTexts.en.late.answered
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.getByText(unread).waitFor()
  assert.deepEqual(await layoutDefects(page), [])
  assert.equal(await page.locator('main li').count(), 0, 'nothing is listed as seen')
  // What the verifier got is what the first person sent.
  const { body } = await world.acme.get('/creds/presentations?page[size]=1')
  assert.equal(body.data[0].status, 'verified')
  const thandi = await world.chirograph.wallet('acme', 'thandi')
  const [entry] = (await thandi.get('/wallet/v2/history?filter[kind]=presentation&page[size]=1')).body.data
  assert.deepEqual([entry.status, entry.presentation.disclosed], ['failed', 'no'])
  const late = await world.open(world.newcomer, small)
  assert.equal((await late.page.goto(opening(link)))?.status(), 410)
  await told(late.page, offerTexts.en.answered)
})

test('a request of this deployment that was withdrawn, or is unknown: a page each', async () => {
  const early = await thandisPage({ javaScriptEnabled: false })
  const { page } = await world.open(world.newcomer, small)
  const link = await world.ask()
  await early.goto(opening(link))
  const [asked] = (await world.acme.get('/creds/presentations?page[size]=1')).body.data
  assert.equal((await world.acme.delete(`/creds/presentations/${asked.id}`)).status, 200)
  assert.equal((await page.goto(opening(link)))?.status(), 410)
  await told(page, offerTexts.en.canceled)
  await early.getByRole('button', { name: /^Share these 2/ }).click()
  await early.getByRole('heading', { level: 1, name: askedTexts.en.late.canceled[0] ?? '' }).waitFor()
  assert.equal((await page.goto(opening(link.replace(/(requests%2F)\w{4}/, '$1AAAA'))))?.status(), 404)
  await told(page, offerTexts.en.noRequest)
})

test('of a foreign verifier only its status is known: over, unknown, refused; and who may have seen what was sent', async () => {
  const page = await thandisPage()
  const opened = [
    [{ serve: { status: 410 } }, 410, offerTexts.en.over],
    [{ serve: { status: 409 } }, 410, offerTexts.en.over],
    [{ serve: { status: 404 } }, 404, offerTexts.en.noRequest],
    [{ jwt: () => 'hello' }, 422, offerTexts.en.request],
  ] as const
  for (const [quirks, status, words] of opened) {
    const shop = await world.aShop(world.degreeQuery)
    shop.behave(quirks)
    assert.equal((await page.goto(opening(shop.link())))?.status(), status)
    await told(page, words)
  }
  const lie = { status: 400, body: JSON.stringify({ error: 'invalid_request', request_end: 'answered' }) }
  for (const [answer, words] of [
    [{ status: 410 }, askedTexts.en.late.over],
    [lie, askedTexts.en.late.over],
    [{ status: 404 }, askedTexts.en.ended.failed],
  ] as const) {
    const shop = await world.aShop(world.degreeQuery)
    shop.behave({ answer })
    await page.goto(opening(shop.link()))
    await page.getByRole('button', { name: /^Share it with/ }).click()
    await page.getByRole('heading', { level: 1, name: words[0] ?? '' }).waitFor()
    await page.getByText(words[1] ?? '').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Degree' }).waitFor()
  }
})
