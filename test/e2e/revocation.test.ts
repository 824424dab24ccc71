// A credential that was verified is suspended, reinstated and revoked: each time the next verification says so,
// whichever server answers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

let here: Deployment
let school: Api
let employer: Api
let thandi: Api
let type: string
let templateId: string
let presentationTemplateId: string

before(async () => {
  here = await deploy()
  school = await here.backend('acme')
  employer = await here.backend('globex')
  thandi = await here.wallet('acme', 'thandi')
  const template = await makeTemplate(school, 'badge')
  type = template.type
  templateId = template.id
  const body = { name: 'Who', description: 'Name', credentials: [{ type, attributes: { name: {} } }] }
  const made = await employer.post('/creds/templates/presentations', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  presentationTemplateId = made.body.data.id
})
after(() => here.stop())

/** A credential in the wallet: its ids at the issuer and at the holder. */
async function held() {
  const issuance = await openIssuance(school, templateId)
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: issuance.offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  const credentialId = received.body.data[0].id
  await thandi.patch(`/wallet/v2/credentials/${credentialId}`, { status: 'accepted' })
  return { issuanceId: issuance.id as string, id: issuance.credentials[0].id as string, credentialId }
}

/** Asks the holder and tells what came of it: the state of the request, and the codes against the credential. */
async function verified(credentialId: string) {
  const request = await employer.post('/creds/presentations/request', { presentationTemplateId })
  assert.equal(request.status, 200, JSON.stringify(request.body))
  const presentationRequest = request.body.data.authorizationRequestUri
  const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  const selectedCredentials = [{ credentialId, matchedAttributes: ['name'] }]
  const path = `/wallet/v2/presentations/${prepared.body.data.id}`
  const answered = await thandi.patch(path, { status: 'answered', selectedCredentials })
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  const { body } = await employer.get(`/creds/presentations/${request.body.data.id}`)
  const [entry] = body.data.credentials
  const codes: string[] = (entry?.issues ?? []).map(({ code }: { code: string }) => code)
  return { status: body.data.status, isValid: entry?.isValid, codes: codes.filter((one) => one.startsWith('status.')) }
}

async function change(verb: string, ids: readonly string[]) {
  const { status, body } = await school.post(`/creds/credentials/${verb}`, { ids })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.results
}

const good = { status: 'verified', isValid: true, codes: [] }
const bad = (code: string) => ({ status: 'failed', isValid: false, codes: [code] })

test('what was verified is suspended, reinstated and revoked, and the next verification says so', async () => {
  const { id, issuanceId, credentialId } = await held()
  assert.deepEqual(await verified(credentialId), good)
  await change('suspend', [id])
  assert.deepEqual(await verified(credentialId), bad('status.suspended'))
  await change('reinstate', [id])
  assert.deepEqual(await verified(credentialId), good)
  await change('revoke', [id])
  assert.deepEqual(await verified(credentialId), bad('status.revoked'))
  assert.deepEqual(await verified(credentialId), bad('status.revoked'))
  const listed = await school.get(`/creds/credentials?filter[templateId]=${templateId}`)
  const found = listed.body.data.find((one: { id: string }) => one.id === issuanceId)
  assert.deepEqual([found.status, found.credentials[0].status], ['completed', 'revoked'])
})

test('a credential that was not revoked stays as it is when its neighbour is', async () => {
  const [one, other] = [await held(), await held()]
  await change('revoke', [one.id])
  assert.deepEqual(await verified(other.credentialId), good)
  assert.deepEqual(await verified(one.credentialId), bad('status.revoked'))
})

test('the id of the issuance is refused with the id that was meant, and another organisation changes nothing', async () => {
  const { id, issuanceId, credentialId } = await held()
  const [hinted] = await change('revoke', [issuanceId])
  assert.deepEqual([hinted.code, hinted.credentialIds], ['VALIDATION_ERROR', [id]])
  const { body } = await employer.post('/creds/credentials/revoke', { ids: [id] })
  assert.deepEqual(body.data.results[0].code, 'NOT_FOUND')
  assert.deepEqual(await verified(credentialId), good)
})
