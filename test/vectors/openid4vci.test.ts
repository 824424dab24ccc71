// The examples of OpenID4VCI 1.0 as published.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type JsonObject, parseJsonObject } from '../../src/crypto/json.ts'
import { readPublicJwk, thumbprint } from '../../src/crypto/jwk.ts'
import { findJwsError, type Jws, parseCompact } from '../../src/crypto/jws.ts'
import { isUnanchoredChain } from '../../src/crypto/x509-path/unanchored-chain.ts'
import { checkClientAttestation, parseClientAttestation } from '../../src/protocols/oauth2/client-attestation.ts'
import { readCredentialDetails } from '../../src/protocols/openid4vci/authorization-details.ts'
import { readCredentialResponse } from '../../src/protocols/openid4vci/credential-response.ts'
import { readIssuerMetadata } from '../../src/protocols/openid4vci/issuer-metadata.ts'
import { processSdJwt } from '../../src/protocols/sd-jwt-vc/process-sd-jwt.ts'
import { parseSdJwt } from '../../src/protocols/sd-jwt-vc/sd-jwt.ts'

const folder = new URL('data/oid4vci/examples-1.0/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const unbroken = (name: string) => read(name).replaceAll(/\s/g, '')
/** Texts are broken into lines for print; the head of the HTTP response goes. */
const bodyOf = (name: string) =>
  parseJsonObject(
    read(name)
      .replace(/^[^{]*/, '')
      .replaceAll(/\n\s*/g, ''),
  )
const names = readdirSync(folder)
const starting = (prefix: string) => names.filter((name) => name.startsWith(prefix))
const issuer = 'https://credential-issuer.example.com'

/** The key of the leaf in the header. */
function leafKeyOf({ header }: Jws) {
  const [leaf = ''] = header.x5c as readonly string[]
  return new X509Certificate(Buffer.from(leaf, 'base64')).publicKey
}

describe('authorization details', () => {
  const files = starting('authorization_details')
  test('there are those of all formats', () => assert.equal(files.length, 7))
  for (const name of files)
    test(`${name} names its configurations`, () => {
      const elements = JSON.parse(read(name)) as { credential_configuration_id: string }[]
      const ids = elements.map((one) => one.credential_configuration_id)
      assert.deepEqual(readCredentialDetails(read(name)), ids)
    })
})

test('the signed metadata are those of the issuer, under a certificate that HAIP would refuse for being self-signed', () => {
  const jws = parseCompact(unbroken('credential_issuer_metadata_sd_jwt_jwt.txt'))
  assert.equal(findJwsError(jws, leafKeyOf(jws), { typ: 'openidvci-issuer-metadata+jwt' }), null)
  assert.equal(isUnanchoredChain(jws.header.x5c), false)
  assert.ok(readIssuerMetadata(jws.payload, issuer, { allowHttpLoopback: false }).configurations.size > 0)
})

test('the key of the issuer has the thumbprint of its identifier', () => {
  const { jwks } = parseJsonObject(unbroken('issuer_jwks.json')) as { jwks: { keys: JsonObject[] } }
  const { kid, ...key } = jwks.keys[0] ?? {}
  assert.equal(String(kid).split(':').at(-1), thumbprint(readPublicJwk(key)))
})

test('the wallet attestation verifies by the key of its certificate', () => {
  const jws = parseClientAttestation(unbroken('wallet_attestation.jwt.txt'))
  const now = new Date((Number(jws.payload.exp) - 60) * 1000)
  assert.equal(checkClientAttestation(jws, leafKeyOf(jws), now).clientId, jws.payload.sub)
})

describe('credential responses', () => {
  test('an SD-JWT VC is read and processed', () => {
    const answer = readCredentialResponse(bodyOf('credential_response_sd_jwt_vc.txt'), 1)
    assert(answer.kind === 'issued')
    const { findings, disclosed } = processSdJwt(parseSdJwt(answer.credentials[0] ?? ''))
    assert.deepEqual(findings, [])
    assert.ok(disclosed.length > 0)
  })

  for (const name of ['mso_mdoc', 'jwt_vc_json'])
    test(`${name} is read as one credential`, () => {
      const answer = readCredentialResponse(bodyOf(`credential_response_${name}.txt`), 1)
      assert(answer.kind === 'issued')
      assert.equal(answer.credentials.length, 1)
    })

  test('ldp_vc, whose credential is an object, is refused', () => {
    const body = bodyOf('credential_response_ldp_vc.txt')
    assert.throws(() => readCredentialResponse(body, 1), { code: 'issuer_answer.invalid' })
  })
})
