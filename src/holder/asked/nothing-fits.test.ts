// A request that no card answers: a card that is there, and does not fit, is called so, and not something missing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { signIn } from '../../../bench/page-world.ts'
import { makeTemplate } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { askedTexts } from './texts.ts'

const t = askedTexts.en
let chirograph: Deployment
let acme: Api
let thandi: Api
let cookie: string
before(async () => {
  chirograph = await deploy()
  acme = await chirograph.backend('acme')
  ;({ cookie } = await signIn(chirograph.url, acme, 'thandi', [], '/me'))
  thandi = await chirograph.wallet('acme', 'thandi')
})
after(() => chirograph.stop())

/** Puts a card of a new type into the wallet. @param more How it is issued */
async function aCard(code: string, more: object = {}): Promise<{ readonly type: string; readonly id: string }> {
  const { id, type } = await makeTemplate(acme, code)
  const asked = { credentialTemplateId: id, attributes: { name: 'Thandi' }, ...more }
  const { offerUri } = (await acme.post('/creds/credentials/issuance', asked)).body.data
  const [card] = (await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })).body.data
  assert.equal((await thandi.patch(`/wallet/v2/credentials/${card.id}`, { status: 'accepted' })).status, 200)
  return { type, id: card.id }
}

/** Returns the page of a request for an attribute of cards of these types. */
async function pageFor(types: readonly string[], attribute: string): Promise<string> {
  const credentials = types.map((type) => ({ type, attributes: { [attribute]: {} } }))
  const made = await acme.post('/creds/templates/presentations', { name: 'Asked', description: '', credentials })
  const presentationTemplateId = made.body.data.id
  const request = (await acme.post('/creds/presentations/request', { presentationTemplateId })).body.data
  const presentationRequest = request.authorizationRequestUri
  const { id } = (await thandi.post('/wallet/v2/presentations', { presentationRequest })).body.data
  const answer = await fetch(`${chirograph.url}/me/asked/${id}`, { headers: { cookie, 'accept-language': 'en' } })
  return answer.text()
}

test('a card that has expired is named, with its state and the way to it', async () => {
  const { type, id } = await aCard('expiring', { validUntil: new Date(Date.now() + 3000).toISOString() })
  await delay(3500)
  const page = await pageFor([type], 'name')
  assert(page.includes(t.titleUnfit('Acme College')))
  assert.match(page, new RegExp(`<a href="/me/cards/${id}">Badge</a></p><p><span class="badge[^"]*">Expired`))
  assert(!page.includes(t.missing))
})

test('a card without what is asked for is named beside one that is missing', async () => {
  const { type, id } = await aCard('without')
  const page = await pageFor([type, 'https://other.example/vct/employee_badge'], 'level')
  assert.match(page, new RegExp(`<a href="/me/cards/${id}">Badge</a></p><p>${t.otherContent}`))
  assert.match(page, new RegExp(`<h2>${t.missing}</h2><ul class="list"><li><b>Employee badge</b>`))
})

test('what the wallet has nothing of is missing', async () => {
  const page = await pageFor(['https://other.example/vct/employee_badge'], 'level')
  assert(page.includes(t.titleNone('Acme College')))
  assert(!page.includes(t.unfit))
})
