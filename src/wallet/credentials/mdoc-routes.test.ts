import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { type ForeignIssuer, foreignIssuer } from '../test-support/foreign-issuer.ts'
import {
  foreignDocType,
  foreignElements,
  foreignNameSpace,
  foreignRoot,
  foreignSubject,
} from '../test-support/foreign-mdoc.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'
import { presented } from '../test-support/member.ts'
import { readDeviceResponse } from '../test-support/read-device-response.ts'

let chirograph: Deployment
let thandi: Api
let pieter: Api
let stranger: Api
const open: { close: () => Promise<void> }[] = []
before(async () => {
  const walletFormats = ['vc+sd-jwt', 'mso_mdoc']
  chirograph = await deploy({}, {}, { acme: { walletFormats } })
  thandi = await chirograph.wallet('acme', 'thandi')
  pieter = await chirograph.wallet('acme', 'pieter')
  stranger = await chirograph.wallet('globex', 'thandi')
  for (const tenant of ['acme', 'globex'] as const) {
    const backend = await chirograph.backend(tenant)
    const made = await backend.post('/creds/trusted-entities', { name: 'Road office', certificates: [foreignRoot] })
    assert.equal(made.status, 201, JSON.stringify(made.body))
  }
})
after(() => chirograph.stop())
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function road(): Promise<ForeignIssuer> {
  const made = await foreignIssuer({ offers: ['licence'] })
  open.push(made)
  return made
}
const accept = (person: Api, { offerUri }: ForeignIssuer) =>
  person.post('/wallet/v2/credentials', { credentialOffer: offerUri })

test('an mdoc is previewed, received, read, listed, accepted and presented over the API', async () => {
  const issuer = await road()
  const preview = await thandi.post('/wallet/v2/credential-offers/resolve', { credentialOffer: issuer.offerUri })
  assert.partialDeepStrictEqual(preview.body.data.credentials, [
    { format: 'mso_mdoc', vct: foreignDocType, claims: [{ path: [foreignNameSpace, 'family_name'] }] },
  ])
  const received = await accept(thandi, issuer)
  assert.equal(received.status, 201, JSON.stringify(received.body))
  const [credential] = received.body.data
  const { id, iat, ...rest } = credential
  const claims = { [foreignNameSpace]: foreignElements }
  assert.deepEqual(rest, { format: 'mso_mdoc', vct: foreignDocType, iss: foreignSubject, status: 'pending', claims })
  assert.match(iat, /\.000Z$/)
  assert.deepEqual((await thandi.get(`/wallet/v2/credentials/${id}`)).body.data, credential)
  const listed = await thandi.get(`/wallet/v2/credentials?filter[vct]=${foreignDocType}`)
  assert.deepEqual(listed.body.data, [credential])
  const old = await thandi.patch(`/wallet/credentials/${id}/status`, { status: 'accepted' })
  assert.deepEqual(old.body, { ...credential, status: 'accepted' })

  const query = { path: [foreignNameSpace, 'family_name'] }
  const shop = await foreignVerifier({
    credentials: [{ id: 'l', format: 'mso_mdoc', meta: { doctype_value: foreignDocType }, claims: [query] }],
  })
  open.push(shop)
  const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest: shop.link() })
  const matchedAttributes = [`${foreignNameSpace}/family_name`]
  assert.deepEqual(prepared.body.data.selectedCredentials, [{ credentialId: id, matchedAttributes }])
  const answered = await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status: 'answered' })
  assert.equal(answered.body.data.status, 'answered')
  assert.deepEqual(await readDeviceResponse(presented(shop, 0, 'l')[0] ?? '', shop), [
    foreignDocType,
    { [foreignNameSpace]: ['family_name'] },
  ])
})

test('another user and another tenant see nothing of an mdoc', async () => {
  const [{ id }] = (await accept(thandi, await road())).body.data
  for (const other of [pieter, stranger]) {
    assert.equal((await other.get(`/wallet/v2/credentials/${id}`)).status, 404)
    assert.equal((await other.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })).status, 404)
    assert.equal((await other.delete(`/wallet/v2/credentials/${id}`)).status, 404)
    assert.deepEqual((await other.get(`/wallet/v2/credentials?filter[vct]=${foreignDocType}`)).body.data, [])
  }
  assert.equal((await thandi.get(`/wallet/v2/credentials/${id}`)).status, 200)
})

test('where mdocs are closed an offer of one is a 422 UNSUPPORTED_FORMAT, and the offer stays good', async () => {
  const issuer = await road()
  const refused = await accept(stranger, issuer)
  assert.equal(refused.status, 422)
  assert.equal(refused.body.errors[0].code, 'UNSUPPORTED_FORMAT')
  assert.deepEqual(
    issuer.calls.map(({ place }) => place),
    ['offer', 'issuer'],
  )
  assert.equal((await accept(thandi, issuer)).status, 201)
})

test('an invalid mdoc of an issuer is a 422 CREDENTIAL_INVALID with its findings', async () => {
  const issuer = await road()
  issuer.lie({ mdoc: (ask) => ({ ...ask, docType: 'org.example.other' }) })
  const { status, body } = await accept(thandi, issuer)
  assert.equal(status, 422)
  assert.partialDeepStrictEqual(body.errors[0], {
    code: 'CREDENTIAL_INVALID',
    meta: { findings: [{ copy: 0, code: 'mso.doc_type' }] },
  })
})
