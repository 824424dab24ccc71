// A tenant without a certificate that issues under its https address: wallet, verifier and other libraries find its
// keys there.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

let here: Deployment
let school: Api
let employer: Api
let thandi: Api
before(async () => {
  here = await deploy({}, {}, { acme: { issuerIdentifier: 'https' } })
  school = await here.backend('acme')
  employer = await here.backend('globex')
  thandi = await here.wallet('acme', 'thandi')
})
after(() => here.stop())

test('a credential under the https address of its issuer is received, verified, and no longer verified once revoked', async () => {
  const template = await makeTemplate(school, 'badge')
  const issuance = await openIssuance(school, template.id)
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: issuance.offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  const [held] = received.body.data
  const issuer = template.type.slice(0, template.type.indexOf('/vct/'))
  assert.equal(held.iss, issuer)
  await thandi.patch(`/wallet/v2/credentials/${held.id}`, { status: 'accepted' })

  const trusted = await employer.post('/creds/trusted-entities', { name: 'Acme', issuers: [issuer] })
  assert.equal(trusted.status, 201, JSON.stringify(trusted.body))
  const body = { name: 'Who', description: 'Name', credentials: [{ type: template.type, attributes: { name: {} } }] }
  const { body: made } = await employer.post('/creds/templates/presentations', body)
  const verified = async () => {
    const asked = await employer.post('/creds/presentations/request', { presentationTemplateId: made.data.id })
    const presentationRequest = asked.body.data.authorizationRequestUri
    const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest })
    assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
    const selectedCredentials = [{ credentialId: held.id, matchedAttributes: ['name'] }]
    const answered = await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, {
      status: 'answered',
      selectedCredentials,
    })
    assert.equal(answered.status, 200, JSON.stringify(answered.body))
    const { data } = (await employer.get(`/creds/presentations/${asked.body.data.id}`)).body
    return [data.status, ...data.credentials[0].issues.map((one: { code: string }) => one.code)]
  }
  assert.deepEqual(await verified(), ['verified'])
  await school.post('/creds/credentials/revoke', { ids: [issuance.credentials[0].id] })
  assert.deepEqual(await verified(), ['failed', 'status.revoked'])
})

test('the inserted well-known address has the keys of credentials and status lists, by kid', async () => {
  const { type } = await makeTemplate(school, 'other')
  const issuer = type.slice(0, type.indexOf('/vct/'))
  const { origin, pathname } = new URL(issuer)
  const answer = await here.nobody.get(`${origin}/.well-known/jwt-vc-issuer${pathname}`)
  assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, '*'])
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.deepEqual([Object.keys(answer.body), answer.body.issuer], [['issuer', 'jwks'], issuer])
  assert.partialDeepStrictEqual(answer.body.jwks.keys[0], { kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' })

  const { body: lists } = await here.nobody.get(`${issuer}/status-lists`)
  const { body: list } = await here.nobody.get(lists.status_lists[0])
  assert.equal(decodeJwt(list).iss, issuer)
  assert.equal(decodeProtectedHeader(list).kid, answer.body.jwks.keys[0].kid)
  await jwtVerify(list, createLocalJWKSet(answer.body.jwks))
})

test('the metadata of an unknown tenant is 404', async () => {
  assert.equal((await here.nobody.get('/.well-known/jwt-vc-issuer/issuers/nobody')).status, 404)
})
