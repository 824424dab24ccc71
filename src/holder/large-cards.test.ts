// Cards that say more than a page shows: what was not shown is not shared from it, whatever the form says.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { layoutDefects } from '../../test/support/browser.ts'
import { foreignVct } from '../wallet/test-support/foreign-signer.ts'
import { askedTexts } from './asked/texts.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'

let world: HolderWorld
before(async () => {
  world = await HolderWorld.open()
})
after(async () => {
  await world.closeOpened()
  await world.close()
})

/** A membership with these claims, and a request for the name on it. */
async function askedOf(claims: object) {
  const { page, troubles } = await world.open(world.thandi, { ...small, javaScriptEnabled: false })
  const club = await world.aClub()
  club.lie({ payload: (payload) => ({ ...payload, ...claims }), frame: { _sd: ['clubs'] } })
  await take(page, club.offerUri)
  const query = { id: 'm', format: 'dc+sd-jwt', meta: { vct_values: [foreignVct] }, claims: [{ path: ['given_name'] }] }
  const shop = await world.aShop({ credentials: [query] })
  await page.goto(opening(shop.link()))
  return { page, shop, troubles }
}

test('a value of 100 kB can be read to its end before it is shared, with script off', async () => {
  const { page, shop, troubles } = await askedOf({ note: `${'word '.repeat(20_000)}the very end` })
  await page.getByText('All 100,012 characters').click()
  await page.getByText('the very end').waitFor()
  assert.deepEqual(await layoutDefects(page), [])
  await page.getByRole('button', { name: /^Share these/ }).click()
  await page.getByRole('heading', { name: askedTexts.en.ended.answered[0] ?? '' }).waitFor()
  assert.equal(shop.posted.length, 1)
  assert.deepEqual(troubles, [])
})

test('a card of 10,000 values cannot be shared from a page that shows 2,000 of them', async () => {
  const { page, shop } = await askedOf({ many: Array.from({ length: 10_000 }, (_, n) => n) })
  // The newest card is proposed.
  await page.getByText(/more things than fit on this page/).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Share/ }).count(), 0)
  assert.deepEqual(await layoutDefects(page), [])
  // A form that says so all the same: sent by hand, as from a page that was changed.
  const fields = await page.locator('form:has(.decide) input[type=hidden]').all()
  const form = await Promise.all(
    fields.map(async (one) => [(await one.getAttribute('name')) ?? '', await one.inputValue()] as const),
  )
  const sent = await page.request.post(new URL(page.url()).pathname, {
    form: { ...Object.fromEntries(form), answer: 'answered' },
    headers: { origin: world.chirograph.url, 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(sent.status(), 422)
  assert.match(await sent.text(), /more things than fit on this page/)
  assert.equal(shop.posted.length, 0)
})
