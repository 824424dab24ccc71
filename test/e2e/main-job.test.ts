import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../support/server.ts'

let chirograph: Deployment
let school: Api
let employer: Api
let thandi: Api

before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  employer = await chirograph.backend('globex')
  thandi = await chirograph.wallet('acme', 'thandi')
})
after(() => chirograph.stop())

const diploma = {
  name: 'Diploma',
  code: 'diploma',
  attributes: {
    given_name: { type: 'string', required: true },
    family_name: { type: 'string', required: true },
    degree: { type: 'string', required: true },
    grade: { type: 'number' },
    graduated: { type: 'date' },
    address: { type: 'object', properties: { locality: { type: 'string' }, country: { type: 'string' } } },
  },
}
const attributes = {
  given_name: 'Thandi',
  family_name: 'Molefe',
  degree: 'BSc Computer Science',
  grade: 78.5,
  graduated: '2026-06-30',
  address: { locality: 'Pretoria', country: 'ZA' },
}

test('a school issues, a person keeps and presents, an employer of another tenant reads verified claims', async () => {
  const { type, issuance } = await offer()
  const credential = await keep(issuance.offerUri, type)
  const request = await ask(type)
  const prepared = await present(request.authorizationRequestUri, credential.id)

  const result = await employer.get(`/creds/presentations/${request.id}`)
  assert.equal(result.body.data.status, 'verified', JSON.stringify(result.body))
  const [entry] = result.body.data.credentials
  assert.equal(entry.isValid, true)
  assert.deepEqual(entry.attributes, { degree: 'BSc Computer Science', grade: 78.5 })

  const again = await thandi.patch(`/wallet/v2/presentations/${prepared.id}`, { status: 'answered' })
  assert.equal(again.status, 409)

  const replayed = await thandi.post('/wallet/v2/credentials', { credentialOffer: issuance.offerQrUri })
  assert.equal(replayed.status, 422, JSON.stringify(replayed.body))
  assert.equal(replayed.body.errors[0].code, 'OFFER_UNUSABLE')

  const ended = await school.get(`/creds/credentials/${issuance.id}`)
  assert.equal(ended.body.data.status, 'completed')
})

async function offer() {
  const template = await school.post('/creds/templates/credentials', diploma)
  assert.equal(template.status, 201, JSON.stringify(template.body))
  const { id, type } = template.body.data
  assert.equal(type, `${chirograph.url}/issuers/acme/vct/diploma`)

  const issuance = await school.post('/creds/credentials/issuance', { credentialTemplateId: id, attributes })
  assert.equal(issuance.status, 200, JSON.stringify(issuance.body))
  assert.equal(issuance.body.data.status, 'offered')
  assert.match(issuance.body.data.offerUri, /^openid-credential-offer:\/\/\?credential_offer_uri=/)
  return { type, issuance: issuance.body.data }
}

async function keep(offerUri: string, type: string) {
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  const [credential] = received.body.data
  assert.equal(credential.status, 'pending')
  assert.equal(credential.format, 'vc+sd-jwt')
  assert.equal(credential.vct, type)
  assert.deepEqual(credential.claims, attributes)
  assert.match(credential.iss, /^did:web:/)

  const accepted = await thandi.patch(`/wallet/credentials/${credential.id}/status`, { status: 'accepted' })
  assert.equal(accepted.status, 200)
  assert.equal(accepted.body.id, credential.id)
  assert.equal(accepted.body.status, 'accepted')
  assert.equal(accepted.headers.get('deprecation') !== null, true)
  return credential
}

async function ask(type: string) {
  const attributes = { degree: { type: 'string' }, grade: { type: 'number', minimum: 50 } }
  const body = { name: 'Graduate', description: 'Proof of a degree', credentials: [{ type, attributes }] }
  const template = await employer.post('/creds/templates/presentations', body)
  assert.equal(template.status, 201, JSON.stringify(template.body))
  const presentationTemplateId = template.body.data.id
  const request = await employer.post('/creds/presentations/request', { presentationTemplateId, reference: 'job 7' })
  assert.equal(request.status, 200, JSON.stringify(request.body))
  assert.equal(request.body.data.status, 'requested')
  return request.body.data
}

async function present(presentationRequest: string, credentialId: string) {
  const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  assert.equal(prepared.body.data.status, 'pending')
  const selected = [{ credentialId, matchedAttributes: ['degree', 'grade'] }]
  assert.deepEqual(prepared.body.data.selectedCredentials, selected)

  const answered = await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status: 'answered' })
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  assert.equal(answered.body.data.status, 'answered')
  return prepared.body.data
}

test('a wrong transaction code costs one of five attempts, and the answer says how many remain', async () => {
  const made = await school.post('/creds/templates/credentials', { ...diploma, code: 'by-code', txCode: {} })
  const ask = { credentialTemplateId: made.body.data.id, attributes }
  const { offerUri: credentialOffer, txCode } = (await school.post('/creds/credentials/issuance', ask)).body.data
  const wrong = String(txCode).replace(/./g, (digit) => String((Number(digit) + 1) % 10))
  for (const [sent, status, detail] of [
    ['no digits', 422, /digits only/],
    [wrong, 422, /may be wrong.*Tries left: 4/],
    [wrong, 422, /may be wrong.*Tries left: 3/],
  ] as const) {
    const refused = await thandi.post('/wallet/v2/credentials', { credentialOffer, txCode: sent })
    assert.deepEqual(
      [refused.status, detail.test(refused.body.errors[0].detail)],
      [status, true],
      refused.body.errors[0].detail,
    )
  }
  assert.equal((await thandi.post('/wallet/v2/credentials', { credentialOffer, txCode })).status, 201)
})
