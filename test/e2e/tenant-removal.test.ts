// The operator removes an organisation that has issued to the people of another one, on the servers of one deployment.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeEverything, makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, api, backendSecret, type Deployment, deploy, type Reply } from '../support/server.ts'
import { until } from '../support/until.ts'

let shiftMs = 0
let chirograph: Deployment
let school: Api
let other: Api
let thandi: Api
let holder: Api
let type: string
let credentialId: string

before(async () => {
  chirograph = await deploy({ clock: { now: () => new Date(Date.now() + shiftMs) } })
  await makeEverything(chirograph)
  school = await chirograph.backend('acme')
  other = await chirograph.backend('globex')
  thandi = await chirograph.wallet('acme', 'thandi')
  holder = await chirograph.wallet('globex', 'thandi')
  const template = await makeTemplate(school, 'badge')
  type = template.type
  const { id, offerUri } = await openIssuance(school, template.id)
  const taken = await holder.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(taken.status, 201, JSON.stringify(taken.body))
  credentialId = taken.body.data[0].id
  await holder.patch(`/wallet/v2/credentials/${credentialId}`, { status: 'accepted' })
  assert.equal((await school.get(`/creds/credentials/${id}`)).body.data.status, 'completed')
})
after(() => chirograph.stop())

const statusCheck = async () => (await holder.post(`/wallet/v2/credentials/${credentialId}/status-check`)).body.data

/** Presents the card of the removed issuer to another organisation. @returns the result there */
async function presented(): Promise<Reply['body']> {
  const credentials = [{ type, attributes: { name: {} } }]
  const made = await other.post('/creds/templates/presentations', { name: 'Who', description: '', credentials })
  const presentationTemplateId = made.body.data.id
  const request = await other.post('/creds/presentations/request', { presentationTemplateId })
  const presentationRequest = request.body.data.authorizationRequestUri
  const prepared = await holder.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  await holder.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status: 'answered' })
  return (await other.get(`/creds/presentations/${request.body.data.id}`)).body.data
}

async function tokenStatus(clientId: string): Promise<number> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: backendSecret }
  return (await chirograph.nobody.form('/auth/token', form)).status
}

test('only a client with platform:admin sees the tenants, and its own one it does not remove', async () => {
  const operator = await chirograph.operator()
  for (const caller of [school, other, thandi]) {
    for (const ask of [
      () => caller.get('/onboarding/tenants'),
      () => caller.get('/onboarding/tenants/acme'),
      () => caller.delete('/onboarding/tenants/globex'),
    ]) {
      const { status, body } = await ask()
      assert.deepEqual([status, body.errors[0].meta.requiredScope], [403, 'platform:admin'])
    }
  }
  const { body } = await operator.get('/onboarding/tenants')
  assert.deepEqual(
    body.data.map((one: { slug: string; state: string; removal: null }) => [one.slug, one.state, one.removal]),
    [
      ['globex', 'active', null],
      ['acme', 'active', null],
    ],
  )
  assert.equal((await operator.get('/creds/audit')).status, 403)
  assert.equal((await operator.delete('/onboarding/tenants/globex')).status, 409)
  for (const slug of ['nobody', '_platform', '%00'])
    assert.equal((await operator.delete(`/onboarding/tenants/${slug}`)).status, 404)
})

test('a removed organisation is closed at once, and gone from every server and every table', async () => {
  assert.deepEqual((await statusCheck()).isChecked, true)
  assert.equal((await presented()).status, 'verified')
  const operator = await chirograph.operator()
  const removed = await operator.delete('/onboarding/tenants/acme')
  assert.equal(removed.status, 202, JSON.stringify(removed.body))
  const { state, removal } = removed.body.data
  assert.deepEqual([state, removal.removedBy, removal.rowsRemoved, removal.endedAt], ['removing', 'operator', 0, null])
  assert(removal.counts.users === 3 && removal.counts.issuances > 5 && removal.counts.auditEntries > 20)
  shiftMs += 6_000
  for (const at of chirograph.servers) {
    for (const path of [
      '/issuers/acme',
      '/.well-known/openid-credential-issuer/issuers/acme',
      '/issuers/acme/did.json',
    ])
      assert.equal((await fetch(`${at}${path}`)).status, 404, path)
    assert.equal((await api(at, school.token).get('/creds/credentials')).status, 401)
    assert.equal((await api(at, thandi.token).get('/wallet/v2/credentials')).status, 401)
  }
  assert.equal(await tokenStatus('acme-backend'), 401)
  assert.equal(await tokenStatus('globex-backend'), 200)
  shiftMs += 120_000
  const again = await chirograph.operator()
  const ended = await until(async () => {
    const { body, status } = await again.delete('/onboarding/tenants/acme')
    assert.equal(status, 202)
    return body.data.state === 'removed' && body.data
  }, 200)
  assert(ended.removal.rowsRemoved > 100)
  const { data } = (await again.get('/onboarding/tenants?sort=createdAt')).body
  assert.deepEqual(
    data.map((one: { slug: string; state: string }) => `${one.slug} ${one.state}`),
    ['acme removed', 'globex active'],
  )
})

test('people of other organisations keep their cards, whose status is not to be found out any more', async () => {
  holder = await chirograph.wallet('globex', 'thandi')
  other = await chirograph.backend('globex')
  const held = await holder.get(`/wallet/v2/credentials/${credentialId}`)
  assert.equal(held.status, 200)
  assert.deepEqual((await statusCheck()).isChecked, false)
  const result = await presented()
  assert.equal(result.status, 'failed')
  // A server may have the key of the issuer in its cache; the status list is not there in any case.
  assert(result.credentials[0].issues.length > 0, JSON.stringify(result))
})
