// The pages for visitors in a real browser: by themselves, and in the frame of a site on another origin. On PostgreSQL
// two servers answer in turn.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, FrameLocator, Page } from 'playwright-core'
import {
  axeDefects,
  headingDefects,
  layoutDefects,
  markupDefects,
  openBrowser,
  visit,
} from '../../test/support/browser.ts'
import { makeTemplate, openIssuance } from '../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
const UNKNOWN = '01890000-0000-7000-8000-000000000000'
const EMBED_BYTES_MAX = 8000
const small = { viewport: { width: 320, height: 640 } }
let chirograph: Deployment
let browser: Browser
let acme: Api
let thandi: Api
let template: string
let site: Site
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  acme = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  const { id, type } = await makeTemplate(acme, 'badge')
  const { offerUri } = await openIssuance(acme, id)
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  await thandi.patch(`/wallet/v2/credentials/${received.body.data[0].id}`, { status: 'accepted' })
  const made = await acme.post('/creds/templates/presentations', {
    name: 'Level',
    description: '',
    credentials: [{ type, name: 'Student card', attributes: { level: {} } }],
    verifierConfig: { purpose: 'For the student discount on your order.' },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  template = made.body.data.id
  site = await aSite()
})
after(async () => {
  await browser.close()
  site.close()
  await chirograph.stop()
})

type Site = Awaited<ReturnType<typeof aSite>>

/** A website on an origin of its own, whose policy forbids everything but the script and the frame of our server. */
async function aSite() {
  const policy = `default-src 'none'; script-src 'self' ${chirograph.url}; frame-src ${chirograph.url}; require-trusted-types-for 'script'; trusted-types`
  let page = ''
  let isPolite = true
  const server = createServer((request, response) => {
    const isScript = request.url === '/shop.js'
    response.writeHead(200, {
      'content-type': isScript ? 'text/javascript' : 'text/html',
      'content-security-policy': policy,
    })
    const listen = `globalThis.told = []
for (const type of ['state', 'verified', 'answered']) addEventListener(type, (event) => { told.push({ type, ...event.detail }); ${isPolite ? '' : 'event.preventDefault()'} })
addEventListener('message', ({ data, origin }) => { if (data.type === 'state') told.push({ type: 'message', origin, keys: Object.keys(data).sort().join() }) })`
    const html = `<!doctype html><html lang="en"><head><title>Shop</title><script src="/shop.js"></script><script type="module" src="${chirograph.url}/embed.js"></script></head><body><h1>Shop</h1><chirograph-verify page="${page}" reference="order-17"></chirograph-verify></body></html>`
    response.end(isScript ? listen : html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (id: string, leads = true) => {
      page = id
      isPolite = leads
    },
    close: () => server.close(),
  }
}

async function aPage(more: object = {}): Promise<{ readonly id: string; readonly pageUri: string }> {
  const body = { name: 'Discount', presentationTemplateId: template, origins: [site.origin], ...more }
  const made = await acme.post('/creds/verification-pages', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

/**
 * Scans the code that is shown, as a wallet on another device, and shares or declines.
 *
 * @returns the answer of the verifier
 */
async function scan(shown: Page | FrameLocator, status: 'answered' | 'rejected' = 'answered') {
  const link = await shown.getByRole('link', { name: /^(Open a wallet|Ouvrir un portefeuille)/ }).getAttribute('href')
  const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest: link })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  const sent = await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return sent.body
}

type Told = { readonly type: string } & Readonly<Record<string, string>>
const toldTo = (page: Page) => page.evaluate<Told[]>('told')

/** The policy of the site forbids the polling of the browser's own driver. */
async function untilTold(page: Page, wanted: string): Promise<void> {
  await until(async () => (await toldTo(page)).some(({ type }) => type === wanted))
}

test('a site with a strict policy embeds the element; its backend reads the result, its page sees no claim', async () => {
  const { id } = await aPage()
  site.show(id)
  const { page, troubles, close } = await visit(browser, site.origin)
  await page.goto('/')
  const frame = page.frameLocator('chirograph-verify iframe')
  await frame.getByText('Student card').waitFor()
  const inFrame = page.frames().find((one) => one.url().includes('/embed/'))
  assert.deepEqual(await page.context().cookies(chirograph.url), [])
  await frame.getByRole('button', { name: 'Begin' }).click()
  await frame.getByText('Waiting for your wallet').waitFor()
  const code = `document.querySelector('img.qr')`
  assert.equal(await inFrame?.evaluate(`${code}.decode().then(() => ${code}.naturalWidth > 0)`), true)
  assert.equal(await inFrame?.evaluate('document.activeElement.textContent.includes("Waiting")'), true)
  await scan(frame)
  await frame.getByRole('heading', { name: 'Accepted' }).waitFor()
  await untilTold(page, 'verified')
  const told = await toldTo(page)
  const [done] = told.filter(({ type }) => type === 'verified')
  assert.deepEqual(Object.keys(done ?? {}).sort(), ['request', 'responseCode', 'type'])
  assert.deepEqual(
    told.filter(({ type }) => type === 'state').map(({ status }) => status),
    ['requested', 'verified'],
  )
  for (const { origin } of told.filter(({ type }) => type === 'message')) assert.equal(origin, chirograph.url)
  // What the backend of the site does.
  const result = await acme.get(`/creds/presentations/${done?.request}?responseCode=${done?.responseCode}`)
  assert.partialDeepStrictEqual(result.body.data, { status: 'verified', reference: 'order-17' })
  assert.deepEqual(result.body.data.credentials[0].attributes, { level: 3 })
  assert(!JSON.stringify(told).includes('level'))
  assert.deepEqual(await page.context().cookies(), [])
  assert.deepEqual(
    troubles.filter((one) => !one.startsWith(`foreign: ${chirograph.url}/`)),
    [],
  )
  await close()
})

for (const [leads, words] of [
  [true, 'goes'],
  [false, 'does not go, if the site prevents it,'],
] as const) {
  test(`with a redirect URI the page of the site ${words} there with the response code`, async () => {
    const { id } = await aPage({ redirectUri: `${site.origin}/checked` })
    site.show(id, leads)
    const { page, close } = await visit(browser, site.origin)
    await page.goto('/')
    const frame = page.frameLocator('chirograph-verify iframe')
    await frame.getByRole('button', { name: 'Begin' }).click()
    await scan(frame)
    if (leads) {
      await page.waitForURL(/\/checked\?/)
      const { searchParams } = new URL(page.url())
      const query = `responseCode=${searchParams.get('response_code')}`
      const result = await acme.get(`/creds/presentations/${searchParams.get('request')}?${query}`)
      assert.equal(result.body.data.status, 'verified')
    } else {
      await untilTold(page, 'verified')
      assert.equal(new URL(page.url()).pathname, '/')
    }
    await close()
  })
}

test('a page is framed by the listed site that it was asked for, by no other one, and sets no cookie', async () => {
  const { id } = await aPage({ origins: [site.origin, 'https://other.example'] })
  const policyOf = async (query: string) => {
    const response = await fetch(`${chirograph.url}/embed/${id}${query}`, {
      headers: { cookie: 'chirograph-language=fr' },
    })
    assert.deepEqual(response.headers.getSetCookie(), [])
    assert.match(await response.text(), /<html lang="en">/)
    const policy = response.headers.get('content-security-policy') ?? ''
    return [response.status, /frame-ancestors ([^;]*)/.exec(policy)?.[1]]
  }
  assert.deepEqual(await policyOf(`?origin=${encodeURIComponent(site.origin)}`), [200, site.origin])
  assert.deepEqual(await policyOf('?origin=https://other.example'), [200, 'https://other.example'])
  for (const query of ['', '?origin=https://evil.example', '?origin=*', `?origin=${site.origin}/`])
    assert.deepEqual(await policyOf(query), [403, "'none'"], query)
  assert.deepEqual((await fetch(`${chirograph.url}/embed/${UNKNOWN}`)).status, 404)
  const begun = await fetch(`${chirograph.url}/embed/${id}`, {
    method: 'POST',
    headers: { origin: 'https://evil.example' },
  })
  assert.equal(begun.status, 403)
})

test('where the frame is refused, the element offers the page in a window of its own', async () => {
  const { id } = await aPage({ origins: [] })
  site.show(id)
  const { page, close } = await visit(browser, site.origin)
  await page.clock.install()
  await page.goto('/')
  await page.locator('chirograph-verify iframe').waitFor({ state: 'attached' })
  await page.clock.fastForward(11_000)
  const link = page.getByRole('link', { name: 'Open the verification page' })
  assert.equal(await link.getAttribute('href'), `${chirograph.url}/verify/${id}`)
  assert.deepEqual(await toldTo(page), [])
  await close()
})

// With scripts off the page loads itself again every few seconds.
suite('a visitor without a site', { concurrency: 4 }, () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`the page by itself: begin, scan, read the verdict, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const { id } = await aPage()
      const { page, troubles, close } = await visit(browser, chirograph.url, { javaScriptEnabled })
      await page.goto(`/verify/${id}`)
      await page.getByRole('button', { name: 'Begin' }).click()
      await page.getByText('Waiting for your wallet').waitFor()
      const sent = await scan(page, 'rejected')
      const ended = page.getByRole('heading', { name: 'You shared nothing' })
      await ended.waitFor()
      // The wallet of this device would lead back to where the visitor is.
      assert.match(JSON.stringify(sent), new RegExp(`/verify/${id}/return`))
      await page.getByRole('button', { name: 'Begin again' }).click()
      await scan(page)
      await page.getByRole('heading', { name: 'Accepted' }).waitFor()
      await page.goto(`/verify/${id}/return?response_code=x`)
      await page.getByRole('heading', { name: 'Accepted' }).waitFor()
      const [cookie] = (await page.context().cookies()).filter(({ name }) => name.endsWith('chirograph-visitor'))
      assert.partialDeepStrictEqual(cookie, { httpOnly: true, sameSite: 'Lax' })
      assert.deepEqual(troubles, [])
      await close()
      const elsewhere = await visit(browser, chirograph.url, { javaScriptEnabled })
      await elsewhere.page.goto(`/verify/${id}/return?response_code=x`)
      await elsewhere.page.getByText('on the other device').waitFor()
      await elsewhere.close()
    })

    test(`the page leads to the site with the response code, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const { id } = await aPage({ redirectUri: `${site.origin}/checked`, visitorSees: 'receipt' })
      const { page, close } = await visit(browser, chirograph.url, { javaScriptEnabled })
      await page.goto(`/verify/${id}`)
      await page.getByRole('button', { name: 'Begin' }).click()
      await scan(page)
      await page.waitForURL(/\/checked\?/)
      const { searchParams } = new URL(page.url())
      const query = `responseCode=${searchParams.get('response_code')}`
      const result = await acme.get(`/creds/presentations/${searchParams.get('request')}?${query}`)
      assert.equal(result.body.data.status, 'verified')
      await page.goto(`/verify/${id}`)
      await page.getByRole('button', { name: 'Begin' }).waitFor()
      await close()
    })
  }
})

test('what goes wrong is said in words: unknown, closed, too many', async () => {
  const [closed, busy] = [await aPage({ isOpen: false }), await aPage({ requestsPerMinute: 1 })]
  const { page, close } = await visit(browser, chirograph.url)
  assert.equal((await page.goto(`/verify/${UNKNOWN}`))?.status(), 404)
  await page.getByText('ask the organisation for a new link').waitFor()
  assert.equal((await page.goto(`/verify/${closed.id}`))?.status(), 410)
  await page.getByText('takes no credentials here now').waitFor()
  await page.goto(`/verify/${busy.id}`)
  const begun = await chirograph.nobody.post(`/verify/${busy.id}/requests`, {})
  assert.equal(begun.status, 201)
  const [refused] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === 'POST'),
    page.getByRole('button', { name: 'Begin' }).click(),
  ])
  assert.deepEqual([refused.status(), Number(refused.headers()['retry-after']) > 0], [429, true])
  await page.getByText(/Try again in \d+ seconds|Try again in 1 minute/).waitFor()
  await close()
})

test('a visitor chooses from the wallet of the browser where it has one', async () => {
  const { id } = await aPage()
  const { page, close } = await visit(browser, chirograph.url)
  await page.addInitScript(`
    globalThis.DigitalCredential ??= class DigitalCredential {}
    navigator.credentials.get = async ({ digital }) => { globalThis.asked = digital.requests; throw new DOMException('declined', 'NotAllowedError') }`)
  await page.goto(`/verify/${id}`)
  await page.getByRole('button', { name: 'Begin' }).click()
  await page.getByRole('button', { name: 'Choose from your browser' }).click()
  await page.getByText('Nothing was sent. Try again').waitFor()
  const protocols = await page.evaluate<string[]>('asked.map(({ protocol }) => protocol)')
  assert.deepEqual(protocols, ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'])
  await close()
  const without = await visit(browser, chirograph.url)
  await without.page.addInitScript('delete globalThis.DigitalCredential')
  await without.page.goto(`/verify/${id}`)
  await without.page.getByRole('button', { name: 'Begin' }).click()
  await without.page.getByText('Waiting for your wallet').waitFor()
  assert.equal(await without.page.getByRole('button', { name: 'Choose from your browser' }).isVisible(), false)
  await without.close()
})

const looks: readonly (BrowserContextOptions & { readonly name: string; readonly language: 'en' | 'fr' })[] = [
  { name: 'wide', language: 'en', colorScheme: 'light', javaScriptEnabled: true },
  { name: 'small-dark', language: 'fr', colorScheme: 'dark', javaScriptEnabled: true, ...small },
  { name: 'small-plain', language: 'en', colorScheme: 'light', javaScriptEnabled: false, ...small },
  { name: 'wide-dark', language: 'fr', colorScheme: 'dark', javaScriptEnabled: false },
]

const begins = { en: 'Begin', fr: 'Commencer' }
const accepted = { en: 'Accepted', fr: 'Acceptée' }

const heading = `Show your student card, ${'long'.repeat(20)} <b>and more</b>`

/** Collects what is wrong with the states of pages, and takes their pictures. */
function inspector(page: Page, name: string, isPlain: boolean) {
  const defects: string[] = []
  const look = async (state: string) => {
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}-${state}.png`, fullPage: true })
    // axe waits for timers, which do not run where scripts are off.
    const found = [...(isPlain ? [] : await axeDefects(page)), ...(await layoutDefects(page))]
    defects.push(...found.map((one) => `${state}: ${one}`))
  }
  const open = async (path: string, state: string) => {
    const response = await page.goto(path)
    // Without script an open request is loaded again every few seconds; the page says so.
    const isKnown = (one: string) => state === 'asking' && one.startsWith('html meta-refresh')
    const wrong = [...(await markupDefects(response)), ...(await headingDefects(page, response?.status() ?? 0))]
    const found = wrong.filter((one) => !isKnown(one))
    defects.push(...found.map((one) => `${state}: ${one}`))
    await look(state)
  }
  return { look, open, defects }
}

suite('every page is sound', { concurrency: 4 }, () => {
  for (const { name, language, ...options } of looks) {
    test(`${name}, ${language}`, async () => {
      if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
      const isPlain = options.javaScriptEnabled === false
      const [full, other, closed] = [
        await aPage({ heading, explanation: 'You get a tenth off. We keep nothing but the fact.' }),
        await aPage(),
        await aPage({ isOpen: false }),
      ]
      const { page, troubles, close } = await visit(browser, chirograph.url, options)
      const { look, open, defects } = inspector(page, name, isPlain)
      await open(`/verify/${full.id}?lang=${language}`, 'begin')
      await page.getByRole('button', { name: begins[language] }).click()
      await page.locator('img.qr').waitFor()
      await open(`/verify/${full.id}`, 'asking')
      await scan(page)
      await page.getByRole('heading', { name: accepted[language], exact: true }).waitFor()
      await open(`/verify/${full.id}`, 'accepted')
      await open(`/verify/${other.id}`, 'other')
      await page.getByRole('button', { name: begins[language] }).click()
      await scan(page, 'rejected')
      await page.getByRole('button', { name: language === 'en' ? 'Begin again' : 'Recommencer' }).waitFor()
      await look('declined')
      await open(`/verify/${closed.id}`, 'closed')
      await open(`/verify/${UNKNOWN}`, 'unknown')
      await open(`/verify/${full.id}/nothing-here`, 'nothing-here')
      await page.context().clearCookies()
      await open(`/verify/${full.id}/return?lang=${language}`, 'return')
      const origin = `origin=${encodeURIComponent(site.origin)}&lang=${language}`
      await open(`/embed/${full.id}?${origin}`, 'embed-begin')
      await open(`/embed/${closed.id}?${origin}`, 'embed-closed')
      await open(`/embed/${full.id}?origin=none&lang=${language}`, 'embed-origin')
      if (!isPlain) {
        await page.goto(`/embed/${full.id}?${origin}`)
        await page.getByRole('button', { name: begins[language] }).click()
        await page.locator('img.qr').waitFor()
        await look('embed-asking')
        await scan(page)
        await page.getByRole('heading', { name: accepted[language], exact: true }).waitFor()
        await look('embed-accepted')
      }
      assert.deepEqual([...defects, ...troubles], [])
      await close()
    })
  }
})

test('the script of sites, and what the pages load, stay within their budgets', async () => {
  const { id } = await aPage()
  const sizeOf = async (path: string) => gzipSync(Buffer.from(await (await fetch(chirograph.url + path)).text())).length
  const embed = await sizeOf('/embed.js')
  console.log(`embed.js: ${embed} B (gzip)`)
  assert(embed > 500 && embed <= EMBED_BYTES_MAX)
  const response = await fetch(`${chirograph.url}/embed.js`, { headers: { origin: site.origin } })
  assert.deepEqual(
    ['access-control-allow-origin', 'cross-origin-resource-policy'].map((one) => response.headers.get(one)),
    ['*', 'cross-origin'],
  )
  for (const path of [`/verify/${id}`, `/embed/${id}?origin=${encodeURIComponent(site.origin)}`]) {
    const html = await (await fetch(chirograph.url + path)).text()
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, one = '']) => one)
    const sum = async (ending: string) =>
      (await Promise.all(paths.filter((one) => one.endsWith(ending)).map(sizeOf))).reduce((all, one) => all + one, 0)
    const [scripts, style] = [await sum('.js'), await sum('.css')]
    console.log(`${path.split('/')[1]}: ${scripts} B of scripts, ${style} B of style (gzip)`)
    assert(scripts <= 6000 && style > 0 && style <= 12_000)
  }
})
