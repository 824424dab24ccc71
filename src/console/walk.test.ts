// Every screen of the console in every look: axe, layout, markup; and what its pages weigh.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser, visit } from '../../test/support/browser.ts'
import { postgresUrl } from '../../test/support/database.ts'
import { API_CALLS_MAX, apiCallsOf, pageSize, sizesMax } from '../../test/support/page-budgets.ts'
import { type Round, walk } from '../../test/support/page-walk.ts'
import { type Deployment, deploy } from '../../test/support/server.ts'
import { allLanguages } from '../contract/languages.ts'
import { aReceiver, type Receiver } from '../events/test-support/receiver.ts'
import { type SignedIn, signInAs } from './test-support/console-walk.ts'
import { makeContent } from './test-support/full-content.ts'
import { cookieOf } from './test-support/refusals.ts'
import { awayStops, emptyStops, type Full, fullStops, missingStops, unvisited } from './test-support/stops.ts'
import { makeTables } from './test-support/table-walk.ts'
import { makeTrust } from './test-support/trust-content.ts'
import { unreliableApi } from './test-support/unreliable-api.ts'

const skip = postgresUrl === null ? false : 'how pages look does not depend on the database'
const KILOBYTE = 1000

let chirograph: Deployment
let browser: Browser
let receiver: Receiver
let owner: SignedIn
let full: Full
let rounds: readonly Round[]
before(async () => {
  const api = unreliableApi()
  ;[chirograph, browser, receiver] = await Promise.all([deploy(api.replacements), openBrowser(), aReceiver()])
  const [acme, globex] = [await chirograph.backend('acme'), await chirograph.backend('globex')]
  owner = await signInAs(browser, chirograph, acme, 'naledi', ['owner'])
  const starter = await signInAs(browser, chirograph, globex, 'starter', ['owner'])
  const clerk = await signInAs(browser, chirograph, globex, 'clerk', ['verifier'])
  const unlucky = await signInAs(browser, chirograph, globex, 'unlucky', ['owner'])
  // But for the session, which renews its token and asks who it is.
  api.refuse(/^\/(creds|onboarding)\/(?!me$)/, (await globex.get('/onboarding/users/unlucky')).body.data.id)
  const content = await makeContent(chirograph, acme)
  const open = async () => visit(browser, chirograph.url, { storageState: owner })
  full = {
    ...content,
    ...(await makeTrust(acme, receiver.url)),
    ...(await makeTables(open, acme, content.template)),
  }
  const forbidden = [
    '/console/applications',
    '/console/webhooks',
    '/console/audit',
    '/console/groups',
    '/console/sign-in-providers',
    '/console/directory-sync',
  ]
  rounds = [
    { kind: 'full', as: owner, stops: fullStops(full) },
    { kind: 'missing', as: owner, stops: missingStops, isAlike: true },
    { kind: 'empty', as: starter, stops: emptyStops },
    { kind: 'away', as: unlucky, stops: awayStops },
    { kind: 'role', as: clerk, stops: forbidden.map((path) => ({ path, status: 403 })) },
  ]
})
after(async () => {
  await browser.close()
  await chirograph.stop()
  await receiver.close()
})

suite('every screen is sound, light and dark, 320 and 1,360 px', { skip, concurrency: true }, () => {
  const checked = new Set<string>()
  // Scripts hardly change words: every language with them, the first two without.
  for (const language of allLanguages)
    for (const javaScriptEnabled of ['en', 'fr'].includes(language) ? [true, false] : [true])
      test(`${language}, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
        const ways = { language, javaScriptEnabled, start: '/console', rounds, checked, hasKeyboard: true }
        const pictures = process.env.PICTURES
        assert.deepEqual(await walk({ browser, origin: chirograph.url, ...ways, pictures }), [])
      })
})

test('the walk visits every page of the console', () => {
  assert.deepEqual(unvisited(fullStops(full)), [])
})

test('at 320 px the steps of a table stand in one line, and a chart is high enough to be read', { skip }, async () => {
  const viewport = { width: 320, height: 640 }
  const { page, close } = await visit(browser, chirograph.url, { storageState: owner, viewport })
  for (const language of ['en', 'fr']) {
    await page.goto(`/console/issue/table?template=${full.template}&lang=${language}`)
    const tops = await page
      .locator('.progress li')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    assert.deepEqual([tops.length, new Set(tops).size], [3, 1], language)
  }
  for (const by of ['month', 'day']) {
    await page.goto(`/console/figures?by=${by}`)
    const box = await page.locator('.chart svg').boundingBox()
    assert(box !== null && box.width > 200 && box.height > 100, JSON.stringify(box))
  }
  await close()
})

// On PostgreSQL each of two servers counts for itself. That no call is made for each row: row-counts.test.ts.
test('a page makes at most five calls of the API', { skip }, async () => {
  for (const { path, send } of fullStops(full)) {
    if (send !== undefined) continue
    const made = await apiCallsOf(chirograph.url, path, cookieOf(owner))
    assert(made.length <= API_CALLS_MAX, `${path} makes ${made.length} calls: ${made.join(', ')}`)
  }
})

test('a page loads at most 25 kB of scripts and 12 kB of style, a full page of a list has at most 15 kB', async () => {
  const [cookie, acme] = [cookieOf(owner), await chirograph.backend('acme')]
  const root = {
    type: 'verifierRoot',
    keyType: 'P-256',
    countryName: 'ZA',
    issuerAlternativeNameUrl: 'https://c.example',
  }
  await Promise.all(Array.from({ length: 25 }, () => acme.post('/creds/certificates', root)))
  const list = await pageSize(chirograph.url, '/console/certificates', cookie)
  assert.equal((await acme.get('/creds/certificates')).body.data.length, 25)
  let [scripts, style] = [0, 0]
  for (const { path, send } of fullStops(full)) {
    if (send !== undefined) continue
    const size = await pageSize(chirograph.url, path, cookie)
    ;[scripts, style] = [Math.max(scripts, size.scripts), Math.max(style, size.style)]
  }
  console.log(`console, gzip: scripts ${scripts} B, style ${style} B, HTML of a list of 25 rows ${list.html} B`)
  assert(scripts > 0 && scripts <= sizesMax.console)
  assert(style > 0 && style <= sizesMax.style)
  assert(list.html > 2 * KILOBYTE && list.html <= sizesMax.list)
})
