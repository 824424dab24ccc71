// Long polling of a presentation: what one process ends, a caller of another one learns at once.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeTemplate, openIssuance } from '../../../test/support/main-job.ts'
import { type Api, api, backendSecret, bootstrap, type Reply } from '../../../test/support/server.ts'
import { type ServerChildren, serverChildren } from '../../../test/support/server-children.ts'
import { until } from '../../../test/support/until.ts'
import { type ForeignVerifier, foreignVerifier } from '../test-support/foreign-verifier.ts'

/** Far above the time in which a process learns of a change, and far below that of a wait. */
const NEWS_MS_MAX = 10_000
const WAIT = { prefer: 'wait=30' }
let server: ServerChildren
/** One person at each of the processes. */
let here: Api
let there: Api
let query: object
const shops: ForeignVerifier[] = []
before(async () => {
  server = await serverChildren(bootstrap)
  const { token, wallet } = await signIn()
  const school = api(server.url, token)
  here = api(server.urls[0], wallet)
  there = api(server.urls[1], wallet)
  const template = await makeTemplate(school, 'held')
  const { offerUri } = await openIssuance(school, template.id)
  const taken = await here.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(taken.status, 201, JSON.stringify(taken.body))
  await here.patch(`/wallet/v2/credentials/${taken.body.data[0].id}`, { status: 'accepted' })
  const claims = [{ path: ['name'] }]
  query = { credentials: [{ id: 'b', format: 'dc+sd-jwt', meta: { vct_values: [template.type] }, claims }] }
})
afterEach(() => Promise.all(shops.splice(0).map((one) => one.close())))
after(() => server.stop())

async function signIn(): Promise<{ token: string; wallet: string }> {
  const granted = async (form: Record<string, string>): Promise<string> => {
    const client = { client_id: 'acme-backend', client_secret: backendSecret }
    const { status, body } = await api(server.url, null).form('/auth/token', { ...client, ...form })
    assert.equal(status, 200, JSON.stringify(body))
    return body.access_token
  }
  const token = await granted({ grant_type: 'client_credentials' })
  const wallet = await granted({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_subject: 'thandi',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  })
  return { token, wallet }
}

async function pending(): Promise<{ shop: ForeignVerifier; path: string }> {
  const shop = await foreignVerifier(query)
  shops.push(shop)
  const { status, body } = await here.post('/wallet/v2/presentations', { presentationRequest: shop.link() })
  assert.equal(status, 201, JSON.stringify(body))
  return { shop, path: `/wallet/v2/presentations/${body.data.id}` }
}

/** Begins to wait. @returns the answer once it is there, and whether it is */
async function waiting(path: string, headers: Record<string, string> = {}) {
  const seen: { reply: Reply | null } = { reply: null }
  const done = there.get(path, { ...WAIT, ...headers }).then((reply) => {
    seen.reply = reply
    return reply
  })
  // Longer than a process takes until it notices a change.
  await delay(800)
  assert.equal(seen.reply, null, 'nothing has changed yet')
  return done
}

async function timed<T>(work: Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work
  assert.ok(performance.now() - startedAt < NEWS_MS_MAX, `${performance.now() - startedAt} ms`)
  return result
}

test('a call that waits at one process gets the end of an answer that another process sends', async () => {
  const { shop, path } = await pending()
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
  shop.behave({ answer: { after: confirmed } })
  const sending = here.patch(path, { status: 'answered' })
  await until(() => shop.posted.length === 1)
  assert.equal((await there.patch(path, { status: 'answered' })).status, 409, 'it is being sent')
  const held = waiting(path)
  await delay(1000)
  confirm()
  assert.equal((await sending).body.data.status, 'answered')
  const { status, body, headers } = await timed(held)
  assert.deepEqual([status, body.data.status], [200, 'answered'])
  assert.equal(headers.get('preference-applied'), 'wait=30')
  assert.match(body.meta.redirectUri, /\/done#1$/)
  assert.equal(headers.get('etag'), (await here.get(path)).headers.get('etag'))
  assert.equal(shop.posted.length, 1)
})

test('a refusal at one process ends the waits of another one, with and without the tag of what was shown', async () => {
  const { path } = await pending()
  const etag = (await there.get(path)).headers.get('etag') ?? ''
  const held = Promise.all([waiting(path), waiting(path, { 'if-none-match': etag })])
  await delay(1000)
  assert.equal((await here.patch(path, { status: 'rejected' })).status, 200)
  for (const reply of await timed(held)) assert.deepEqual([reply.status, reply.body.data.status], [200, 'rejected'])
})

test('an answer that the verifier did not confirm has another tag, and is still pending', async () => {
  const { shop, path } = await pending()
  const etag = (await there.get(path)).headers.get('etag') ?? ''
  const held = waiting(path, { 'if-none-match': etag })
  shop.behave({ answer: { body: 'a'.repeat(3_000_000) } })
  await delay(1000)
  assert.equal((await here.patch(path, { status: 'answered' })).status, 502)
  const { body } = await timed(held)
  assert.deepEqual([body.data.status, body.meta.error.code], ['pending', 'presentation.unconfirmed'])
})

test('a wait without a change ends after its time with the present state; one for a final state does not wait', async () => {
  const { path } = await pending()
  const etag = (await there.get(path)).headers.get('etag') ?? ''
  const prefer = 'wait=1'
  const [plain, same] = await Promise.all([
    there.get(path, { prefer }),
    there.get(path, { prefer, 'if-none-match': etag }),
  ])
  assert.deepEqual([plain.status, plain.body.data.status, same.status, same.body], [200, 'pending', 304, ''])
  for (const { headers } of [plain, same]) {
    assert.equal(headers.get('preference-applied'), prefer)
    assert.equal(headers.get('etag'), etag)
  }
  await here.patch(path, { status: 'rejected' })
  const ended = await timed(there.get(path, WAIT))
  assert.deepEqual([ended.body.data.status, ended.headers.get('preference-applied')], ['rejected', null])
})
