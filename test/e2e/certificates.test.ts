// Verifiers and issuers with certificates of their own, and the wallets of two organisations, of which one answers
// trusted verifiers only.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'
import { until } from '../support/until.ts'

let chirograph: Deployment
let school: Api
let employer: Api
let thandi: Api
before(async () => {
  chirograph = await deploy({}, {}, { globex: { verifierPolicy: 'trusted', issuerPolicy: 'any' } })
  school = await chirograph.backend('acme')
  employer = await chirograph.backend('globex')
  thandi = await chirograph.wallet('acme', 'thandi')
})
after(() => chirograph.stop())

/** A person of an organisation who holds a badge by the school. */
async function holderOf(tenant: 'acme' | 'globex', templateId: string): Promise<Api> {
  const holder = await chirograph.wallet(tenant, 'thandi')
  const { offerUri } = await openIssuance(school, templateId)
  const { status, body } = await holder.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(status, 201, JSON.stringify(body))
  await holder.patch(`/wallet/v2/credentials/${body.data[0].id}`, { status: 'accepted' })
  return holder
}

test('an organisation that answers trusted verifiers only answers a request by certificate when it trusts the root (5.9.3)', async () => {
  const { id: templateId, type } = await makeTemplate(school, 'badge')
  const about = { type: 'verifierRoot', keyType: 'P-256', countryName: 'ZA' }
  const root = await school.post('/creds/certificates', { ...about, issuerAlternativeNameUrl: 'https://acme.example' })
  assert.equal(root.status, 201, JSON.stringify(root.body))
  const template = await school.post('/creds/templates/presentations', {
    name: 'Who',
    description: '',
    credentials: [{ type, attributes: { name: {} } }],
    verifierConfig: { signer: 'certificate' },
  })
  const ask = async () => {
    const presentationTemplateId = template.body.data.id
    const { status, body } = await school.post('/creds/presentations/request', { presentationTemplateId })
    assert.equal(status, 200, JSON.stringify(body))
    assert.match(body.data.authorizationRequestUri, /client_id=x509_hash%3A/)
    return body.data
  }
  const prepare = async (holder: Api) =>
    holder.post('/wallet/v2/presentations', { presentationRequest: (await ask()).authorizationRequestUri })
  const answered = async (holder: Api, name: string) => {
    const request = await ask()
    const presentationRequest = request.authorizationRequestUri
    const { status, body } = await holder.post('/wallet/v2/presentations', { presentationRequest })
    assert.equal(status, 201, JSON.stringify(body))
    assert.partialDeepStrictEqual(body.meta.verifier, { authenticated: true, trusted: true, name })
    await holder.patch(`/wallet/v2/presentations/${body.data.id}`, { status: 'answered' })
    return (await school.get(`/creds/presentations/${request.id}`)).body.data
  }

  const [own, foreign] = [await holderOf('acme', templateId), await holderOf('globex', templateId)]
  const result = await answered(own, 'Acme College')
  assert.deepEqual([result.status, result.credentials[0].attributes], ['verified', { name: 'Thandi' }])
  const refused = await prepare(foreign)
  assert.deepEqual([refused.status, refused.body.errors[0].code], [422, 'REQUEST_INVALID'])

  const entity = { name: 'Acme', certificates: [root.body.data.certificate], purposes: ['verifier'] }
  assert.equal((await employer.post('/creds/trusted-entities', entity)).status, 201)
  // another server of the deployment notices within 5 s
  await until(async () => (await prepare(foreign)).status === 201, 250)
  assert.equal((await answered(foreign, 'CN=Acme College Verifier,C=ZA')).status, 'verified')
})

test('a school is no stranger to the wallets of its own people: trusted, and by its name', async () => {
  const { type } = await makeTemplate(school, 'card')
  const template = await school.post('/creds/templates/presentations', {
    name: 'Who',
    description: '',
    credentials: [{ type, attributes: { name: {} } }],
    verifierConfig: { signer: 'did:web' },
  })
  const presentationTemplateId = template.body.data.id
  const asked = await school.post('/creds/presentations/request', { presentationTemplateId })
  const presentationRequest = asked.body.data.authorizationRequestUri
  const { body } = await thandi.post('/wallet/v2/presentations', { presentationRequest })
  assert.match(body.meta.verifier.clientId, /^decentralized_identifier:did:web:/)
  assert.partialDeepStrictEqual(body.meta.verifier, { trusted: true, name: 'Acme College' })
})

const made = ({ status, body }: Reply): Reply['body'] => {
  assert.ok(status === 200 || status === 201, JSON.stringify(body))
  return body.data
}

test('a diploma under a root of the school is accepted by wallets of the tenant, and by a verifier that trusts the root', async () => {
  const about = { type: 'issuerRoot', keyType: 'P-256', countryName: 'ZA' }
  const root = made(
    await school.post('/creds/certificates', { ...about, issuerAlternativeNameUrl: 'https://school.example' }),
  )
  const credentialId = await keep()
  const before = await answerOf(credentialId)
  assert.equal(before.isValid, false)
  assert.ok(before.issues.length > 0)
  const trusted = { name: 'Acme College', certificates: [root.certificate], purposes: ['issuer', 'status'] }
  made(await employer.post('/creds/trusted-entities', trusted))
  // a change of trust is noticed by every process within 5 s, by the one that made it at once
  const after = await until(async () => {
    const answer = await answerOf(credentialId)
    return answer.isValid && answer
  }, 500)
  assert.deepEqual(after.attributes, { degree: 'BSc' })
  assert.equal(after.issuer, `${chirograph.url}/issuers/acme`)
})

async function keep(): Promise<string> {
  const attributes = { degree: { type: 'string' }, name: { type: 'string' } }
  const signer = { kind: 'certificate', keyType: 'P-256' }
  const template = made(
    await school.post('/creds/templates/credentials', { name: 'Diploma', code: 'diploma', attributes, signer }),
  )
  const ask = { credentialTemplateId: template.id, attributes: { degree: 'BSc', name: 'Thandi' } }
  const { offerUri } = made(await school.post('/creds/credentials/issuance', ask))
  const [credential] = made(await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri }))
  assert.equal(credential.iss, `${chirograph.url}/issuers/acme`)
  await thandi.patch(`/wallet/v2/credentials/${credential.id}`, { status: 'accepted' })
  return credential.id
}

/** What the employer finds in a presentation of the diploma. */
async function answerOf(credentialId: string): Promise<Reply['body']> {
  const type = `${chirograph.url}/issuers/acme/vct/diploma`
  const credentials = [{ type, attributes: { degree: {} } }]
  const template = made(
    await employer.post('/creds/templates/presentations', { name: 'Graduate', description: 'A degree', credentials }),
  )
  const request = made(await employer.post('/creds/presentations/request', { presentationTemplateId: template.id }))
  const presentationRequest = request.authorizationRequestUri
  const prepared = made(await thandi.post('/wallet/v2/presentations', { presentationRequest }))
  assert.equal(prepared.selectedCredentials[0].credentialId, credentialId)
  made(await thandi.patch(`/wallet/v2/presentations/${prepared.id}`, { status: 'answered' }))
  const { credentials: results } = made(await employer.get(`/creds/presentations/${request.id}`))
  return results[0]
}
