import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, before, test } from 'node:test'
import {
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  generalVerify,
  importJWK,
  importX509,
} from 'jose'
import { type CertInput, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { createRoot } from '../../trust/certificates/create-root.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { type Answer, aBrowserRequest, encrypted, postAnswer, shop } from '../test-support/browser-request.ts'
import { anOwfDocument, licence, presentWithOwf, requestedElements } from '../test-support/mdoc-holder.ts'
import { aPresentation, aRequest } from '../test-support/presentation-request.ts'
import { callerOf, send, startVerifier, type Verifier } from '../test-support/verifier.ts'
import { acceptBrowserAnswer } from './accept-browser-answer.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const extensions = [
  'keyUsage = critical, digitalSignature',
  'subjectKeyIdentifier = hash',
  'authorityKeyIdentifier = keyid',
  'extendedKeyUsage = critical, 1.0.18013.5.1.2',
]
const make = (wish: Partial<CertInput>) => tool.make({ subject: '/C=ZA/CN=Signer', extensions, ...years, ...wish })

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(async () => {
  await verifier.close()
  tool.remove()
})

type Request = Awaited<ReturnType<typeof aBrowserRequest>>
const tokenFor = async ({ nonce }: Pick<Request, 'nonce'>, origin = shop) => ({
  c0: [await aPresentation({ nonce, aud: `origin:${origin}` })],
})
const answerTo = async (request: Request, origin = shop) => ({
  data: await encrypted(request, { vp_token: await tokenFor(request, origin) }),
})
const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

test('an unsigned request has neither client_id nor state, and asks for an encrypted response [VP-D2, VP-D3]', async () => {
  const { parameters, nonce, object } = await aBrowserRequest(verifier)
  assert.deepEqual(Object.keys(parameters).sort(), [
    'client_metadata',
    'dcql_query',
    'nonce',
    'response_mode',
    'response_type',
  ])
  assert.partialDeepStrictEqual(parameters, { response_mode: 'dc_api.jwt', response_type: 'vp_token', nonce })
  assert.deepEqual(parameters.dcql_query, object.dcql_query)
})

test('a signed request names its client and the origins that it is expected from [VP-D1, VP-D3]', async () => {
  const { requests, aud, slug, parameters } = await aBrowserRequest(verifier)
  assert.deepEqual(
    requests.map(({ protocol }) => protocol),
    ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'],
  )
  const jws = String(requests[0]?.data.request)
  const did = (await send(`${verifier.url}/issuers/${slug}/did.json`)).body
  const { kid, typ } = decodeProtectedHeader(jws)
  const key = did.verificationMethod.find(({ id }: { id: string }) => id === kid).publicKeyJwk
  const { payload } = await compactVerify(jws, await importJWK(key, 'ES256'))
  assert.equal(typ, 'oauth-authz-req+jwt')
  const { client_id, expected_origins, ...rest } = JSON.parse(Buffer.from(payload).toString())
  assert.deepEqual([client_id, expected_origins], [aud, [shop, verifier.url]])
  assert.deepEqual(rest, parameters)
})

test('a request for several frameworks has its clients in the protected headers alone [VP-D1]', async () => {
  const backend = await verifier.aTenant()
  const about = { type: 'verifierRoot', keyType: 'P-256', countryName: 'ZA' } as const
  await createRoot(
    verifier.platform,
    callerOf(backend),
    { ...about, issuerAlternativeNameUrl: 'https://a.example' },
    crypto.randomUUID(),
  )
  const { requests } = await aBrowserRequest(verifier, { backend }, { protocols: ['multisigned'] })
  assert.equal(requests[0]?.protocol, 'openid4vp-v1-multisigned')
  const jws = requests[0]?.data.request as Parameters<typeof generalVerify>[0]
  const heads = jws.signatures.map((one) => decoded(one.protected ?? ''))
  assert.match(heads[0].client_id, /^x509_hash:/)
  assert.match(heads[1].client_id, /^decentralized_identifier:did:web:/)
  const payload = decoded(String(jws.payload))
  assert.deepEqual(
    [payload.client_id, payload.verifier_info, payload.expected_origins[0]],
    [undefined, undefined, shop],
  )
  const pem = new X509Certificate(Buffer.from(heads[0].x5c[0], 'base64')).toString()
  await generalVerify({ ...jws, signatures: jws.signatures.slice(0, 1) }, await importX509(pem, 'ES256'))
})

test('an SD-JWT VC is verified that is bound to the origin, also for a signed request [VP-D5]', async () => {
  for (const protocol of ['openid4vp-v1-unsigned', 'openid4vp-v1-signed']) {
    const request = await aBrowserRequest(verifier)
    const { status, headers } = await request.post({ ...(await answerTo(request)), protocol }, shop)
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, '*'])
    assert.equal((await request.result()).status, 'verified', JSON.stringify(await request.result()))
  }
})

test('a server may forward the answer, with the origin of its page', async () => {
  const request = await aBrowserRequest(verifier)
  assert.equal((await request.post({ ...(await answerTo(request)), origin: shop })).status, 200)
  assert.equal((await request.result()).status, 'verified')
})

test('the page of this server has an origin of its own', async () => {
  const request = await aBrowserRequest(verifier)
  await request.post(await answerTo(request, verifier.url), verifier.url)
  assert.equal((await request.result()).status, 'verified')
})

test('a response without encryption is accepted where the template says direct_post', async () => {
  const template = { verifierConfig: { responseMode: 'direct_post' } }
  const request = await aBrowserRequest(verifier, { template })
  assert.equal(request.parameters.response_mode, 'dc_api')
  await request.post({ data: { vp_token: await tokenFor(request) } }, shop)
  assert.equal((await request.result()).status, 'verified')
})

test('an mdoc of another implementation is verified over the Digital Credentials API', async () => {
  const root = make({ subject: '/C=ZA/CN=IACA', extensions: rootExtensions })
  const document = await anOwfDocument({ signer: make({ issuer: root }) })
  const backend = await verifier.aTenant()
  const entity = { name: 'Roads', certificates: [root.pem], purposes: ['issuer' as const] }
  await createTrustedEntity(verifier.platform, callerOf(backend), entity)
  const credential = { type: licence.docType, name: 'licence', attributes: requestedElements, issuers: [] }
  for (const [name, status] of [
    [shop, 'verified'],
    ['https://evil.example', 'failed'],
  ] as const) {
    const request = await aBrowserRequest(verifier, { backend, credential })
    const [key = {}] = request.parameters.client_metadata.jwks.keys
    const jwkThumbprint = Buffer.from(await calculateJwkThumbprint(key), 'base64url')
    const bound = { nonce: request.nonce, aud: '', responseUri: '', origin: { name, jwkThumbprint } }
    const response = (await presentWithOwf(document, bound)).toString('base64url')
    await request.post({ data: await encrypted(request, { vp_token: { c0: [response] } }) }, shop)
    assert.equal((await request.result()).status, status)
  }
})

const errors = async () => ({ data: { error: 'access_denied' } })
const plain = async (request: Request) => ({ data: { vp_token: await tokenFor(request) } })
for (const [what, answer, by, code, status] of [
  ['from a page of another origin [VP-D3]', answerTo, 'https://evil.example', 400, 'requested'],
  ['from an origin that only begins the same', answerTo, `${shop}.evil.example`, 400, 'requested'],
  ['without an origin', answerTo, undefined, 400, 'requested'],
  ['that was made for another origin', (one: Request) => answerTo(one, 'https://evil.example'), shop, 200, 'failed'],
  [
    'that is bound to the client identifier',
    async (one: Request) => ({ data: await encrypted(one, { vp_token: { c0: [await aPresentation(one)] } }) }),
    shop,
    200,
    'failed',
  ],
  ['in the clear to a request for an encrypted one', plain, shop, 400, 'requested'],
  [
    'of another protocol',
    async (one: Request) => ({ ...(await answerTo(one)), protocol: 'openid4vp' }),
    shop,
    400,
    'requested',
  ],
  ['that is no object [VP-D4]', async () => ({ data: '"x"' }), shop, 400, 'requested'],
  ['that is no JSON', async () => ({ data: '{' }), shop, 400, 'requested'],
  ['that is an error [VP-D4]', errors, shop, 200, 'rejected'],
] as const) {
  test(`an answer ${what} gets ${code}, and the request is ${status}`, async () => {
    const request = await aBrowserRequest(verifier)
    const made: Answer = await answer(request)
    assert.equal((await request.post(made, by)).status, code)
    assert.equal((await request.result()).status, status)
  })
}

test('a request that was not made for browsers is not found, and takes no answer of one', async () => {
  const { requestUri, nonce, result } = await aRequest(verifier)
  const uri = `${requestUri}/digital-credentials`
  assert.equal((await send(uri)).status, 404)
  assert.equal((await postAnswer(uri, { data: { vp_token: await tokenFor({ nonce }) } }, shop)).status, 404)
  assert.equal((await result()).status, 'requested')
})

test('origins are scheme, host and port, as browsers spell them', async () => {
  const { ask } = await verifier.aTenant()
  for (const origin of [
    'https://shop.example/',
    'shop.example',
    'https://SHOP.example',
    'http://shop.example',
    'https://shop.example:443',
  ]) {
    const body = { presentationTemplateId: crypto.randomUUID(), digitalCredentials: { origins: [origin] } }
    const { status, body: answer } = await ask('POST', '/presentations/request', body)
    assert.deepEqual([status, answer.errors[0].code], [400, 'VALIDATION_ERROR'], origin)
  }
})

test('of 100 answers at two processes with one nonce one is accepted', async () => {
  const request = await aBrowserRequest(verifier)
  const { response } = (await answerTo(request)).data
  const token = request.uri.split('/').at(-2) ?? ''
  const answer = { protocol: 'openid4vp-v1-unsigned', data: JSON.stringify({ response }) }
  const processes = [verifier.platform, verifier.twin]
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const platform = processes[i % 2] ?? verifier.platform
      const tenant = await getTenant(platform, request.slug)
      const from = { ip: '192.0.2.1', requestId: `r${i}`, header: shop }
      return acceptBrowserAnswer(platform, tenant, token, answer, from).then(
        () => 'accepted',
        (error: unknown) => (error instanceof Fault ? error.code : String(error)),
      )
    }),
  )
  assert.equal(outcomes.filter((one) => one === 'accepted').length, 1)
  const others = new Set(outcomes.filter((one) => one !== 'accepted'))
  assert.deepEqual(
    [...others.difference(new Set(['presentation_request.closed', 'presentation_response.undecided']))],
    [],
  )
  assert.equal((await request.result()).status, 'verified')
})
