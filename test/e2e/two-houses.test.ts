// Two deployments that know nothing of each other: everything between them goes over the network.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

let here: Deployment
let there: Deployment
let school: Api
let thandi: Api

before(async () => {
  here = await deploy()
  there = await deploy()
  school = await there.backend('acme')
  thandi = await here.wallet('acme', 'thandi')
})
after(async () => {
  await here.stop()
  await there.stop()
})

/** A request of `verifier` for the name on a badge, by the school over there. */
async function askedBy(verifier: Api, type: string, change: object = {}) {
  const credentials = [{ type, attributes: { name: {} }, issuers: [did()], ...change }]
  const template = await verifier.post('/creds/templates/presentations', { name: 'Who', description: '', credentials })
  assert.equal(template.status, 201, JSON.stringify(template.body))
  const presentationTemplateId = template.body.data.id
  const request = await verifier.post('/creds/presentations/request', { presentationTemplateId })
  assert.equal(request.status, 200, JSON.stringify(request.body))
  return request.body.data
}

function did(): string {
  return `did:web:${new URL(there.url).host.replace(':', '%3A')}:issuers:acme`
}

async function prepared(holder: Api, presentationRequest: string) {
  const { status, body } = await holder.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

test('a wallet of one deployment accepts an offer of another once, and presents the credential to verifiers of both, each once', async () => {
  const { id: templateId, type } = await makeTemplate(school, 'badge')
  const { id, offerUri } = await openIssuance(school, templateId)
  const takes = Array.from({ length: 6 }, () => thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri }))
  const taken = await Promise.all(takes)
  assert.deepEqual(taken.map(({ status }) => status).sort(), [201, ...Array(5).fill(422)])
  for (const { status, body } of taken) if (status === 422) assert.equal(body.errors[0].code, 'OFFER_UNUSABLE')
  const held = await thandi.get('/wallet/v2/credentials')
  assert.equal(held.body.data.length, 1)
  assert.equal(held.body.data[0].iss, did())
  const credentialId = held.body.data[0].id
  assert.equal((await school.get(`/creds/credentials/${id}`)).body.data.status, 'completed')

  for (const verifier of [await here.backend('globex'), await there.backend('globex')]) {
    await thandi.patch(`/wallet/v2/credentials/${credentialId}`, { status: 'accepted' })
    const request = await askedBy(verifier, type)
    const { data, meta } = await prepared(thandi, request.authorizationRequestUri)
    assert.equal(data.selectedCredentials[0].credentialId, credentialId)
    assert.equal(meta.verifier.authenticated, true)
    const answers = Array.from({ length: 6 }, () =>
      thandi.patch(`/wallet/v2/presentations/${data.id}`, { status: 'answered' }),
    )
    const given = await Promise.all(answers)
    assert.deepEqual(given.map(({ status }) => status).sort(), [200, ...Array(5).fill(409)])
    const result = await verifier.get(`/creds/presentations/${request.id}`)
    assert.equal(result.body.data.status, 'verified', JSON.stringify(result.body))
    assert.deepEqual(result.body.data.credentials[0].attributes, { name: 'Thandi' })
    assert.equal(result.body.data.credentials[0].issuer, did())
    assert.deepEqual(result.body.data.credentials[0].issues, [])

    await thandi.patch(`/wallet/v2/credentials/${credentialId}`, { status: 'rejected' })
    const later = await askedBy(verifier, type)
    const nothing = await prepared(thandi, later.authorizationRequestUri)
    assert.deepEqual(nothing.data.selectedCredentials, [])
    const refused = await thandi.patch(`/wallet/v2/presentations/${nothing.data.id}`, { status: 'answered' })
    assert.deepEqual([refused.status, refused.body.errors[0].code], [422, 'NO_MATCHING_CREDENTIAL'])
  }
})

test('an issuer that a template does not allow is refused, also where it is a tenant of the same deployment', async () => {
  const { id: templateId, type } = await makeTemplate(school, 'other-badge')
  const { offerUri } = await openIssuance(school, templateId)
  const { body } = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  await thandi.patch(`/wallet/v2/credentials/${body.data[0].id}`, { status: 'accepted' })
  const verifier = await there.backend('globex')
  const request = await askedBy(verifier, type, { issuers: [did().replace(/acme$/, 'globex')] })
  const { data } = await prepared(thandi, request.authorizationRequestUri)
  await thandi.patch(`/wallet/v2/presentations/${data.id}`, { status: 'answered' })
  const { status, credentials } = (await verifier.get(`/creds/presentations/${request.id}`)).body.data
  assert.deepEqual([status, credentials[0].issues[0].code], ['failed', 'issuer.not_allowed'])
})
