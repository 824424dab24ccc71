import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { forgetTenants } from '../../directory/tenants/find-tenant.ts'
import { createRoot } from '../../trust/certificates/create-root.ts'
import { membership } from '../test-support/holder.ts'
import { aPresentation, aRequest } from '../test-support/presentation-request.ts'
import { type Backend, callerOf, send, startVerifier, type Verifier } from '../test-support/verifier.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier(undefined, 'localhost')
})
after(() => verifier.close())

const encode = (object: object) => Buffer.from(JSON.stringify(object)).toString('base64url')
const attestation = `${encode({ alg: 'ES256', typ: 'verifier-attestation+jwt' })}.${encode({ sub: 'shop.example' })}.${'A'.repeat(86)}`

for (const [prefix, verifierConfig, clientId, jwt] of [
  ['pre-registered', { clientId: 'shop' }, 'shop', undefined],
  ['verifier_attestation', { verifierAttestation: attestation }, 'verifier_attestation:shop.example', attestation],
] as const) {
  test(`a request under ${prefix} is signed with the published key of the organisation, and verified (5.9.3)`, async () => {
    const template = { verifierConfig: { clientIdPrefix: prefix, ...verifierConfig } }
    const request = await aRequest(verifier, { template })
    assert.equal(request.aud, clientId)
    const { body } = await send(request.requestUri)
    const header = decodeProtectedHeader(body)
    const did = (await send(`${verifier.url}/issuers/${request.slug}/did.json`)).body
    const found = did.verificationMethod.find(({ id }: { id: string }) => id === header.kid)
    await compactVerify(body, await importJWK(found.publicKeyJwk, 'ES256'))
    assert.equal(header.jwt, jwt)
    await request.answer({ c0: [await aPresentation(request)] })
    assert.equal((await request.result()).status, 'verified')
  })
}

const template = (verifierConfig: object, credential: object = {}) => ({
  name: 'T',
  description: '',
  verifierConfig,
  credentials: [{ type: membership, attributes: { a: {}, b: { properties: { c: {} } } }, ...credential }],
})

for (const [what, config, credential, pointer] of [
  ['pre-registered without a client', { clientIdPrefix: 'pre-registered' }, {}, '/verifierConfig/clientId'],
  [
    'pre-registered with a certificate',
    { clientIdPrefix: 'pre-registered', clientId: 'x', signer: 'certificate' },
    {},
    '/verifierConfig/clientIdPrefix',
  ],
  [
    'a registered client with a colon',
    { clientIdPrefix: 'pre-registered', clientId: 'x:y' },
    {},
    '/verifierConfig/clientId',
  ],
  ['a client without its prefix', { clientId: 'x' }, {}, '/verifierConfig/clientId'],
  [
    'an attestation that is none',
    { clientIdPrefix: 'verifier_attestation', verifierAttestation: 'x' },
    {},
    '/verifierConfig/verifierAttestation',
  ],
  [
    'redirect_uri with a signer (never signed)',
    { clientIdPrefix: 'redirect_uri', signer: 'certificate' },
    {},
    '/verifierConfig/clientIdPrefix',
  ],
  ['a claim set with an unknown name', {}, { claimSets: [['a'], ['z']] }, '/credentials/0/claimSets/1/0'],
  ['a claim set with the name of a parent', {}, { claimSets: [['b']] }, '/credentials/0/claimSets/0/0'],
  ['a claim set with an unknown path', {}, { claimSets: [[['b', 'd']]] }, '/credentials/0/claimSets/0/0'],
  ['an empty claim set', {}, { claimSets: [[]] }, '/credentials/0/claimSets/0'],
] as const) {
  test(`a template with ${what} is refused`, async () => {
    const { ask } = await verifier.aTenant()
    const { status, body } = await ask('POST', '/templates/presentations', template(config, credential))
    const pointers = body.errors.map((one: { source?: { pointer: string } }) => one.source?.pointer)
    assert.deepEqual([status, pointers.includes(pointer)], [400, true], JSON.stringify(body))
  })
}

test('claim sets are part of the query, and one of them is enough (6.4.1)', async () => {
  const attributes = { given_name: {}, level: {}, address: { properties: { locality: {} } } }
  const claimSets = [['level', 'given_name'], [['address', 'locality']]]
  for (const [names, status] of [
    [['given_name', 'level'], 'verified'],
    [['address'], 'verified'],
    [['given_name'], 'failed'],
  ] as const) {
    const request = await aRequest(verifier, { credential: { attributes, claimSets } })
    const [asked] = (request.object.dcql_query as { credentials: { claims: object[]; claim_sets: string[][] }[] })
      .credentials
    assert.deepEqual(asked?.claims, [
      { id: 'a0', path: ['given_name'] },
      { id: 'a1', path: ['level'] },
      { id: 'a2', path: ['address', 'locality'] },
    ])
    assert.deepEqual(asked?.claim_sets, [['a1', 'a0'], ['a2']])
    await request.answer({ c0: [await aPresentation(request, { names })] })
    const { status: found, credentials } = await request.result()
    assert.equal(found, status)
    const shown = { given_name: { given_name: 'Zoë', level: 7 }, address: { address: { locality: 'Mthatha' } } }
    if (status === 'verified') assert.deepEqual(credentials[0].attributes, shown[names[0]])
  }
})

test('credential sets are satisfied by one option, and an optional set may be left out (6.4.2)', async () => {
  const card = { type: membership, attributes: { given_name: {} }, issuers: ['*'] }
  const credentials = [
    { ...card, name: 'a' },
    { ...card, name: 'b' },
    { ...card, name: 'c' },
    { ...card, name: 'd' },
  ]
  const credentialSets = [{ options: [['a', 'b'], ['c']] }, { options: [['d']], required: false }]
  for (const [ids, status] of [
    [['c2'], 'verified'],
    [['c0', 'c1', 'c3'], 'verified'],
    [['c0', 'c3'], 'failed'],
    [['c3'], 'failed'],
  ] as const) {
    const request = await aRequest(verifier, { template: { credentials, verifierConfig: { credentialSets } } })
    assert.deepEqual((request.object.dcql_query as { credential_sets: object[] }).credential_sets, [
      { options: [['c0', 'c1'], ['c2']] },
      { options: [['c3']], required: false },
    ])
    const made = ids.map(async (id) => [id, [await aPresentation(request, { names: ['given_name'] })]] as const)
    await request.answer(Object.fromEntries(await Promise.all(made)))
    assert.equal((await request.result()).status, status, ids.join())
  }
})

/** A tenant under HAIP, with a verifier certificate. */
async function underHaip(keyType: 'P-256' | null = 'P-256'): Promise<Backend> {
  const backend = await verifier.aTenant()
  const about = { type: 'verifierRoot', countryName: 'ZA', issuerAlternativeNameUrl: 'https://a.example' } as const
  if (keyType !== null)
    await createRoot(verifier.platform, callerOf(backend), { ...about, keyType }, crypto.randomUUID())
  const tenants = [{ slug: backend.slug, name: 'Acme', settings: { haip: true } }]
  await applyBootstrap(verifier.platform, { tenants })
  forgetTenants(verifier.platform)
  return backend
}

test('under HAIP requests are signed under x509_hash, and responses are encrypted whatever the wallet posts [HAIP-20, HAIP-21, HAIP-23]', async () => {
  const backend = await underHaip()
  const request = await aRequest(verifier, {
    backend,
    request: { digitalCredentials: { origins: ['https://a.example'], protocols: ['multisigned'] } },
  })
  assert.match(request.aud, /^x509_hash:/)
  assert.equal(request.object.response_mode, 'direct_post.jwt')
  const refused = await request.answer({ c0: [await aPresentation(request)] })
  assert.equal(refused.status, 400)
  const { body } = await send(request.opened.digitalCredentialsUri)
  const [{ data }] = body.digital.requests
  assert.deepEqual(data.request.signatures.length, 1)
  assert.equal(JSON.parse(Buffer.from(data.request.payload, 'base64url').toString()).response_mode, 'dc_api.jwt')
})

for (const [what, config] of [
  ['signed with the did:web', { signer: 'did:web' }],
  ['with a DNS name', { clientIdPrefix: 'x509_san_dns' }],
  ['without signature', { clientIdPrefix: 'redirect_uri' }],
  ['of a registered client', { clientIdPrefix: 'pre-registered', clientId: 'x' }],
  ['of an attested client', { clientIdPrefix: 'verifier_attestation', verifierAttestation: attestation }],
  ['signed with Ed25519', { keyType: 'Ed25519' }],
  ['for responses in the clear', { responseMode: 'direct_post' }],
] as const) {
  test(`under HAIP no template and no request is made ${what}`, async () => {
    const backend = await verifier.aTenant()
    const made = await backend.ask('POST', '/templates/presentations', template(config))
    assert.equal(made.status, 201, JSON.stringify(made.body))
    await applyBootstrap(verifier.platform, {
      tenants: [{ slug: backend.slug, name: 'Acme', settings: { haip: true } }],
    })
    forgetTenants(verifier.platform)
    const again = await backend.ask('POST', '/templates/presentations', template(config))
    assert.deepEqual([again.status, again.body.errors[0].source.pointer], [400, '/verifierConfig'])
    const request = await backend.ask('POST', '/presentations/request', { presentationTemplateId: made.body.data.id })
    assert.deepEqual([request.status, request.body.errors[0].source.pointer], [400, '/presentationTemplateId'])
  })
}

test('under HAIP a request with a redirect URI is bound to the session of the browser [HAIP-22]', async () => {
  const backend = await underHaip()
  const redirectUri = 'http://127.0.0.1/done'
  const made = await backend.ask('POST', '/templates/presentations', template({}))
  const kept = await backend.ask('POST', '/templates/presentations', template({ redirectUri }))
  for (const [presentationTemplateId, more] of [
    [made.body.data.id, { redirectUri }],
    [kept.body.data.id, {}],
  ]) {
    const ask = (session: object) =>
      backend.ask('POST', '/presentations/request', { presentationTemplateId, ...more, ...session })
    const refused = await ask({})
    assert.deepEqual([refused.status, refused.body.errors[0].source.pointer], [400, '/browserSession'])
    assert.equal((await ask({ browserSession: 'session-0123456789abcdef' })).status, 200)
  }
})

test('under HAIP without a certificate there is no request', async () => {
  const backend = await underHaip(null)
  const made = await backend.ask('POST', '/templates/presentations', template({}))
  const { status, body } = await backend.ask('POST', '/presentations/request', {
    presentationTemplateId: made.body.data.id,
  })
  assert.deepEqual([status, body.errors[0].code], [409, 'NO_ACTIVE_CERTIFICATE'])
})
