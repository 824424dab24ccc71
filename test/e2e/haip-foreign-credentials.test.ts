// Under HAIP 1.0 a shop of this server verifies credentials that other libraries issued and present: an SD-JWT VC of
// @sd-jwt/sd-jwt-vc and an mdoc of @owf/mdoc, sent by a wallet of @openid4vc/openid4vp.
import assert from 'node:assert/strict'
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { Openid4vpClient } from '@openid4vc/openid4vp'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { leafExtensions, openssl, rootExtensions } from '../../src/crypto/x509-path/test-support/openssl.ts'
import {
  anOwfDocument,
  licence,
  presentWithOwf,
  requestedElements,
} from '../../src/verification/test-support/mdoc-holder.ts'
import { peerCallbacks } from '../../src/verification/test-support/openid4vc-peer.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

const STUDENT = 'https://peer.example/student'
const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const root = tool.make({ subject: '/C=ZA/CN=Peers', extensions: rootExtensions, ...years })
const signer = tool.make({ subject: '/C=ZA/CN=Peer', issuer: root, extensions: leafExtensions.slice(0, 3), ...years })
const documentSigner = tool.make({
  subject: '/C=ZA/CN=Roads',
  issuer: root,
  ...years,
  extensions: [
    'keyUsage = critical, digitalSignature',
    'subjectKeyIdentifier = hash',
    'authorityKeyIdentifier = keyid',
    'extendedKeyUsage = critical, 1.0.18013.5.1.2',
  ],
})
const signingKey = createPrivateKey(readFileSync(signer.keyFile))
const holder = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const x5c = [signer.certificate.der.toString('base64')]

let here: Deployment
let shop: Api
let lists: Server
/** Whether the status list token names its signer by `x5c`. */
let isCertified = true
before(async () => {
  here = await deploy({}, {}, { globex: { haip: true } })
  shop = await here.backend('globex')
  const about = { type: 'verifierRoot', keyType: 'P-256', countryName: 'ZA' }
  await made('/creds/certificates', { ...about, issuerAlternativeNameUrl: 'https://a.example' })
  const trusted = { name: 'Peers', purposes: ['issuer', 'status'], certificates: [root.pem] }
  await made('/creds/trusted-entities', trusted)
  lists = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(statusList()),
  )
  await new Promise<void>((resolve) => lists.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  lists.close()
  tool.remove()
  await here.stop()
})

async function made(path: string, body: object): Promise<Reply['body']> {
  const reply = await shop.post(path, body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
  return reply.body.data
}

const signed = (key: KeyObject) => (text: string) =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
// lists are cached by address
const listUri = () => `http://127.0.0.1:${(lists.address() as AddressInfo).port}/${isCertified ? 'list' : 'bare'}`
const seconds = () => Math.floor(Date.now() / 1000)

function statusList(): string {
  const list = { bits: 1, lst: deflateSync(Buffer.alloc(16)).toString('base64url') }
  const head = { typ: 'statuslist+jwt', alg: 'ES256', ...(isCertified && { x5c }) }
  const claims = { sub: listUri(), iat: seconds(), exp: seconds() + 600, ttl: 1, status_list: list }
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${signed(signingKey)(text)}`
}

const library = new SDJwtVcInstance({
  signer: signed(signingKey),
  signAlg: 'ES256',
  kbSigner: signed(holder.privateKey),
  kbSignAlg: 'ES256',
  hasher: (text: string | ArrayBuffer, alg: string) =>
    createHash(alg.replace('-', ''))
      .update(typeof text === 'string' ? text : Buffer.from(text))
      .digest(),
  hashAlg: 'sha-256',
  saltGenerator: () => randomBytes(16).toString('base64url'),
})

async function presentSdJwt(aud: string, nonce: string): Promise<string> {
  const status = { status_list: { idx: 7, uri: listUri() } }
  const cnf = { jwk: holder.publicKey.export({ format: 'jwk' }) }
  const payload = { vct: STUDENT, iat: seconds(), exp: seconds() + 3600, name: 'Anele', cnf, status }
  const credential = await library.issue(payload as never, { _sd: ['name'] } as never, { header: { x5c } })
  return library.present(credential, { name: true } as never, { kb: { payload: { iat: seconds(), aud, nonce } } })
}

type Format = 'sd-jwt-vc' | 'mdoc'
const asked = {
  'sd-jwt-vc': { type: STUDENT, attributes: { name: {} } },
  mdoc: { type: licence.docType, format: 'mdoc', attributes: requestedElements },
} as const

/** Sends a presentation to the shop, encrypted. @returns the result */
async function present(format: Format): Promise<Reply['body']> {
  const template = { name: 'Student', description: 'For the discount', credentials: [asked[format]] }
  const { id: presentationTemplateId } = await made('/creds/templates/presentations', template)
  const request = await made('/creds/presentations/request', { presentationTemplateId })
  const wallet = new Openid4vpClient({
    callbacks: { ...peerCallbacks(() => ({})), generateRandom: () => new Uint8Array(16) } as never,
  })
  const link = wallet.parseOpenid4vpAuthorizationRequest({ authorizationRequest: request.authorizationRequestUri })
  const resolved = await wallet.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: link.params as never,
  })
  assert.equal(resolved.client.prefix, 'x509_hash')
  const payload = resolved.authorizationRequestPayload as Record<string, unknown> & {
    readonly client_metadata: { readonly jwks: { readonly keys: readonly JWK[] } }
  }
  const { client_id: aud, nonce, response_uri: responseUri } = payload as Record<string, string>
  const [key = {}] = payload.client_metadata.jwks.keys
  const bound = { aud: aud ?? '', nonce: nonce ?? '', responseUri: responseUri ?? '' }
  const jwkThumbprint = Buffer.from(await calculateJwkThumbprint(key), 'base64url')
  const presentation =
    format === 'mdoc'
      ? await presentWithOwf(await anOwfDocument({ signer: documentSigner }), { ...bound, jwkThumbprint })
      : await presentSdJwt(bound.aud, bound.nonce)
  const answer = typeof presentation === 'string' ? presentation : presentation.toString('base64url')
  const response = await wallet.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: payload as never,
    authorizationResponsePayload: { vp_token: { c0: [answer] } } as never,
    jarm: {
      encryption: { nonce: 'wallet' },
      serverMetadata: {
        authorization_signing_alg_values_supported: [],
        authorization_encryption_alg_values_supported: ['ECDH-ES'],
        authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
      },
    },
  })
  await wallet.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: payload as never,
    authorizationResponsePayload: response.authorizationResponsePayload,
    jarm: { responseJwt: response.jarm?.responseJwt ?? '' },
  })
  return (await shop.get(`/creds/presentations/${request.id}`)).body.data
}

for (const [format, claim] of [
  ['sd-jwt-vc', 'Anele'],
  ['mdoc', 'Jansen'],
] as const) {
  test(`[HAIP-20, HAIP-22, HAIP-30] the ${format} of another issuer, presented by another wallet, is verified under the profile`, async () => {
    isCertified = true
    const result = await present(format)
    assert.equal(result.status, 'verified', JSON.stringify(result))
    assert.ok(JSON.stringify(result.credentials).includes(claim))
  })
}

test('[HAIP-30] the same SD-JWT VC is refused once the token of its status list has no x5c', async () => {
  isCertified = false
  const result = await present('sd-jwt-vc')
  assert.equal(result.status, 'failed', JSON.stringify(result))
  assert.ok(JSON.stringify(result).includes('status.not_certified'), JSON.stringify(result))
})

for (const clientIdPrefix of ['x509_san_dns', 'redirect_uri'])
  test(`[HAIP-21] a template that signs under ${clientIdPrefix} is refused`, async () => {
    const about = { name: 'Student', description: 'For the discount', credentials: [asked['sd-jwt-vc']] }
    const refused = await shop.post('/creds/templates/presentations', { ...about, verifierConfig: { clientIdPrefix } })
    assert.equal(refused.status, 400)
    assert.match(JSON.stringify(refused.body), /the client identifier prefix is x509_hash/)
  })
