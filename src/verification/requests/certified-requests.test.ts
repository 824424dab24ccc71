import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { after, before, test } from 'node:test'
import { compactVerify, decodeProtectedHeader, importX509 } from 'jose'
import { type OpenSsl, openSsl } from '../../../test/support/openssl.ts'
import { deactivateCertificate, revokeCertificate } from '../../trust/certificates/change-certificate.ts'
import { createRoot } from '../../trust/certificates/create-root.ts'
import { trustSchedules } from '../../trust/certificates/jobs.ts'
import type { VerifierConfig } from '../templates/presentation-template.ts'
import { aPresentation, aRequest, payloadAt } from '../test-support/presentation-request.ts'
import { type Backend, callerOf, send, startVerifier, type Verifier } from '../test-support/verifier.ts'

const DAY_SECONDS = 86_400
let ssl: OpenSsl
let verifier: Verifier
before(async () => {
  ssl = openSsl()
  verifier = await startVerifier(undefined, 'localhost')
})
after(async () => {
  await verifier.close()
  ssl.close()
})

/** Creates a verifier root with its leaf. */
async function aRoot(by: Verifier, backend: Backend, keyType: 'P-256' | 'Ed25519' = 'P-256') {
  const about = {
    type: 'verifierRoot',
    keyType,
    countryName: 'ZA',
    issuerAlternativeNameUrl: 'https://a.example',
  } as const
  return createRoot(by.platform, callerOf(backend), about, crypto.randomUUID())
}
/** Fetches a request object; jose verifies the signature with the leaf in its header. */
async function fetched(requestUri: string) {
  const { status, body } = await send(requestUri)
  assert.equal(status, 200, JSON.stringify(body))
  const { x5c = [], alg = '', typ, kid } = decodeProtectedHeader(body)
  const [leaf = ''] = x5c
  const { payload } = await compactVerify(body, await importX509(pemOf(leaf), alg))
  return { alg, typ, kid, x5c, leaf: new X509Certificate(Buffer.from(leaf, 'base64')), ...claimsOf(payload) }
}
function claimsOf(payload: Uint8Array): { readonly client_id: string; readonly response_uri: string } {
  return JSON.parse(Buffer.from(payload).toString())
}
function pemOf(der: string): string {
  return new X509Certificate(Buffer.from(der, 'base64')).toString()
}
function hashOf(leaf: string): string {
  return `x509_hash:${createHash('sha256').update(Buffer.from(leaf, 'base64')).digest('base64url')}`
}
/** The answer of POST /presentations/request for a template with this configuration. */
async function createRequest(backend: Backend, verifierConfig?: VerifierConfig) {
  const credentials = [{ type: 'https://types.example/v', attributes: { a: {} } }]
  const template = { name: 'T', description: '', credentials, ...(verifierConfig && { verifierConfig }) }
  const made = await backend.ask('POST', '/templates/presentations', template)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return backend.ask('POST', '/presentations/request', { presentationTemplateId: made.body.data.id })
}
const linkOf = (data: { authorizationRequestUri: string }) => new URL(data.authorizationRequestUri).searchParams

test('an active verifier certificate signs requests, as jose and openssl verify, and its hash is the client identifier (5.9.3, HAIP 5.1)', async () => {
  const backend = await verifier.aTenant()
  const root = await aRoot(verifier, backend)
  const request = await aRequest(verifier, { backend })
  const { alg, typ, kid, x5c, client_id: clientId, leaf } = await fetched(request.requestUri)
  assert.deepEqual([alg, typ, kid, x5c.length], ['ES256', 'oauth-authz-req+jwt', undefined, 1])
  assert.equal(clientId, hashOf(x5c[0] ?? ''))
  // [X5-5] the chain does not contain the root
  assert(x5c.every((one) => one !== root.der.toString('base64')))
  ssl.file('root.pem', pemOf(root.der.toString('base64')))
  ssl.file('leaf.pem', leaf.toString())
  assert.match(ssl.run('verify', '-CAfile', 'root.pem', 'leaf.pem'), /leaf\.pem: OK/)
  const { body } = await backend.ask('GET', `/presentations/${request.id}`)
  assert.equal(linkOf(body.data).get('client_id'), clientId)
  assert.equal(new URL(body.data.authorizationRequestQrUri).searchParams.get('client_id'), clientId)
  assert.equal((await send(body.data.authorizationRequestQrUri)).headers.get('content-type'), 'image/svg+xml')
})

test('a response must be bound to the client identifier of the request, not to another one of the organisation [VP-P1]', async () => {
  const backend = await verifier.aTenant()
  await aRoot(verifier, backend)
  const [good, misnamed] = [await aRequest(verifier, { backend }), await aRequest(verifier, { backend })]
  assert.match(good.aud, /^x509_hash:/)
  await good.answer({ c0: [await aPresentation(good)] })
  assert.equal((await good.result()).status, 'verified')
  const aud = `decentralized_identifier:${verifier.platform.urls.did(backend.slug)}`
  await misnamed.answer({ c0: [await aPresentation(misnamed, { binding: { aud } })] })
  const { status, credentials } = await misnamed.result()
  assert.deepEqual([status, credentials[0].issues[0].code], ['failed', 'kb.audience'])
})

test('a template may require x509_san_dns with the host of response_uri [VP-S3]', async () => {
  const backend = await verifier.aTenant()
  await aRoot(verifier, backend)
  const { status, body } = await createRequest(backend, { clientIdPrefix: 'x509_san_dns' })
  assert.equal(status, 200, JSON.stringify(body))
  const { client_id: clientId, response_uri: uri, leaf } = await fetched(linkOf(body.data).get('request_uri') ?? '')
  assert.deepEqual([clientId, new URL(uri).hostname], ['x509_san_dns:localhost', 'localhost'])
  assert.equal(leaf.checkHost('localhost'), 'localhost')
})

test('a template may require the did:web, or a key type, whatever else is active', async () => {
  const backend = await verifier.aTenant()
  await aRoot(verifier, backend)
  await aRoot(verifier, backend, 'Ed25519')
  const did = `decentralized_identifier:${verifier.platform.urls.did(backend.slug)}`
  for (const keyType of [undefined, 'P-256'] as const) {
    const config = { signer: 'did:web', ...(keyType && { keyType }) } as const
    assert.equal(linkOf((await createRequest(backend, config)).body.data).get('client_id'), did)
  }
  for (const [config, alg] of [
    [undefined, 'ES256'],
    [{ signer: 'certificate' }, 'ES256'],
    [{ signer: 'certificate', keyType: 'P-256' }, 'ES256'],
    [{ signer: 'certificate', keyType: 'Ed25519' }, 'EdDSA'],
    [{ keyType: 'Ed25519' }, 'EdDSA'],
    [{ keyType: 'Ed25519', clientIdPrefix: 'x509_hash' }, 'EdDSA'],
  ] as const) {
    const { body } = await createRequest(backend, config)
    assert.equal((await fetched(linkOf(body.data).get('request_uri') ?? '')).alg, alg, JSON.stringify(config))
  }
})

for (const [what, config, detail, meta] of [
  [
    'a certificate',
    { signer: 'certificate' },
    /no active verifier certificate\. .*type verifierRoot/,
    { keyType: null },
  ],
  ['a key type', { keyType: 'Ed25519' }, /with a Ed25519 key/, { keyType: 'Ed25519' }],
  [
    'a certificate with a key type',
    { signer: 'certificate', keyType: 'P-256' },
    /with a P-256 key/,
    { keyType: 'P-256' },
  ],
  ['a client identifier prefix', { clientIdPrefix: 'x509_san_dns' }, /\/certificates\/csrs/, { kind: 'verifier' }],
] as const) {
  test(`a template that requires ${what} gets a 409 that names it, until the organisation has it`, async () => {
    const backend = await verifier.aTenant()
    const { status, body } = await createRequest(backend, config)
    const [error] = body.errors
    assert.deepEqual([status, error.code], [409, 'NO_ACTIVE_CERTIFICATE'])
    assert.match(error.detail, detail)
    assert.partialDeepStrictEqual(error.meta, meta)
    await aRoot(verifier, backend, 'keyType' in config ? config.keyType : 'P-256')
    assert.equal((await createRequest(backend, config)).status, 200)
  })
}

test('x509_san_dns is refused if the certificate does not have the DNS name', async () => {
  const numbered = await startVerifier()
  try {
    const backend = await numbered.aTenant()
    await aRoot(numbered, backend)
    const { status, body } = await createRequest(backend, { clientIdPrefix: 'x509_san_dns' })
    assert.deepEqual([status, body.errors[0].code], [409, 'NO_ACTIVE_CERTIFICATE'])
    assert.match(body.errors[0].detail, /does not have the DNS name 127\.0\.0\.1/)
    assert.equal((await createRequest(backend)).status, 200)
  } finally {
    await numbered.close()
  }
})

test('without an active certificate the did:web signs; no organisation signs with the certificate of another', async () => {
  const [one, other] = [await verifier.aTenant(), await verifier.aTenant()]
  const root = await aRoot(verifier, one)
  const clientOf = async (backend: Backend) => linkOf((await createRequest(backend)).body.data).get('client_id') ?? ''
  assert.match(await clientOf(one), /^x509_hash:/)
  assert.match(await clientOf(other), /^decentralized_identifier:/)
  assert.equal((await createRequest(other, { signer: 'certificate' })).status, 409)
  await deactivateCertificate(verifier.platform, callerOf(one), root.id)
  assert.match(await clientOf(one), /^decentralized_identifier:/)
})

test('an open request keeps its certificate after a renewal or deactivation', async () => {
  const aging = await startVerifier(undefined, 'localhost')
  try {
    const backend = await aging.aTenant()
    const root = await aRoot(aging, backend)
    // renewed at six tenths of 456 days
    aging.wait(Math.round(273.5 * DAY_SECONDS))
    const request = await aRequest(aging, { backend, request: { expiresInSeconds: DAY_SECONDS } })
    const first = await fetched(request.requestUri)
    aging.wait(23.5 * 3600)
    for (const schedule of trustSchedules) await schedule.run(aging.platform, new AbortController().signal)
    const next = await aRequest(aging, { backend })
    assert.notEqual(next.aud, request.aud)
    await deactivateCertificate(aging.platform, callerOf(backend), root.id)
    const again = await fetched(request.requestUri)
    assert.deepEqual([again.client_id, again.x5c], [first.client_id, first.x5c])
    const iat = Math.floor(aging.platform.clock.now().getTime() / 1000)
    await request.answer({ c0: [await aPresentation(request, { binding: { iat } })] })
    assert.equal((await request.result()).status, 'verified', JSON.stringify(await request.result()))
  } finally {
    await aging.close()
  }
})

test('the request object is not signed with a revoked certificate', async () => {
  const backend = await verifier.aTenant()
  const root = await aRoot(verifier, backend)
  const { requestUri } = await aRequest(verifier, { backend })
  await payloadAt(requestUri)
  await revokeCertificate(verifier.platform, callerOf(backend), root.id)
  const { status, body } = await send(requestUri)
  assert.deepEqual([status, body.error], [400, 'invalid_request'])
  assert.match(body.error_description, /revoked/)
})

test('creating and serving a request with a certificate take one round trip each', async () => {
  const backend = await verifier.aTenant()
  await aRoot(verifier, backend)
  const { body } = await createRequest(backend)
  const { presentationTemplateId } = body.data
  await fetched(linkOf(body.data).get('request_uri') ?? '')
  const before = verifier.store.counts.roundTrips
  const opened = await backend.ask('POST', '/presentations/request', { presentationTemplateId })
  await payloadAt(linkOf(opened.body.data).get('request_uri') ?? '')
  assert.equal(verifier.store.counts.roundTrips - before, 2)
})
