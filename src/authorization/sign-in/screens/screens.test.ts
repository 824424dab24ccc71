import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { defectsOf, markupDefects, openBrowser, visit } from '../../../../test/support/browser.ts'
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
    ...{ method: 'GET', path: '/gallery/fault', summary: 'fault' },
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

const sizes = [
  { width: 320, height: 640 },
  { width: 1360, height: 900 },
]

async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const viewport of sizes) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      found.push(...(await defectsOf(page)).map((one) => `${viewport.width} ${colorScheme} ${one}`))
      const file = `${name}-${viewport.width}-${colorScheme}.png`
      if (pictures !== null) await page.screenshot({ path: join(pictures, file), fullPage: true })
    }
  }
  return found
}

for (const language of ['en', 'fr']) {
  for (const javaScriptEnabled of [true, false]) {
    const how = `in ${language}, scripts ${javaScriptEnabled ? 'on' : 'off'}`
    test(`every screen ${how}: WCAG 2.2 AA, valid, nothing clipped or covered, at 320 and 1,360 px, light and dark`, async () => {
      const { page, troubles, close } = await visit(browser, origin, { javaScriptEnabled })
      const found: string[] = []
      for (const name of names) {
        const response = await page.goto(`/gallery/${name}?lang=${language}`)
        const defects = [
          ...(await markupDefects(response)),
          ...(await look(page, `${name}-${language}-${javaScriptEnabled}`)),
        ]
        found.push(...defects.map((one) => `${name}: ${one}`))
        assert.equal(await page.getAttribute('html', 'lang'), language)
      }
      assert.deepEqual([...new Set(found), ...troubles], [])
      await close()
    })
  }
}
