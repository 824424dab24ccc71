// A card near its end, and one whose place a newer card has taken: what the person sees of them.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { layoutDefects } from '../../test/support/browser.ts'
import { until } from '../../test/support/until.ts'
import { HolderWorld, small, take } from './test-support/holder-world.ts'

let world: HolderWorld
let aheadMs = 0
before(async () => {
  world = await HolderWorld.open({ clock: { now: () => new Date(Date.now() + aheadMs) } })
})
afterEach(() => world.closeOpened())
after(() => world.close())

test('after a correction the wallet shows one card; each says which the other is', async () => {
  const { page, troubles } = await world.open(world.thandi, { ...small, javaScriptEnabled: false })
  const wrong = await world.issue()
  const old = await take(page, wrong.offerUri)
  const corrected = await world.issue(world.diploma.id, { replaces: { id: wrong.id } })
  const fresh = await take(page, corrected.offerUri)
  // The issuer is told in the background that the new one was taken.
  await until(async () => {
    await page.goto(old)
    return (await page.locator('main .badge').getByText('Revoked', { exact: true }).count()) === 1
  })
  await page.goto('/me')
  await page.locator(`a[href="${fresh}"]`).waitFor()
  assert.equal(await page.locator('a.credential').count(), 1, 'the other one is among the earlier cards')
  await page.goto(fresh)
  await page.getByRole('heading', { name: 'Earlier cards of this kind' }).waitFor()
  assert.deepEqual(await layoutDefects(page), [])
  await page.locator(`a[href="${old}"]`).click()
  await page.getByText('You have a newer card of this kind.').waitFor()
  assert.deepEqual(await layoutDefects(page), [])
  await page.getByRole('link', { name: 'Look at the newer card' }).click()
  await page.waitForURL(`**${fresh}`)
  await page.goto('/me/history')
  assert.equal(await page.locator(`a[href="${old}"]`).count(), 1, 'the history still leads to it')
  assert.deepEqual(troubles, [])
})

test('a card that ends soon says so among the cards and on its page', async () => {
  const { page, troubles } = await world.open(world.newcomer, { ...small, javaScriptEnabled: false })
  const validUntil = new Date(Date.now() + 10 * 60_000).toISOString()
  const { offerUri } = await world.issue(world.diploma.id, { validUntil })
  const path = await take(page, offerUri)
  // Issuers round the time of issuing, so that a short life seems longer than it is.
  aheadMs = 8 * 60_000
  await page.goto('/me')
  await page.getByRole('heading', { name: /^Diploma of .* ends on/ }).waitFor()
  await page.locator(`a.credential[href="${path}"]`).getByText('Ends soon').waitFor()
  assert.deepEqual(await layoutDefects(page), [])
  await page.getByRole('link', { name: 'Look at it' }).click()
  await page.getByText('It ends soon. Ask its issuer for a new one in time.').waitFor()
  assert.deepEqual(troubles, [])
})
