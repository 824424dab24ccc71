import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { type ForeignIssuer, foreignIssuer, type Options } from '../test-support/foreign-issuer.ts'
import { type ForeignVerifier, foreignVerifier } from '../test-support/foreign-verifier.ts'

let chirograph: Deployment
let thandi: Api
let pieter: Api
let backend: Api
const open: { close: () => Promise<void> }[] = []
before(async () => {
  chirograph = await deploy()
  thandi = await chirograph.wallet('acme', 'thandi')
  pieter = await chirograph.wallet('acme', 'pieter')
  backend = await chirograph.backend('acme')
})
after(() => chirograph.stop())
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function issuer(options: Options = {}): Promise<ForeignIssuer> {
  const made = await foreignIssuer(options)
  open.push(made)
  return made
}

async function verifier(query: unknown): Promise<ForeignVerifier> {
  const made = await foreignVerifier(query)
  open.push(made)
  return made
}

async function received(): Promise<string> {
  const { offerUri } = await issuer()
  const { body } = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  return body.data[0].id
}

test('a credential offer is redeemed into an array of credentials', async () => {
  const { offerUri } = await issuer()
  const { status, body } = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(status, 201)
  const [credential] = body.data
  assert.deepEqual(Object.keys(credential).sort(), ['claims', 'format', 'iat', 'id', 'iss', 'status', 'vct'])
  assert.match(credential.iat, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const read = await thandi.get(`/wallet/v2/credentials/${credential.id}`)
  assert.deepEqual(read.body.data, credential)
})

test('the old way to set the consent answers with the bare credential and names its successor', async () => {
  const id = await received()
  const old = await thandi.patch(`/wallet/credentials/${id}/status`, { status: 'accepted' })
  assert.equal(old.status, 200)
  assert.equal(old.body.id, id)
  assert.equal(old.body.status, 'accepted')
  assert.match(old.headers.get('deprecation') ?? '', /^@\d+$/)
  assert.equal(old.headers.get('link'), `<${chirograph.url}/wallet/v2/credentials/${id}>; rel="successor-version"`)
  const now = await thandi.patch(`/wallet/v2/credentials/${id}`, { status: 'rejected' })
  assert.equal(now.body.data.status, 'rejected')
})

test('the list is narrowed by consent, in both spellings, and by type', async () => {
  const id = await received()
  await thandi.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
  await received()
  for (const filter of ['status=accepted', 'filter[status]=accepted', 'status=accepted&filter[status]=accepted']) {
    const { body } = await thandi.get(`/wallet/v2/credentials?${filter}`)
    assert.ok(body.data.length > 0)
    assert.ok(body.data.every((one: { status: string }) => one.status === 'accepted'))
  }
  const none = await thandi.get('/wallet/v2/credentials?filter[vct]=https://types.example/other')
  assert.deepEqual(none.body.data, [])
  const both = await thandi.get('/wallet/v2/credentials?status=accepted&filter[status]=pending')
  assert.equal(both.status, 400)
  assert.equal(both.body.errors[0].source.parameter, 'status')
})

test('pages follow each other newest first, and lose and repeat nothing', async () => {
  for (let i = 0; i < 3; i += 1) await received()
  const all: string[] = []
  let next = '/wallet/v2/credentials?page[size]=2'
  while (next !== undefined) {
    const { body } = await thandi.get(next)
    all.push(...body.data.map((one: { id: string }) => one.id))
    next = body.links.next
  }
  const whole = await thandi.get('/wallet/v2/credentials?page[size]=100')
  assert.deepEqual(
    all,
    whole.body.data.map((one: { id: string }) => one.id),
  )
  assert.deepEqual(all, all.toSorted().reverse())
})

test('a removed credential is gone', async () => {
  const id = await received()
  assert.equal((await thandi.delete(`/wallet/v2/credentials/${id}`)).status, 204)
  assert.equal((await thandi.get(`/wallet/v2/credentials/${id}`)).status, 404)
  assert.equal((await thandi.delete(`/wallet/v2/credentials/${id}`)).status, 404)
})

test("another user's credential is a 404 with the same body as an unknown id", async () => {
  const id = await received()
  const unknown = '01890000-0000-7000-8000-000000000000'
  for (const ask of [
    (one: string) => pieter.get(`/wallet/v2/credentials/${one}`),
    (one: string) => pieter.patch(`/wallet/v2/credentials/${one}`, { status: 'accepted' }),
    (one: string) => pieter.patch(`/wallet/credentials/${one}/status`, { status: 'accepted' }),
    (one: string) => pieter.delete(`/wallet/v2/credentials/${one}`),
  ]) {
    const [foreign, nobodys] = [await ask(id), await ask(unknown)]
    assert.equal(foreign.status, 404)
    const { id: _, ...shown } = foreign.body.errors[0]
    const { id: __, ...expected } = nobodys.body.errors[0]
    assert.deepEqual(shown, expected)
  }
})

test('a client without a user is refused with a hint to token exchange, on every operation of a wallet', async () => {
  for (const answer of [
    await backend.get('/wallet/v2/credentials'),
    await backend.post('/wallet/v2/credentials', { credentialOffer: '{}' }),
    await backend.post('/wallet/v2/credential-offers/resolve', { credentialOffer: '{}' }),
    await backend.get('/wallet/v2/presentations'),
    await backend.post('/wallet/v2/presentations', { presentationRequest: 'openid4vp://?' }),
  ]) {
    assert.equal(answer.status, 403)
    assert.equal(answer.body.errors[0].code, 'FORBIDDEN')
    assert.match(answer.body.errors[0].detail, /token exchange/)
  }
})

test('whoami is the user, or the client that acts for itself', async () => {
  const user = await thandi.get('/wallet/v2/whoami')
  assert.deepEqual(user.body.data, { id: user.body.data.id, name: 'Thandi Molefe', email: 'thandi@example.org' })
  const client = await backend.get('/wallet/v2/whoami')
  assert.equal(client.body.data.email, '')
})

test('refusals of an offer have the codes of the contract', async () => {
  const withCode = await issuer({ txCode: '123456' })
  const txCode = await thandi.post('/wallet/v2/credentials', { credentialOffer: withCode.offerUri })
  assert.equal(txCode.status, 422)
  assert.equal(txCode.body.errors[0].code, 'TX_CODE_REQUIRED')
  assert.deepEqual(txCode.body.errors[0].meta.txCode, { inputMode: 'numeric', length: 6, description: 'By mail' })
  const offer = JSON.stringify(withCode.offer({ grants: { authorization_code: {} } }))
  const signIn = await thandi.post('/wallet/v2/credentials', { credentialOffer: offer })
  assert.equal(signIn.status, 422)
  assert.equal(signIn.body.errors[0].code, 'AUTHORIZATION_REQUIRED')
  assert.match(signIn.body.links.related, /\/wallet\/v2\/issuance-sessions$/)
  const mdoc = JSON.stringify(withCode.offer({ credential_configuration_ids: ['licence'] }))
  const format = await thandi.post('/wallet/v2/credentials', { credentialOffer: mdoc })
  assert.equal(format.body.errors[0].code, 'UNSUPPORTED_FORMAT')
  assert.equal(withCode.calls.filter(({ place }) => place === 'token').length, 0)
  const wrong = await thandi.post('/wallet/v2/credentials', { credentialOffer: withCode.offerUri, txCode: '000000' })
  assert.equal(wrong.status, 422)
  assert.equal(wrong.body.errors[0].code, 'OFFER_UNUSABLE')
  assert.equal(wrong.body.errors[0].meta.upstream.error, 'invalid_grant')
})

test('an issuer out of reach is a 502, and an address that may not be called too', async () => {
  const gone = await foreignIssuer()
  await gone.close()
  const unreachable = await thandi.post('/wallet/v2/credentials', { credentialOffer: gone.offerUri })
  assert.equal(unreachable.status, 502)
  assert.equal(unreachable.body.errors[0].code, 'UPSTREAM_ERROR')
  const inside = 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2F169.254.169.254%2Flatest'
  const refused = await thandi.post('/wallet/v2/credentials', { credentialOffer: inside })
  assert.equal(refused.status, 502)
})

test('a preview shows the issuer, the credentials and the code that is needed', async () => {
  const { offerUri, issuer: name } = await issuer({ txCode: '1234' })
  const { status, body } = await thandi.post('/wallet/v2/credential-offers/resolve', { credentialOffer: offerUri })
  assert.equal(status, 200)
  assert.equal(body.data.credentialIssuer, name)
  assert.equal(body.data.authorization, 'preAuthorized')
  assert.equal(body.data.credentials[0].display[0].name, 'Membership')
})

test('a presentation is prepared, listed, read and answered once', async () => {
  const id = await received()
  await thandi.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
  const meta = { vct_values: ['https://types.example/membership'] }
  const credentials = [{ id: 'm', format: 'dc+sd-jwt', meta, claims: [{ path: ['given_name'] }] }]
  const { link } = await verifier({ credentials })
  const made = await thandi.post('/wallet/v2/presentations', { presentationRequest: link() })
  assert.equal(made.status, 201)
  assert.deepEqual(made.body.data.selectedCredentials, [{ credentialId: id, matchedAttributes: ['given_name'] }])
  assert.equal(made.body.meta.verifier.authenticated, true)
  const path = `/wallet/v2/presentations/${made.body.data.id}`
  const listed = await thandi.get('/wallet/v2/presentations?filter[status]=pending')
  assert.ok(listed.body.data.some((one: { id: string }) => one.id === made.body.data.id))
  assert.equal((await pieter.get(path)).status, 404)
  const answered = await thandi.patch(path, { status: 'answered' })
  assert.equal(answered.status, 200)
  assert.equal(answered.body.data.status, 'answered')
  assert.match(answered.body.meta.redirectUri, /done#1$/)
  const again = await thandi.patch(path, { status: 'rejected' })
  assert.equal(again.status, 409)
  assert.equal(again.body.errors[0].code, 'INVALID_STATE')
  assert.equal((await thandi.get(path)).body.data.status, 'answered')
})
