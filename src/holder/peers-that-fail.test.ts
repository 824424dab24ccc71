// Issuers and verifiers that are slow, away, busy or send far too much, at each step: what happened, what was kept, and what to do, in both languages.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { layoutDefects } from '../../test/support/browser.ts'
import type { Language } from '../pages/language.ts'
import type { Lies } from '../wallet/test-support/foreign-issuer.ts'
import type { Quirks } from '../wallet/test-support/foreign-verifier.ts'
import { askedTexts } from './asked/texts.ts'
import { offerTexts } from './offers/texts.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'

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

async function told(page: Page, [title = '', what = '']: readonly string[], kept: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.getByRole('alert').getByText(`${what} ${kept}`).waitFor()
  assert.deepEqual(await layoutDefects(page), [], title)
}

async function inLanguage(language: Language, options = {}): Promise<Page> {
  const { page } = await world.open(world.thandi, { locale: language, ...small, ...options })
  page.setDefaultTimeout(40_000)
  return page
}

const cards = async () =>
  (await (await world.chirograph.wallet('acme', 'thandi')).get('/wallet/v2/credentials?page[size]=100')).body.data
    .length

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

  test(`${language}: a card that cannot be taken, at the token and at the credential, is not half added`, async () => {
    const before = await cards()
    const page = await inLanguage(language, { javaScriptEnabled: false })
    for (const place of ['token', 'credential'] as const)
      for (const trouble of troubles) {
        const club = await world.aClub()
        await page.goto(opening(club.offerUri))
        club.lie({ reply: { [place]: answering(trouble) } })
        await page.getByRole('button', { name: t.take }).click()
        await page.waitForURL('**/me/offers')
        assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), t[trouble][0], `${place} ${trouble}`)
        await told(page, t[trouble], trouble === 'slow' ? t.kept.late : t.kept.take)
      }
    assert.equal(await cards(), before)
  })

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
    shop.behave({})
    await page.getByRole('button', { name: words.sendAgain }).click()
    await page.getByRole('heading', { name: words.ended.answered[0] ?? '' }).waitFor()
  })
}

test('a card whose issuer does not take the notification is there all the same', async () => {
  const page = await inLanguage('en')
  const club = await world.aClub()
  club.lie({ reply: { notification: answering('busy') } })
  await page.goto(opening(club.offerUri))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByText('The card is yours now').waitFor()
})
