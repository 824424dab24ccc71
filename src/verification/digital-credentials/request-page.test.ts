// The page and the script in a real browser, with an independent wallet in place of the browser's own.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeDefects, layoutDefects, markupDefects, openBrowser, visit } from '../../../test/support/browser.ts'
import { aBrowserRequest, encrypted } from '../test-support/browser-request.ts'
import { aPresentation } from '../test-support/presentation-request.ts'
import { startVerifier, type Verifier } from '../test-support/verifier.ts'

let verifier: Verifier
let browser: Browser
before(async () => {
  verifier = await startVerifier(undefined, 'localhost')
  browser = await openBrowser()
})
after(async () => {
  await browser.close()
  await verifier.close()
})

type Request = Awaited<ReturnType<typeof aBrowserRequest>>
type Asked = {
  readonly digital: { readonly requests: readonly { readonly protocol: string; readonly data: unknown }[] }
}

/**
 * Replaces the browser's own wallet: the page's call reaches an independent wallet in this test with the origin of the
 * page.
 */
async function withWallet(page: Page, request: Request, seen: { origin: string; asked: Asked }[], declines = false) {
  await page.exposeBinding('virtualWallet', async ({ frame }, asked: Asked) => {
    const { origin } = new URL(frame.url())
    seen.push({ origin, asked })
    if (declines) return null
    const presentation = await aPresentation({ nonce: request.nonce, aud: `origin:${origin}` })
    return { protocol: 'openid4vp-v1-unsigned', data: await encrypted(request, { vp_token: { c0: [presentation] } }) }
  })
  await page.addInitScript(`
    globalThis.DigitalCredential ??= class DigitalCredential {}
    navigator.credentials.get = async ({ digital }) => {
      if (!navigator.userActivation.isActive) throw new DOMException('no gesture', 'NotAllowedError')
      const answer = await globalThis.virtualWallet({ digital })
      if (answer === null) throw new DOMException('declined', 'NotAllowedError')
      return answer
    }`)
}

test('the page shows what is requested, and sends what the wallet answers after a gesture [VP-D5, VP-D6]', async () => {
  const request = await aBrowserRequest(verifier)
  const { page, troubles, close } = await visit(browser, verifier.url)
  const seen: Parameters<typeof withWallet>[2] = []
  await withWallet(page, request, seen)
  const response = await page.goto(`${request.uri}/page`)
  assert.match(response?.headers()['permissions-policy'] ?? '', /digital-credentials-get=\(self\)/)
  assert.match(await page.locator('main').innerText(), /Acme asks you for:\s+card/)
  const defects = [await axeDefects(page), await layoutDefects(page), await markupDefects(response)].flat()
  await page.getByRole('button', { name: 'Choose from your wallet' }).click()
  await page.getByText('Sent.').waitFor()
  assert.deepEqual([seen[0]?.origin, seen[0]?.asked.digital.requests[1]], [verifier.url, request.requests[1]])
  assert.equal((await request.result()).status, 'verified')
  assert.deepEqual([...defects, ...troubles], [])
  await close()
})

test('a holder who declines may try again, and nothing is sent', async () => {
  const request = await aBrowserRequest(verifier)
  const { page, close } = await visit(browser, verifier.url, { locale: 'fr-FR' })
  await withWallet(page, request, [], true)
  await page.goto(`${request.uri}/page`)
  const button = page.getByRole('button', { name: 'Choisir dans votre portefeuille' })
  await button.click()
  await page.getByText('Rien n’a été envoyé').waitFor()
  assert.equal(await button.isEnabled(), true)
  assert.equal((await request.result()).status, 'requested')
  await close()
})

/** A website of a verifier: a page with the script, and one that embeds ours. */
async function aWebsite(html: (request: Request | null) => string) {
  let request: Request | null = null
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Shop</title>${html(request)}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const asked = await aBrowserRequest(verifier, {}, { origins: [origin] })
  request = asked
  return { origin, request: asked, close: () => server.close() }
}

test('a page of a verifier requests with the script, under its own origin', async () => {
  const site = await aWebsite(
    (request) => `<script type="module" src="${verifier.url}/verifiers/request-credential.js"></script>
    <request-credential src="${request?.uri}" done="thanks"><button>Go</button><p role="status"></p></request-credential>`,
  )
  const { page, close } = await visit(browser, site.origin)
  const seen: Parameters<typeof withWallet>[2] = []
  await withWallet(page, site.request, seen)
  await page.goto(site.origin)
  await page.getByRole('button').click()
  await page.getByText('thanks').waitFor()
  assert.equal(seen[0]?.origin, site.origin)
  assert.equal((await site.request.result()).status, 'verified')
  await close()
  site.close()
})

test('a page of the origins may embed our page and is told the outcome; one of another origin may not', async () => {
  const site = await aWebsite(
    (request) => `<iframe src="${request?.uri}/page" allow="digital-credentials-get"></iframe>
    <script>onmessage = ({ data, origin }) => { document.title = data.type + ' ' + origin }</script>`,
  )
  const { page, close } = await visit(browser, site.origin)
  await withWallet(page, site.request, [])
  await page.goto(site.origin)
  await page.frameLocator('iframe').getByRole('button', { name: 'Choose from your wallet' }).click()
  await page.waitForFunction('document.title.startsWith("request-credential")')
  assert.equal(await page.title(), `request-credential.answered ${verifier.url}`)
  assert.equal((await site.request.result()).status, 'verified')
  await close()
  site.close()
  const other = await aBrowserRequest(verifier)
  const policy = (await fetch(`${other.uri}/page`)).headers.get('content-security-policy') ?? ''
  assert.match(policy, new RegExp(`frame-ancestors https://shop\\.example ${verifier.url};`))
  assert.match(policy, /default-src 'none'; script-src 'self'/)
})

test('without the API the page says so by a disabled button, and links to another wallet', async () => {
  const request = await aBrowserRequest(verifier)
  const { page, close } = await visit(browser, verifier.url)
  await page.addInitScript('delete globalThis.DigitalCredential')
  await page.goto(`${request.uri}/page`)
  assert.equal(await page.getByRole('button').isDisabled(), true)
  const link = await page.getByRole('link', { name: 'Open another wallet on this device' }).getAttribute('href')
  assert.equal(link, request.opened.authorizationRequestUri)
  await close()
})
