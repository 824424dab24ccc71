// Events of the main job and of the life of a credential reach the webhook endpoints that subscribe to them, also from
// a server that is killed meanwhile.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../../src/events/test-support/events-bench.ts'
import { aReceiver, type Receiver } from '../../src/events/test-support/receiver.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, api, type Deployment, deploy } from '../support/server.ts'
import { type ServerChild, serverChild } from '../support/server-child.ts'

const KILLS = 2

type ReceivedEvent = {
  readonly type: string
  readonly data: { readonly subject: { readonly kind: string; readonly id: string } }
}

let chirograph: Deployment
let receiver: Receiver
let school: Api
let thandi: Api
before(async () => {
  chirograph = await deploy()
  receiver = await aReceiver()
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  const made = await school.post('/creds/endpoints', { url: receiver.url })
  assert.equal(made.status, 201, JSON.stringify(made.body))
})
after(async () => {
  await chirograph.stop()
  await receiver.close()
})

async function clientWith(roles: readonly string[]): Promise<Api> {
  const { clientId, clientSecret } = (await school.post('/onboarding/clients', { name: 'Test', roles })).body.data
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  return api(chirograph.url, (await chirograph.nobody.form('/auth/token', grant)).body.access_token)
}

function receivedEvents(): ReceivedEvent[] {
  return receiver.messages.map(({ body }) => JSON.parse(body))
}

async function isTold(type: string, id: string): Promise<void> {
  await until(() => receivedEvents().some((one) => one.type === type && one.data.subject.id === id))
}

async function receive(offerUri: string): Promise<string> {
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  return received.body.data[0].id
}

test('each step in the life of a credential is an event, with ids and without a claim', async () => {
  const template = await makeTemplate(school, 'life')
  const issuance = await openIssuance(school, template.id)
  await isTold('openid4vc.issuance.offered', issuance.id)
  const held = await receive(issuance.offerUri)
  await isTold('openid4vc.issuance.completed', issuance.id)
  const inner = (await school.get(`/creds/credentials/${issuance.id}`)).body.data.credentials[0].id
  await thandi.patch(`/wallet/v2/credentials/${held}`, { status: 'accepted' })
  await isTold('credential.accepted', inner)
  await present(template.type)
  for (const [verb, type] of [
    ['suspend', 'credential.suspended'],
    ['reinstate', 'credential.reinstated'],
    ['revoke', 'credential.revoked'],
  ] as const) {
    const { status, body } = await school.post(`/creds/credentials/${verb}`, { ids: [inner] })
    assert.equal(status, 200, JSON.stringify(body))
    await isTold(type, inner)
  }
  const other = await openIssuance(school, template.id)
  const refused = await receive(other.offerUri)
  await thandi.patch(`/wallet/v2/credentials/${refused}`, { status: 'rejected' })
  const second = (await school.get(`/creds/credentials/${other.id}`)).body.data.credentials[0].id
  await isTold('credential.rejected', second)
  assert(!JSON.stringify(receivedEvents()).includes('Thandi'), 'a claim was sent')
})

async function present(type: string): Promise<void> {
  const credentials = [{ type, attributes: { name: {} } }]
  const asked = await school.post('/creds/templates/presentations', { name: 'Who', description: '', credentials })
  const presentationTemplateId = asked.body.data.id
  for (const [status, event] of [
    ['answered', 'openid4vc.verification.verified'],
    ['rejected', 'openid4vc.verification.failed'],
  ] as const) {
    const request = (await school.post('/creds/presentations/request', { presentationTemplateId })).body.data
    await isTold('openid4vc.verification.requested', request.id)
    const presentationRequest = request.authorizationRequestUri
    const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest })
    assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
    await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status })
    await isTold(event, request.id)
  }
}

test('a delivery is read with the body that arrived, endpoints with counts, and a test message is told as it went', async () => {
  const [endpoint] = (await school.get('/creds/endpoints')).body.data
  const path = `/creds/endpoints/${endpoint.id}`
  await until(async () => (await school.get(path)).body.data.counts.delivered > 0)
  const [first] = (await school.get(`${path}/deliveries?filter[status]=delivered`)).body.data
  assert.equal('body' in first, false)
  const { data } = (await school.get(`${path}/deliveries/${first.id}`)).body
  const arrived = receiver.messages.find(({ headers }) => headers['webhook-id'] === first.eventId)
  assert.equal(data.body, arrived?.body)
  const auditor = await clientWith(['auditor'])
  assert.equal((await auditor.get(path)).status, 200)
  assert.equal((await auditor.get(`${path}/deliveries/${first.id}`)).status, 200)
  assert.equal((await auditor.post(`${path}/test`)).status, 403)
  assert.equal((await school.patch(path, { status: 'disabled' })).status, 200)
  const tested = (await school.post(`${path}/test`)).body.data
  assert.partialDeepStrictEqual(tested.attempt, { statusCode: 204, error: null })
  const message = receiver.messages.find(({ headers }) => headers['webhook-id'] === tested.eventId)
  assert.equal(message?.body, tested.body)
  assert.equal(JSON.parse(tested.body).type, 'webhook_endpoint.test')
  assert.equal((await school.patch(path, { status: 'active' })).status, 200)
  const made = (await school.post('/creds/endpoints', { url: 'http://localhost:9/', filterTypes: ['user.created'] }))
    .body
  const away = `/creds/endpoints/${made.data.id}`
  const { attempt } = (await school.post(`${away}/test`)).body.data
  assert.deepEqual([attempt.statusCode, attempt.error], [null, 'upstream.unreachable'])
  const after = (await school.get(away)).body.data
  assert.partialDeepStrictEqual(after, { failingSince: null, counts: { pending: 0, delivered: 0, dead: 0 } })
  // Two servers count for themselves.
  const statuses: number[] = []
  while (statuses.length < 50 && statuses.at(-1) !== 429) statuses.push((await school.post(`${away}/test`)).status)
  assert.equal(statuses.at(-1), 429)
  await school.delete(away)
})

test('users created before the endpoint are in the list of events', async () => {
  const { body } = await school.get('/creds/events?filter[type]=user.created')
  assert.equal(body.data.length, 3)
})

test('a server that is killed while it sends, and a receiver that is down meanwhile, lose no event', async () => {
  const child: ServerChild = await serverChild()
  // Slow, so that a kill finds messages on their way.
  const slow = await aReceiver((response) => setTimeout(() => response.writeHead(200).end(), 50))
  const opened: string[] = []
  try {
    const templateId = (await makeTemplate(await child.backend(), 'killed')).id
    const { body } = await (await child.backend()).post('/creds/endpoints', {
      url: slow.url,
      filterTypes: ['openid4vc.issuance.offered'],
    })
    for (let round = 0; round < KILLS; round += 1) {
      const api = await child.backend()
      for (let n = 0; n < 12; n += 1) opened.push((await openIssuance(api, templateId)).id)
      const sofar = slow.messages.length
      await until(() => slow.messages.length > sofar)
      await child.end('SIGKILL')
      await child.start()
    }
    // What was on its way is sent again when the lease of the dead server is over.
    const end = performance.now() + 40_000
    const heard = () => new Set(slow.messages.map((one) => JSON.parse(one.body).data.subject.id))
    while (heard().size < opened.length && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 200))
    await untilDelivered(child, body.data.id, opened.length, end)
    assert.deepEqual([...heard()].toSorted(), opened.toSorted())
  } finally {
    await child.remove()
    await slow.close()
  }
})

async function untilDelivered(child: ServerChild, endpointId: string, count: number, end: number): Promise<void> {
  const api = await child.backend()
  const path = `/creds/endpoints/${endpointId}/deliveries?page[size]=100&filter[status]=delivered`
  let delivered = 0
  while (delivered < count && performance.now() < end) {
    delivered = (await api.get(path)).body.data.length
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  assert.equal(delivered, count)
}
