// A person without an account opens an offer, makes a wallet and takes the card, in a browser without scripts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { PlainBrowser, type Shown } from '../authorization/sign-in/test-support/plain-browser.ts'

const password = 'four words are enough'
const MADE = /Your username is (?:<[^>]*>)*(wallet-[a-z0-9]{4}-[a-z0-9]{4})/

let chirograph: Deployment
let school: Api
before(async () => {
  chirograph = await deploy({}, {}, { globex: { newWallets: 'added' } })
  school = await chirograph.backend('acme')
})
after(() => chirograph.stop())

let count = 0
async function anOffer(from: Api, ask: object = {}) {
  count += 1
  const { id } = await makeTemplate(from, `new-wallet-${count}`)
  if (Object.keys(ask).length === 0) return openIssuance(from, id)
  const body = { credentialTemplateId: id, attributes: { name: 'Thandi', level: 3 }, ...ask }
  return (await from.post('/creds/credentials/issuance', body)).body.data
}

const pathOf = (url: string) => new URL(url).pathname

/** The page of the offer in a browser that was never here. */
async function aStranger(offerPageUri: string): Promise<{ browser: PlainBrowser; path: string }> {
  const browser = new PlainBrowser(chirograph.url)
  const path = pathOf(offerPageUri)
  assert.equal((await browser.open(path)).status, 200)
  return { browser, path }
}

/** Follows what leads through the authorization server and the pages. */
async function settle(browser: PlainBrowser): Promise<Shown> {
  for (let steps = 0; steps < 10; steps += 1) {
    const { url = '', html = '' } = browser.shown ?? {}
    const next = url.startsWith(chirograph.url) ? url.slice(chirograph.url.length) : url
    const isOnTheWay = next.startsWith('/auth/') || html === '' || html.includes('<title>One moment')
    if (!isOnTheWay) break
    await browser.open(next)
  }
  return browser.shown ?? assert.fail('no page')
}

/** The form of a link; null: the link had ended when its page was opened. */
function pageWithForm(browser: PlainBrowser) {
  return MADE.test(browser.shown?.html ?? '') ? browser.form('/sign-in/link') : { action: null, hidden: {} }
}

async function users(of: Api): Promise<readonly { username: string }[]> {
  return (await of.get('/onboarding/users?page[size]=100&search[name]=wallet-')).body.data
}

test('two steps: a password, then the card', async () => {
  const { offerPageUri } = await anOffer(school)
  const { browser, path } = await aStranger(offerPageUri)
  const made = await browser.send(path)
  const [, name] = MADE.exec(made.html) ?? assert.fail(made.html)
  await browser.send('/sign-in/link', { password, repeated: password })
  const offered = await settle(browser)
  assert.match(offered.html, /Take this card/)
  const [, action = ''] = /<form method="post" action="(\/me\/offers[^"?]*)/.exec(offered.html) ?? []
  await browser.send(action)
  const taken = await settle(browser)
  assert.match(taken.html, /The card is yours now/)
  assert.equal((await school.get(`/onboarding/users/${name}`)).status, 200)

  const next = await browser.open(pathOf((await anOffer(school)).offerPageUri))
  assert.match(next.html, /Take it here/)
  assert.doesNotMatch(next.html, /Make a wallet/, 'who is signed in has one')
})

test('an offer makes one account, however often and at whatever server it is asked', async () => {
  const { offerPageUri } = await anOffer(school)
  const strangers = await Promise.all(Array.from({ length: 12 }, () => aStranger(offerPageUri)))
  const pages = await Promise.all(strangers.map(({ browser, path }) => browser.send(path)))
  const names = new Set(pages.flatMap(({ html }) => MADE.exec(html)?.[1] ?? []))
  assert.equal(names.size, 1, [...names].join())
  // Each link ends the one before it.
  const [first] = strangers
  assert(first !== undefined)
  await first.browser.open(first.path)
  await first.browser.send(first.path)
  const chosen = await first.browser.send('/sign-in/link', { password, repeated: password })
  assert(chosen.status < 400, chosen.html)
  for (const { browser } of strangers.slice(1)) {
    const { action, hidden } = pageWithForm(browser)
    const body = new URLSearchParams({ ...hidden, password: 'other words', repeated: 'other words' }).toString()
    if (action !== null) assert.equal((await browser.request('POST', action, body)).status, 410)
  }

  const late = await aStranger(offerPageUri)
  const known = await late.browser.send(late.path)
  assert.match(known.html, /You have a wallet for this already/)
  assert(known.html.includes([...names][0] ?? '-'), known.html)
  assert.doesNotMatch(known.html, /token=/)
})

test('an organisation may add its users itself: then the page offers no wallet, and none is made', async () => {
  const globex = await chirograph.backend('globex')
  const { offerPageUri } = await anOffer(globex)
  const { browser, path } = await aStranger(offerPageUri)
  assert.doesNotMatch(browser.shown?.html ?? '', /Make a wallet/)
  const [, , tenant, token] = path.split('/')
  const answer = await fetch(`${chirograph.url}/issuers/${tenant}/offers/${token}/wallet`, { method: 'POST' })
  assert.equal(answer.status, 409, await answer.text())
  assert.deepEqual(await users(globex), [])
})

test('no account is made by an offer for another person, one that was taken or withdrawn, or an unknown link', async () => {
  await school.post('/onboarding/users', { username: 'sipho' })
  const forSipho = { recipient: { identifierType: 'username', value: 'sipho' }, grants: ['authorization_code'] }
  const withdrawn = await anOffer(school)
  await school.delete(`/creds/credentials/${withdrawn.id}`)
  const before = (await users(school)).length
  const open = await anOffer(school)
  for (const [offerPageUri, status] of [
    [(await anOffer(school, forSipho)).offerPageUri, 404],
    [withdrawn.offerPageUri, 404],
    [open.offerPageUri.slice(0, -1) + (open.offerPageUri.endsWith('A') ? 'B' : 'A'), 404],
  ] as const) {
    const [, , tenant, token] = pathOf(offerPageUri).split('/')
    const answer = await fetch(`${chirograph.url}/issuers/${tenant}/offers/${token}/wallet`, { method: 'POST' })
    assert.equal(answer.status, status, await answer.text())
  }
  assert.equal((await users(school)).length, before)
})
