// Each end of a request, by itself and in the frame of a site: it takes the focus and is in no live region, so a screen
// reader says it once.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Frame, Page } from 'playwright-core'
import { axeDefects, layoutDefects, openBrowser, visit } from '../../test/support/browser.ts'
import { makeTemplate, openIssuance } from '../../test/support/main-job.ts'
import { changesIn, SAID_ONCE, saidOf } from '../../test/support/said-once.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
/** As long as a request is open, and more. */
const LATER_MS = 660_000
let aheadMs = 0
let chirograph: Deployment
let browser: Browser
let pageId: string
let badge: string
let site: { readonly origin: string; readonly close: () => void }
const wallets: Record<string, Api> = {}
before(async () => {
  const clock = { now: () => new Date(Date.now() + aheadMs) }
  ;[chirograph, browser] = await Promise.all([deploy({ clock }), openBrowser()])
  const acme = await chirograph.backend('acme')
  const { id, type } = await makeTemplate(acme, 'badge')
  badge = id
  for (const user of ['thandi', 'pieter']) wallets[user] = await chirograph.wallet('acme', user)
  await hold('thandi')
  const made = await acme.post('/creds/templates/presentations', {
    name: 'Level',
    description: '',
    credentials: [{ type, name: 'Student card', attributes: { level: {} } }],
  })
  site = await aSite()
  const body = { name: 'Discount', presentationTemplateId: made.body.data.id, origins: [site.origin] }
  pageId = (await acme.post('/creds/verification-pages', body)).body.data.id
})
after(async () => {
  await browser.close()
  site.close()
  await chirograph.stop()
})

/** Puts a badge into the wallet of a user. @returns the ids of its credentials */
async function hold(user: string): Promise<readonly string[]> {
  const acme = await chirograph.backend('acme')
  const { offerUri, id } = await openIssuance(acme, badge)
  const received = await wallets[user]?.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  await wallets[user]?.patch(`/wallet/v2/credentials/${received?.body.data[0].id}`, { status: 'accepted' })
  const { credentials } = (await acme.get(`/creds/credentials/issuance/${id}`)).body.data
  return credentials.map((one: { id: string }) => one.id)
}

/** A badge that is revoked, which the wallet does not know yet. */
async function holdRevoked(user: string): Promise<void> {
  const acme = await chirograph.backend('acme')
  assert.equal((await acme.post('/creds/credentials/revoke', { ids: await hold(user) })).status, 200)
}

/** A website on another origin with the element; its path is its language, which the frame speaks. */
async function aSite() {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<!doctype html><html lang="${url.slice(1)}"><head><title>Shop</title><script type="module" src="${chirograph.url}/embed.js"></script></head><body><h1>Shop</h1><chirograph-verify page="${pageId}"></chirograph-verify></body></html>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, close: () => server.close() }
}

/** @returns where the wallet leads the browser */
async function answer(shown: Page | Frame, user: string, status: string): Promise<string> {
  const link = await shown.getByRole('link', { name: /^(Open a wallet|Ouvrir un portefeuille)/ }).getAttribute('href')
  const prepared = await wallets[user]?.post('/wallet/v2/presentations', { presentationRequest: link })
  // The verifier answers that it failed, which is no error of the wallet.
  const sent = await wallets[user]?.patch(`/wallet/v2/presentations/${prepared?.body.data.id}`, { status })
  return sent?.body.meta.redirectUri
}

const ends = [
  ['Accepted', 'Acceptée', (shown: Page | Frame) => answer(shown, 'thandi', 'answered')],
  [
    'Not accepted',
    'Non acceptée',
    (shown: Page | Frame) => holdRevoked('pieter').then(() => answer(shown, 'pieter', 'answered')),
  ],
  ['You shared nothing', 'Vous n’avez rien partagé', (shown: Page | Frame) => answer(shown, 'thandi', 'rejected')],
  ['', '', expire],
] as const

async function expire(shown: Page | Frame): Promise<void> {
  await shown.getByText(/^(Waiting|En attente|Warten)/).waitFor()
  aheadMs += LATER_MS
}

const looks = [
  ['en', { colorScheme: 'light', viewport: { width: 320, height: 640 } }],
  ['fr', { colorScheme: 'dark', viewport: { width: 1360, height: 900 } }],
  ['fr', { colorScheme: 'dark', viewport: { width: 320, height: 640 } }],
  ['en', { colorScheme: 'light', viewport: { width: 1360, height: 900 } }],
] as const

for (const [language, look] of pictures === undefined ? looks.slice(0, 2) : looks) {
  const name = `${language}-${look.colorScheme}-${look.viewport.width}`
  test(`each end is said once, by itself and in a frame: ${name}`, async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
    // Tokens end as the time passes.
    for (const user of Object.keys(wallets)) wallets[user] = await chirograph.wallet('acme', user)
    for (const [index, end] of ends.entries())
      for (const isFramed of [false, true]) {
        const origin = isFramed ? site.origin : chirograph.url
        const { page, close } = await visit(browser, origin, { ...look, locale: language })
        await page.goto(isFramed ? `/${language}` : `/verify/${pageId}`)
        const shown = isFramed ? await frameOf(page) : page
        await shown.getByRole('button', { name: /^(Begin|Commencer)$/ }).click()
        await shown.getByText(/^(Waiting|En attente|Warten)/).waitFor()
        await shown.locator('img.qr').waitFor()
        assert.equal(await shown.locator('[role=status]:not(:empty), [role=alert], [aria-live]').count(), 1, 'it waits')
        assert.equal(await changesIn(shown), 0, 'nothing is said while nothing happens')
        await end[2](shown)
        await shown.locator('.verdict').waitFor({ timeout: 60_000 })
        assert.deepEqual(await saidOf(shown, '.verdict'), SAID_ONCE, `${end[0]}, ${isFramed}`)
        const title = await shown.locator('.verdict h2').innerText()
        if (end[0] !== '') assert.equal(title.replaceAll('\u00a0', ' '), language === 'en' ? end[0] : end[1])
        if (!isFramed) assert.deepEqual([...(await axeDefects(page)), ...(await layoutDefects(page))], [])
        const file = `${pictures}/end-${name}-${index}-${isFramed ? 'frame' : 'page'}.png`
        if (pictures !== undefined) await page.screenshot({ path: file, fullPage: true })
        await close()
      }
  })
}

for (const javaScriptEnabled of [true, false])
  test(`without another device the outcome is told once the wallet leads this browser back, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
    for (const user of Object.keys(wallets)) wallets[user] = await chirograph.wallet('acme', user)
    const acme = await chirograph.backend('acme')
    const { presentationTemplateId } = (await acme.get(`/creds/verification-pages/${pageId}`)).body.data
    const made = await acme.post('/creds/verification-pages', {
      name: 'Here only',
      presentationTemplateId,
      anotherDevice: false,
    })
    const { page, troubles, close } = await visit(browser, chirograph.url, { javaScriptEnabled, locale: 'en' })
    page.setDefaultTimeout(30_000)
    await page.goto(`/verify/${made.body.data.id}`)
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByRole('link', { name: 'Open a wallet on this device' }).waitFor()
    assert.equal(await page.locator('img.qr').count(), 0)
    const back = await answer(page, 'thandi', 'answered')
    await page.getByText('Your wallet has answered').waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Accepted' }).count(), 0)
    assert.deepEqual(await layoutDefects(page), [])
    // The browser of somebody who was lured to answer learns nothing, and tells nothing.
    const lured = await visit(browser, chirograph.url, { javaScriptEnabled, locale: 'en' })
    await lured.page.goto(back)
    await lured.page.getByText('You are back').waitFor()
    await lured.close()
    await page.reload()
    await page.getByText('Your wallet has answered').waitFor()
    await page.goto(back.replace(/response_code=[^&]*/, 'response_code=another'))
    await page.getByText('Your wallet has answered').waitFor()
    await page.goto(back)
    await page.getByRole('heading', { name: 'Accepted' }).waitFor()
    assert.deepEqual(troubles, [])
    await close()
  })

async function frameOf(page: Page): Promise<Frame> {
  const element = await page.locator('chirograph-verify iframe').elementHandle()
  const frame = await element?.contentFrame()
  assert.ok(frame)
  return frame
}
