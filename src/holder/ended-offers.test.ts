// Offers that cannot be taken: a page for each reason, which names whom to ask. With scripts off, in both languages.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { layoutDefects } from '../../test/support/browser.ts'
import { until } from '../../test/support/until.ts'
import type { Language } from '../contract/languages.ts'
import { offerTexts } from './offers/texts.ts'
import { endedOffers, pageOf, SettableClock, wrongCode } from './test-support/ended-offers.ts'
import { HolderWorld, opening, small, take } from './test-support/holder-world.ts'
import { trustTexts } from './trust/texts.ts'

const clock = new SettableClock()
let world: HolderWorld
let ended: Awaited<ReturnType<typeof endedOffers>>
/** The name of the school, as its metadata has it. */
let school: string
before(async () => {
  world = await HolderWorld.open({ clock })
  ended = await endedOffers(world, clock)
  const url = `${world.chirograph.url}/.well-known/openid-credential-issuer/issuers/acme`
  school = Object(await (await fetch(url)).json()).display[0].name
  assert.ok(school.length > 0)
})
after(async () => {
  await world.closeOpened()
  await world.close()
})

const plain = (language: Language): Promise<Page> =>
  world.openBeside(world.thandi, { locale: language, javaScriptEnabled: false, ...small })

async function shows(page: Page, path: string, [title, advice]: readonly [string, string], status: number) {
  const response = await page.goto(path)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.locator('.outcome').getByText(advice).waitFor()
  assert.equal(response?.status(), status, title)
  assert.deepEqual(await layoutDefects(page), [], title)
}

for (const language of ['en', 'fr'] as const) {
  const t = offerTexts[language]
  const words = (state: keyof typeof t.ended, issuer: string): readonly [string, string] => {
    const { title, advice } = t.ended[state]
    return [title, advice(issuer)]
  }

  suite(`${language}: an offer that has ended says how, and whom to ask, in the wallet and on its public page`, () => {
    for (const state of ['taken', 'expired', 'canceled', 'locked', 'unknown'] as const)
      test(state, async () => {
        const page = await plain(language)
        const status = state === 'unknown' ? 404 : 410
        await shows(page, opening(ended[state].offerUri), words(state, school), status)
        await shows(page, pageOf(ended[state]), words(state, school), status)
        assert.equal(await page.getByRole('link', { name: t.mine }).count(), state === 'taken' ? 1 : 0)
      })
  })

  test(`${language}: an offer of another deployment says what is known: it cannot be used, and at whom to ask`, async () => {
    const page = await plain(language)
    const club = await world.aClub()
    const { host } = new URL(club.issuer)
    const offer_state = 'locked'
    club.lie({ reply: { offer: (reply) => ({ ...reply, status: 404, body: { error: 'gone', offer_state } }) } })
    await shows(page, opening(club.offerUri), words('unsaid', host), 410)
    const body = { error: 'invalid_grant', error_description: 'the code is spent', offer_state }
    club.lie({ reply: { token: (reply) => ({ ...reply, status: 400, body }) } })
    await page.goto(opening(club.offerUri))
    await page.getByRole('button', { name: t.take }).click()
    await page.getByRole('heading', { level: 1, name: words('unsaid', host)[0] }).waitFor()
    await page.locator('.outcome').getByText(host).waitFor()
  })

  test(`${language}: an offer says why its issuer is known, or what was looked for`, async () => {
    const page = await plain(language)
    const why = trustTexts[language]
    await page.goto(opening((await world.issue()).offerUri))
    await page.getByText(why.summary.own).click()
    await page.getByText(`${world.chirograph.url}/issuers/acme`, { exact: true }).waitFor()
    const club = await world.aClub()
    await page.goto(opening(club.offerUri))
    await page.getByText(why.summary.unknown).click()
    await page.getByText(why.lookedFor).waitFor()
    await page.getByText(club.issuer, { exact: true }).waitFor()
    assert.deepEqual(await layoutDefects(page), [])
  })
}

test('what somebody else takes between the page and the button is told as taken, also where a code is needed', async () => {
  const page = await plain('en')
  const { txCode, offerUri } = await world.issue(world.withCode.id)
  await page.goto(opening(offerUri))
  await page.locator('#code').fill(txCode)
  const other = await world.chirograph.wallet('globex', 'pieter')
  const made = await other.post('/wallet/v2/credentials', { credentialOffer: offerUri, txCode })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByRole('heading', { level: 1, name: 'This card was taken already' }).waitFor()
  await page.locator('.outcome').getByText(school).waitFor()
})

test('what the person took leads to the card, from the wallet and from the public page', async () => {
  const page = await plain('en')
  const offer = await world.issue()
  const path = await take(page, offer.offerUri)
  await page.goto(pageOf(offer))
  await page.getByRole('link', { name: 'Look in my wallet' }).click()
  await page.getByRole('heading', { level: 1, name: 'This card is already yours' }).waitFor()
  await page.getByRole('link', { name: 'Show the card' }).click()
  await page.waitForURL(`**${path}`)
})

test('a code that is wrong five times has a page of its own, which stays when the offer is opened again', async () => {
  const page = await plain('en')
  const offer = await world.issue(world.withCode.id)
  await page.goto(opening(offer.offerUri))
  for (const left of [4, 3, 2, 1]) {
    await page.locator('#code').fill(wrongCode(offer))
    await page.getByRole('button', { name: 'Take this card' }).click()
    await page.getByText(left === 1 ? 'You can try once more' : `You can try ${left} more times`).waitFor()
  }
  await page.locator('#code').fill(wrongCode(offer))
  await page.getByRole('button', { name: 'Take this card' }).click()
  await page.getByRole('heading', { level: 1, name: 'The code was wrong too often' }).waitFor()
  await page.locator('.outcome').getByText(school).waitFor()
  const again = await page.goto(opening(offer.offerUri))
  assert.equal(again?.status(), 410)
  await page.getByRole('heading', { level: 1, name: 'The code was wrong too often' }).waitFor()
})

test('a trusted entity is named with the address by which it names the issuer', async () => {
  const page = await plain('en')
  const club = await world.aClub()
  const entity = { name: 'Chess club', issuers: [club.issuer], purposes: ['issuer'] }
  const made = await world.acme.post('/creds/trusted-entities', entity)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  // A server that has read whom the organisation trusts knows of a new entity after five seconds.
  await until(async () => {
    await page.goto(opening(club.offerUri))
    return (await page.getByText('Why known?').count()) > 0
  })
  await page.getByText('Why known?').click()
  await page.getByText('Chess club', { exact: true }).waitFor()
  await page.getByText(club.issuer, { exact: true }).waitFor()
})
