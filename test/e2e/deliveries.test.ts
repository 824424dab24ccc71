// An organisation puts credentials and presentation requests straight into the wallets of its people.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { foreignIssuer } from '../../src/wallet/test-support/foreign-issuer.ts'
import { badge, makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

const externalIdentifier = 'EXT/1+a@é'
const attributes = { name: 'Thandi', level: 3 }

let chirograph: Deployment
let school: Api
let thandi: Api
let template: { id: string; type: string }

before(async () => {
  chirograph = await deploy({}, {}, { globex: { issuerPolicy: 'trusted' } })
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  template = await makeTemplate(school, 'badge')
})
after(() => chirograph.stop())

test('an issuance with a recipient reaches the wallet, the user accepts, and a presentation request delivered likewise is verified', async () => {
  const recipient = { identifierType: 'email', value: 'Thandi@Example.org' }
  const ask = { credentialTemplateId: template.id, attributes, reference: 'story', recipient }
  const issued = await school.post('/creds/credentials/issuance', ask)
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  const { data: issuance, meta } = issued.body
  assert.equal(issuance.status, 'completed')
  assert.equal(meta.delivery.status, 'delivered')
  assert.equal(meta.delivery.issuanceId, issuance.id)
  const [credentialId] = meta.delivery.credentialIds

  const pending = await thandi.get(`/wallet/v2/credentials/${credentialId}`)
  assert.equal(pending.body.data.status, 'pending')
  assert.deepEqual(pending.body.data.claims, attributes)
  await thandi.patch(`/wallet/v2/credentials/${credentialId}`, { status: 'accepted' })

  const request = await requestOf(school)
  const addressed = { presentationRequest: request.authorizationRequestUri, recipient: externalIdentifier }
  const asked = await school.post('/wallet/v2/orgs/presentations', {
    ...addressed,
    identifierType: 'externalIdentifier',
  })
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  const { presentationId, status, kind } = asked.body.data
  assert.deepEqual([status, kind], ['delivered', 'presentation'])
  assert.equal('selectedCredentials' in asked.body.data, false, 'the organisation learns what the holder has')
  const waiting = await thandi.get(`/wallet/v2/presentations/${presentationId}`)
  assert.equal(waiting.body.data.status, 'pending')
  assert.equal(waiting.body.data.selectedCredentials[0].credentialId, credentialId)
  const answered = await thandi.patch(`/wallet/v2/presentations/${presentationId}`, { status: 'answered' })
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  const result = await school.get(`/creds/presentations/${request.id}`)
  assert.equal(result.body.data.status, 'verified')
  assert.deepEqual(result.body.data.credentials[0].attributes, { name: 'Thandi' })
})

for (const [path, recipient, identifierType] of [
  ['/wallet/orgs/credentials', 'thandi@example.org', undefined],
  ['/wallet/v2/orgs/credentials', 'THANDI', 'username'],
  ['/wallet/v2/orgs/credentials', externalIdentifier, 'externalIdentifier'],
] as const) {
  test(`an offer is delivered at ${path} by ${identifierType ?? 'email'}, and its record can be read again`, async () => {
    const { offerUri } = await openIssuance(school, template.id)
    const body = { credentialOffer: offerUri, recipient, ...(identifierType && { identifierType }) }
    const delivered = await school.post(path, body)
    assert.equal(delivered.status, 201, JSON.stringify(delivered.body))
    const { data } = delivered.body
    assert.deepEqual(
      { ...data, id: '', userId: '', credentialIds: data.credentialIds.length, createdAt: '', updatedAt: '' },
      {
        id: '',
        userId: '',
        createdAt: '',
        updatedAt: '',
        error: null,
        kind: 'credential',
        status: 'delivered',
        recipient,
        identifierType: identifierType ?? 'email',
        credentialIds: 1,
      },
    )
    const held = await thandi.get(`/wallet/v2/credentials/${data.credentialIds[0]}`)
    assert.equal(held.body.data.status, 'pending')
    assert.deepEqual((await school.get(`/wallet/v2/orgs/deliveries/${data.id}`)).body.data, data)
  })
}

test('an unknown recipient is 404 with a pointer, a disabled one 409, and nothing is created or consumed', async () => {
  const { id, offerUri } = await openIssuance(school, template.id)
  const presentationRequest = (await requestOf(school)).authorizationRequestUri
  for (const [recipient, status, code] of [
    ['nobody@example.org', 404, 'NOT_FOUND'],
    ['gone@example.org', 409, 'INVALID_STATE'],
  ] as const) {
    const before = await countOf(school)
    for (const [path, body] of [
      ['/wallet/orgs/credentials', { credentialOffer: offerUri }],
      ['/wallet/v2/orgs/credentials', { credentialOffer: offerUri }],
      ['/wallet/v2/orgs/presentations', { presentationRequest }],
    ] as const) {
      const refused = await school.post(path, { ...body, recipient })
      failed(refused, status, code)
      assert.equal(refused.body.errors[0].source.pointer, '/recipient')
    }
    const reference = randomUUID()
    const ask = { credentialTemplateId: template.id, attributes, reference }
    const to = { identifierType: 'email', value: recipient }
    const refused = await school.post('/creds/credentials/issuance', { ...ask, recipient: to })
    failed(refused, status, code)
    assert.equal(refused.body.errors[0].source.pointer, '/recipient/value')
    const made = await school.get(`/creds/credentials/issuance?filter[reference]=${reference}`)
    assert.deepEqual(made.body.data, [])
    assert.equal(await countOf(school), before)
  }
  assert.equal((await school.get(`/creds/credentials/${id}`)).body.data.status, 'offered')
})

test('a user of another tenant is an unknown recipient, and no tenant reads the deliveries of another', async () => {
  const strangers = await chirograph.backend('globex')
  const { offerUri } = await openIssuance(school, template.id)
  const recipient = { recipient: 'thandi@example.org' }
  const delivered = await school.post('/wallet/v2/orgs/credentials', { credentialOffer: offerUri, ...recipient })
  const { id, userId } = delivered.body.data
  failed(await strangers.get(`/wallet/v2/orgs/deliveries/${id}`), 404, 'NOT_FOUND')
  assert.deepEqual((await strangers.get(`/wallet/v2/orgs/deliveries?filter[userId]=${userId}`)).body.data, [])
  const theirs = await chirograph.wallet('globex', 'thandi')
  assert.deepEqual((await theirs.get('/wallet/v2/credentials')).body.data, [])
})

test('what a wallet would refuse is refused by the same code, and leaves a record that says so', async () => {
  const { offerUri } = await openIssuance(school, template.id)
  const to = { recipient: 'thandi@example.org' }
  await school.post('/wallet/v2/orgs/credentials', { credentialOffer: offerUri, ...to })
  const strangers = await chirograph.backend('globex')
  const foreign = await foreignIssuer()
  const coded = await foreignIssuer({ txCode: '4711' })
  try {
    for (const [who, path, body, status, code] of [
      [school, 'credentials', { credentialOffer: offerUri }, 422, 'OFFER_UNUSABLE'],
      [school, 'credentials', { credentialOffer: '{}' }, 422, 'OFFER_UNUSABLE'],
      [school, 'credentials', { credentialOffer: coded.offerUri }, 422, 'TX_CODE_REQUIRED'],
      [strangers, 'credentials', { credentialOffer: foreign.offerUri }, 403, 'UNTRUSTED_ISSUER'],
      [school, 'presentations', { presentationRequest: 'openid4vp://?client_id=x' }, 422, 'REQUEST_INVALID'],
    ] as const) {
      const refused = await who.post(`/wallet/v2/orgs/${path}`, { ...body, ...to })
      failed(refused, status, code)
      const { deliveryId } = refused.body.errors[0].meta
      const { data } = (await who.get(`/wallet/v2/orgs/deliveries/${deliveryId}`)).body
      assert.equal(data.status, 'failed')
      assert.equal(data.error.code, code)
      assert.equal('presentationId' in data, false)
      const listed = await who.get(`/wallet/v2/orgs/deliveries?filter[status]=failed&filter[userId]=${data.userId}`)
      assert(listed.body.data.some(({ id }: { id: string }) => id === deliveryId))
    }
    assert.equal(foreign.calls.length, 1, 'an issuer that is not trusted gets one request, for its offer')
    const withCode = { credentialOffer: coded.offerUri, txCode: '4711', ...to }
    assert.equal((await school.post('/wallet/v2/orgs/credentials', withCode)).body.data.status, 'delivered')
  } finally {
    await foreign.close()
    await coded.close()
  }
})

test('an issuer that is out of service is a 503; the same call again, with its key, tries again and keeps one record', async () => {
  const foreign = await foreignIssuer()
  try {
    let isDown = true
    foreign.lie({ reply: { issuer: (reply) => (isDown ? { ...reply, status: 503 } : reply) } })
    const body = { credentialOffer: foreign.offerUri, recipient: 'thandi@example.org' }
    const key = { 'idempotency-key': randomUUID() }
    const refused = await school.post('/wallet/v2/orgs/credentials', body, key)
    failed(refused, 503, 'UNAVAILABLE')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    isDown = false
    const again = await school.post('/wallet/v2/orgs/credentials', body, key)
    assert.equal(again.status, 201, JSON.stringify(again.body))
    assert.equal(again.body.data.id, refused.body.errors[0].meta.deliveryId)
    assert.equal(again.body.data.status, 'delivered')
    assert.equal(again.body.data.error, null)
  } finally {
    await foreign.close()
  }
})

test('the delivery types the transaction code itself', async () => {
  const txCode = { inputMode: 'numeric', length: 6 }
  const made = await school.post('/creds/templates/credentials', { ...badge, code: 'coded', txCode })
  const recipient = { identifierType: 'username', value: 'thandi' }
  const ask = { credentialTemplateId: made.body.data.id, attributes, recipient }
  const { body } = await school.post('/creds/credentials/issuance', ask)
  assert.equal(body.meta.delivery.status, 'delivered', JSON.stringify(body))
  assert.equal('txCode' in body.data, false, 'a code that was used is shown')
})

test('a request that is repeated delivers once, one after the other and at the same moment', async () => {
  const { offerUri } = await openIssuance(school, template.id)
  const recipient = { identifierType: 'username', value: 'pieter' }
  const request = (await requestOf(school)).authorizationRequestUri
  const named = { recipient: 'pieter', identifierType: 'username' }
  for (const [path, body] of [
    ['/wallet/v2/orgs/credentials', { credentialOffer: offerUri, ...named }],
    ['/wallet/v2/orgs/presentations', { presentationRequest: request, ...named }],
    ['/creds/credentials/issuance', { credentialTemplateId: template.id, attributes, recipient }],
  ] as const) {
    const key = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all([1, 2, 3].map(() => school.post(path, body, key)))
    answers.push(await school.post(path, body, key))
    for (const one of answers) assert.deepEqual(one.body, answers[0]?.body)
    assert.deepEqual(new Set(answers.map(({ status }) => status)).size, 1)
  }
  const pieter = await chirograph.wallet('acme', 'pieter')
  assert.equal((await pieter.get('/wallet/v2/credentials')).body.data.length, 2)
  assert.equal((await pieter.get('/wallet/v2/presentations')).body.data.length, 1)
})

test('of deliveries of one offer at the same moment one arrives, and the others leave nothing but their records', async () => {
  const { offerUri } = await openIssuance(school, template.id)
  const body = { credentialOffer: offerUri, recipient: 'thandi@example.org' }
  const before = (await thandi.get('/wallet/v2/credentials?page[size]=100')).body.data.length
  const answers = await Promise.all([1, 2, 3, 4].map(() => school.post('/wallet/v2/orgs/credentials', body)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422])
  assert.equal((await thandi.get('/wallet/v2/credentials?page[size]=100')).body.data.length, before + 1)
})

test('issuance:write delivers credentials, verification:write presentation requests, and a wallet token neither', async () => {
  const idle = await chirograph.idle('acme')
  const to = { recipient: 'thandi@example.org' }
  for (const [path, body, scope] of [
    ['/wallet/orgs/credentials', { credentialOffer: '{}', ...to }, 'issuance:write'],
    ['/wallet/v2/orgs/credentials', { credentialOffer: '{}', ...to }, 'issuance:write'],
    ['/wallet/v2/orgs/presentations', { presentationRequest: 'x', ...to }, 'verification:write'],
  ] as const) {
    for (const other of [idle, thandi]) {
      const refused = await other.post(path, body)
      failed(refused, 403, 'FORBIDDEN')
      assert.equal(refused.body.errors[0].meta.requiredScope, scope)
    }
  }
  for (const other of [idle, thandi]) failed(await other.get('/wallet/v2/orgs/deliveries'), 403, 'FORBIDDEN')
})

test('an arrival is an event of ids, so that the organisation can write to the person', async () => {
  const { offerUri } = await openIssuance(school, template.id)
  const body = { credentialOffer: offerUri, recipient: 'thandi@example.org' }
  const { data } = (await school.post('/wallet/v2/orgs/credentials', body)).body
  const { body: events } = await school.get('/creds/events?filter[type]=user.notification&page[size]=100')
  const delivered = events.data.filter(({ subject }: { subject: { id: string } }) => subject.id === data.id)
  assert.equal(delivered.length, 1)
  const { credentialIds, userId } = data
  assert.deepEqual(delivered[0].subject, { kind: 'wallet_delivery', id: data.id })
  assert.deepEqual(delivered[0].detail, { kind: 'credential', userId, credentialIds })
  // Lists name what an event refers to, beside it; what is recorded has ids only.
  const { names, ...recorded } = delivered[0]
  assert.deepEqual(names, { [userId]: 'thandi' })
  assert.equal(JSON.stringify(recorded).includes('thandi'), false)
})

test('deliveries are listed in pages and by every filter', async () => {
  const recipient = { identifierType: 'email', value: 'thandi@example.org' }
  const ask = { credentialTemplateId: template.id, attributes, recipient }
  const { body } = await school.post('/creds/credentials/issuance', ask)
  const list = async (query: string) => (await school.get(`/wallet/v2/orgs/deliveries?${query}`)).body
  const ofIssuance = await list(`filter[issuanceId]=${body.data.id}`)
  assert.deepEqual(ofIssuance.data, [body.meta.delivery])
  for (const kind of ['credential', 'presentation']) {
    const { data } = await list(`filter[kind]=${kind}&filter[status]=delivered&page[size]=100`)
    assert(data.length > 0)
    for (const one of data) assert.deepEqual([one.kind, one.status], [kind, 'delivered'])
  }
  const first = await list('page[size]=2&sort=createdAt')
  const second = await school.get(first.links.next)
  const all = (await list('page[size]=100&sort=createdAt')).data
  assert.deepEqual([...first.data, ...second.body.data], all.slice(0, 4))
})

async function requestOf(verifier: Api) {
  const credentials = [{ type: template.type, attributes: { name: {} } }]
  const made = await verifier.post('/creds/templates/presentations', { name: 'Who', description: 'Name', credentials })
  const presentationTemplateId = made.body.data.id
  const request = await verifier.post('/creds/presentations/request', { presentationTemplateId })
  assert.equal(request.status, 200, JSON.stringify(request.body))
  return request.body.data
}

async function countOf(organisation: Api): Promise<number> {
  return (await organisation.get('/wallet/v2/orgs/deliveries?page[size]=100')).body.data.length
}

function failed(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, JSON.stringify(reply.body))
  assert.equal(reply.body.errors[0].code, code)
}
