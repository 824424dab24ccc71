import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import {
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
} from 'jose'
import * as oauth from 'oauth4webapi'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

// A wallet and a verifier out of other people's libraries, which know nothing of ours: they read what we publish and
// sign what we ask for.
const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const batchSize = 3
const template = {
  name: 'Diploma',
  code: 'diploma',
  attributes: {
    given_name: { type: 'string', required: true },
    degree: { type: 'string', alwaysDisclosed: true },
    address: { type: 'object', properties: { locality: { type: 'string' }, country: { type: 'string' } } },
    nationalities: { type: 'array', items: { type: 'string' } },
  },
  validUntil: { future: { years: 1 } },
  txCode: {},
  batchSize,
}
const attributes = {
  given_name: 'Thandi',
  degree: 'BSc',
  address: { locality: 'Pretoria', country: 'ZA' },
  nationalities: ['ZA', 'NA'],
}
/** What other libraries read. */
type Read = Reply['body']

let chirograph: Deployment
let school: Api
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
})
after(() => chirograph.stop())

test('other libraries redeem an offer, prove keys, and find what was offered in each copy, signed and not revoked', async () => {
  const { type, txCode, offer, metadata } = await offered()
  const server = await serverOf(metadata.credential_issuer)
  const token = await tokenFor(server, offer.grants[PRE_AUTHORIZED]['pre-authorized_code'], txCode)
  const keys = await Promise.all(Array.from({ length: batchSize }, () => generateKeyPair('ES256')))
  const answer = await credentialsFor(metadata, token, keys)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const credentials: string[] = answer.body.credentials.map((one: Read) => one.credential)
  assert.equal(credentials.length, batchSize)

  const seen = await Promise.all(credentials.map((credential) => readBy(credential)))
  for (const [at, { payload, claims }] of seen.entries()) {
    assert.partialDeepStrictEqual(claims, attributes)
    assert.equal(payload.vct, type)
    const key = keys[at]
    assert.ok(key !== undefined)
    const jwk = await exportJWK(key.publicKey)
    assert.equal(await calculateJwkThumbprint(payload.cnf.jwk), await calculateJwkThumbprint(jwk))
    assert.deepEqual([payload.given_name, payload.degree, payload.iat % 3600], [undefined, 'BSc', 0])
    assert.equal(await statusOf(payload.status.status_list), 0)
  }
  // [VCI-C15] nothing that two copies share tells that they belong together, but the time, which an hour of others
  // shares
  assert.equal(new Set(seen.map(({ payload }) => payload.status.status_list.idx)).size, batchSize)
  const salts = seen.flatMap(({ disclosures }) => disclosures)
  assert.equal(new Set(salts).size, salts.length)
  const digests = seen.flatMap(({ payload }) => payload._sd)
  assert.equal(new Set(digests).size, digests.length)
  assert.equal(new Set(seen.map(({ payload }) => `${payload.iat} ${payload.exp}`)).size, 1)
})

async function offered() {
  const made = await school.post('/creds/templates/credentials', template)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const ask = { credentialTemplateId: made.body.data.id, attributes }
  const { body } = await school.post('/creds/credentials/issuance', ask)
  const uri = new URL(body.data.offerUri).searchParams.get('credential_offer_uri') ?? ''
  const offer = (await chirograph.nobody.get(uri)).body
  const issuer = new URL(offer.credential_issuer)
  const inserted = `${issuer.origin}/.well-known/openid-credential-issuer${issuer.pathname}`
  const metadata = (await chirograph.nobody.get(inserted)).body
  assert.equal(metadata.credential_issuer, offer.credential_issuer)
  assert.equal(
    metadata.credential_configurations_supported[offer.credential_configuration_ids[0]].vct,
    made.body.data.type,
  )
  return { type: made.body.data.type, txCode: body.data.txCode as string, offer, metadata }
}

const insecure = { [oauth.allowInsecureRequests]: true }

async function serverOf(issuer: string) {
  const url = new URL(issuer)
  const found = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure })
  return oauth.processDiscoveryResponse(url, found)
}

async function tokenFor(server: oauth.AuthorizationServer, code: string, txCode: string): Promise<string> {
  const client = { client_id: 'an-unregistered-wallet' }
  const ask = (tx_code: string) =>
    oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.None(),
      PRE_AUTHORIZED,
      { 'pre-authorized_code': code, tx_code },
      insecure,
    )
  const wrong = await ask('nothing')
  await assert.rejects(oauth.processGenericTokenEndpointResponse(server, client, wrong), { error: 'invalid_grant' })
  const answer = await oauth.processGenericTokenEndpointResponse(server, client, await ask(txCode))
  assert.deepEqual([answer.token_type, answer.expires_in], ['bearer', 300])
  return answer.access_token
}

async function credentialsFor(
  metadata: Read,
  token: string,
  keys: readonly { privateKey: CryptoKey; publicKey: CryptoKey }[],
): Promise<Reply> {
  const { c_nonce: nonce } = (await chirograph.nobody.post(metadata.nonce_endpoint)).body
  const jwt = await Promise.all(
    keys.map(async ({ privateKey, publicKey }) =>
      new SignJWT({ nonce })
        .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: await exportJWK(publicKey) })
        .setAudience(metadata.credential_issuer)
        .setIssuedAt()
        .sign(privateKey),
    ),
  )
  const ask = { credential_configuration_id: template.code, proofs: { jwt }, something_new: true }
  return chirograph.nobody.post(metadata.credential_endpoint, ask, { authorization: `Bearer ${token}` })
}

/** The key that a `kid` names in the document of its did:web, http on loopback as in development. */
async function keyOf(kid: string) {
  const [did = ''] = kid.split('#')
  const [, , host = '', ...path] = did.split(':')
  const { body } = await chirograph.nobody.get(`http://${decodeURIComponent(host)}/${path.join('/')}/did.json`)
  const document = typeof body === 'string' ? JSON.parse(body) : body
  assert.ok(document.assertionMethod.includes(kid), 'the key is not there to issue')
  return importJWK(document.verificationMethod.find((one: Read) => one.id === kid).publicKeyJwk, 'ES256')
}

async function readBy(credential: string) {
  const [jwt = '', ...disclosures] = credential.split('~')
  assert.equal(disclosures.pop(), '', 'it ends with a tilde')
  const header = decodeProtectedHeader(jwt)
  assert.deepEqual([header.typ, header.alg], ['dc+sd-jwt', 'ES256'])
  const { payload } = await compactVerify(jwt, await keyOf(header.kid ?? ''))
  const hasher = (text: string | ArrayBuffer) =>
    createHash('sha256')
      .update(typeof text === 'string' ? text : new Uint8Array(text))
      .digest()
  const claims: Read = await new SDJwtVcInstance({ hasher, hashAlg: 'sha-256' }).getClaims(credential)
  return { payload: JSON.parse(Buffer.from(payload).toString()) as Read, claims, disclosures }
}

/** [TS-1] [TS-2] The entry of a status list, read by the letter of the draft. */
async function statusOf({ uri, idx }: { uri: string; idx: number }): Promise<number> {
  const answer = await chirograph.nobody.get(uri, { accept: 'application/statuslist+jwt' })
  assert.equal(answer.headers.get('content-type'), 'application/statuslist+jwt')
  assert.equal(answer.headers.get('access-control-allow-origin'), '*')
  const header = decodeProtectedHeader(answer.body)
  assert.equal(header.typ, 'statuslist+jwt')
  const { payload } = await compactVerify(answer.body, await keyOf(header.kid ?? ''))
  const token: Read = JSON.parse(Buffer.from(payload).toString())
  assert.deepEqual([token.sub, token.exp - token.iat > token.ttl, token.status_list.bits], [uri, true, 2])
  const list = inflateSync(Buffer.from(token.status_list.lst, 'base64url'))
  assert.equal(list.length, 32_768)
  return ((list[Math.floor(idx / 4)] ?? 255) >> ((idx % 4) * 2)) & 3
}
