// Messages to browsers: who gets one, what it says, what a hostile push service gains, and what ends them.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { until } from '../../../test/support/until.ts'
import { type PushService, pushService, type SubscribedBrowser } from '../test-support/foreign-push.ts'

const PATH = '/wallet/v2/push-subscriptions'
let chirograph: Deployment
let service: PushService
let school: Api
let thandi: Api
let template = ''
before(async () => {
  service = await pushService()
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  template = await aTemplate(school)
})
after(async () => {
  await chirograph.stop()
  await service.close()
})

async function aTemplate(of: Api): Promise<string> {
  const attributes = { secret_name: { type: 'string' } }
  const made = await of.post('/creds/templates/credentials', { name: 'Diploma', code: 'pushed', attributes })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.id
}

/** Puts an offer into the wallet of a person, as the organisation does it. */
async function offer(recipient: string, of = school, credentialTemplateId = template): Promise<void> {
  const attributes = { secret_name: 'Molefe' }
  const made = await of.post('/creds/credentials/issuance', { credentialTemplateId, attributes })
  const credentialOffer = made.body.data.offerUri
  const sent = await of.post('/wallet/v2/orgs/credentials', { credentialOffer, recipient })
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
}

async function subscribed(api: Api, { subscription }: SubscribedBrowser, more: object = {}): Promise<string> {
  const made = await api.post(PATH, { ...subscription, expirationTime: null, ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.id
}

/** Deletes all subscriptions of a person. */
async function clear(api: Api): Promise<void> {
  for (const { id } of (await api.get(PATH)).body.data) assert.equal((await api.delete(`${PATH}/${id}`)).status, 204)
}

test('an offer and a request each reach every browser of the person once, in its language, and say nothing of either', async () => {
  const [english, french, foreign] = [service.browser(), service.browser(), service.browser()]
  await subscribed(thandi, english)
  await subscribed(thandi, french, { language: 'fr' })
  await subscribed(await chirograph.wallet('acme', 'pieter'), foreign)
  await offer('thandi@example.org')
  await until(() => english.received.length > 0 && french.received.length > 0)
  const asked = await school.post('/creds/templates/presentations', {
    name: 'Who',
    description: '',
    credentials: [{ type: 'x', attributes: { secret_name: {} } }],
  })
  const request = await school.post('/creds/presentations/request', { presentationTemplateId: asked.body.data.id })
  const presentationRequest = request.body.data.authorizationRequestUri
  const other = service.browser()
  await subscribed(thandi, other)
  const sent = await school.post('/wallet/v2/orgs/presentations', {
    presentationRequest,
    recipient: 'thandi@example.org',
  })
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  await until(() => other.received.length > 0)
  assert.deepEqual(
    [english, french, other].map(({ received }) => received.map(({ text }) => JSON.parse(text))),
    [
      [{ title: 'Your wallet', body: 'Something is waiting for you.', lang: 'en' }],
      [{ title: 'Votre portefeuille', body: 'Quelque chose vous attend.', lang: 'fr' }],
      [{ title: 'Your wallet', body: 'Something is waiting for you.', lang: 'en' }],
    ],
  )
  assert.deepEqual(foreign.received, [], 'another person of the organisation gets none')
  const { headers, body } = english.received[0] ?? assert.fail()
  const { ttl, topic, urgency } = headers
  assert.deepEqual([headers['content-encoding'], ttl, topic, urgency], ['aes128gcm', '259200', 'waits', 'normal'])
  assert.equal(body.length, 359)
  assert.match(headers.authorization ?? '', /^vapid t=[\w-]+\.[\w-]+\.[\w-]+, k=[\w-]{87}$/)
  await clear(thandi)
})

test('ten events in a row are one message, also with two processes', async () => {
  const one = service.browser()
  await subscribed(thandi, one)
  await Promise.all(Array.from({ length: 10 }, () => offer('thandi@example.org')))
  await until(() => one.received.length > 0)
  const sentAt = async () => (await thandi.get(PATH)).body.data[0].sentAt
  await until(async () => (await sentAt()) !== undefined)
  assert.equal(one.received.length, 1)
  await clear(thandi)
})

test('a push service that never answers, is endless, redirects or refuses is given up; what is gone is deleted; another person gets the message', async (t) => {
  const globex = await chirograph.backend('globex')
  const hostile = await chirograph.wallet('globex', 'thandi')
  const hostileTemplate = await aTemplate(globex)
  const elsewhere = service.browser()
  const hanging = new Set<ServerResponse>()
  const hang = (response: ServerResponse) => {
    hanging.add(response)
    response.once('close', () => hanging.delete(response))
  }
  const stream = (response: ServerResponse) => {
    response.writeHead(201)
    const chunk = Buffer.alloc(65_536)
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', more)
    }
    more()
  }
  const redirect = (response: ServerResponse) =>
    response.writeHead(307, { location: elsewhere.subscription.endpoint }).end()
  const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end()
  const [silent, odd] = [await pushService(), await pushService()]
  t.after(() => Promise.all([silent.close(), odd.close()]))
  const bad = [
    silent.browser(hang),
    ...[stream, redirect, status(403), status(410), status(404)].map((one) => odd.browser(one)),
  ]
  for (const one of bad) await subscribed(hostile, one)
  const good = service.browser()
  await subscribed(thandi, good)
  await offer('thandi@example.org', globex, hostileTemplate)
  await offer('thandi@example.org')
  await until(() => good.received.length > 0 && bad.every(({ received }) => received.length > 0))
  await until(async () => (await hostile.get(PATH)).body.data.length === 4)
  // The server ends by itself what never answers, and what never ends.
  await until(() => hanging.size === 0)
  assert.deepEqual(elsewhere.received, [], 'no redirect is followed')
  assert.deepEqual(
    bad.map(({ received }) => received.length),
    bad.map(() => 1),
    'no refusal is repeated',
  )
  await Promise.all([clear(hostile), clear(thandi)])
})

test('a push service that is out of order for a moment is tried again', async () => {
  let calls = 0
  const moody = service.browser((response) => {
    calls += 1
    response.writeHead(calls === 1 ? 503 : 201).end()
  })
  await subscribed(thandi, moody)
  await offer('thandi@example.org')
  await until(() => calls === 2)
  await clear(thandi)
})

test('a browser has one subscription, of the person who agreed last; a person has the ten newest; another person ends none', async () => {
  const pieter = await chirograph.wallet('acme', 'pieter')
  await Promise.all([clear(thandi), clear(pieter)])
  const shared = service.browser()
  await subscribed(pieter, shared)
  const id = await subscribed(thandi, shared)
  assert.deepEqual((await pieter.get(PATH)).body.data, [])
  assert.equal((await pieter.delete(`${PATH}/${id}`)).status, 404)
  const many = Array.from({ length: 10 }, () => service.browser())
  for (const one of many) await subscribed(thandi, one)
  const listed = (await thandi.get(PATH)).body
  assert.deepEqual(
    listed.data.map(({ endpoint }: { endpoint: string }) => endpoint),
    many.map(({ subscription }) => subscription.endpoint).toReversed(),
  )
  assert.match(listed.meta.applicationServerKey, /^B[\w-]{86}$/)
  const data = (await thandi.get('/wallet/v2/data')).body.data
  assert.deepEqual(data.pushSubscriptions, listed.data)
  assert.equal((await thandi.delete('/wallet/v2/data')).status, 204)
  assert.deepEqual((await thandi.get(PATH)).body.data, [])
})

test('addresses that no push service has, and keys that no browser has, are refused', async () => {
  const { endpoint, keys } = service.browser().subscription
  const off = `${keys.p256dh.slice(0, -8)}AAAAAAAA`.replace(/.$/, 'A')
  for (const change of [
    { endpoint: 'http://192.168.1.1/push' },
    { endpoint: 'https://10.0.0.1/push' },
    { endpoint: 'https://push.example:22/push' },
    { endpoint: 'https://user:secret@push.example/' },
    { endpoint: 'http://push.example/' },
    { endpoint: 'javascript:alert(1)' },
    { endpoint: `${chirograph.url}/wallet/v2/data` },
    { endpoint: `https://push.example/${'a'.repeat(2048)}` },
    { keys: { ...keys, p256dh: off } },
    { keys: { ...keys, auth: 'AAAA' } },
    { language: 'xx' },
  ]) {
    const { status, body } = await thandi.post(PATH, { endpoint, keys, ...change })
    assert.equal(status, 400, `${JSON.stringify(change)}: ${JSON.stringify(body)}`)
  }
})
