// Each end on the holder's pages takes the focus and is in no live region, so a screen reader says it once; with script
// and without.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, afterEach, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeDefects, layoutDefects } from '../../test/support/browser.ts'
import { changesIn, SAID_ONCE, saidOf } from '../../test/support/said-once.ts'
import type { Language } from '../contract/languages.ts'
import { askedTexts } from './asked/texts.ts'
import { cardTexts } from './cards/texts.ts'
import { offerTexts } from './offers/texts.ts'
import { HolderWorld, opening } from './test-support/holder-world.ts'

/** Where the pictures go; none are made without it. */
const pictures = process.env.PICTURES
let world: HolderWorld
before(async () => {
  world = await HolderWorld.open()
})
afterEach(() => world.closeOpened())
after(() => world.close())

const OFFER = 'form[action="/me/offers"] button'

async function takes(page: Page): Promise<void> {
  await page.goto(opening((await world.issue()).offerUri))
  await page.locator(OFFER).click()
  await page.waitForURL(/\/me\/cards\/.+\?new=1$/)
}

async function asks(page: Page, answer: 'answered' | 'rejected', status = 200): Promise<void> {
  const shop = await world.aShop(world.degreeQuery)
  if (status !== 200) shop.behave({ answer: { status } })
  await page.goto(opening(shop.link()))
  await page.locator(`button[value=${answer}]`).click()
}

/** Each end: its first words, and how a person gets there. The first is the card that the others share. */
const endsIn = (language: Language): readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] => {
  const [asked, cards, offers] = [askedTexts[language], cardTexts[language], offerTexts[language]]
  return [
    ['card added', cards.added, takes],
    ['shared', asked.ended.answered[1] ?? '', (page) => asks(page, 'answered')],
    ['declined', asked.ended.rejected[1] ?? '', (page) => asks(page, 'rejected')],
    ['failed', asked.ended.failed[1] ?? '', (page) => asks(page, 'answered', 400)],
    [
      'offer taken before',
      offers.taken[1] ?? '',
      async (page) => {
        const { offerUri } = await world.issue()
        await page.goto(opening(offerUri))
        await page.locator(OFFER).click()
        await page.waitForURL(/new=1$/)
        await page.goto(opening(offerUri))
      },
    ],
    [
      'offer ended',
      '',
      (page) => {
        const gone = `${world.chirograph.url}/issuers/acme/offers/${'a'.repeat(43)}`
        return page.goto(opening(`openid-credential-offer://?credential_offer_uri=${encodeURIComponent(gone)}`))
      },
    ],
    [
      'card removed',
      cards.removed,
      async (page) => {
        await takes(page)
        await page.goto(`${new URL(page.url()).pathname}/remove`)
        await page.locator('main form button').click()
      },
    ],
  ]
}

const looks = [
  ['en', { colorScheme: 'light', viewport: { width: 320, height: 640 }, javaScriptEnabled: false }],
  ['fr', { colorScheme: 'dark', viewport: { width: 1360, height: 900 }, javaScriptEnabled: true }],
] as const

for (const [language, look] of looks)
  test(`each end is said once: ${language}, scripts ${look.javaScriptEnabled ? 'on' : 'off'}`, async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
    const { page, troubles } = await world.open(world.thandi, { ...look, locale: language })
    for (const [what, words, reach] of endsIn(language)) {
      await reach(page)
      const end = page.locator('.outcome')
      await end.waitFor()
      assert.ok((await end.innerText()).replaceAll('\u00a0', ' ').includes(words.replaceAll('\u00a0', ' ')), what)
      assert.deepEqual(await saidOf(page, '.outcome'), SAID_ONCE, what)
      if (look.javaScriptEnabled) assert.equal(await changesIn(page), 0, `${what}: nothing more is said`)
      const defects = [...(await axeDefects(page, undefined, look.javaScriptEnabled)), ...(await layoutDefects(page))]
      assert.deepEqual(defects, [], what)
      const file = `${pictures}/end-${language}-${what.replaceAll(' ', '-')}.png`
      if (pictures !== undefined) await page.screenshot({ path: file })
    }
    assert.deepEqual(troubles, [])
  })
