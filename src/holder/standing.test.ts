// What a card page says about the status of the card: true when it is opened, or with the time of the last check.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { layoutDefects } from '../../test/support/browser.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'

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

test('of two cards the wallet proposes the valid one, and a revoked one, with that, where there is no other', async () => {
  const { page, troubles } = await world.open(world.newcomer, plain)
  const revoked = async (issuanceId: string) => {
    const { credentials } = (await world.acme.get(`/creds/credentials/issuance/${issuanceId}`)).body.data
    const ids = credentials.map((one: { id: string }) => one.id)
    assert.equal((await world.acme.post('/creds/credentials/revoke', { ids })).status, 200)
  }
  const issueCard = async () => {
    const { offerUri, id } = await world.issue()
    const path = await take(page, offerUri)
    return { issuanceId: id, id: path.split('/').at(-1) ?? '' }
  }
  const older = await issueCard()
  const newer = await issueCard()
  const wallet = await world.chirograph.wallet('globex', 'pieter')
  const shop = await world.aShop(world.degreeQuery)
  const ask = async () => {
    const asked = await wallet.post('/wallet/v2/presentations', { presentationRequest: shop.link() })
    const ids = (all: { credentialId: string }[]) => all.map(({ credentialId }) => credentialId)
    const { data, meta } = asked.body
    return {
      path: `/me/asked/${data.id}`,
      selected: ids(data.selectedCredentials),
      listed: ids(meta.alternatives[0].credentials),
    }
  }
  assert.deepEqual((await ask()).selected, [newer.id])
  await revoked(newer.issuanceId)
  const second = await ask()
  assert.deepEqual([second.selected, second.listed], [[older.id], [older.id, newer.id]])
  await page.goto(second.path)
  assert.equal(await page.locator('button[value="answered"]').count(), 1)
  await page.getByText('use another card').click()
  await page.locator('main .badge').getByText('Revoked', { exact: true }).waitFor()
  await revoked(older.issuanceId)
  await page.goto(opening(shop.link()))
  await page.locator('.consent .badge').getByText('Revoked', { exact: true }).first().waitFor()
  assert.equal(await page.locator('main .badge').getByText('Revoked', { exact: true }).count(), 2)
  assert.deepEqual(await layoutDefects(page), [])
  assert.equal(shop.posted.length, 0)
  await page.locator('button[value="answered"]').click()
  await page.getByText('You shared it').first().waitFor()
  assert.equal(shop.posted.length, 1)
  assert.deepEqual(troubles, [])
})
