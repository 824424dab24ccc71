// Paths that no cookie can hold, on the way to a foreign provider: how many are kept for an address, and what the
// person is told beyond that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { backendSecret, type Deployment, deploy } from '../../../../test/support/server.ts'
import { randomToken } from '../../../crypto/random.ts'
import { limits } from '../../../memory/limits.ts'
import { ForeignProvider } from '../../test-support/foreign-provider.ts'
import { PlainBrowser, type Shown } from '../test-support/plain-browser.ts'

const BEGIN = '/sign-in/provider/campus'
/** On PostgreSQL two servers answer in turn, and each counts by itself. */
const KEPT_MAX = 2 * limits['pages.kept_paths'].countMax
let aheadMs = 0
let chirograph: Deployment
let foreign: ForeignProvider
before(async () => {
  chirograph = await deploy({ clock: { now: () => new Date(Date.now() + aheadMs) } })
  const redirectUri = `${chirograph.url}/sign-in/external/acme/campus`
  const client = { clientId: 'chirograph', clientSecret: backendSecret }
  foreign = new ForeignProvider(chirograph.url, [{ ...client, redirectUri }])
  await foreign.open()
  foreign.person = { sub: 'thandi-at-campus', employee_id: 'EXT/1+a@é' }
  const acme = await chirograph.backend('acme')
  const made = await acme.post('/onboarding/identity-providers', {
    name: 'campus',
    displayName: 'Campus account',
    issuer: foreign.issuer,
    ...client,
    claims: { externalIdentifier: 'employee_id' },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
})
after(async () => {
  await chirograph.stop()
  await foreign.stop()
})

const long = `/auth/authorize?state=${Array.from({ length: 120 }, () => randomToken()).join('')}`

/** A browser at the sign-in page, on its way to an authorization request. */
async function browserAt(continueTo: string, headers: Readonly<Record<string, string>> = {}) {
  const place = `/sign-in?${new URLSearchParams({ tenant: 'acme', continue: continueTo })}`
  const browser = new PlainBrowser(chirograph.url, { referer: chirograph.url + place, ...headers })
  const page = await browser.open(place)
  assert.equal(page.status, 200)
  return { browser, place }
}

/** Sends the person to the provider, again and again, until that is refused. */
async function refusedOf(browser: PlainBrowser): Promise<Shown> {
  const { action, hidden } = browser.form(BEGIN)
  const body = new URLSearchParams(hidden).toString()
  for (let count = 0; count <= KEPT_MAX; count += 1) {
    const page = await browser.request('POST', action, body)
    if (page.status !== 200) return page
    assert.ok(page.url.startsWith(`${foreign.issuer}/auth?`), page.url)
  }
  return assert.fail(`more than ${KEPT_MAX} paths are kept for one address`)
}

for (const [language, title, wait, openAgain] of [
  ['en', 'Too many attempts', /Try again in (\d+\sseconds?|1\sminute)\./, 'Open the page again'],
  ['fr', 'Trop de tentatives', /Réessayez dans (\d+\ssecondes?|1\sminute)\./, 'Ouvrir de nouveau la page'],
] as const)
  test(`${language}: beyond the limit the page says when to try again and leads back to the sign-in, which works by then`, async () => {
    const { browser, place } = await browserAt(long, { 'accept-language': language })
    const page = await refusedOf(browser)
    assert.equal(page.status, 429)
    assert.ok(page.title.includes(title), page.title)
    const text = page.html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    assert.match(text, wait)
    const seconds = Number(page.headers.get('retry-after'))
    assert.ok(seconds > 0 && seconds <= 60, String(seconds))
    assert.ok(text.includes(`href="${place}"`), text)
    assert.ok(text.includes(openAgain), text)
    const short = (await browserAt('/auth/authorize?state=short')).browser
    assert.equal((await short.send(BEGIN)).status, 200, 'a path that a cookie holds is not counted')
    aheadMs += 61_000
    const again = await browser.open(place)
    assert.equal(again.status, 200)
    const begun = await browser.send(BEGIN)
    assert.ok(begun.url.startsWith(`${foreign.issuer}/auth?`), begun.url)
  })
