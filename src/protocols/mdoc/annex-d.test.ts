import assert from 'node:assert/strict'
import { createECDH, createHmac, hkdfSync, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { digestBytes, sha256 } from '../../crypto/digest.ts'
import { readPublicJwk, thumbprint } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import { decodeCbor, splitCborMap } from '../cbor/decode.ts'
import { embed, encodeCbor } from '../cbor/encode.ts'
import { type Cbor, isBytes, isCborArray, isCborMap, isTagged } from '../cbor/value.ts'
import { findSign1Error, readSign1 } from '../cose/sign1.ts'
import { x5chainOf } from '../cose/x5chain.ts'
import { mdocClaims } from './claims.ts'
import { deviceAuthenticationBytes } from './device-authentication.ts'
import { parseDeviceResponse } from './device-response.ts'
import { parseIssuerSigned } from './issuer-signed.ts'
import { mdl } from './mdl.ts'
import { onlyDocument, verifyDeviceResponse } from './verify-device-response.ts'
import { checkReceivedMdoc, outlivesSigner, verifyIssuerSigned } from './verify-issuer-signed.ts'

// ISO/IEC 18013-5:2021, Annex D.
const file = new URL('../../../test/vectors/data/mdoc/annex-d-2021.json', import.meta.url)
const { hex } = JSON.parse(readFileSync(file, 'utf8')) as { hex: { [name: string]: string } }
const bytesOf = (name: string) => Buffer.from(hex[`ISO_18013_5_ANNEX_D_${name}`] ?? '', 'hex')
const response = bytesOf('DEVICE_RESPONSE')
const sessions = ['ESTABLISHMENT', 'DATA', 'TERMINATION'].map((one) => `SESSION_${one}`)
const now = new Date('2020-10-15T12:00:00Z')
const leaf = new X509Certificate(bytesOf('DS_CERT'))
const certificate = {
  der: bytesOf('DS_CERT'),
  key: leaf.publicKey,
  notBefore: leaf.validFromDate,
  notAfter: leaf.validToDate,
  countryName: 'US',
  stateOrProvinceName: null,
}
const policy = { certificate, now, docType: mdl.docType }
const coordinate = (name: string) => bytesOf(name).toString('base64url')
const holderKey = readPublicJwk({
  kty: 'EC',
  crv: 'P-256',
  x: coordinate('STATIC_DEVICE_KEY_X'),
  y: coordinate('STATIC_DEVICE_KEY_Y'),
})

/** The bytes of the IssuerSigned in the response. */
function issuerSignedBytes(): Buffer {
  const documents = splitCborMap(response).get('documents')
  assert(documents)
  const issuerSigned = splitCborMap(documents.subarray(1)).get('issuerSigned')
  assert(issuerSigned)
  return Buffer.from(issuerSigned)
}
const issued = issuerSignedBytes()
const mdoc = parseIssuerSigned(issued)
const codes = (one: Uint8Array, more: object = {}) =>
  verifyIssuerSigned(parseIssuerSigned(one), { ...policy, ...more }).map(({ code }) => code)

describe('the published document', () => {
  test('verifies at 2020-10-15: signature, six digests, type, times', () => {
    assert.deepEqual(checkReceivedMdoc(mdoc, { ...policy, holderKey }), [])
    assert.deepEqual(mdoc.x5chain, [bytesOf('DS_CERT')])
    assert.equal(mdoc.nameSpaces.get(mdl.nameSpace)?.length, 6)
    assert.equal(mdoc.mso.deviceKey && thumbprint(mdoc.mso.deviceKey), thumbprint(holderKey))
  })

  test('says what the annex prints', () => {
    const { portrait, ...rest } = mdocClaims(mdoc.nameSpaces)[mdl.nameSpace] as { [name: string]: unknown }
    assert.equal(String(portrait).slice(0, 6), '_9j_4A')
    assert.deepEqual(rest, {
      family_name: 'Doe',
      issue_date: '2019-10-20',
      expiry_date: '2024-10-20',
      document_number: '123456789',
      driving_privileges: [
        { vehicle_category_code: 'A', issue_date: '2018-08-09', expiry_date: '2024-10-20' },
        { vehicle_category_code: 'B', issue_date: '2017-02-23', expiry_date: '2024-10-20' },
      ],
    })
  })

  for (const [what, more, code] of [
    ['a year later', { now: new Date('2021-10-02T00:00:00Z') }, 'validity.expired'],
    ['before it is valid', { now: new Date('2020-10-01T13:28:00Z') }, 'validity.early'],
    ['as another document', { docType: 'org.iso.23220.photoid.1' }, 'mso.doc_type'],
    ['with another key', { certificate: { ...certificate, key: holderKey } }, 'issuer_auth.signature'],
    ['with a certificate that began later', { certificate: { ...certificate, notBefore: now } }, 'validity.signed'],
    ['with an algorithm that is not allowed', { algs: [-8] }, 'issuer_auth.algorithm'],
  ] as const) {
    test(`does not verify ${what}`, () => assert.deepEqual(codes(issued, more), [code]))
  }
})

test('the published document outlives a certificate that ended the day before, and not its own', () => {
  assert(!outlivesSigner(mdoc, certificate))
  assert(outlivesSigner(mdoc, { notAfter: new Date('2021-09-30T23:59:59Z') }))
})

describe('the published response', () => {
  test('is refused as an OpenID4VP presentation for its MAC, and for nothing else [VP-H5]', () => {
    const transcript = decodeCbor(bytesOf('SESSION_TRANSCRIPT_BYTES'))
    assert(isTagged(transcript) && isBytes(transcript.value))
    const { findings } = verifyDeviceResponse(parseDeviceResponse(response), {
      ...policy,
      sessionTranscript: transcript.value,
    })
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['device_auth.mac'],
    )
  })

  test('has a MAC that our DeviceAuthentication reproduces [MD-20] [MD-21]', () => {
    const transcript = decodeCbor(bytesOf('SESSION_TRANSCRIPT_BYTES'))
    assert(isTagged(transcript) && isBytes(transcript.value))
    const reader = createECDH('prime256v1')
    reader.setPrivateKey(bytesOf('EPHEMERAL_READER_KEY_D'))
    const shared = reader.computeSecret(
      Buffer.concat([Buffer.from([4]), bytesOf('STATIC_DEVICE_KEY_X'), bytesOf('STATIC_DEVICE_KEY_Y')]),
    )
    const macKey = hkdfSync('sha256', shared, sha256(bytesOf('SESSION_TRANSCRIPT_BYTES')), 'EMacKey', 32)
    const [header, tag] = macOf(response)
    const document = onlyDocument(parseDeviceResponse(response))
    assert(document)
    const payload = deviceAuthenticationBytes({
      sessionTranscript: transcript.value,
      docType: mdl.docType,
      deviceNameSpaces: document.deviceSigned.nameSpacesBytes,
    })
    const structure = encodeCbor(['MAC0', header, new Uint8Array(), payload])
    assert.deepEqual(createHmac('sha256', Buffer.from(macKey)).update(structure).digest(), Buffer.from(tag))
  })
})

/** Parts of a COSE_Mac0, which the product does not read. */
function macOf(bytes: Uint8Array): readonly [header: Uint8Array, tag: Uint8Array] {
  const member = (value: Cbor, name: string | number): Cbor => {
    if (isCborMap(value)) return value.get(name)
    assert(isCborArray(value) && typeof name === 'number')
    return value[name]
  }
  const mac = ['documents', 0, 'deviceSigned', 'deviceAuth', 'deviceMac'].reduce(member, decodeCbor(bytes))
  const [header, , , tag] = [0, 1, 2, 3].map((at) => member(mac, at))
  assert(isBytes(header) && isBytes(tag))
  return [header, tag]
}

/** What happens to bytes: the findings, or the Fault of the reader. Anything else fails the test. */
function fateOf(bytes: Uint8Array): string {
  try {
    return codes(bytes).join()
  } catch (error) {
    assert(error instanceof Fault && error.code === 'mdoc.malformed', String(error))
    return error.code
  }
}

test('a bit flipped anywhere in the published document is refused', () => {
  const accepted: number[] = []
  for (let at = 0; at < issued.length; at += 1) {
    const spoilt = Buffer.from(issued)
    spoilt[at] = (spoilt[at] ?? 0) ^ (1 << (at % 8))
    if (fateOf(spoilt) === '') accepted.push(at)
  }
  assert.deepEqual(accepted, [])
})

test('a flip gets the finding of the part that it is in', () => {
  const flipAt = (at: number) => {
    const spoilt = Buffer.from(issued)
    spoilt[at] = (spoilt[at] ?? 0) ^ 1
    return fateOf(spoilt)
  }
  assert.equal(flipAt(issued.indexOf('Doe')), 'digest.mismatch')
  assert.equal(flipAt(issued.indexOf('family_name')), 'digest.mismatch')
  assert.equal(
    flipAt(issued.indexOf(sha256(mdoc.nameSpaces.get(mdl.nameSpace)?.[0]?.bytes ?? ''))),
    'issuer_auth.signature,digest.mismatch',
  )
  assert.equal(flipAt(issued.length - 1), 'issuer_auth.signature')
  assert.equal(flipAt(issued.indexOf('SHA-256') + 4), 'issuer_auth.signature,mso.digest_algorithm')
  assert.equal(flipAt(issued.indexOf('digestID')), 'mdoc.malformed')
  assert.equal(flipAt(issued.indexOf('nameSpaces')), 'mdoc.malformed')
  assert.equal(flipAt(issued.indexOf(bytesOf('DS_CERT')) + 100), 'issuer_auth.certificate')
})

test('a document cut off anywhere is refused', () => {
  for (let length = 0; length < issued.length; length += 7) {
    assert.equal(fateOf(issued.subarray(0, length)), 'mdoc.malformed')
  }
})

test('digests of the other allowed lengths are as long as they should be [SEC-22]', () => {
  assert.deepEqual(
    (['sha256', 'sha384', 'sha512'] as const).map((name) => digestBytes(name, '').length),
    [32, 48, 64],
  )
})

describe('the other messages of the annex', () => {
  test('the reader signed its request (9.1.4.5)', () => {
    const transcript = decodeCbor(bytesOf('SESSION_TRANSCRIPT_BYTES'))
    assert(isTagged(transcript) && isBytes(transcript.value))
    const parts = [{ encoded: transcript.value }, embed({ encoded: bytesOf('ITEMS_REQUEST') })]
    const signature = readSign1(decodeCbor(bytesOf('READER_AUTH')))
    const { publicKey } = new X509Certificate(bytesOf('READER_CERT'))
    const payload = encodeCbor(embed(['ReaderAuthentication', ...parts]))
    assert.equal(findSign1Error(signature, publicKey, { detached: payload }), null)
    assert.deepEqual(x5chainOf(signature), [bytesOf('READER_CERT')])
  })

  for (const name of ['ENGAGEMENT', 'REQUEST'].map((one) => `DEVICE_${one}`).concat(sessions)) {
    test(`${name} is read, and has the same content when it is written back`, () => {
      const value = decodeCbor(bytesOf(name))
      assert(isCborMap(value) && value.size > 0)
      assert.deepEqual(decodeCbor(encodeCbor(value)), value)
    })
  }
})
