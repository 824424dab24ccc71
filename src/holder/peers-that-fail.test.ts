// Issuers and verifiers that are slow, away, busy or send far too much, at each step: what happened, what was kept, and
// what to do, in both languages.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { layoutDefects } from '../../test/support/browser.ts'
import { until } from '../../test/support/until.ts'
import type { Language } from '../contract/languages.ts'
import type { Lies } from '../wallet/test-support/foreign-issuer.ts'
import type { Quirks } from '../wallet/test-support/foreign-verifier.ts'
import { askedTexts } from './asked/texts.ts'
import { cardTexts } from './cards/texts.ts'
import { offerTexts } from './offers/texts.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
let world: HolderWorld
before(async () => {
  world = await HolderWorld.open()
  const { page } = await world.open(world.thandi)
  await take(page, (await world.issue()).offerUri)
})
after(async () => {
  await world.closeOpened()
  await world.close()
})

type Trouble = 'slow' | 'away' | 'busy' | 'large'
const troubles = ['slow', 'away', 'busy', 'large'] as const
const endless = Buffer.alloc(30_000_000, 'a')
const never = new Promise<never>(() => undefined)

function answering(trouble: Trouble): NonNullable<NonNullable<Lies['reply']>['token']> {
  if (trouble === 'slow') return () => never
  if (trouble === 'busy') return (reply) => ({ ...reply, status: 503 })
  return trouble === 'large' ? (reply) => ({ ...reply, body: endless }) : (reply) => ({ ...reply, status: 500 })
}

async function told(page: Page, [title = '', what = '']: readonly string[], kept = ''): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.locator('.outcome').getByText(`${what} ${kept}`.trim()).waitFor()
  assert.deepEqual(await layoutDefects(page), [], title)
}

const inLanguage = (language: Language, options = {}): Promise<Page> =>
  world.openBeside(world.thandi, { locale: language, ...small, ...options })

const cards = async () =>
  (await (await world.chirograph.wallet('acme', 'thandi')).get('/wallet/v2/credentials?page[size]=100')).body.data
    .length

// Most of their time they wait for a peer that does not answer: together they take as long as the longest. None of them
// adds a card.
suite('each trouble of an issuer, in both languages', { concurrency: 6 }, () => {
  for (const language of ['en', 'fr'] as const) {
    const t = offerTexts[language]

    test(`${language}: an offer that cannot be opened is as it was, and opens once its issuer is back`, async () => {
      await Promise.all(
        troubles.map(async (trouble) => {
          const page = await inLanguage(language)
          const club = await world.aClub()
          club.lie({ reply: { offer: answering(trouble) } })
          await page.goto(opening(club.offerUri))
          await told(page, t[trouble], t.kept.open)
          club.lie({})
          if (trouble === 'large') return assert.equal(await page.getByRole('link', { name: t.again }).count(), 0)
          await page.getByRole('link', { name: t.again }).click()
          await page.getByRole('button', { name: t.take }).waitFor()
        }),
      )
    })

    for (const place of ['token', 'credential'] as const)
      test(`${language}: a card that cannot be taken, at the ${place}, is not half added`, async () => {
        const before = await cards()
        await Promise.all(
          [troubles.slice(0, 1), troubles.slice(1)].map(async (some) => {
            const page = await inLanguage(language, { javaScriptEnabled: false })
            for (const trouble of some) {
              const club = await world.aClub()
              await page.goto(opening(club.offerUri))
              club.lie({ reply: { [place]: answering(trouble) } })
              await page.getByRole('button', { name: t.take }).click()
              await page.waitForURL('**/me/offers')
              assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), t[trouble][0], trouble)
              await told(page, t[trouble], trouble === 'slow' ? t.kept.late : t.kept.take)
            }
          }),
        )
        assert.equal(await cards(), before)
      })
  }
})

/**
 * Opens an answer that was not confirmed from the first page, which does not say that the verifier asks for something.
 */
async function fromFirstPage(page: Page, language: 'en' | 'fr', host: string): Promise<void> {
  const { noAnswer, sendAgain, asks } = cardTexts[language]
  await page.goto('/me')
  await page.getByRole('heading', { name: noAnswer(host) }).waitFor()
  assert.equal(await page.getByRole('heading', { name: asks(host) }).count(), 0, 'the person has answered')
  const entry = page.locator('.message', { hasText: noAnswer(host) })
  await entry.getByRole('link', { name: sendAgain }).click()
}

/** Does not wait for the answer. */
const shareAtOnce = (page: Page) => page.getByRole('button', { name: /^Share it with/ }).click({ noWaitAfter: true })

suite('each trouble of a verifier, in both languages', { concurrency: 2 }, () => {
  for (const language of ['en', 'fr'] as const) {
    const t = offerTexts[language]
    test(`${language}: a request that cannot be opened shares nothing`, async () => {
      const quirks: Readonly<Record<Exclude<Trouble, 'slow'>, Quirks>> = {
        away: { serve: { status: 500 } },
        busy: { serve: { status: 503 } },
        large: { jwt: () => endless.toString() },
      }
      for (const trouble of ['away', 'busy', 'large'] as const) {
        const page = await inLanguage(language)
        const shop = await world.aShop(world.degreeQuery)
        shop.behave(quirks[trouble])
        await page.goto(opening(shop.link()))
        await told(page, t[trouble], t.kept.request)
        assert.equal(shop.posted.length, 0)
      }
    })

    test(`${language}: an answer that a verifier cannot take is sent again; one that it did not confirm says so`, async () => {
      const words = askedTexts[language]
      const page = await inLanguage(language)
      const shop = await world.aShop(world.degreeQuery)
      shop.behave({ answer: { status: 503 } })
      await page.goto(opening(shop.link()))
      const share = page.getByRole('button', { name: /^(Share it with|Partager)/ })
      await share.click()
      await page.getByText(words.busy).waitFor()
      assert.deepEqual(await layoutDefects(page), [])
      shop.behave({ answer: { body: endless.toString() } })
      await share.click()
      await page.getByRole('heading', { name: words.unconfirmed[0] ?? '' }).waitFor()
      await page.goto('/me/history')
      const line = page.getByRole('listitem').filter({ hasText: new URL(shop.responseUri).host })
      await line.getByText(`${cardTexts[language].maybeSaw('')}Degree`).waitFor()
      await line.getByText(cardTexts[language].unconfirmed, { exact: true }).waitFor()
      shop.behave({})
      await fromFirstPage(page, language, new URL(shop.responseUri).host)
      await page.getByRole('button', { name: words.sendAgain }).click()
      await page.getByRole('heading', { name: words.ended.answered[0] ?? '' }).waitFor()
    })
  }

  test('a second tab that shares while the verifier has yet to confirm shows how it ended, once it has', async () => {
    const [first, second] = [await inLanguage('en'), await inLanguage('en')]
    const shop = await world.aShop(world.degreeQuery)
    const confirmed = Promise.withResolvers<void>()
    shop.behave({ answer: { after: confirmed.promise } })
    for (const page of [first, second]) await page.goto(opening(shop.link()))
    await shareAtOnce(first)
    await until(() => shop.posted.length === 1)
    await shareAtOnce(second)
    // The second form is refused meanwhile, and waits.
    await delay(1000)
    confirmed.resolve()
    await second.getByText(askedTexts.en.already.answered).waitFor()
    for (const page of [first, second]) await page.getByRole('heading', { name: 'You shared it' }).waitFor()
    assert.equal(shop.posted.length, 1)
  })
})

test('a double tap, two tabs and the back button take an offer once', async () => {
  const before = await cards()
  const [page, other] = [await inLanguage('en'), await inLanguage('en')]
  const { offerUri } = await world.issue()
  for (const one of [page, other]) await one.goto(opening(offerUri))
  // The second tap may end the navigation of the first one, which is an error for those who wait for an address.
  await page.getByRole('button', { name: 'Take this card' }).dblclick()
  await page.getByText('The card is yours now').waitFor()
  assert.match(page.url(), /\/me\/cards\/[0-9a-f-]{36}\?new=1$/)
  const isMine = (one: Page) => one.getByRole('heading', { level: 1, name: 'This card is already yours' })
  await other.getByRole('button', { name: 'Take this card' }).click()
  await isMine(other).waitFor()
  await other.getByRole('link', { name: 'Show the card' }).click()
  await other.getByText('BSc Computer Science').first().waitFor()
  await page.goBack()
  const again = page.getByRole('button', { name: 'Take this card' })
  if (await again.isVisible()) await again.click()
  await isMine(page).waitFor()
  assert.equal(await cards(), before + 1)
  const raced = (await world.issue()).offerUri
  for (const one of [page, other]) await one.goto(opening(raced))
  const ends = await Promise.all(
    [page, other].map(async (one) => {
      await one.getByRole('button', { name: 'Take this card' }).click()
      // The slower one is told by how far the faster one was: taken at the issuer, ordered, or added.
      const slower = one.getByRole('heading', {
        name: /^This card (was taken already|is on its way|is already yours)$/,
      })
      const end = one.getByText('The card is yours now').or(slower)
      await end.first().waitFor()
      return one.url().endsWith('?new=1')
    }),
  )
  assert.deepEqual(ends.toSorted(), [false, true])
  assert.equal(await cards(), before + 2)
})

const svg = (inside: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inside}</svg>`)
/** Ten times ten times ten …: 1 kB that would draw a billion shapes. */
const shapes = Array.from({ length: 9 }, (_, n) => `<g id="a${n + 1}">${`<use href="#a${n}"/>`.repeat(10)}</g>`).join(
  '',
)
const wide = Buffer.alloc(64)
Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x4e\x20\0\0\x4e\x20', 'latin1').copy(wide)
const logos: Readonly<Record<string, Buffer | null>> = {
  script: svg('<rect width="9" height="9" fill="#1a7f37"/><script>top.document.title="owned"</script>'),
  'billion shapes': svg(`<path id="a0" d="M0 0h9v9z"/>${shapes}`),
  '20,000 px': wide,
  'a page': Buffer.from('<!doctype html><script>top.document.title="owned"</script>'),
  '30 MB': Buffer.concat([svg(''), endless]),
  slow: null,
}

suite('what one peer does leaves the pages of another alone', { concurrency: 3 }, () => {
  test('a card whose issuer does not take the notification is there all the same', async () => {
    const page = await inLanguage('en')
    const club = await world.aClub()
    club.lie({ reply: { notification: answering('busy') } })
    await page.goto(opening(club.offerUri))
    await page.getByRole('button', { name: 'Take this card' }).click()
    await page.getByText('The card is yours now').waitFor()
  })

  test('a verifier that refuses the answer: said so, also after a reload and by the back button, and sent once', async () => {
    const page = await inLanguage('en')
    const shop = await world.aShop(world.degreeQuery)
    shop.behave({ answer: { status: 400 } })
    await page.goto(opening(shop.link()))
    await page.getByRole('button', { name: /^Share it with/ }).dblclick()
    const refused = page.getByRole('heading', { level: 1, name: askedTexts.en.ended.failed[0] ?? '' })
    await refused.waitFor()
    await page.reload()
    await refused.waitFor()
    await page.goto('/me/history')
    await page.goBack()
    await refused.waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Share|Send)/ }).count(), 0)
    await page.goto(opening(shop.link()))
    await refused.waitFor()
    assert.equal(shop.posted.length, 1)
  })

  test('a request that has expired is not opened; one that expires while it is shown is not sent', async () => {
    const shop = await world.aShop(world.degreeQuery)
    const expiring = (at: number) => shop.behave({ object: (object) => ({ ...object, exp: Math.floor(at / 1000) }) })
    const [shown, other] = [await inLanguage('en'), await inLanguage('en')]
    expiring(Date.now() - 600_000)
    assert.equal((await other.goto(opening(shop.link('&n=1'))))?.status(), 410)
    await told(other, offerTexts.en.expired)
    expiring(Date.now() + 4000)
    await shown.goto(opening(shop.link()))
    const share = shown.getByRole('button', { name: /^Share it with/ })
    await share.waitFor()
    await other.goto(shown.url())
    const expired = (page: Page) => page.getByRole('heading', { level: 1, name: askedTexts.en.ended.expired[0] ?? '' })
    for (const end = Date.now() + 90_000; Date.now() < end && !(await expired(other).isVisible()); )
      await other.reload()
    await share.click()
    await expired(shown).waitFor()
    assert.equal(shop.posted.length, 0)
  })
})

test('an offer and a request that cannot be used are fetched once each time that the person opens them, and followed nowhere', async () => {
  const page = await inLanguage('en')
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${world.chirograph.url}/`)) elsewhere.push(request.url())
  })
  const reply: Readonly<Record<string, NonNullable<NonNullable<Lies['reply']>['offer']>>> = {
    unknown: (known) => ({ ...known, status: 404 }),
    gone: (known) => ({ ...known, status: 410 }),
    'no offer': (known) => ({ ...known, body: { hello: 1 } }),
    'a redirect': (known) => ({ ...known, status: 302, headers: { location: 'https://evil.example/' } }),
  }
  for (const [what, offer] of Object.entries(reply)) {
    const club = await world.aClub()
    club.lie({ reply: { offer } })
    const status = (await page.goto(opening(club.offerUri)))?.status() ?? 0
    assert.ok(status >= 400, `${what}: ${status}`)
    assert.deepEqual(
      club.calls.map(({ place }) => place),
      ['offer'],
      what,
    )
    await page.reload()
    assert.equal(club.calls.length, 2, what)
  }
  const quirks: Readonly<Record<string, Quirks>> = {
    unknown: { serve: { status: 404 } },
    gone: { serve: { status: 410 } },
    'no request': { jwt: () => 'hello' },
    expired: { object: (object) => ({ ...object, exp: 1 }) },
    'a redirect': { serve: { status: 302, location: 'https://evil.example/' } },
  }
  for (const [what, quirk] of Object.entries(quirks)) {
    const shop = await world.aShop(world.degreeQuery)
    shop.behave(quirk)
    const status = (await page.goto(opening(shop.link())))?.status() ?? 0
    assert.ok(status >= 400, `${what}: ${status}`)
    assert.deepEqual([shop.fetched.length, shop.posted.length], [1, 0], what)
  }
  assert.deepEqual(elsewhere, [])
})

test('logos of an issuer that would harm a browser: its letter stands there, and an SVG runs no script', async (t) => {
  const asked = new Set<string>()
  const host = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '')
    asked.add(name)
    const bytes = logos[name]
    if (bytes) response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(bytes)
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    host.closeAllConnections()
    host.close()
  })
  const base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const { page, troubles } = await world.open(world.thandi, small)
  const paths: string[] = []
  for (const name of Object.keys(logos)) {
    const club = await world.aClub()
    const display = [{ name, logo: { uri: `${base}/${encodeURIComponent(name)}` } }]
    const issuer = (body: unknown) => ({ ...Object(body), display })
    club.lie({ reply: { issuer: (reply) => ({ ...reply, body: issuer(reply.body) }) } })
    paths.push(await take(page, club.offerUri))
  }
  const drawn = page.locator('main img[src$="/logo"]')
  const [scripted = '', ...others] = paths
  const isDone = async () => asked.size === paths.length && (await drawn.count()) > 0
  await page.goto(scripted)
  for (const end = Date.now() + 60_000; Date.now() < end && !(await isDone()); ) await page.reload()
  assert.deepEqual([asked.size, await drawn.count()], [paths.length, 1])
  const isDrawn = `[...document.images].every((image) => image.complete && image.naturalWidth > 0)`
  assert.ok(await page.evaluate<boolean>(isDrawn), 'the logo that is no danger is drawn')
  for (const path of others) {
    await page.goto(path)
    assert.equal(await drawn.count(), 0, path)
    assert.notEqual(await page.title(), 'owned')
  }
  await page.goto('/me')
  assert.deepEqual(await layoutDefects(page), [])
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/logos.png`, fullPage: true })
  assert.deepEqual(troubles, [])
})
