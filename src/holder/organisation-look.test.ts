// The organisation of the holder chooses name, logo, colour, languages, privacy notice and help: on every page, on
// offers without a session, installed.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, afterEach, before, test } from 'node:test'
import { axeDefects, layoutDefects } from '../../test/support/browser.ts'
import { until } from '../../test/support/until.ts'
import { type SignedIn, signInAs } from '../console/test-support/console-walk.ts'
import { languages } from '../contract/languages.ts'
import { HolderWorld, opening } from './test-support/holder-world.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
const accentColor = '#7a1f4e'
const chosen = {
  accentColor,
  privacyUri: 'https://college.example/privacy',
  supportAddress: 'help@college.example',
  languages: ['fr', 'en'],
  logoUri: 'https://college.example/logo.png',
}
let world: HolderWorld
let nomsa: SignedIn
before(async () => {
  world = await HolderWorld.open()
  await change(chosen)
  nomsa = await signInAs(world.browser, world.chirograph, world.acme, 'nomsa', [])
})
afterEach(() => world.closeOpened())
after(() => world.close())

/** Other processes follow within five seconds: waits until both did, four answers in a row. */
async function change(members: { readonly languages: readonly string[] | null }): Promise<void> {
  const { status, body } = await world.acme.patch('/onboarding/organisation', members)
  assert.equal(status, 200, JSON.stringify(body))
  const expected = `"languages":${JSON.stringify(members.languages ?? Object.keys(languages))}`
  // Each keeps the organisation by its name and by its id.
  for (const path of ['/organisations/acme/about', '/onboarding/me']) {
    let times = 0
    await until(async () => {
      times = JSON.stringify((await world.acme.get(path)).body).includes(expected) ? times + 1 : 0
      return times === 4
    })
  }
}

/** A picture stands in for the logo, which this server would fetch. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60" fill="#c60"/></svg>'
const looks = [
  { colorScheme: 'light', viewport: { width: 320, height: 640 }, locale: 'fr', javaScriptEnabled: false },
  { colorScheme: 'dark', viewport: { width: 1360, height: 900 }, locale: 'en', javaScriptEnabled: false },
  { colorScheme: 'dark', viewport: { width: 320, height: 640 }, locale: 'en', javaScriptEnabled: true },
  { colorScheme: 'light', viewport: { width: 1360, height: 900 }, locale: 'fr', javaScriptEnabled: true },
] as const

test('every page, with a session and without, has the look that the organisation chose, readable in light and dark', async () => {
  const offer = await world.issue()
  const wallet = await world.chirograph.wallet('acme', 'nomsa')
  const taken = await wallet.post('/wallet/v2/credentials', { credentialOffer: (await world.issue()).offerUri })
  await wallet.patch(`/wallet/v2/credentials/${taken.body.data[0].id}`, { status: 'accepted' })
  const asked = await wallet.post('/wallet/v2/presentations', { presentationRequest: await world.ask() })
  const paths = [
    '/me',
    '/me/history',
    '/me/settings',
    `/me/cards/${taken.body.data[0].id}`,
    opening(offer.offerUri),
    `/me/asked/${asked.body.data.id}`,
    '/me/cards/none',
  ]
  const [request] = (await world.acme.get('/creds/presentations?page[size]=1')).body.data
  const open = [offer.offerPageUri, request.requestPageUri].map((uri) => new URL(uri).pathname)
  const visits = [...paths.map((path) => [nomsa, path] as const), ...open.map((path) => [null, path] as const)]
  for (const [place, look] of looks.entries()) {
    const opened = [await world.open(nomsa, look), await world.open(null, look)]
    for (const { page } of opened)
      await page.route('**/organisations/acme/logo', (route) =>
        route.fulfill({ contentType: 'image/svg+xml', body: LOGO }),
      )
    for (const [as, path] of visits) {
      const { page, troubles } = (as === null ? opened[1] : opened[0]) ?? assert.fail()
      await page.goto(path)
      const what = `${path} ${JSON.stringify(look)}`
      assert.equal(await page.locator('header img.organisation-logo[src="/organisations/acme/logo"]').count(), 1, what)
      assert.match(await page.locator('header').innerText(), /Acme College/, what)
      assert.equal(await page.locator(`footer a[href="${chosen.privacyUri}"]`).count(), 1, what)
      assert.equal(await page.locator('footer a[href="mailto:help@college.example"]').count(), 1, what)
      const style = await page.locator('style').evaluateAll((all) => all.map((one) => one.textContent).join(''))
      assert.ok(style.includes(`--accent:light-dark(${accentColor},`), what)
      const defects = [
        ...(await axeDefects(page, ['color-contrast'], look.javaScriptEnabled)),
        ...(await layoutDefects(page)),
      ]
      assert.deepEqual(defects, [], what)
      assert.deepEqual(troubles, [], what)
      if (pictures === undefined) continue
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({
        path: `${pictures}/look-${place}-${visits.findIndex((one) => one[1] === path)}.png`,
        fullPage: true,
      })
    }
  }
})

/** What a page is for a browser that prefers a language. */
async function read(path: string, language: string, as: SignedIn | null = null) {
  const cookie = (as?.cookies ?? []).map(({ name, value }) => `${name}=${value}`).join('; ')
  const answer = await fetch(world.chirograph.url + path, { headers: { cookie, 'accept-language': language } })
  const html = await answer.text()
  return {
    lang: /<html lang="(\w+)"/.exec(html)?.[1],
    choices: [...html.matchAll(/lang=(\w+)" lang=/g)].map((one) => one[1]),
  }
}

test('pages are in the languages of the organisation, the first by default; a language that it left out is not to be had', async () => {
  const offer = new URL((await world.issue()).offerPageUri).pathname
  for (const [path, as] of [
    ['/me', nomsa],
    [offer, null],
  ] as const) {
    assert.deepEqual(await read(path, 'xh', as), { lang: 'fr', choices: ['en'] }, path)
    assert.deepEqual(await read(path, 'en', as), { lang: 'en', choices: ['fr'] }, path)
  }
  await change({ languages: ['en'] })
  const pieter = await signInAs(world.browser, world.chirograph, world.acme, 'pumla', [])
  for (const [path, as] of [
    ['/me', pieter],
    ['/me/scan?lang=fr', pieter],
    [`${offer}?lang=fr`, null],
  ] as const)
    assert.deepEqual(await read(path, 'fr', as), { lang: 'en', choices: [] }, path)
  await change({ languages: null })
  const others = Object.keys(languages).filter((one) => one !== 'fr')
  assert.deepEqual(await read(offer, 'fr'), { lang: 'fr', choices: others })
  await change({ languages: chosen.languages })
})

test('an installed wallet has the name and the colour of its organisation, else those of the deployment', async () => {
  const get = async (path: string) => (await fetch(world.chirograph.url + path)).text()
  const { page } = await world.open(nomsa)
  await page.goto('/me')
  const href = (await page.locator('link[rel=manifest]').getAttribute('href')) ?? ''
  assert.equal(await page.locator('meta[name=theme-color]').getAttribute('content'), accentColor)
  const own = JSON.parse(await get(href))
  assert.partialDeepStrictEqual(own, {
    name: 'Acme College',
    short_name: 'Acme College',
    theme_color: accentColor,
    id: '/me',
    lang: 'fr',
  })
  for (const { src } of own.icons) assert.ok((await get(src)).includes(`fill="${accentColor}"`), src)
  for (const path of ['/me/manifest.webmanifest', '/me/manifest.webmanifest?organisation=nobody%2F..']) {
    const plain = JSON.parse(await get(path))
    assert.partialDeepStrictEqual(plain, { name: 'Chirograph', theme_color: '#1f4e79' })
    assert.ok((await get(plain.icons[0].src)).includes('fill="#1f4e79"'))
  }
})
