// What a card page says about the status of the card: true when it is opened, or with the time of the last check.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { layoutDefects } from '../../test/support/browser.ts'
import { HolderWorld, small, take } from './test-support/holder-world.ts'

let world: HolderWorld
let aheadMs = 0
before(async () => {
  world = await HolderWorld.open({ clock: { now: () => new Date(Date.now() + aheadMs) } })
})
afterEach(() => world.closeOpened())
after(() => world.close())

const plain = { ...small, javaScriptEnabled: false } as const

test('a card of this deployment that is revoked or suspended says so when its page is opened again', async () => {
  const { page } = await world.open(world.thandi, plain)
  const { offerUri, id } = await world.issue()
  const path = await take(page, offerUri)
  await page.getByText('Checked with the issuer: now').waitFor()
  const { credentials } = (await world.acme.get(`/creds/credentials/issuance/${id}`)).body.data
  const ids = credentials.map((one: { id: string }) => one.id)
  const change = async (verb: string) => {
    const { status, body } = await world.acme.post(`/creds/credentials/${verb}`, { ids })
    assert.equal(status, 200, JSON.stringify(body))
    await page.goto(path)
  }
  const state = (name: string) => page.locator('main .badge').getByText(name, { exact: true }).waitFor()
  await state('Valid')
  await change('suspend')
  await state('Suspended')
  await change('reinstate')
  await state('Valid')
  await change('revoke')
  await state('Revoked')
  assert.equal(await page.getByRole('button', { name: 'Check again' }).count(), 0, 'revoked is for good')
  await page.goto('/me')
  await page.locator(`a[href="${path}"]`).getByText('Revoked').waitFor()
})

test('a card of a foreign issuer says when it was checked; the issuer is asked only if the person wants it', async () => {
  const { page, troubles } = await world.open(world.thandi, plain)
  const club = await world.aClub()
  const listed = (status: number) => ({ listed: { status } })
  club.lie(listed(0))
  const path = await take(page, club.offerUri)
  const lookUps = () => club.calls.filter(({ place }) => place === 'list').length
  const before = lookUps()
  for (let loads = 0; loads < 3; loads += 1) await page.goto(path)
  assert.equal(lookUps(), before, 'the issuer does not learn when the person looks')
  await page.getByText('Checked with the issuer:').waitFor()
  club.lie({ ...listed(0), reply: { list: (reply) => ({ ...reply, status: 503 }) } })
  aheadMs = 61_000
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('The issuer could not be asked just now').waitFor()
  await page.getByText('Checked with the issuer: 1 minute ago').waitFor()
  assert.deepEqual(await layoutDefects(page), [])
  club.lie(listed(1))
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.locator('main .badge').getByText('Revoked', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('The issuer has revoked it').waitFor()
  assert.deepEqual(troubles, [])
})
