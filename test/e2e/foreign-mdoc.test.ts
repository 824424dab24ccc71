import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Verifier as VerifierOfAuth0 } from '@auth0/mdl'
import {
  CoseKey,
  DeviceRequest,
  type DeviceResponse,
  DocRequest,
  Holder,
  IssuerSigned,
  ItemsRequest,
  SessionTranscript,
  Verifier as VerifierOfOwf,
} from '@owf/mdoc'
import { importJWK, type JWK, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { encodeCbor } from '../../src/protocols/cbor/encode.ts'
import { tagged } from '../../src/protocols/cbor/value.ts'
import { mdl } from '../../src/protocols/mdoc/mdl.ts'
import { licence, licenceElements } from '../support/mdoc.ts'
import { owfContext } from '../support/owf-context.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

// A wallet and two verifiers of mdocs out of other people's libraries: one redeems and presents, two verify against the
// published root.
const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const template = {
  name: 'Driving licence',
  code: 'mdl',
  format: 'mdoc',
  docType: mdl.docType,
  attributes: {
    [mdl.nameSpace]: licenceElements,
    'nl.example.extra': { points: { type: 'number' }, note: { type: 'object' } },
  },
  batchSize: 2,
}

let chirograph: Deployment
let office: Api
let root: Reply['body']
before(async () => {
  chirograph = await deploy()
  office = await chirograph.backend('acme')
  const about = { type: 'issuerRoot', keyType: 'P-256', countryName: 'NL' }
  const made = await office.post('/creds/certificates', { ...about, issuerAlternativeNameUrl: 'https://rdw.example' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  root = made.body.data
})
after(() => chirograph.stop())

test('other libraries redeem an offer of an mdoc, present it, and verify it against our root', async () => {
  const keys = [0, 1].map(
    () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK,
  )
  const { status, body } = await fetchCredentials(keys)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.credentials.length, 2)
  const trustedCertificates = [Buffer.from(root.certificate.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')]
  for (const [at, { credential }] of body.credentials.entries()) {
    const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(credential)
    await Holder.verifyIssuerSigned({ issuerSigned, trustedCertificates }, owfContext)
    assert.equal(issuerSigned.getIssuerNamespace(mdl.nameSpace)?.length, 13)
    const request = { clientId: 'x509_hash:abc', nonce: 'n-1', encryptionKey: null, responseUri: 'https://v.example/r' }
    const transcript = await SessionTranscript.forOid4Vp(request, owfContext)
    const presented = await present(issuerSigned, transcript, keys[at] ?? {})
    await VerifierOfOwf.verifyDeviceResponse(
      { deviceResponse: presented.encode(), sessionTranscript: transcript, trustedCertificates },
      owfContext,
    )
    assert.deepEqual(await failedAtAuth0(presented.encode(), Buffer.from(transcript.encode())), [])
  }
})

/** What a wallet does with the offer: OAuth by one library, proofs by another. */
async function fetchCredentials(keys: readonly JWK[]): Promise<Reply> {
  const made = await office.post('/creds/templates/credentials', template)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const ask = { credentialTemplateId: made.body.data.id, attributes: licence }
  const opened = await office.post('/creds/credentials/issuance', ask)
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  const uri = new URL(opened.body.data.offerUri).searchParams.get('credential_offer_uri') ?? ''
  const offer = (await chirograph.nobody.get(uri)).body
  const issuer = new URL(offer.credential_issuer)
  const inserted = `${issuer.origin}/.well-known/openid-credential-issuer${issuer.pathname}`
  const metadata = (await chirograph.nobody.get(inserted)).body
  const [id] = offer.credential_configuration_ids
  assert.equal(metadata.credential_configurations_supported[id].doctype, mdl.docType)
  const token = await tokenFor(issuer, offer.grants[PRE_AUTHORIZED]['pre-authorized_code'])
  const { c_nonce: nonce } = (await chirograph.nobody.post(metadata.nonce_endpoint)).body
  const jwt = await Promise.all(
    keys.map(async ({ d: _, ...jwk }, at) =>
      new SignJWT({ nonce })
        .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk })
        .setAudience(metadata.credential_issuer)
        .setIssuedAt()
        .sign(await importJWK({ ...keys[at] }, 'ES256')),
    ),
  )
  const body = { credential_configuration_id: id, proofs: { jwt } }
  return chirograph.nobody.post(metadata.credential_endpoint, body, { authorization: `Bearer ${token}` })
}

async function tokenFor(issuer: URL, code: string): Promise<string> {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const client = { client_id: 'an-unregistered-wallet' }
  const parameters = { 'pre-authorized_code': code }
  const answer = await oauth.genericTokenEndpointRequest(
    server,
    client,
    oauth.None(),
    PRE_AUTHORIZED,
    parameters,
    insecure,
  )
  return (await oauth.processGenericTokenEndpointResponse(server, client, answer)).access_token
}

async function present(issuerSigned: IssuerSigned, sessionTranscript: SessionTranscript, key: JWK) {
  const namespaces = { [mdl.nameSpace]: { family_name: false, portrait: false, issuing_country: false } }
  const itemsRequest = ItemsRequest.create({ docType: mdl.docType, namespaces })
  const response = await Holder.createDeviceResponseForDeviceRequest(
    {
      deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
      sessionTranscript,
      issuerSigned: [issuerSigned],
      signature: { signingKey: CoseKey.fromJwk({ ...key, alg: 'ES256' }) },
    },
    owfContext,
  )
  return response as DeviceResponse
}

async function failedAtAuth0(response: Uint8Array, transcript: Uint8Array): Promise<string[]> {
  const failed: string[] = []
  await new VerifierOfAuth0([root.certificate]).verify(response, {
    encodedSessionTranscript: encodeCbor(tagged(24, transcript)),
    onCheck: ({ status, check }) => {
      if (status !== 'PASSED') failed.push(check)
    },
  })
  return failed
}
