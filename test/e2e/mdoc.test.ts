import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../support/server.ts'

let chirograph: Deployment
let office: Api
let shop: Api
let thandi: Api
let root: { id: string; certificate: string }
let templateId: string

const docType = 'org.example.parking.1'
const nameSpace = 'org.example.parking'
const elements = {
  holder: { type: 'string', required: true },
  valid_until: { type: 'date', required: true },
  zones: { type: 'array', items: { type: 'string' } },
}
const attributes = { [nameSpace]: { holder: 'Thandi Molefe', valid_until: '2031-01-31', zones: ['A', 'C'] } }

before(async () => {
  const walletFormats = ['vc+sd-jwt', 'mso_mdoc']
  chirograph = await deploy({}, {}, { acme: { walletFormats }, globex: { walletFormats, issuerPolicy: 'trusted' } })
  office = await chirograph.backend('acme')
  shop = await chirograph.backend('globex')
  thandi = await chirograph.wallet('acme', 'thandi')
  root = await made(office, '/creds/certificates', {
    type: 'issuerRoot',
    keyType: 'P-256',
    countryName: 'ZA',
    issuerAlternativeNameUrl: 'https://parking.example',
  })
  const template = { name: 'Parking permit', code: 'parking', format: 'mdoc', docType }
  templateId = (
    await made(office, '/creds/templates/credentials', { ...template, attributes: { [nameSpace]: elements } })
  ).id
})
after(() => chirograph.stop())

async function made(by: Api, path: string, body: object) {
  const { status, body: answer } = await by.post(path, body)
  assert.ok(status === 200 || status === 201, JSON.stringify(answer))
  return answer.data
}
const anOffer = async (): Promise<string> =>
  (await made(office, '/creds/credentials/issuance', { credentialTemplateId: templateId, attributes })).offerUri

/** What a verifier of another tenant learns from the wallet. */
async function shown(by: Api): Promise<{ status: string; credentials: Record<string, unknown>[] }> {
  const asked = { type: docType, format: 'mdoc', attributes: { [nameSpace]: { properties: { zones: {} } } } }
  const template = { name: 'Parking', description: 'Where one may park', credentials: [asked] }
  const { id: presentationTemplateId } = await made(by, '/creds/templates/presentations', template)
  const request = await made(by, '/creds/presentations/request', { presentationTemplateId })
  const presentationRequest = request.authorizationRequestUri
  const prepared = await made(thandi, '/wallet/v2/presentations', { presentationRequest })
  assert.deepEqual(prepared.selectedCredentials[0]?.matchedAttributes, [`${nameSpace}/zones`])
  const answered = await thandi.patch(`/wallet/v2/presentations/${prepared.id}`, { status: 'answered' })
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  return (await by.get(`/creds/presentations/${request.id}`)).body.data
}

test('a wallet that takes only what is trusted refuses the mdoc before the offer is spent', async () => {
  const credentialOffer = await anOffer()
  const careful = await chirograph.wallet('globex', 'pieter')
  const { status, body } = await careful.post('/wallet/v2/credentials', { credentialOffer })
  assert.deepEqual([status, body.errors[0].code], [403, 'UNTRUSTED_ISSUER'])
  const [credential] = await made(thandi, '/wallet/v2/credentials', { credentialOffer })
  assert.equal(credential.vct, docType)
})

test('an office makes a root and issues an mdoc, a person keeps and shows it, a shop of another tenant believes it by that root', async () => {
  const [credential] = await made(thandi, '/wallet/v2/credentials', { credentialOffer: await anOffer() })
  assert.partialDeepStrictEqual(credential, { format: 'mso_mdoc', vct: docType, claims: attributes, status: 'pending' })
  assert.match(credential.iss, /C=ZA/)
  await thandi.patch(`/wallet/v2/credentials/${credential.id}`, { status: 'accepted' })

  const unknown = await shown(shop)
  assert.notEqual(unknown.status, 'verified')
  await made(shop, '/creds/trusted-entities', { name: 'Parking office', certificates: [root.certificate] })
  const known = await shown(shop)
  assert.equal(known.status, 'verified', JSON.stringify(known))
  assert.partialDeepStrictEqual(known.credentials, [
    { isValid: true, format: 'mdoc', attributes: { [nameSpace]: { zones: ['A', 'C'] } } },
  ])
})
