import assert from 'node:assert/strict'
import { createHash, createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { Document, DeviceResponse as HolderOfAuth0, MDoc } from '@auth0/mdl'
import { softwareKey } from '../../crypto/signing-key.ts'
import { type CertInput, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { Fault } from '../../fault.ts'
import { encodeCbor } from '../../protocols/cbor/encode.ts'
import { tagged } from '../../protocols/cbor/value.ts'
import { emptyStatusList, setStatus } from '../../protocols/status-list/packed-list.ts'
import { buildStatusListCwt } from '../../protocols/status-list/status-list-cwt.ts'
import { createRoot } from '../../trust/certificates/create-root.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { membership } from '../test-support/holder.ts'
import {
  anOwfDocument,
  aRevocableDocument,
  type DocumentOptions,
  deviceKey,
  licence,
  presentWithOwf,
  requestedElements,
  strangersKey,
} from '../test-support/mdoc-holder.ts'
import { aPresentation, aRequest, issuer } from '../test-support/presentation-request.ts'
import { type Backend, callerOf, startVerifier, type Verifier } from '../test-support/verifier.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const signing = [
  'keyUsage = critical, digitalSignature',
  'subjectKeyIdentifier = hash',
  'authorityKeyIdentifier = keyid',
]
const documents = 'extendedKeyUsage = critical, 1.0.18013.5.1.2'
const make = (wish: Partial<CertInput>): Made =>
  tool.make({ subject: '/C=ZA/CN=Signer', extensions: [...signing, documents], ...years, ...wish })
const root = make({ subject: '/C=ZA/CN=IACA', extensions: rootExtensions })
const otherRoot = make({ subject: '/C=ZA/CN=Other IACA', extensions: rootExtensions })
const namesake = make({ subject: '/C=ZA/CN=IACA', extensions: rootExtensions })
const signer = make({ issuer: root })
const skiOf = ({ certificate }: Made) => certificate.extensions.subjectKeyId?.toString('hex') ?? ''

let verifier: Verifier
const lists = new Map<string, Buffer>()
before(async () => {
  verifier = await startVerifier(async (_tenantId, url, { accept }) => {
    const body = lists.get(url)
    if (body === undefined) throw new Fault('upstream.unreachable')
    assert.deepEqual(accept, ['application/statuslist+cwt'])
    return { status: 200, headers: {}, contentType: 'application/statuslist+cwt', body }
  })
})
after(async () => {
  await verifier.close()
  tool.remove()
})

const licences = { type: licence.docType, name: 'licence', attributes: requestedElements, issuers: [] }
/** A backend that trusts these roots, and the ids of the trusted entities. */
async function trusting(...roots: readonly Made[]): Promise<{ backend: Backend; ids: string[] }> {
  const backend = await verifier.aTenant()
  const ids: string[] = []
  for (const { pem } of roots) {
    const entity = { name: 'Roads', certificates: [pem], purposes: ['issuer' as const, 'status' as const] }
    ids.push((await createTrustedEntity(verifier.platform, callerOf(backend), entity)).id)
  }
  return { backend, ids }
}
async function asking(backend: Backend, credential: object = {}) {
  const request = await aRequest(verifier, { backend, credential: { ...licences, ...credential } })
  return { ...request, responseUri: String(request.object.response_uri) }
}
type Request = Awaited<ReturnType<typeof asking>>
const codesOf = (issues: readonly { code: string }[]) => issues.map(({ code }) => code)
/** The result of a response. */
async function outcome(request: Request, response: Buffer | string) {
  const presentation = typeof response === 'string' ? response : response.toString('base64url')
  const answered = await request.answer({ c0: [presentation] })
  assert.deepEqual([answered.status, answered.body], [200, {}])
  const { status, credentials } = await request.result()
  const [{ isValid, issuer: named, issues, attributes }] = credentials
  assert.equal(isValid, status === 'verified')
  assert.equal(Object.keys(attributes).length > 0, isValid)
  return { status, named, codes: codesOf(issues), attributes }
}

test('a request for an mdoc has its type, elements and intent_to_retain (B.2.3, B.2.4)', async () => {
  const { backend } = await trusting()
  const { object } = await asking(backend)
  const claims = [
    { path: [licence.nameSpace, 'family_name'], intent_to_retain: false },
    { path: [licence.nameSpace, 'birth_date'], intent_to_retain: true },
  ]
  assert.deepEqual(object.dcql_query, {
    credentials: [{ id: 'c0', format: 'mso_mdoc', meta: { doctype_value: licence.docType }, claims }],
  })
  const formats = { mso_mdoc: { issuerauth_alg_values: [-7, -9], deviceauth_alg_values: [-7, -9] } }
  assert.deepEqual(object.client_metadata, { vp_formats_supported: formats })
})

test('a licence issued and presented with another library is verified, and only the requested elements are stored [DCQL-21]', async () => {
  const { backend, ids } = await trusting(root)
  const request = await asking(backend, { trustedIssuers: ids })
  const shown = await presentWithOwf(await anOwfDocument({ signer }), request, ['family_name', 'birth_date', 'height'])
  const answered = await request.answer({ c0: [shown.toString('base64url')] })
  assert.deepEqual([answered.status, answered.body], [200, {}])
  const { status, error, credentials } = await request.result()
  assert.deepEqual([status, error], ['verified', null])
  assert.deepEqual(credentials, [
    {
      isValid: true,
      name: 'licence',
      type: licence.docType,
      format: 'mdoc',
      attributes: { [licence.nameSpace]: { family_name: 'Jansen', birth_date: '1990-02-28' } },
      issuer: 'CN=Signer,C=ZA',
      issues: [],
      checks: credentials[0].checks,
    },
  ])
})

test('a licence of a second library is verified too, with a session transcript built in the test (B.2.6.1)', async () => {
  const { backend, ids } = await trusting(root)
  const request = await asking(backend, { trustedIssuers: ids })
  const issuerPrivateKey = { ...createPrivateKey(readFileSync(signer.keyFile)).export({ format: 'jwk' }) }
  const signed = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000)
  const document = await new Document(licence.docType)
    .addIssuerNameSpace(licence.nameSpace, { family_name: 'Jansen', birth_date: '1990-02-28' })
    .useDigestAlgorithm('SHA-512')
    .addValidityInfo({ signed, validFrom: signed, validUntil: new Date(signed.getTime() + 86_400_000) })
    .addDeviceKeyInfo({ deviceKey: deviceKey.publicJwk })
    .sign({ issuerPrivateKey, issuerCertificate: signer.pem, alg: 'ES256' })
  const handover = createHash('sha256')
    .update(encodeCbor([request.aud, request.nonce, null, request.responseUri]))
    .digest()
  const transcript = encodeCbor([null, null, ['OpenID4VPHandover', handover]])
  const fields = ['family_name', 'birth_date'].map((name) => ({
    path: [`$['${licence.nameSpace}']['${name}']`],
    intent_to_retain: false,
  }))
  const constraints = { limit_disclosure: 'required', fields }
  const shown = await HolderOfAuth0.from(new MDoc([document]))
    .usingPresentationDefinition({
      id: 'one',
      input_descriptors: [{ id: licence.docType, format: { mso_mdoc: { alg: ['ES256'] } }, constraints }],
    })
    .usingSessionTranscriptBytes(encodeCbor(tagged(24, transcript)))
    .authenticateWithSignature(deviceKey.jwk, 'ES256')
    .sign()
  const { status, codes } = await outcome(request, Buffer.from(shown.encode()))
  assert.deepEqual([status, codes], ['verified', []])
})

test('a response to a request with a certificate is bound to its client identifier', async () => {
  const { backend, ids } = await trusting(root)
  const about = { type: 'verifierRoot', keyType: 'P-256', countryName: 'ZA' } as const
  const body = { ...about, issuerAlternativeNameUrl: 'https://a.example' }
  await createRoot(verifier.platform, callerOf(backend), body, crypto.randomUUID())
  const [good, bad] = [await asking(backend, { trustedIssuers: ids }), await asking(backend, { trustedIssuers: ids })]
  assert.match(good.aud, /^x509_hash:/)
  const document = await anOwfDocument({ signer })
  assert.equal((await outcome(good, await presentWithOwf(document, good))).status, 'verified')
  const aud = `decentralized_identifier:${verifier.platform.urls.did(backend.slug)}`
  const { codes } = await outcome(bad, await presentWithOwf(document, { ...bad, aud }))
  assert.deepEqual(codes, ['device_auth.signature'])
})

for (const [what, tampering, code] of [
  ['nonce', { nonce: 'nonce-of-another-request-01' }, 'device_auth.signature'],
  ['client', { aud: 'x509_san_dns:elsewhere.example' }, 'device_auth.signature'],
  ['address', { responseUri: 'https://elsewhere.example/answers' }, 'device_auth.signature'],
] as const) {
  test(`an mdoc that was presented to another ${what} is a failed result with ${code} (B.2.6.1) [VP-H2]`, async () => {
    const { backend, ids } = await trusting(root)
    const request = await asking(backend, { trustedIssuers: ids })
    const shown = await presentWithOwf(await anOwfDocument({ signer }), { ...request, ...tampering })
    const { status, codes } = await outcome(request, shown)
    assert.deepEqual([status, codes], ['failed', [code]])
  })
}

/** Inverts one byte after the position of a text, at an offset. */
function flipped(response: Buffer, at: string, offset = 0): Buffer {
  const copy = Buffer.from(response)
  const index = copy.indexOf(at)
  assert(index >= 0)
  copy.writeUInt8(copy.readUInt8(index + offset) ^ 1, index + offset)
  return copy
}

for (const [what, at, offset, code] of [
  ['a value', 'Jansen', 1, 'digest.mismatch'],
  ['a digest', 'valueDigests', 60, 'digest.mismatch'],
  ['the time until which it is valid', 'validUntil', 15, 'issuer_auth.signature'],
  ['the signature of the issuer', 'deviceSigned', -3, 'issuer_auth.signature'],
] as const) {
  test(`one changed byte of ${what} gives a failed result with ${code}`, async () => {
    const { backend, ids } = await trusting(root)
    const request = await asking(backend, { trustedIssuers: ids })
    const shown = await presentWithOwf(await anOwfDocument({ signer }), request)
    const { status, codes } = await outcome(request, flipped(shown, at, offset))
    assert.equal(status, 'failed')
    assert(codes.includes(code), codes.join())
  })
}

const expired = { from: '250101000000Z', until: '260101000000Z' }
const day = (text: string) => new Date(`${text}T00:00:00Z`)
for (const [what, wish, codes] of [
  [
    'a signer under an untrusted root',
    () => ({ signer: make({ issuer: otherRoot }) }),
    ['chain.no_anchor', 'issuer.not_trusted'],
  ],
  [
    'a signer under another root with the same name',
    () => ({ signer: make({ issuer: namesake }) }),
    ['chain.anchor_key', 'issuer.not_trusted'],
  ],
  [
    'a signer of another country',
    () => ({ signer: make({ issuer: root, subject: '/C=NL/CN=Signer' }), country: 'NL' }),
    ['iaca.country', 'issuer.not_trusted'],
  ],
  [
    'a signer without the extended key usage',
    () => ({ signer: make({ issuer: root, extensions: signing }) }),
    ['leaf.extended_key_usage', 'issuer.not_trusted'],
  ],
  ['the root itself as signer', () => ({ signer: root }), ['leaf.is_anchor', 'issuer.not_trusted']],
  [
    'a signer that has expired',
    () => ({ signer: make({ issuer: root, ...expired }), signed: day('2025-06-01'), validUntil: day('2026-01-01') }),
    ['certificate.expired', 'validity.expired'],
  ],
  [
    'a signer that had expired before it signed',
    () => ({ signer: make({ issuer: root, ...expired }), signed: day('2026-06-01'), validUntil: day('2027-01-01') }),
    ['certificate.expired', 'validity.certificate', 'validity.signed', 'issuer.not_trusted'],
  ],
  ['a past expiry', () => ({ signer, signed: day('2025-06-01'), validUntil: day('2026-06-01') }), ['validity.expired']],
  [
    'a validity in the future',
    () => ({ signer, signed: day('2030-06-01'), validUntil: day('2031-06-01') }),
    ['validity.early'],
  ],
  ['another type', () => ({ signer, docType: 'za.example.pass' }), ['doc_type.unexpected']],
  ['another country than its signer', () => ({ signer, country: 'NL' }), ['issuer.country']],
] as const satisfies readonly (readonly [string, () => DocumentOptions, readonly string[]])[]) {
  test(`a licence with ${what} is a failed result: ${codes.join(', ')}`, async () => {
    const { backend, ids } = await trusting(root)
    const request = await asking(backend, { trustedIssuers: ids })
    const shown = await presentWithOwf(await anOwfDocument(wish()), request, [
      'family_name',
      'birth_date',
      'issuing_country',
    ])
    const { status, codes: found, named } = await outcome(request, shown)
    assert.deepEqual([status, found.toSorted()], ['failed', codes.toSorted()])
    if (found.some((one) => /^(chain|leaf|iaca)\./.test(one))) assert.equal(named, null)
  })
}

test('a licence with another device key, a missing element, or in another form gives a failed result', async () => {
  const { backend, ids } = await trusting(root)
  const document = await anOwfDocument({ signer })
  for (const [show, code] of [
    [(one: Request) => presentWithOwf(document, one, undefined, strangersKey), 'device_auth.signature'],
    [(one: Request) => presentWithOwf(document, one, ['family_name']), 'presentation.claims'],
    [async () => 'o2d2ZXJzaW9u', 'presentation.malformed'],
    [async () => `${'a'.repeat(40)}~`, 'presentation.malformed'],
    [(one: Request) => aPresentation(one), 'presentation.malformed'],
    [
      async () =>
        encodeCbor(
          new Map<string, string | number>([
            ['version', '1.0'],
            ['status', 10],
          ]),
        ),
      'response.status',
    ],
    [
      async () =>
        encodeCbor(
          new Map<string, string | number>([
            ['version', '1.0'],
            ['status', 0],
          ]),
        ),
      'response.documents',
    ],
  ] as const) {
    const request = await asking(backend, { trustedIssuers: ids })
    const { status, codes } = await outcome(request, await show(request))
    assert.deepEqual([status, codes], ['failed', [code]])
  }
})

test('a template accepts key identifiers, named entities, by default its trusted entities, or any issuer with a warning', async () => {
  const { backend, ids } = await trusting(root, otherRoot)
  const document = await anOwfDocument({ signer })
  for (const [restriction, status, codes] of [
    [{ issuers: [skiOf(signer)] }, 'verified', []],
    [{ issuers: [skiOf(root).toUpperCase()] }, 'verified', []],
    [{ issuers: [skiOf(otherRoot)] }, 'failed', ['issuer.not_allowed']],
    [{ trustedIssuers: ids.slice(0, 1) }, 'verified', []],
    [{ trustedIssuers: ids.slice(1) }, 'failed', ['issuer.not_trusted']],
    [{}, 'verified', []],
    [{ issuers: ['*'] }, 'verified', ['issuer.not_restricted']],
  ] as const) {
    const request = await asking(backend, restriction)
    const found = await outcome(request, await presentWithOwf(document, request))
    assert.deepEqual([found.status, found.codes], [status, codes])
  }
})

test('a response is accepted once; one for another request invalidates the whole response (14.1.2)', async () => {
  const { backend, ids } = await trusting(root)
  const credential = { ...licences, trustedIssuers: ids }
  const optional = {
    credentials: [credential, { ...credential, name: 'again' }],
    verifierConfig: { credentialSets: [{ options: [['licence']] }, { options: [['again']], required: false }] },
  }
  const created = await aRequest(verifier, { backend, template: optional })
  const request = { ...created, responseUri: String(created.object.response_uri) }
  const earlier = await asking(backend, { trustedIssuers: ids })
  const document = await anOwfDocument({ signer })
  const old = (await presentWithOwf(document, earlier)).toString('base64url')
  assert.equal((await earlier.answer({ c0: [old] })).status, 200)
  assert.equal((await earlier.answer({ c0: [old] })).status, 400)
  assert.equal((await earlier.result()).status, 'verified')
  await request.answer({ c0: [(await presentWithOwf(document, request)).toString('base64url')], c1: [old] })
  const { status, credentials } = await request.result()
  assert.equal(status, 'failed')
  assert.deepEqual(
    credentials.map((one: { attributes: object }) => one.attributes),
    [{}, {}],
  )
})

test('a document whose signer has no extended key usage is verified where its trusted entity says so', async () => {
  const bare = await anOwfDocument({ signer: make({ issuer: root, extensions: [...signing] }) })
  for (const [signerUsages, codes] of [
    [[], ['leaf.extended_key_usage', 'issuer.not_trusted']],
    [['none'], []],
  ]) {
    const backend = await verifier.aTenant()
    const entity = {
      name: 'Roads',
      certificates: [root.pem],
      purposes: ['issuer' as const],
      signerUsages: signerUsages ?? [],
    }
    const { id } = await createTrustedEntity(verifier.platform, callerOf(backend), entity)
    const request = await asking(backend, { trustedIssuers: [id] })
    assert.deepEqual((await outcome(request, await presentWithOwf(bare, request))).codes, codes)
  }
})

test('trusted entities of one organisation are not trusted by another', async () => {
  const [{ ids, backend }, { backend: other }] = [await trusting(root), await trusting()]
  const document = await anOwfDocument({ signer })
  const [here, there] = [await asking(backend, { trustedIssuers: ids }), await asking(other)]
  assert.equal((await outcome(here, await presentWithOwf(document, here))).status, 'verified')
  const { status, codes } = await outcome(there, await presentWithOwf(document, there))
  assert.deepEqual([status, codes], ['failed', ['chain.no_anchor', 'issuer.not_trusted']])
})

test('the status list is a CWT signed under the same root; if it cannot be reached the request stays open (7.5)', async () => {
  const { backend, ids } = await trusting(root)
  const pass = { type: 'za.example.pass', trustedIssuers: ids }
  const lister = make({ issuer: root, subject: '/C=ZA/CN=Lister' })
  const stranger = make({ issuer: otherRoot })
  for (const [name, by, idx, codes] of [
    ['good', signer, 0, []],
    ['revoked', signer, 3, ['status.revoked']],
    ['beyond', signer, 999, ['status.out_of_range']],
    ['by-a-sibling', lister, 3, ['status.revoked']],
    ['by-a-stranger', stranger, 0, ['status.untrusted']],
  ] as const) {
    const uri = `https://status.example/${name}`
    const list = emptyStatusList(1, 64)
    setStatus(list, 3, 1)
    const ask = { uri, list, ttlSeconds: 300, lifetimeSeconds: 86_400, header: { x5chain: [by.certificate.der] } }
    const key = softwareKey(createPrivateKey(readFileSync(by.keyFile)))
    lists.set(uri, await buildStatusListCwt(ask, key, new Date()))
    const request = await asking(backend, pass)
    const found = await outcome(request, await presentWithOwf(await aRevocableDocument(signer, uri, idx), request))
    assert.deepEqual([found.status, found.codes], [codes.length === 0 ? 'verified' : 'failed', codes], name)
  }
  const request = await asking(backend, pass)
  const document = await aRevocableDocument(signer, 'https://status.example/away', 0)
  const answered = await request.answer({ c0: [(await presentWithOwf(document, request)).toString('base64url')] })
  assert.equal(answered.status, 503)
  const { status, error } = await request.result()
  assert.deepEqual([status, error.details[0].code], ['requested', 'status.unavailable'])
})

test('one request may request both formats', async () => {
  const { backend, ids } = await trusting(root)
  const card = { type: membership, name: 'card', attributes: { given_name: {} }, issuers: [issuer.did] }
  const created = await aRequest(verifier, {
    backend,
    template: { credentials: [{ ...licences, trustedIssuers: ids }, card] },
  })
  const request = { ...created, responseUri: String(created.object.response_uri) }
  const shown = await presentWithOwf(await anOwfDocument({ signer }), request)
  await request.answer({
    c0: [shown.toString('base64url')],
    c1: [await aPresentation(request, { names: ['given_name'] })],
  })
  const { status, credentials } = await request.result()
  assert.equal(status, 'verified', JSON.stringify(credentials))
  assert.deepEqual(
    credentials.map((one: { format: string }) => one.format),
    ['mdoc', 'sd-jwt-vc'],
  )
})
