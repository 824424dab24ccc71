// isomdl (Rust) on the other side, in the program of peers/isomdl: it verifies what our wallet presents, presents what
// we issued, and issues what we take and verify. It has neither OpenID4VCI nor OpenID4VP, so the tests speak for it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { importJWK, type JWK, SignJWT } from 'jose'
import { toPem } from '../../src/crypto/x509/pem.ts'
import { mdl } from '../../src/protocols/mdoc/mdl.ts'
import { foreignIssuer } from '../../src/wallet/test-support/foreign-issuer.ts'
import { foreignLeaf, foreignRoot } from '../../src/wallet/test-support/foreign-mdoc.ts'
import { foreignVerifier } from '../../src/wallet/test-support/foreign-verifier.ts'
import { licence, licenceElements } from '../support/mdoc.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

const program = process.env.PEERS_ISOMDL
const skip = program === undefined ? 'the program with isomdl is not built: npm run test:peers builds it' : false

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const NAMES = ['family_name', 'birth_date', 'driving_privileges', 'age_over_18']
const elements = licence[mdl.nameSpace] ?? {}
const licenceTemplate = {
  name: 'Driving licence',
  code: 'licence',
  format: 'mdoc',
  docType: mdl.docType,
  attributes: {
    [mdl.nameSpace]: licenceElements,
  },
}

let chirograph: Deployment
let office: Api
let root: string
before(async () => {
  if (skip !== false) return
  // isomdl accepts no signer that has another extended key usage beside that of ISO/IEC 18013-5
  const settings = { walletFormats: ['vc+sd-jwt', 'mso_mdoc'], documentSignerUsages: 'mdl' }
  chirograph = await deploy({}, {}, { acme: settings })
  office = await chirograph.backend('acme')
  const about = { type: 'issuerRoot', keyType: 'P-256', countryName: 'NL' }
  const issuerAlternativeNameUrl = 'https://rdw.example'
  root = (await made(office, '/creds/certificates', { ...about, issuerAlternativeNameUrl })).certificate
  await made(office, '/creds/trusted-entities', { name: 'Roads', certificates: [foreignRoot] })
  await made(office, '/creds/templates/credentials', licenceTemplate)
})
after(() => chirograph?.stop())

async function made(by: Api, path: string, body: object) {
  const reply = await by.post(path, body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
  return reply.body.data
}

/** Returns what the program answers: see peers/isomdl/src/main.rs. */
function peer(ask: object) {
  const { stdout, stderr, status } = spawnSync(program ?? '', [], { input: JSON.stringify(ask), encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

function aKey(): JWK {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}

/** Offers the licence. @returns the link of the offer */
async function offered(): Promise<string> {
  const [{ id }] = (await office.get('/creds/templates/credentials')).body.data
  const attributes = { [mdl.nameSpace]: elements }
  return (await made(office, '/creds/credentials/issuance', { credentialTemplateId: id, attributes })).offerUri
}

/** Redeems an offer with a key of the test. @returns the credential */
async function redeemed(offerUri: string, key: JWK): Promise<string> {
  const { nobody } = chirograph
  const { d: _, ...jwk } = key
  const offer = (await nobody.get(new URL(offerUri).searchParams.get('credential_offer_uri') ?? '')).body
  const { origin, pathname } = new URL(offer.credential_issuer)
  const [issuer, server] = await Promise.all(
    ['openid-credential-issuer', 'oauth-authorization-server'].map(
      async (kind) => (await nobody.get(`${origin}/.well-known/${kind}${pathname}`)).body,
    ),
  )
  const grant = {
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': offer.grants[PRE_AUTHORIZED]['pre-authorized_code'],
  }
  const authorization = `Bearer ${(await nobody.form(server.token_endpoint, grant)).body.access_token}`
  const proof = await new SignJWT({ nonce: (await nobody.post(issuer.nonce_endpoint)).body.c_nonce })
    .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk })
    .setAudience(issuer.credential_issuer)
    .setIssuedAt()
    .sign(await importJWK({ ...key }, 'ES256'))
  const [credential_configuration_id] = offer.credential_configuration_ids
  const ask = { credential_configuration_id, proofs: { jwt: [proof] } }
  const reply = await nobody.post(issuer.credential_endpoint, ask, { authorization })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.credentials[0].credential
}

/** Takes an offer into a wallet. */
async function taken(wallet: Api, credentialOffer: string) {
  const [credential] = await made(wallet, '/wallet/v2/credentials', { credentialOffer })
  await wallet.patch(`/wallet/v2/credentials/${credential.id}`, { status: 'accepted' })
  return credential
}

/** Answers a request from a wallet. */
async function answered(wallet: Api, presentationRequest: string): Promise<void> {
  const { id } = await made(wallet, '/wallet/v2/presentations', { presentationRequest })
  const { status, body } = await wallet.patch(`/wallet/v2/presentations/${id}`, { status: 'answered' })
  assert.equal(status, 200, JSON.stringify(body))
}

/** Requests elements of a licence. @returns the request, and how its result is read */
async function requested() {
  const properties = Object.fromEntries(NAMES.map((name) => [name, { intentToRetain: false }]))
  const asked = { type: mdl.docType, format: 'mdoc', attributes: { [mdl.nameSpace]: { properties } } }
  const template = { name: 'Rental', description: 'To rent a car', credentials: [asked] }
  const { id: presentationTemplateId } = await made(office, '/creds/templates/presentations', template)
  const { id, authorizationRequestUri: link } = await made(office, '/creds/presentations/request', {
    presentationTemplateId,
  })
  return { link, result: async () => (await office.get(`/creds/presentations/${id}`)).body.data }
}

async function objectOf(link: string) {
  const uri = new URL(link).searchParams.get('request_uri') ?? ''
  const [, payload = ''] = String((await chirograph.nobody.get(uri)).body).split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** Answers a request of ours with a licence that isomdl presents. @returns the result */
async function answeredByIsomdl(issuerSigned: string, deviceKey: JWK) {
  const { link, result } = await requested()
  const { client_id: clientId, nonce, response_uri: responseUri, state, dcql_query: query } = await objectOf(link)
  const request = { clientId, nonce, responseUri }
  const { deviceResponse } = peer({ do: 'present', issuerSigned, deviceKey, request, names: NAMES })
  const form = { vp_token: JSON.stringify({ [query.credentials[0].id]: [deviceResponse] }), state }
  assert.equal((await chirograph.nobody.form(responseUri, form)).status, 200)
  return result()
}

const shown = Object.fromEntries(NAMES.map((name) => [name, elements[name]]))

function assertVerified(result: Reply['body']): void {
  assert.equal(result.status, 'verified', JSON.stringify(result))
  assert.deepEqual(result.credentials[0].attributes, { [mdl.nameSpace]: shown })
}

test('isomdl verifies what our wallet presents of a licence that we issued', { skip }, async () => {
  const thandi = await chirograph.wallet('acme', 'thandi')
  await taken(thandi, await offered())
  const claims = NAMES.map((name) => ({ path: [mdl.nameSpace, name] }))
  const query = { id: 'q', format: 'mso_mdoc', meta: { doctype_value: mdl.docType }, claims }
  const shop = await foreignVerifier({ credentials: [query] })
  try {
    await answered(thandi, shop.link())
    const [deviceResponse] = JSON.parse(shop.posted[0]?.get('vp_token') ?? '{}').q
    const { clientId, nonce, responseUri } = shop
    const ask = { do: 'verify', deviceResponse, request: { clientId, nonce, responseUri }, root }
    assert.deepEqual(peer(ask), {
      response: { [mdl.nameSpace]: shown },
      issuer_authentication: 'Valid',
      device_authentication: 'Valid',
      errors: {},
    })
    const another = peer({ ...ask, request: { ...ask.request, nonce: 'another' }, root: foreignRoot })
    assert.deepEqual([another.issuer_authentication, another.device_authentication], ['Invalid', 'Invalid'])
  } finally {
    await shop.close()
  }
})

test('we verify what isomdl presents of a licence that we issued', { skip }, async () => {
  const deviceKey = aKey()
  assertVerified(await answeredByIsomdl(await redeemed(await offered(), deviceKey), deviceKey))
})

const certificate = toPem('CERTIFICATE', foreignLeaf.der)
// without the members that no key of the Rust library has
const key = createPrivateKey({ key: foreignLeaf.jwk, format: 'jwk' }).export({ format: 'jwk' })
// isomdl reads bytes in the other alphabet of base64
const portrait = Buffer.from(String(elements.portrait), 'base64url').toString('base64')
const issuedByIsomdl = (deviceKey: object): string => {
  const about = { certificate, key, deviceKey, elements: { ...elements, portrait } }
  return peer({ do: 'issue', ...about }).issuerSigned
}

test('we verify what isomdl issued and presents', { skip }, async () => {
  const deviceKey = aKey()
  assertVerified(await answeredByIsomdl(issuedByIsomdl(deviceKey), deviceKey))
})

test('our wallet takes what isomdl issued, and shows it', { skip }, async () => {
  const roads = await foreignIssuer({ offers: ['licence'] })
  roads.lie({ raw: (_, copy) => issuedByIsomdl(roads.proved[copy] ?? {}) })
  try {
    const pieter = await chirograph.wallet('acme', 'pieter')
    const { claims } = await taken(pieter, roads.offerUri)
    assert.deepEqual(claims, { [mdl.nameSpace]: elements })
    const { link, result } = await requested()
    await answered(pieter, link)
    assertVerified(await result())
  } finally {
    await roads.close()
  }
})
