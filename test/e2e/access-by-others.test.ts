// Accounts that are opened without the user's own proof: what the user and an auditor read of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PlainBrowser } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { ForeignProvider } from '../../src/authorization/test-support/foreign-provider.ts'
import { type ConsoleReader, openConsole } from '../../src/console/test-support/console-reader.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, api } from '../support/server.ts'

const secret = 'the-secret-of-our-client-at-the-provider'
const password = 'a lighthouse made of bread'
const headings = { en: 'Access to your account by others', fr: 'Accès d’autrui à votre compte' }

let opened: ConsoleReader
let school: Api
let campus: ForeignProvider
let provider: string
before(async () => {
  opened = await openConsole(['owner'])
  school = opened.acme
  const { url } = opened.chirograph
  const audience = `${url}/issuers/acme`
  const redirectUri = `${url}/sign-in/external/acme/campus`
  campus = new ForeignProvider(audience, [{ clientId: 'chirograph', clientSecret: secret, redirectUri }])
  await campus.open()
  const made = await school.post('/onboarding/identity-providers', {
    name: 'campus',
    displayName: 'Campus account',
    issuer: campus.issuer,
    clientId: 'chirograph',
    clientSecret: secret,
    createsUsers: true,
    acceptTokens: true,
    audience,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  provider = made.body.data.id
})
after(async () => {
  await opened.chirograph.stop()
  await campus.stop()
})

/** Opens an account by an invitation that is told to the caller. @returns the browser, which is signed in */
async function byLink(username: string): Promise<PlainBrowser> {
  const { body } = await school.post(`/onboarding/users/${username}/invitation`, {})
  const browser = new PlainBrowser(opened.chirograph.url)
  await browser.open(body.data.link)
  await browser.send('/sign-in/link', { password, repeated: password })
  return browser
}

/** Signs in at the provider. */
async function byProvider(person: Record<string, unknown>): Promise<PlainBrowser> {
  campus.person = person
  const browser = new PlainBrowser(opened.chirograph.url)
  await browser.open('/sign-in?tenant=acme')
  let shown = await browser.send('/sign-in/provider/campus')
  while (/^30|^200/.test(String(shown.status)) && shown.url.startsWith('http')) shown = await browser.open(shown.url)
  assert.equal(shown.url, '/account', shown.html)
  return browser
}

/** Returns what the account page lists under its heading, the newest first. */
async function told(browser: PlainBrowser, language: keyof typeof headings): Promise<string[]> {
  const { html } = await browser.request('GET', '/account', undefined, { 'accept-language': language })
  const [, list = ''] = new RegExp(`<h2>${headings[language]}</h2>(.*?)</section>`, 's').exec(html) ?? []
  return [...list.matchAll(/<b><bdi>(.*?)<\/bdi><\/b>/g)].map(([, title = '']) => title)
}

/** Puts a credential into a wallet, by a token of the backend. */
async function fill(username: string): Promise<void> {
  const wallet = await opened.chirograph.wallet('acme', username)
  const { offerUri } = await openIssuance(school, (await makeTemplate(school, `badge-${username}`)).id)
  const { status, body } = await wallet.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(status, 201, JSON.stringify(body))
}

type Entry = {
  readonly actor: { readonly id: string }
  readonly subject: { readonly name: string }
  readonly detail: { readonly way: string }
}

/** Returns what an auditor reads of a person: ways and actors, the newest first. */
async function audited(username: string): Promise<string[]> {
  const { data } = (await school.get('/creds/audit?filter[action]=user.impersonated')).body
  const ofPerson = data.filter(({ subject }: Entry) => subject.name === username)
  const page = await opened.read('/audit?is.user.impersonated=1')
  const rows = [...page.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row).filter((row) => row.includes(username))
  assert.equal(rows.length, ofPerson.length, page)
  for (const row of rows) assert.match(row, /Account opened by another than the person/)
  return ofPerson.map(({ actor, detail }: Entry) => `${detail.way} ${actor.id}`)
}

test('tokens and a link for an account in use are shown to its user and to an auditor', async () => {
  await fill('thandi')
  const own = await byLink('thandi')
  const token = await campus.token({ preferred_username: 'thandi' })
  assert.equal((await api(opened.chirograph.url, token).get('/wallet/v2/credentials')).status, 200)
  assert.deepEqual(await told(own, 'en'), [
    'Campus account used your account by a token of your organisation',
    'acme-backend made a link to your account',
    'acme-backend used your wallet on your behalf',
  ])
  assert.deepEqual(await told(own, 'fr'), [
    'Campus account a utilisé votre compte avec un jeton de votre organisation',
    'acme-backend a créé un lien vers votre compte',
    'acme-backend a utilisé votre portefeuille en votre nom',
  ])
  assert.deepEqual(await audited('thandi'), [
    `token_of_username identity_provider ${provider}`,
    'impersonated_link acme-backend',
    'token_exchange acme-backend',
  ])
})

test('so is an account at a provider that is linked to an account in use, once', async () => {
  const person = { sub: 'pieter-at-campus', email: 'pieter@example.org', email_verified: true }
  await fill('pieter')
  await byProvider(person)
  const own = await byProvider(person)
  assert.deepEqual(await told(own, 'en'), [
    'Your organisation connected an account at Campus account to yours',
    'acme-backend used your wallet on your behalf',
  ])
  assert.deepEqual((await told(own, 'fr')).slice(0, 1), [
    'Votre organisation a relié un compte de Campus account au vôtre',
  ])
  assert.deepEqual(await audited('pieter'), [
    `provider_email identity_provider ${provider}`,
    'token_exchange acme-backend',
  ])
})

test('an account that is not in use is linked without a notice', async () => {
  const made = await school.post('/onboarding/users', { username: 'lerato', email: 'lerato@example.org' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const own = await byProvider({ sub: 'lerato-at-campus', email: 'lerato@example.org', email_verified: true })
  assert.deepEqual(await told(own, 'en'), [])
  assert.deepEqual(await audited('lerato'), [])
})
