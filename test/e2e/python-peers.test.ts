// Libraries of the Python world on the other side: they verify what we issue and what our wallet presents, and issue
// what we verify.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { foreignVerifier } from '../../src/wallet/test-support/foreign-verifier.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

const versions = { 'sd-jwt': '0.10.4', pymdoccbor: '1.4.0' } as const
const python = process.env.PEERS_PYTHON ?? 'python3'
const script = fileURLToPath(new URL('../support/python-peers.py', import.meta.url))
const asked = `import importlib.metadata as m; print(m.version("sd-jwt"), m.version("pymdoccbor"))`
const found = spawnSync(python, ['-c', asked], { encoding: 'utf8' }).stdout?.trim() ?? ''
const isThere = found === Object.values(versions).join(' ')
const skip = isThere ? false : 'sd-jwt and pymdoccbor are not installed: npm run test:peers installs them'

const MDL = 'org.iso.18013.5.1'
const text = { type: 'string' } as const
let chirograph: Deployment
let school: Api
let thandi: Api
let root: string
before(async () => {
  if (!isThere) return
  chirograph = await deploy({}, {}, { acme: { walletFormats: ['vc+sd-jwt', 'mso_mdoc'] } })
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  const about = { type: 'issuerRoot', keyType: 'P-256', countryName: 'NL' }
  const made = await school.post('/creds/certificates', {
    ...about,
    issuerAlternativeNameUrl: `${chirograph.url}/issuers/acme`,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  root = made.body.data.certificate
})
after(() => chirograph?.stop())

function peer(ask: object) {
  const { stdout, stderr, status } = spawnSync(python, [script], { input: JSON.stringify(ask), encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

/** Issues a credential into the wallet of Thandi. @returns its type */
async function held(template: object, attributes: object): Promise<string> {
  const made = await school.post('/creds/templates/credentials', template)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id, type } = made.body.data
  const issued = await school.post('/creds/credentials/issuance', { credentialTemplateId: id, attributes })
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  const credentialOffer = issued.body.data.offerUri
  const taken = await thandi.post('/wallet/v2/credentials', { credentialOffer })
  assert.equal(taken.status, 201, JSON.stringify(taken.body))
  await thandi.patch(`/wallet/v2/credentials/${taken.body.data[0].id}`, { status: 'accepted' })
  return type
}

/** What our wallet answers to a query, and to whom. */
async function presented(query: object) {
  const shop = await foreignVerifier({ credentials: [{ id: 'q', ...query }] })
  try {
    const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest: shop.link() })
    assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
    const path = `/wallet/v2/presentations/${prepared.body.data.id}`
    const answered = await thandi.patch(path, { status: 'answered' })
    assert.equal(answered.status, 200, JSON.stringify(answered.body))
    const [presentation] = JSON.parse(shop.posted[0]?.get('vp_token') ?? '{}').q
    return { presentation, aud: shop.clientId, nonce: shop.nonce }
  } finally {
    await shop.close()
  }
}

test('sd-jwt (Python) verifies what our wallet presents of what we issued', { skip }, async () => {
  const attributes = { given_name: 'Thandi', degree: 'BSc', address: { locality: 'Köln', code: 50667 } }
  const address = { type: 'object', properties: { locality: text, code: { type: 'number' } } }
  const type = await held(
    { name: 'Diploma', code: 'py-diploma', attributes: { given_name: text, degree: text, address } },
    attributes,
  )
  const claims = [{ path: ['degree'] }, { path: ['address', 'locality'] }]
  const shown = await presented({ format: 'dc+sd-jwt', meta: { vct_values: [type] }, claims })
  const payload = peer({ do: 'sd-jwt', ...shown })
  assert.deepEqual([payload.vct, payload.degree, payload.given_name], [type, 'BSc', undefined])
  assert.deepEqual(payload.address, { locality: 'Köln' })
  const refused = spawnSync(python, [script], { input: JSON.stringify({ do: 'sd-jwt', ...shown, nonce: 'another' }) })
  assert.notEqual(refused.status, 0, 'the library checks the nonce')
})

test('pymdoccbor verifies what our wallet presents of a licence that we issued, up to our root', { skip }, async () => {
  const attributes = { [MDL]: { family_name: text, birth_date: { type: 'date' }, age_over_18: { type: 'boolean' } } }
  const values = { family_name: 'Molefe', birth_date: '2001-03-14', age_over_18: true }
  const docType = 'org.example.card.1'
  await held({ name: 'Card', code: 'py-card', format: 'mdoc', docType, attributes }, { [MDL]: values })
  const claims = [{ path: [MDL, 'family_name'] }, { path: [MDL, 'age_over_18'] }]
  const { presentation } = await presented({ format: 'mso_mdoc', meta: { doctype_value: docType }, claims })
  const { isValid, elements } = peer({ do: 'mdoc', response: presentation, root })
  assert.equal(isValid, true)
  assert.deepEqual(elements, { [MDL]: { family_name: 'Molefe', age_over_18: true } })
})

test('we verify what sd-jwt (Python) issued and presents', { skip }, async () => {
  const vct = 'https://types.example/py-member'
  const ask = async () => {
    const credentials = [{ type: vct, attributes: { member: {} }, issuers: ['*'] }]
    const template = { name: 'Member', description: '', credentials }
    const made = await school.post('/creds/templates/presentations', template)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const begun = await school.post('/creds/presentations/request', { presentationTemplateId: made.body.data.id })
    const { id, authorizationRequestUri } = begun.body.data
    const uri = new URL(authorizationRequestUri).searchParams.get('request_uri') ?? ''
    const [, payload = ''] = String((await chirograph.nobody.get(uri)).body).split('.')
    return { id, request: JSON.parse(Buffer.from(payload, 'base64url').toString()) }
  }
  const { id, request } = await ask()
  const about = { claims: { member: 'M-1', secret: 'x' }, disclosed: ['member'], vct }
  const made = peer({ do: 'issue', ...about, aud: request.client_id, nonce: request.nonce })
  const [query] = request.dcql_query.credentials
  const vpToken = JSON.stringify({ [query.id]: [made.presentation] })
  const form = { vp_token: vpToken, state: request.state }
  assert.equal((await chirograph.nobody.form(request.response_uri, form)).status, 200)
  const { data } = (await school.get(`/creds/presentations/${id}`)).body
  assert.equal(data.status, 'verified', JSON.stringify(data))
  assert.deepEqual(data.credentials[0].attributes, { member: 'M-1' })
})
