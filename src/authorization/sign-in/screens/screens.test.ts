import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeDefects, layoutDefects, markupDefects, openBrowser, visit } from '../../../../test/support/browser.ts'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { Fault } from '../../../fault.ts'
import type { Server } from '../../../http/server/server.ts'
import { buildServer } from '../../../http/server/server.ts'
import { pageEndpoint } from '../../../pages/page-endpoint.ts'
import { assetEndpoints } from '../../../pages/public-endpoints.ts'
import { aPlatform } from '../../test-support/a-platform.ts'
import { gallery } from '../test-support/gallery.ts'

/** Where to put a picture of each screen, for people to look at. */
const pictures = process.env.TEST_PICTURES ?? null
const endpoints = [
  ...assetEndpoints,
  ...Object.entries(gallery).map(([name, screen]) =>
    pageEndpoint({
      method: 'GET',
      path: `/gallery/${name}`,
      summary: name,
      handle: (frame) => ({ page: screen(frame) }),
    }),
  ),
  pageEndpoint({
    method: 'GET',
    path: '/gallery/fault',
    summary: 'fault',
    handle: () => {
      throw new Fault('request.rate_limited', { meta: { retryAfterSeconds: 90 } })
    },
  }),
]
const names = [...Object.keys(gallery), 'fault']

let database: TestDatabase
let server: Server
let browser: Browser
let origin = ''
before(async () => {
  database = await openTestDatabase()
  const port = await freePort()
  const platform = aPlatform(database.store, port)
  server = buildServer({
    platform,
    routes: [],
    endpoints,
    authenticate: () => Promise.reject(new Fault('token.missing')),
  })
  await server.listen()
  origin = `http://127.0.0.1:${port}`
  browser = await openBrowser()
})
after(async () => {
  await browser.close()
  await server.close(100)
  await database.close()
})

const phone = { width: 320, height: 640 }
const desk = { width: 1360, height: 900 }

for (const [language, views] of [
  ['en', [[phone, 'light'] as const, [desk, 'dark'] as const]],
  ['fr', [[phone, 'dark'] as const, [desk, 'light'] as const]],
  ['de', [[phone, 'light'] as const]],
] as const) {
  test(`every screen in ${language}: WCAG 2.2 AA, valid HTML, nothing clipped or covered, no error`, async () => {
    const { page, troubles, close } = await visit(browser, origin)
    const found: string[] = []
    for (const name of names) {
      found.push(...(await markupDefects(await page.goto(`/gallery/${name}?lang=${language}`))).map(at(name)))
      assert.equal(await page.getAttribute('html', 'lang'), language)
      for (const [size, colorScheme] of views) {
        await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme })
        found.push(...[...(await axeDefects(page)), ...(await layoutDefects(page))].map(at(`${name} ${size.width}`)))
        await picture(page, `${name}-${language}-${size.width}`)
      }
    }
    assert.deepEqual([...new Set(found), ...troubles], [])
    await close()
  })
}

test('every screen without scripts: nothing clipped or covered, and no way that needs a script', async () => {
  const { page, troubles, close } = await visit(browser, origin, { javaScriptEnabled: false, viewport: phone })
  const found: string[] = []
  for (const name of names) {
    await page.goto(`/gallery/${name}`)
    found.push(...(await layoutDefects(page)).map(at(name)))
    if (
      await page
        .getByRole('button', { name: /passkey$/ })
        .first()
        .isVisible()
    )
      found.push(`${name} offers a passkey`)
    await picture(page, `${name}-en-noscript`)
  }
  assert.deepEqual([...found, ...troubles], [])
  await close()
})

function at(place: string) {
  return (defect: string) => `${place}: ${defect}`
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures !== null) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}
