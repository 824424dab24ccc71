import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

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
  const after = await until(() => answerOf(credentialId))
  assert.deepEqual(after.attributes, { degree: 'BSc' })
  assert.equal(after.issuer, `${chirograph.url}/issuers/acme`)
})

async function until(attempt: () => Promise<Reply['body']>): Promise<Reply['body']> {
  const end = Date.now() + 10_000
  for (;;) {
    const found = await attempt()
    if (found.isValid || Date.now() > end) return found
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

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
