import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { anMdoc, certificate, deviceKey, licence, noon } from '../../../test/support/mdoc.ts'
import { sha256 } from '../../crypto/digest.ts'
import { readPublicJwk } from '../../crypto/jwk.ts'
import { type SigningKey, softwareKey } from '../../crypto/signing-key.ts'
import { decodeCbor, splitCborMap } from '../cbor/decode.ts'
import { embed, encodeCbor } from '../cbor/encode.ts'
import { type Cbor, isCborArray, isCborMap } from '../cbor/value.ts'
import { sign1 } from '../cose/sign1.ts'
import { checkPresented } from '../dcql/check-presented.ts'
import { parseQuery } from '../dcql/parse-query.ts'
import { selectCredentials } from '../dcql/select-credentials.ts'
import { buildDeviceResponse } from './build-device-response.ts'
import { mdocCandidate, presentedMdoc } from './dcql-candidate.ts'
import { deviceAuthenticationBytes } from './device-authentication.ts'
import { parseDeviceResponse } from './device-response.ts'
import { parseIssuerSigned } from './issuer-signed.ts'
import { mdl } from './mdl.ts'
import { browserTranscript, redirectTranscript } from './session-transcript.ts'
import { type DeviceResponsePolicy, onlyDocument, verifyDeviceResponse } from './verify-device-response.ts'

const file = new URL('../../../test/vectors/data/mdoc/session-transcript.json', import.meta.url)
const published = JSON.parse(readFileSync(file, 'utf8'))

describe('a session transcript', () => {
  const { redirect, derivedUnencryptedRedirect } = published
  // The published keys say that they are for encryption, and keys that are read otherwise are for signatures.
  const pointOf = ({ kty, crv, x, y }: typeof redirect.jwk) => readPublicJwk({ kty, crv, x, y })

  test('of a redirect is byte for byte that of OpenID4VP B.2.6.1 [VP-H1]', () => {
    const { clientId, nonce, responseUri, jwk } = redirect
    const request = { clientId, nonce, responseUri, encryptionKey: pointOf(jwk) }
    assert.equal(redirectTranscript(request).toString('hex'), redirect.sessionTranscriptHex)
    const open = redirectTranscript({ ...request, encryptionKey: null }).toString('hex')
    assert.equal(open, derivedUnencryptedRedirect.sessionTranscriptHex)
  })

  test('over the Digital Credentials API is byte for byte that of OpenID4VP B.2.6.2 [VP-H1]', () => {
    const { origin, nonce, jwk, sessionTranscriptHex } = published.dcApi
    assert.equal(browserTranscript(origin, nonce, pointOf(jwk)).toString('hex'), sessionTranscriptHex)
    assert.notEqual(browserTranscript(origin, nonce, null).toString('hex'), sessionTranscriptHex)
  })
})

const request = { clientId: 'x509_hash:abc', nonce: 'n-1', encryptionKey: null, responseUri: 'https://v.example/r' }
const sessionTranscript = redirectTranscript(request)
const policy: DeviceResponsePolicy = { certificate, now: noon, docType: mdl.docType, sessionTranscript }
const paths = [
  [mdl.nameSpace, 'family_name'],
  ['nl.example.extra', 'points'],
]
const presentation = { paths, sessionTranscript, deviceKey }
const issued = await anMdoc()
const codesOf = (response: Uint8Array | string, more: Partial<DeviceResponsePolicy> = {}) =>
  verifyDeviceResponse(parseDeviceResponse(response), { ...policy, ...more }).findings.map(({ code }) => code)

describe('a presentation', () => {
  test('discloses what was selected and nothing else, and verifies', async () => {
    const response = await buildDeviceResponse(issued.toString('base64url'), presentation)
    const verified = verifyDeviceResponse(parseDeviceResponse(response.toString('base64url')), policy)
    assert.deepEqual(verified.findings, [])
    assert.deepEqual(verified.claims, {
      [mdl.nameSpace]: { family_name: 'Jansen' },
      'nl.example.extra': { points: 4.5 },
    })
    assert.deepEqual(verified.deviceClaims, {})
  })

  test('of nothing has no nameSpaces, and verifies (6.4)', async () => {
    const response = await buildDeviceResponse(issued, { ...presentation, paths: [] })
    assert.deepEqual(codesOf(response), [])
    assert.equal(onlyDocument(parseDeviceResponse(response))?.issuerSigned.nameSpaces.size, 0)
  })

  test('passes on the bytes of the issuer, however they are encoded', async () => {
    // heads longer than needed, maps in the other order, an array of indefinite length: what real wallets and issuers
    // emit
    const { issuerAuth, nameSpaces } = Object.fromEntries(splitCborMap(issued))
    assert(issuerAuth && nameSpaces)
    const odd = Buffer.concat([
      Buffer.from('ba00000002', 'hex'),
      Buffer.concat([encodeCbor('nameSpaces'), nameSpaces]),
      Buffer.concat([
        encodeCbor('issuerAuth'),
        Buffer.from('9f', 'hex'),
        issuerAuth.subarray(1),
        Buffer.from('ff', 'hex'),
      ]),
    ])
    const response = await buildDeviceResponse(odd, presentation)
    assert.deepEqual(codesOf(response), [])
    assert(response.includes(issuerAuth.subarray(1)))
  })

  test('has the same fingerprint each time, and another one for another credential [SEC-26]', async () => {
    const fingerprint = async (mdoc: Uint8Array) =>
      verifyDeviceResponse(parseDeviceResponse(await buildDeviceResponse(mdoc, presentation)), policy).fingerprint
    assert.equal(await fingerprint(issued), await fingerprint(issued))
    assert.notEqual(await fingerprint(issued), await fingerprint(await anMdoc()))
  })

  test('of an element that is not there is not made', async () => {
    for (const path of [[mdl.nameSpace, 'shoe_size'], ['other', 'family_name'], [mdl.nameSpace]])
      await assert.rejects(() => buildDeviceResponse(issued, { ...presentation, paths: [path] }), {
        code: 'mdoc.unpresentable',
      })
  })

  test('by an Ed25519 holder verifies', async () => {
    const key = softwareKey(generateKeyPairSync('ed25519').privateKey)
    const response = await buildDeviceResponse(await anMdoc({ deviceKey: key.publicJwk }), {
      ...presentation,
      deviceKey: key,
    })
    assert.deepEqual([codesOf(response), codesOf(response, { deviceAlgs: [-7, -9] })], [[], ['device_auth.algorithm']])
  })
})

const other = softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
for (const [what, change] of [
  ['nonce', { nonce: 'n-2' }],
  ['client', { clientId: 'x509_hash:abd' }],
  ['address', { responseUri: 'https://w.example/r' }],
  ['encryption key [VP-H1]', { encryptionKey: other.publicJwk }],
] as const) {
  test(`a presentation for another ${what} is refused`, async () => {
    const response = await buildDeviceResponse(issued, presentation)
    assert.deepEqual(codesOf(response, { sessionTranscript: redirectTranscript({ ...request, ...change }) }), [
      'device_auth.signature',
    ])
  })
}

test('the device key signs every presentation, and makes no MAC [MD-22]', async () => {
  const response = await buildDeviceResponse(issued, presentation)
  assert.deepEqual([response.includes('deviceSignature'), response.includes('deviceMac')], [true, false])
})

test('a presentation for the handover of ISO/IEC TS 18013-7:2024 is refused [VP-H3]', async () => {
  const { clientId, nonce, responseUri } = request
  const hashOf = (value: string) => sha256(encodeCbor([value, 'nonce-of-the-mdoc']))
  const older = encodeCbor([null, null, [hashOf(clientId), hashOf(responseUri), nonce]])
  const response = await buildDeviceResponse(issued, { ...presentation, sessionTranscript: older })
  assert.deepEqual(codesOf(response), ['device_auth.signature'])
})

/** A response of any parts, signed by the holder as if it were right. */
async function forged(parts: {
  readonly deviceElements?: Cbor
  readonly key?: SigningKey
  readonly docType?: string
  readonly mdoc?: Uint8Array
  readonly response?: Readonly<Record<string, Cbor>>
  readonly auth?: ReadonlyMap<string, Cbor>
}): Promise<Buffer> {
  const docType = parts.docType ?? mdl.docType
  const nameSpaces = encodeCbor(embed(parts.deviceElements ?? new Map()))
  const payload = deviceAuthenticationBytes({ sessionTranscript, docType, deviceNameSpaces: nameSpaces })
  const signature = await sign1({ payload, isDetached: true }, parts.key ?? deviceKey)
  const document = new Map<string, Cbor>([
    ['docType', docType],
    ['issuerSigned', { encoded: parts.mdoc ?? issued }],
    [
      'deviceSigned',
      new Map<string, Cbor>([
        ['nameSpaces', { encoded: nameSpaces }],
        ['deviceAuth', parts.auth ?? new Map([['deviceSignature', signature]])],
      ]),
    ],
  ])
  return encodeCbor(
    new Map<string, Cbor>(Object.entries({ version: '1.0', documents: [document], status: 0, ...parts.response })),
  )
}

const stating = (nameSpace: string, element: string) => new Map([[nameSpace, new Map([[element, 'mine']])]])
const allowed = await anMdoc({
  keyAuthorizations: { nameSpaces: ['own'], dataElements: new Map([['nl.example.extra', ['mood', 'points']]]) },
})
const noKey = { encoded: encodeCbor([encodeCbor(new Map([[1, 5]])), new Map(), null, Buffer.alloc(32)]) }
const attached = await sign1({ payload: Buffer.from('x') }, deviceKey)

for (const [what, response, codes] of [
  ['as it should be', await forged({}), []],
  ['of a higher minor version', await forged({ response: { version: '1.1' } }), []],
  ['with unknown members', await forged({ response: { zkDocuments: [] } }), []],
  [
    'with elements of the holder that its issuer allows',
    await forged({ mdoc: allowed, deviceElements: stating('own', 'x') }),
    [],
  ],
  [
    'with one element that its issuer allows',
    await forged({ mdoc: allowed, deviceElements: stating('nl.example.extra', 'mood') }),
    [],
  ],
  ['of another major version', await forged({ response: { version: '2.0' } }), ['response.version']],
  ['with an error status', await forged({ response: { status: 10 } }), ['response.status']],
  ['without a document', await forged({ response: { documents: [] } }), ['response.documents']],
  ['of another type than was asked for', await forged({ docType: 'a.b' }), ['doc_type.unexpected', 'mso.doc_type']],
  ['signed by another key', await forged({ key: other }), ['device_auth.signature']],
  ['with a MAC [VP-H5]', await forged({ auth: new Map([['deviceMac', noKey]]) }), ['device_auth.mac']],
  [
    'that carries what it signs',
    await forged({ auth: new Map([['deviceSignature', attached]]) }),
    ['device_auth.payload'],
  ],
  [
    'with an element of the holder [MD-23]',
    await forged({ deviceElements: stating('own', 'x') }),
    ['device_signed.unauthorized'],
  ],
  [
    'with another one than is allowed [MD-23]',
    await forged({ mdoc: allowed, deviceElements: stating('nl.example.extra', 'age') }),
    ['device_signed.unauthorized'],
  ],
  [
    'with an element that its issuer states too [MD-23]',
    await forged({ mdoc: allowed, deviceElements: stating('nl.example.extra', 'points') }),
    ['device_signed.duplicate'],
  ],
] as const) {
  test(`a presentation ${what}: ${codes.join(' and ') || 'no finding'}`, () =>
    assert.deepEqual(codesOf(response), codes))
}

test('a response with two documents is refused as a whole, and nothing of it is answered [VP-H4] [HAIP-24]', async () => {
  const map = decodeCbor(await forged({}))
  assert(isCborMap(map))
  const documents = map.get('documents') ?? null
  assert(isCborArray(documents))
  const twice = encodeCbor(new Map([...map, ['documents', [...documents, ...documents]]]))
  const verified = verifyDeviceResponse(parseDeviceResponse(twice), policy)
  assert.deepEqual([verified.findings.map(({ code }) => code), verified.claims], [['response.documents'], {}])
})

for (const [what, response] of [
  ['no CBOR', 'not base64url'],
  ['an array', encodeCbor([])],
  ['no version', await forged({ response: { version: 1 } })],
  ['no status', await forged({ response: { status: null } })],
  ['documents that are no array', await forged({ response: { documents: new Map() } })],
  ['17 documents', await forged({ response: { documents: new Array(17).fill(null) } })],
  ['a document that is no map', await forged({ response: { documents: [1] } })],
  ['neither signature nor MAC', await forged({ auth: new Map() })],
  [
    'a signature and a MAC',
    await forged({
      auth: new Map([
        ['deviceSignature', attached],
        ['deviceMac', noKey],
      ]),
    }),
  ],
  ['elements of the holder that are no map', await forged({ deviceElements: [] })],
  ['something behind it', Buffer.concat([await forged({}), Buffer.from([0])])],
] as const) {
  test(`a response with ${what} is malformed`, () =>
    assert.throws(() => parseDeviceResponse(response), { code: 'mdoc.malformed' }))
}

test('DCQL finds the elements in the wallet, and the verifier the same in what was shown', async () => {
  const claims = [{ path: [mdl.nameSpace, 'age_over_18'], values: [true] }, { path: [mdl.nameSpace, 'family_name'] }]
  const query = parseQuery({
    credentials: [{ id: 'licence', format: 'mso_mdoc', meta: { doctype_value: mdl.docType }, claims }],
  })
  const [match] =
    selectCredentials(query, [mdocCandidate(parseIssuerSigned(issued), true)]).queries.get('licence')?.matches ?? []
  assert(match)
  const response = await buildDeviceResponse(issued, { ...presentation, paths: match.paths })
  const verified = verifyDeviceResponse(parseDeviceResponse(response), policy)
  assert.deepEqual(verified.claims, {
    [mdl.nameSpace]: { age_over_18: true, family_name: licence[mdl.nameSpace]?.family_name },
  })
  const presented = new Map([['licence', [presentedMdoc(mdl.docType, verified)]]])
  assert.deepEqual(checkPresented(query, presented), { satisfied: true, findings: [] })
})
