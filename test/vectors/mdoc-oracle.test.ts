import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Document, DeviceResponse as HolderOfAuth0, MDoc, Verifier as VerifierOfAuth0 } from '@auth0/mdl'
import {
  CoseKey,
  DateOnly,
  DeviceKey,
  DeviceRequest,
  DocRequest,
  Holder,
  Issuer,
  IssuerSigned,
  ItemsRequest,
  DeviceResponse as ResponseOfOwf,
  SessionTranscript,
  SignatureAlgorithm,
  Verifier as VerifierOfOwf,
} from '@owf/mdoc'
import type { JsonObject } from '../../src/crypto/json.ts'
import { readPublicJwk } from '../../src/crypto/jwk.ts'
import { softwareKey } from '../../src/crypto/signing-key.ts'
import { splitCborMap } from '../../src/protocols/cbor/decode.ts'
import { encodeCbor } from '../../src/protocols/cbor/encode.ts'
import { tagged } from '../../src/protocols/cbor/value.ts'
import { buildDeviceResponse } from '../../src/protocols/mdoc/build-device-response.ts'
import { mdocClaims } from '../../src/protocols/mdoc/claims.ts'
import { parseDeviceResponse } from '../../src/protocols/mdoc/device-response.ts'
import { parseIssuerSigned } from '../../src/protocols/mdoc/issuer-signed.ts'
import { mdl } from '../../src/protocols/mdoc/mdl.ts'
import { redirectTranscript } from '../../src/protocols/mdoc/session-transcript.ts'
import { verifyDeviceResponse } from '../../src/protocols/mdoc/verify-device-response.ts'
import { checkReceivedMdoc } from '../../src/protocols/mdoc/verify-issuer-signed.ts'
import { anMdoc, licence } from '../support/mdoc.ts'
import { owfContext } from '../support/owf-context.ts'

// Two other implementations as oracles, both ways: each reads what we write and writes what we read. They read the
// clock themselves.
const made = JSON.parse(readFileSync(new URL('data/mdoc/oracle-signer.json', import.meta.url), 'utf8'))
const [root, leaf] = [made.root, made.leaf].map((one: string) => Buffer.from(one, 'base64'))
assert(root && leaf)
const pem = (der: Buffer) => `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----`
const now = new Date()
const certificate = {
  der: leaf,
  key: readPublicJwk({ kty: 'EC', crv: 'P-256', x: made.leafJwk.x, y: made.leafJwk.y }),
  notBefore: new Date('2020-01-01T00:00:00Z'),
  notAfter: new Date('2049-12-31T00:00:00Z'),
  countryName: 'NL',
  stateOrProvinceName: null,
}
const signerKey = softwareKey(createPrivateKey({ key: made.leafJwk, format: 'jwk' }))
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const deviceKey = softwareKey(privateKey)
const deviceJwk = { ...privateKey.export({ format: 'jwk' }) }
const { d: _, ...publicJwk } = deviceJwk
const validityInfo = {
  signed: new Date('2025-01-01T00:00:00Z'),
  validFrom: new Date('2025-01-01T00:00:00Z'),
  validUntil: new Date('2045-01-01T00:00:00Z'),
}
const issued = await anMdoc(
  { deviceKey: deviceKey.publicJwk, validityInfo },
  { key: signerKey, x5chain: [leaf], certificate },
)
const agreed = { certificate, now, docType: mdl.docType, holderKey: deviceKey.publicJwk }

const request = { clientId: 'x509_hash:abc', nonce: 'n-1', encryptionKey: null, responseUri: 'https://v.example/r' }
const sessionTranscript = redirectTranscript(request)
const transcriptForAuth0 = encodeCbor(tagged(24, sessionTranscript))
const presented = await buildDeviceResponse(issued, {
  paths: [
    [mdl.nameSpace, 'family_name'],
    [mdl.nameSpace, 'issuing_country'],
    [mdl.nameSpace, 'driving_privileges'],
    ['nl.example.extra', 'points'],
  ],
  sessionTranscript,
  deviceKey,
})
const policy = { ...agreed, sessionTranscript }

/** IssuerSigned out of a response with one document. */
function issuerSignedOf(response: Uint8Array): Uint8Array {
  const documents = splitCborMap(response).get('documents')
  assert(documents?.[0] === 0x81)
  const issuerSigned = splitCborMap(documents.subarray(1)).get('issuerSigned')
  assert(issuerSigned)
  return issuerSigned
}

function elementOf(claims: JsonObject, name: string): unknown {
  const elements = claims[mdl.nameSpace]
  return typeof elements === 'object' && elements !== null
    ? Object.entries(elements).find(([one]) => one === name)?.[1]
    : null
}

describe('@auth0/mdl', () => {
  const verifier = new VerifierOfAuth0([pem(root)])
  const failed = async (response: Uint8Array) => {
    const checks: string[] = []
    await verifier.verify(response, {
      encodedSessionTranscript: transcriptForAuth0,
      onCheck: ({ status, check }) => {
        if (status !== 'PASSED') checks.push(check)
      },
    })
    return checks
  }

  test('accepts what we issue and present, status and all', async () => assert.deepEqual(await failed(presented), []))

  test('refuses what we present to another verifier', async () => {
    const other = redirectTranscript({ ...request, nonce: 'n-2' })
    const response = await buildDeviceResponse(issued, {
      paths: [[mdl.nameSpace, 'height']],
      sessionTranscript: other,
      deviceKey,
    })
    assert.deepEqual(await failed(response), ['Device signature must be valid'])
  })

  test('issues and presents what we accept', async () => {
    const document = await new Document(mdl.docType)
      .addIssuerNameSpace(mdl.nameSpace, { ...licence[mdl.nameSpace], portrait: Buffer.from('ffd8ff', 'hex') })
      .useDigestAlgorithm('SHA-512')
      .addValidityInfo(validityInfo)
      .addDeviceKeyInfo({ deviceKey: publicJwk })
      .sign({ issuerPrivateKey: made.leafJwk, issuerCertificate: pem(leaf), alg: 'ES256' })
    const whole = new MDoc([document])
    const mdoc = parseIssuerSigned(issuerSignedOf(whole.encode()))
    assert.deepEqual(checkReceivedMdoc(mdoc, agreed), [])
    assert.equal(elementOf(mdocClaims(mdoc.nameSpaces), 'birth_date'), '1990-02-28')
    const fields = [{ path: [`$['${mdl.nameSpace}']['family_name']`], intent_to_retain: false }]
    const answer = await HolderOfAuth0.from(whole)
      .usingPresentationDefinition({
        id: 'one',
        input_descriptors: [
          {
            id: mdl.docType,
            format: { mso_mdoc: { alg: ['ES256'] } },
            constraints: { limit_disclosure: 'required', fields },
          },
        ],
      })
      .usingSessionTranscriptBytes(transcriptForAuth0)
      .authenticateWithSignature(deviceJwk, 'ES256')
      .sign()
    const verified = verifyDeviceResponse(parseDeviceResponse(answer.encode()), policy)
    assert.deepEqual([verified.findings, verified.claims], [[], { [mdl.nameSpace]: { family_name: 'Jansen' } }])
  })
})

describe('@owf/mdoc', () => {
  const trusted = { trustedCertificates: [root], now }

  test('accepts what we issue', async () => {
    const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(issued.toString('base64url'))
    await Holder.verifyIssuerSigned({ issuerSigned, ...trusted }, owfContext)
    assert.equal(issuerSigned.getIssuerNamespace(mdl.nameSpace)?.length, 13)
  })

  test('accepts what we present, under its own transcript', async () => {
    const transcript = await SessionTranscript.forOid4Vp(request, owfContext)
    assert.deepEqual(Buffer.from(transcript.encode()), sessionTranscript)
    await VerifierOfOwf.verifyDeviceResponse(
      { deviceResponse: presented, sessionTranscript: transcript, ...trusted },
      owfContext,
    )
  })

  test('refuses what we present to another verifier', async () => {
    const other = redirectTranscript({ ...request, nonce: 'n-2' })
    await assert.rejects(
      VerifierOfOwf.verifyDeviceResponse(
        { deviceResponse: presented, sessionTranscript: other, ...trusted },
        owfContext,
      ),
    )
  })

  test('issues and presents what we accept', async () => {
    const values = { family_name: 'Jansen', birth_date: new DateOnly('1990-02-28'), issuing_country: 'NL', height: 178 }
    const issuerSigned = await new Issuer(mdl.docType, owfContext).addIssuerNamespace(mdl.nameSpace, values).sign({
      signingKey: CoseKey.fromJwk(made.leafJwk),
      algorithm: SignatureAlgorithm.ES256,
      digestAlgorithm: 'SHA-256',
      validityInfo,
      deviceKeyInfo: { deviceKey: DeviceKey.fromJwk(publicJwk) },
      certificates: [leaf],
    })
    const mdoc = parseIssuerSigned(issuerSigned.encodedForOid4Vci)
    assert.deepEqual(checkReceivedMdoc(mdoc, agreed), [])
    assert.deepEqual(mdocClaims(mdoc.nameSpaces), { [mdl.nameSpace]: { ...values, birth_date: '1990-02-28' } })
    const itemsRequest = ItemsRequest.create({
      docType: mdl.docType,
      namespaces: { [mdl.nameSpace]: { height: false } },
    })
    const response = await Holder.createDeviceResponseForDeviceRequest(
      {
        deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
        sessionTranscript,
        issuerSigned: [issuerSigned],
        signature: { signingKey: CoseKey.fromJwk({ ...deviceJwk, alg: 'ES256' }) },
      },
      owfContext,
    )
    assert(response instanceof ResponseOfOwf)
    const verified = verifyDeviceResponse(parseDeviceResponse(response.encode()), policy)
    assert.deepEqual([verified.findings, verified.claims], [[], { [mdl.nameSpace]: { height: 178 } }])
  })
})
