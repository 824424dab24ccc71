// No list ends without a way to its rest; an issuer that the organisation does not know is called by its host on every
// page.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { layoutDefects } from '../../test/support/browser.ts'
import type { Api } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'

const PRESENTATIONS = '/wallet/v2/presentations'
const plain = { ...small, javaScriptEnabled: false } as const
let world: HolderWorld
let wallet: Api
before(async () => {
  world = await HolderWorld.open()
  wallet = await world.chirograph.wallet('acme', 'thandi')
})
afterEach(() => world.closeOpened())
after(() => world.close())

/** Opens a request in the wallet. @returns its id */
async function ask(): Promise<string> {
  const { status, body } = await wallet.post(PRESENTATIONS, { presentationRequest: await world.ask() })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.id
}

test('a card that was shown 11 times says where each time', async () => {
  const { page } = await world.open(world.thandi, plain)
  const path = await take(page, (await world.issue()).offerUri)
  const shown: string[] = []
  while (shown.length < 11) {
    const id = await ask()
    const { status, body } = await wallet.patch(`${PRESENTATIONS}/${id}`, { status: 'answered' })
    assert.equal(status, 200, JSON.stringify(body))
    shown.push(id)
    if (shown.length === 10) {
      await page.goto(path)
      assert.equal(await page.locator('.past > li').count(), 10)
      assert.equal(await page.getByRole('link', { name: 'Every time it was shown' }).count(), 0, 'these are all')
    }
  }
  await page.goto(path)
  await page.getByRole('link', { name: 'Every time it was shown' }).click()
  await page.getByRole('heading', { name: 'Where it was shown', level: 1 }).waitFor()
  const all = await page.locator('.past a').evaluateAll((links) => links.map((one) => one.getAttribute('href')))
  assert.deepEqual(await layoutDefects(page), [])
  assert.deepEqual(all.toSorted(), shown.map((id) => `/me/asked/${id}`).toSorted())
  await page.getByRole('link', { name: 'Back to the card' }).click()
  await page.waitForURL(`**${path}`)
})

test('of requests and cards that wait five are shown, with a link to all; newer cards hide none', async () => {
  const { page } = await world.open(world.thandi, plain)
  const delivered = { credentialOffer: (await world.issue()).offerUri, recipient: 'thandi@example.org' }
  assert.equal((await world.acme.post('/wallet/v2/orgs/credentials', delivered)).status, 201)
  const pending = async () => (await wallet.get('/wallet/v2/credentials?filter[status]=pending')).body.data
  await until(async () => (await pending()).length > 0)
  const waits = `/me/cards/${(await pending())[0].id}`
  for (let count = 0; count < 26; count += 1) {
    const received = await wallet.post('/wallet/v2/credentials', { credentialOffer: (await world.issue()).offerUri })
    await wallet.patch(`/wallet/v2/credentials/${received.body.data[0].id}`, { status: 'accepted' })
  }
  const asked: string[] = []
  while (asked.length < 6) asked.push(await ask())
  await page.goto('/me')
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  assert.equal(await waiting.locator(`a[href="${waits}"]`).count(), 1)
  assert.equal(await waiting.locator('a[href^="/me/asked/"]').count(), 5)
  await page.getByRole('link', { name: 'Everything that waits for you' }).click()
  await page.getByRole('heading', { name: 'Waiting for you', level: 1 }).waitFor()
  const links = await page.locator('.past a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
  assert.deepEqual(links.toSorted(), [waits, ...asked.map((id) => `/me/asked/${id}`)].toSorted())
  assert.deepEqual(await layoutDefects(page), [])
  for (const id of asked) await wallet.patch(`${PRESENTATIONS}/${id}`, { status: 'rejected' })
  await wallet.patch(waits.replace('/me/cards', '/wallet/v2/credentials'), { status: 'rejected' })
  await page.reload()
  await page.getByText('Nothing waits for you.').waitFor()
})

test('a stranger is called by its host on the offer, the card, the lists and the consent; a trusted entity by its name', async () => {
  const { page } = await world.open(world.thandi, plain)
  const club = await world.aClub()
  const name = 'Bank of Acme'
  club.lie({ reply: { issuer: (reply) => ({ ...reply, body: { ...Object(reply.body), display: [{ name }] } }) } })
  const { host } = new URL(club.issuer)
  const stranger = { who: host, besides: `It calls itself “${name}”.` }
  const firstLine = async () => {
    const issuer = page.locator('.credential .issuer > span').filter({ hasText: host })
    const [who = '', besides = ''] = (await issuer.first().innerText()).split('\n')
    return { who: who.trim(), besides: besides.trim() }
  }
  await page.goto(opening(club.offerUri))
  assert.match(await page.locator('h1').innerText(), new RegExp(host))
  assert.deepEqual(await firstLine(), stranger)
  const path = await take(page, club.offerUri)
  assert.deepEqual(await firstLine(), stranger)
  assert.match(await page.locator('main').innerText(), new RegExp(`From\\s+${host}\\s+It calls itself`))
  const id = path.split('/').at(-1) ?? ''
  await page.goto('/me')
  assert.deepEqual(await firstLine(), stranger)
  await page.goto('/me/history')
  const entry = page.locator('.past > li').filter({ has: page.locator(`a[href="${path}"]`) })
  assert.match(await entry.innerText(), new RegExp(`From ${host}\\n`))
  assert.ok(!(await page.locator('main').innerText()).includes(name))
  await page.goto(`${path}/remove`)
  assert.ok(!(await page.locator('main').innerText()).includes(name))
  const made = await world.acme.post('/creds/trusted-entities', { name: 'The club', issuers: [club.issuer] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  // The other server of the deployment notices within 5 s.
  const shown = await until(async () => {
    await page.goto(path)
    const line = await firstLine()
    return line.who === name && line
  }, 250)
  assert.deepEqual(shown, { who: name, besides: host })
  assert.equal((await world.acme.delete(`/creds/trusted-entities/${made.body.data.id}`)).status, 204)
  await wallet.delete(`/wallet/v2/credentials/${id}`)
  const { body } = await wallet.get(`/wallet/v2/history?filter[credentialId]=${id}`)
  assert.equal(body.meta.credentials[id].issuer.trust, 'unknown', 'also once the card is removed')
})
