import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CompactEncrypt, importJWK, type JWK } from 'jose'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { readResponse } from '../../protocols/openid4vp/response.ts'
import { aPresentation, aRequest, part } from '../test-support/presentation-request.ts'
import { postForm, startVerifier, type Verifier } from '../test-support/verifier.ts'
import { acceptResponse } from './accept-response.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

type Metadata = { jwks: { keys: JWK[] }; encrypted_response_enc_values_supported: string[] }
type Request = Awaited<ReturnType<typeof aRequest>>
const encrypted = { verifierConfig: { responseMode: 'direct_post.jwt' } }
const modes = { response_modes_supported: ['direct_post', 'direct_post.jwt'] }
const walletMetadata = JSON.stringify({ ...modes, authorization_encryption_alg_values_supported: ['ECDH-ES'] })

async function seal(payload: object, key: JWK | undefined, enc = 'A256GCM'): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(payload))
  const header = { alg: 'ECDH-ES', enc, ...(key?.kid !== undefined && { kid: key.kid }) }
  return new CompactEncrypt(bytes).setProtectedHeader(header).encrypt(await importJWK(key ?? {}, 'ECDH-ES'))
}

const metadataOf = (object: Record<string, unknown>) => object.client_metadata as Metadata
const tokenFor = async (request: Request) => ({ c0: [await aPresentation(request)] })

async function posted(requestUri: string, form: Record<string, string>) {
  const { status, body } = await postForm(requestUri, form)
  assert.equal(status, 200)
  return part(body, 1)
}

test('a template with direct_post.jwt asks for a response to a key of the request alone [HAIP-20]', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => aRequest(verifier, { template: encrypted })))
  assert.equal(one?.object.response_mode, 'direct_post.jwt')
  const metadata = metadataOf(one?.object ?? {})
  const [key, ...keys] = metadata.jwks.keys
  assert.equal(keys.length, 0)
  assert.partialDeepStrictEqual(key, { kty: 'EC', crv: 'P-256', use: 'enc', alg: 'ECDH-ES' })
  assert.deepEqual(metadata.encrypted_response_enc_values_supported.toSorted(), ['A128GCM', 'A256GCM'])
  assert.notEqual(metadataOf(other?.object ?? {}).jwks.keys[0]?.x, key?.x)
})

for (const enc of ['A128GCM', 'A256GCM']) {
  test(`a response that jose encrypts with ${enc} is verified [VP-S5, VP-S6]`, async () => {
    const request = await aRequest(verifier, { template: encrypted })
    const [key] = metadataOf(request.object).jwks.keys
    const response = await seal({ vp_token: await tokenFor(request), state: request.object.state }, key, enc)
    const { status, body } = await postForm(String(request.object.response_uri), { response })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal((await request.result()).status, 'verified')
  })
}

test('encryption proves nothing about the sender: what is in an encrypted response is checked like any other [VP-S7]', async () => {
  const request = await aRequest(verifier, { template: encrypted })
  const [key] = metadataOf(request.object).jwks.keys
  const vp_token = { c0: [await aPresentation({ ...request, nonce: 'nonce-of-another-request-01' })] }
  const response = await seal({ vp_token, state: request.object.state }, key)
  assert.equal((await postForm(String(request.object.response_uri), { response })).status, 200)
  const { status, credentials } = await request.result()
  assert.deepEqual([status, credentials[0].issues[0].code], ['failed', 'kb.nonce'])
})

test('without a template’s word the response is encrypted if the wallet posts that it can', async () => {
  const request = await aRequest(verifier)
  assert.equal(request.object.response_mode, 'direct_post')
  const form = { wallet_nonce: 'w-1', wallet_metadata: walletMetadata }
  const object = await posted(request.requestUri, form)
  assert.deepEqual([object.response_mode, object.wallet_nonce, object.nonce], ['direct_post.jwt', 'w-1', request.nonce])
  const response = await seal(
    { vp_token: await tokenFor(request), state: object.state },
    object.client_metadata.jwks.keys[0],
  )
  await postForm(object.response_uri, { response })
  assert.equal((await request.result()).status, 'verified')
})

test('the audience of a request object is the wallet that the posted metadata name [VP-R6]', async () => {
  const { requestUri } = await aRequest(verifier)
  const audienceFor = async (metadata: string) => (await posted(requestUri, { wallet_metadata: metadata })).aud
  const named = 'https://wallet.example/users'
  assert.equal(await audienceFor(JSON.stringify({ issuer: named, ...modes })), named)
  const others = [{}, { issuer: null }, { issuer: 'wallet' }, { issuer: [named] }].map((one) => JSON.stringify(one))
  for (const metadata of [...others, '{'])
    assert.equal(await audienceFor(metadata), 'https://self-issued.me/v2', metadata)
})

test('a nonce and metadata without a value are absent (RFC 6749 3.1)', async () => {
  const { requestUri } = await aRequest(verifier)
  const object = await posted(requestUri, { wallet_nonce: '', wallet_metadata: '' })
  assert.deepEqual([object.wallet_nonce, object.aud], [undefined, 'https://self-issued.me/v2'])
})

test('a wallet that names no encryption that we can decrypt is asked for a plain response', async () => {
  const { requestUri } = await aRequest(verifier)
  for (const more of [{}, { authorization_encryption_alg_values_supported: ['RSA-OAEP-256'] }]) {
    const object = await posted(requestUri, { wallet_metadata: JSON.stringify({ ...modes, ...more }) })
    assert.deepEqual([object.response_mode, object.client_metadata.jwks], ['direct_post', undefined])
  }
})

test('a template with direct_post never asks for encryption', async () => {
  const template = { verifierConfig: { responseMode: 'direct_post' } }
  const { requestUri } = await aRequest(verifier, { template })
  const object = await posted(requestUri, { wallet_metadata: walletMetadata })
  assert.deepEqual([object.response_mode, object.client_metadata.jwks], ['direct_post', undefined])
})

test('a request object has no iss, and the link offers request_uri_method post [VP-U1]', async () => {
  const { object, ask, id } = await aRequest(verifier)
  assert.equal(Object.hasOwn(object, 'iss'), false)
  const { body } = await ask('GET', `/presentations/${id}`)
  const link = new URL(body.data.authorizationRequestUri)
  assert.equal(link.searchParams.get('request_uri_method'), 'post')
})

for (const [what, form] of [
  [
    'in the clear',
    async (request: Request) => ({ vp_token: JSON.stringify(await tokenFor(request)), state: request.object.state }),
  ],
  [
    'to another key',
    async (request: Request) => {
      const other = await aRequest(verifier, { template: encrypted })
      const [key] = metadataOf(other.object).jwks.keys
      return { response: await seal({ vp_token: await tokenFor(request), state: request.object.state }, key) }
    },
  ],
  [
    'without state',
    async (request: Request) => {
      const [key] = metadataOf(request.object).jwks.keys
      return { response: await seal({ vp_token: await tokenFor(request) }, key), state: request.object.state }
    },
  ],
  [
    'with another encrypted response inside',
    async (request: Request) => {
      const [key] = metadataOf(request.object).jwks.keys
      return { response: await seal({ response: 'a.b.c.d.e' }, key) }
    },
  ],
  ['that is no JWE', async () => ({ response: 'x' })],
] as const) {
  test(`a response ${what} to a request for an encrypted one is refused with 400, and the request stays open`, async () => {
    const request = await aRequest(verifier, { template: encrypted })
    const { status } = await postForm(
      String(request.object.response_uri),
      (await form(request)) as Record<string, string>,
    )
    assert.equal(status, 400)
    assert.equal((await request.result()).status, 'requested')
  })
}

test('a response in the clear to a request for an encrypted one, and one with another state, hear what is wrong', async () => {
  const request = await aRequest(verifier, { template: encrypted })
  const [key] = metadataOf(request.object).jwks.keys
  const plain = { vp_token: JSON.stringify(await tokenFor(request)), state: String(request.object.state) }
  const other = { response: await seal({ vp_token: await tokenFor(request), state: 'other' }, key) }
  const told = async (form: Record<string, string>) =>
    (await postForm(String(request.object.response_uri), form)).body.error_description
  assert.equal(
    await told(plain),
    'The request asks for an encrypted response (direct_post.jwt): send it as response, a JWE.',
  )
  assert.equal(await told({ ...plain, state: 'other' }), 'state is not the one of the request.')
  assert.equal(await told(other), 'state is not the one of the request.')
})

test('an error of the wallet may come in the clear, and encrypted [VP-S5]', async () => {
  for (const isEncrypted of [false, true]) {
    const request = await aRequest(verifier, { template: encrypted })
    const error = { error: 'access_denied', state: String(request.object.state) }
    const [key] = metadataOf(request.object).jwks.keys
    await postForm(String(request.object.response_uri), isEncrypted ? { response: await seal(error, key) } : error)
    assert.equal((await request.result()).status, 'rejected')
  }
})

test('of 100 responses by direct_post.jwt at two processes one is accepted [SEC-50]', async () => {
  const request = await aRequest(verifier, { template: encrypted })
  const [key] = metadataOf(request.object).jwks.keys
  const response = await seal({ vp_token: await tokenFor(request), state: request.object.state }, key)
  const token = request.requestUri.split('/').at(-1) ?? ''
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const platform = i % 2 === 0 ? verifier.platform : verifier.twin
      const tenant = await getTenant(platform, request.slug)
      const from = { ip: '192.0.2.1', requestId: `r${i}` }
      return acceptResponse(platform, tenant, token, readResponse({ response }), from).then(
        () => 'accepted',
        (error: unknown) => (error instanceof Fault ? error.code : String(error)),
      )
    }),
  )
  assert.equal(outcomes.filter((one) => one === 'accepted').length, 1)
  const losers = new Set(['accepted', 'presentation_request.closed', 'presentation_response.undecided'])
  assert.deepEqual([...new Set(outcomes).difference(losers)], [])
  assert.equal((await request.result()).status, 'verified')
})
