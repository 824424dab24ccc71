// Every page of the holder in every look: axe, layout, markup, budgets.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, afterEach, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { axeDefects, layoutDefects, markupDefects, type Visit } from '../../test/support/browser.ts'
import { postgresUrl } from '../../test/support/database.ts'
import { cookieOf } from '../console/test-support/refusals.ts'
import { HolderWorld, opening, phone, small } from './test-support/holder-world.ts'

const skip = postgresUrl === null ? false : 'how pages look does not depend on the database'
/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
let world: HolderWorld
before(async () => {
  world = await HolderWorld.open()
})
afterEach(() => world.closeOpened())
after(() => world.close())

const looks: readonly (BrowserContextOptions & { readonly name: string; readonly language: string })[] = [
  { name: 'phone', language: 'en', colorScheme: 'light', javaScriptEnabled: true, ...phone },
  { name: 'small-dark', language: 'fr', colorScheme: 'dark', javaScriptEnabled: true, ...small },
  { name: 'small-plain', language: 'en', colorScheme: 'light', javaScriptEnabled: false, ...small },
  {
    name: 'wide-dark',
    language: 'fr',
    colorScheme: 'dark',
    javaScriptEnabled: false,
    viewport: { width: 1360, height: 900 },
  },
]

/** Paths of a wallet with content: what waits, cards in every state, consent, ends. */
async function fullPaths(): Promise<string[]> {
  const wallet = await world.chirograph.wallet('acme', 'thandi')
  const held = (await wallet.get('/wallet/v2/credentials')).body.data
  const waiting = held.find(({ status }: { status: string }) => status === 'pending')
  const [card] = held.filter(({ status }: { status: string }) => status === 'accepted')
  const asked = (await wallet.get('/wallet/v2/presentations?page[size]=100')).body.data
  const ended = ['answered', 'rejected'].map(
    (status) => asked.find((one: { status: string }) => one.status === status)?.id,
  )
  const pending = await wallet.post('/wallet/v2/presentations', { presentationRequest: await world.ask() })
  const offer = await world.issue(world.withCode.id)
  return [
    ...['/me', '/me?page=none', `/me/cards/${card.id}`, `/me/cards/${waiting.id}`, `/me/cards/${card.id}/remove`],
    ...['/me/history', '/me/scan', '/me/settings', '/me/data', '/me/delete', '/me/offline'],
    ...[`/me/asked/${pending.body.data.id}`, ...ended.map((id) => `/me/asked/${id}`)],
    ...[opening(offer.offerUri), new URL(offer.offerPageUri).pathname, opening('https://nothing.example')],
    ...['/me/cards/01890000-0000-7000-8000-000000000000'],
  ]
}

/** Makes what waits and what was: a delivered card, an accepted one, a request that was shared and one that was refused. */
async function prepareStates(page: Page): Promise<void> {
  const recipient = 'thandi@example.org'
  const wallet = await world.chirograph.wallet('acme', 'thandi')
  const { offerUri } = await world.issue()
  const received = await wallet.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  await wallet.patch(`/wallet/v2/credentials/${received.body.data[0].id}`, { status: 'accepted' })
  for (const status of ['answered', 'rejected']) {
    const asked = await wallet.post('/wallet/v2/presentations', { presentationRequest: await world.ask() })
    const answered = await wallet.patch(`/wallet/v2/presentations/${asked.body.data.id}`, { status })
    assert.equal(answered.status, 200, JSON.stringify(answered.body))
  }
  const delivered = { credentialOffer: (await world.issue()).offerUri, recipient }
  const sent = await world.acme.post('/wallet/v2/orgs/credentials', delivered)
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await wallet.get('/wallet/v2/credentials?filter[status]=pending')).body.data.length > 0) break
    await page.waitForTimeout(100)
  }
}

for (const { name, language, ...options } of looks) {
  test(`every page is sound: ${name}, ${language}`, { skip }, async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
    const full = await world.open(world.thandi, options)
    const empty = await world.open(world.newcomer, options)
    await prepareStates(full.page)
    const defects: string[] = []
    const walk = async ({ page }: Visit, paths: readonly string[], kind: string) => {
      await page.goto(`/me?lang=${language}`)
      for (const [index, path] of paths.entries()) {
        const response = await page.goto(path)
        const found = [
          // axe waits for timers, which do not run where scripts are off.
          ...(options.javaScriptEnabled === false ? [] : await axeDefects(page)),
          ...(await layoutDefects(page)),
          ...(await markupDefects(response)),
        ]
        if (pictures !== undefined)
          await page.screenshot({
            path: `${pictures}/${name}-${kind}-${String(index).padStart(2, '0')}.png`,
            fullPage: true,
          })
        defects.push(...found.map((one) => `${path} ${name}: ${one}`))
      }
    }
    await walk(full, await fullPaths(), 'full')
    await walk(empty, ['/me', '/me/history', '/me/data', '/me/settings'], 'empty')
    assert.deepEqual([...defects, ...full.troubles, ...empty.troubles], [])
    await Promise.all([full.close(), empty.close()])
  })
}

test('right to left: nothing sticks out, nothing is covered', { skip }, async () => {
  const { page, close } = await world.open(world.thandi, small)
  const defects: string[] = []
  for (const path of await fullPaths()) {
    await page.goto(path)
    await page.evaluate(`document.documentElement.dir = 'rtl'`)
    defects.push(...(await layoutDefects(page)).map((one) => `${path}: ${one}`))
  }
  assert.deepEqual(defects, [])
  await close()
})

test('a page of the holder loads at most 6 kB of scripts and 12 kB of style; the decoder comes with the scan only', async () => {
  const loadedBy = async (path: string) => {
    const html = await (
      await fetch(world.chirograph.url + path, { headers: { cookie: cookieOf(world.thandi) } })
    ).text()
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, one = '']) => one)
    return Promise.all(
      paths.map(
        async (one) =>
          [one, gzipSync(Buffer.from(await (await fetch(world.chirograph.url + one)).text())).length] as const,
      ),
    )
  }
  for (const [path, max] of [
    ['/me', 6000],
    ['/me/scan', 20_000],
  ] as const) {
    const sizes = await loadedBy(path)
    const sum = (ending: string) =>
      sizes.filter(([one]) => one.endsWith(ending)).reduce((total, [, size]) => total + size, 0)
    console.log(path, `${sum('.js')} B of scripts, ${sum('.css')} B of style (gzip)`)
    assert.ok(sum('.js') > 0 && sum('.js') <= max && sum('.css') > 0 && sum('.css') <= 12_000)
    assert.ok(!sizes.some(([one]) => one.includes('jsqr')))
  }
})

test('the data can be taken and everything be deleted', async () => {
  const { page, close } = await world.open(world.thandi, { javaScriptEnabled: false })
  await prepareStates(page)
  const file = await fetch(`${world.chirograph.url}/me/data.json`, { headers: { cookie: cookieOf(world.thandi) } })
  assert.match(file.headers.get('content-disposition') ?? '', /attachment/)
  const data = Object(await file.json())
  assert.ok(data.credentials.length > 0 && data.history.length > 0)
  await page.goto('/me/delete')
  await page.getByRole('button', { name: 'Delete everything' }).click()
  await page.getByText('Tick the box').waitFor()
  await page.getByLabel('I know that this is final').check()
  await page.getByRole('button', { name: 'Delete everything' }).click()
  await page.getByText('Your wallet is empty').waitFor()
  await page.goto('/me')
  await page.getByText('You have no cards yet').waitFor()
  await close()
})
