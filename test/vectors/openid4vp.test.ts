// The examples of OpenID4VP 1.0, SD-JWT VC and Token Status List as published.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { digestBytes } from '../../src/crypto/digest.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from '../../src/crypto/json.ts'
import { generateKeyPair, readPublicJwk } from '../../src/crypto/jwk.ts'
import { findJwsError, parseCompact } from '../../src/crypto/jws.ts'
import { softwareKey } from '../../src/crypto/signing-key.ts'
import { decodeCbor } from '../../src/protocols/cbor/decode.ts'
import { isBytes, isCborMap } from '../../src/protocols/cbor/value.ts'
import { parseQuery } from '../../src/protocols/dcql/parse-query.ts'
import { selectCredentials } from '../../src/protocols/dcql/select-credentials.ts'
import { authenticatePlain, parseRequestObject } from '../../src/protocols/openid4vp/authenticate-request.ts'
import { checkRequest } from '../../src/protocols/openid4vp/check-request.ts'
import { parseClientId } from '../../src/protocols/openid4vp/client-id.ts'
import { browserParameters, readBrowserAnswer } from '../../src/protocols/openid4vp/digital-credentials.ts'
import { vpFormatsSupported } from '../../src/protocols/openid4vp/request-object.ts'
import { readResponse } from '../../src/protocols/openid4vp/response.ts'
import { transactionClaims } from '../../src/protocols/openid4vp/transactions.ts'
import { presentSdJwt } from '../../src/protocols/sd-jwt-vc/present-sd-jwt.ts'
import { processSdJwt } from '../../src/protocols/sd-jwt-vc/process-sd-jwt.ts'
import { parseSdJwt } from '../../src/protocols/sd-jwt-vc/sd-jwt.ts'

const folder = new URL('data/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8')
const query = parseJsonObject(read('dcql/simple.json'))
/** The examples leave the query out. */
const example = (path: string) =>
  parseJsonObject(read(`oid4vp/${path}`).replace(/\{\s*\.\.\.\s*\}/, JSON.stringify(query)))
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const now = new Date('2026-11-20T12:00:00Z')

describe('requests', () => {
  for (const name of ['dcql_jwt_vc', 'dcql_ldp_vc']) {
    test(`${name} is a valid query, which no credential of a supported format matches`, () => {
      const parsed = parseQuery(example(`request/${name}.json`))
      const { vct, ...claims } = example('credentials/sd_jwt_vc_unsecured.json')
      const candidate = { format: 'dc+sd-jwt', type: String(vct), claims, holderBound: true } as const
      assert.equal(selectCredentials(parsed, [candidate]).satisfiable, false)
    })
  }

  test('the request object of a DID is read for its client and key, and refused for its algorithm and mode', () => {
    const [header, payload] = ['request_header_client_id_did', 'request_object_client_id_did'].map((name) =>
      example(`request/${name}.json`),
    )
    const client = parseClientId(payload?.client_id)
    const compact = (head: object) => `${encode(head)}.${encode(payload)}.AA`
    const code = 'presentation_request.invalid'
    assert.throws(() => parseRequestObject(compact({ ...header }), client), { code, detail: /algorithm/ })
    const signed = parseRequestObject(compact({ ...header, alg: 'ES256' }), client)
    assert.deepEqual([client.id, signed.kid], ['did:example:123', 'did:example:123#1'])
    const parameters = { ...payload }
    const request = { client, signed: true, inObject: true, parameters, responseUri: 'https://client.example.org' }
    const wallet = { formats: ['dc+sd-jwt'], holderAlg: 'ES256' } as const
    assert.throws(() => checkRequest(request, wallet, now), { code, detail: /response_mode/ })
  })
})

describe('parameters of requests', () => {
  for (const [name, formats] of [
    ['sd_jwt_vc_verifier_metadata', ['dc+sd-jwt']],
    ['mso_mdoc_verifier_metadata', ['mso_mdoc']],
    ['w3c_jwt_verifier_metadata', null],
    ['w3c_ldp_verifier_metadata', null],
  ] as const) {
    test(`${name}: the formats in common are ${formats ?? 'none, so it is refused'}`, () => {
      const responseUri = 'https://client.example.org/r'
      const parameters = {
        response_type: 'vp_token',
        response_mode: 'direct_post',
        response_uri: responseUri,
        nonce: 'n-0S6_WzA2Mj',
        dcql_query: query,
        client_metadata: example(`client_metadata/${name}.json`),
      }
      const client = parseClientId(`redirect_uri:${responseUri}`)
      const request = authenticatePlain(parameters, client, { allowHttpLoopback: false })
      const check = () => checkRequest(request, { formats: ['dc+sd-jwt', 'mso_mdoc'], holderAlg: 'ES256' }, now)
      if (formats === null) assert.throws(check, { code: 'presentation_request.formats' })
      else assert.deepEqual(check().formats, formats)
    })
  }

  for (const [name, more] of [
    ['signed_request_payload', ['expected_origins']],
    ['signed_request_payload_compact', ['client_id', 'expected_origins']],
  ] as const) {
    test(`${name} has the members that ours has`, () => {
      const {
        client_metadata: metadata,
        response_mode: mode,
        ...members
      } = example(`digital_credentials_api/${name}.json`)
      const ours = browserParameters({ nonce: String(members.nonce), dcqlQuery: query }, vpFormatsSupported)
      const { client_metadata: _, response_mode: ourMode, ...rest } = ours
      assert.deepEqual(Object.keys(members).sort(), [...Object.keys(rest), ...more].sort())
      assert.partialDeepStrictEqual(members, rest)
      assert.deepEqual([mode, isJsonObject(metadata)], [ourMode, true])
    })
  }
})

describe('responses', () => {
  test('the error of the Digital Credentials API is read', () => {
    const answer = readBrowserAnswer(
      'openid4vp-v1-signed',
      example('digital_credentials_api/error_invalid_request.json'),
    )
    assert.partialDeepStrictEqual(answer, { kind: 'refused', error: 'invalid_request', state: null })
  })

  for (const name of ['response/jwt_vc', 'response/ldp_vc', 'credentials/jwt_vc', 'credentials/ldp_vc']) {
    test(`${name}, of a format that is not supported, is refused as a presentation`, () => {
      const vp_token = JSON.stringify({ a: [example(`${name}.json`)] })
      assert.throws(() => readResponse({ vp_token }), { code: 'presentation_response.invalid' })
      assert.throws(() => parseSdJwt(encode(example(`${name}.json`))))
    })
  }

  test('the key binding of the example has the members that ours has, with transactions', async () => {
    const published = example('response/kb_jwt_unsecured.json')
    const key = softwareKey(generateKeyPair().privateKey)
    const jwt = `${encode({ alg: 'ES256', typ: 'dc+sd-jwt' })}.${encode({ vct: 'x' })}.AA`
    const { nonce, aud, transaction_data_hashes: hashes } = published
    const claims = transactionClaims({ hashes: hashes as string[], alg: null })
    const binding = { nonce: String(nonce), aud: String(aud), iat: new Date(Number(published.iat) * 1000), key, claims }
    const presented = await presentSdJwt(parseSdJwt(`${jwt}~`), [], binding)
    const { sd_hash: _, ...ours } = parseCompact(presented.split('~').at(-1) ?? '').payload
    const { sd_hash: __, ...theirs } = published
    assert.deepEqual(ours, theirs)
  })
})

test('the payload of the SD-JWT VC example is processed: nothing is disclosed, and the claims in the clear stay', () => {
  const payload = example('credentials/sd_jwt_vc.json')
  const jwt = `${encode({ alg: 'ES256', typ: 'dc+sd-jwt' })}.${encode(payload)}.AA`
  const { payload: processed, findings, disclosed } = processSdJwt(parseSdJwt(`${jwt}~`))
  const { _sd, _sd_alg, ...clear } = payload
  assert.deepEqual([findings, disclosed, processed], [[], [], clear])
  assert.equal(Array.isArray(_sd) && _sd.length > 0 && _sd_alg === 'sha-256', true)
})

test('the header, payload and JWS of the signed example are those of its presentation', () => {
  const text = (name: string) => read(`sd-jwt/oid4vp-sd-jwt-vcld/${name}`).replaceAll(/\s/g, '')
  const presented = parseSdJwt(text('sd_jwt_presentation.txt'))
  assert.equal(presented.jwtCompact, text('sd_jwt_jws_part.txt'))
  assert.equal(presented.keyBinding, text('kb_jwt_serialized.txt'))
  const json = (name: string) => parseJsonObject(read(`sd-jwt/oid4vp-sd-jwt-vcld/${name}`))
  assert.deepEqual(parseCompact(presented.keyBinding ?? '').header, json('kb_jwt_header.json'))
  assert.deepEqual(presented.jwt.payload, json('sd_jwt_payload.json'))
})

test('the disclosures of the signed example have the published digests and contents', () => {
  const issued = parseSdJwt(read('sd-jwt/oid4vp-sd-jwt-vcld/sd_jwt_issuance.txt').replaceAll(/\s/g, ''))
  const blocks = read('sd-jwt/oid4vp-sd-jwt-vcld/disclosures.md').split('__Claim').slice(1)
  const published = blocks.map((block) => {
    const [, digest = '', ...lines] = [...block.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
    return { digest, encoded: lines.slice(0, -1).join(''), content: JSON.parse(lines.at(-1) ?? '') }
  })
  assert.deepEqual(published.map(({ encoded }) => encoded).sort(), [...issued.disclosures].sort())
  for (const { digest, encoded, content } of published) {
    assert.equal(digestBytes('sha256', encoded).toString('base64url'), digest)
    assert.deepEqual(JSON.parse(Buffer.from(encoded, 'base64url').toString()), content)
  }
})

test('the integrity of type metadata is over the bytes of the document (SD-JWT VC 7)', () => {
  const { computed } = parseJsonObject(read('sd-jwt-vc/integrity.json')) as { computed: JsonObject[] }
  for (const { block, trailingNewline, sha256b64 } of computed) {
    const text = read(`sd-jwt-vc/block${block}.json`).replace(/\n$/, '') + (trailingNewline === true ? '\n' : '')
    assert.equal(digestBytes('sha256', text).toString('base64'), sha256b64)
  }
  const integrity = parseJsonObject(read('sd-jwt-vc/block0.json'))['vct#integrity']
  const published = read('sd-jwt-vc/block1.with-trailing-newline.json')
  assert.equal(`sha256-${digestBytes('sha256', published).toString('base64')}`, integrity)
})

describe('status lists', () => {
  const raw = (name: string) => read(`token-status-list/raw/${name}`)
  const after = (name: string) => raw(name).split('encoded:').at(-1)?.replaceAll(/\s/g, '') ?? ''
  const stems = readdirSync(new URL('token-status-list/raw', folder)).flatMap((one) =>
    one.endsWith('_json.md') ? one.slice(0, -'_json.md'.length) : [],
  )

  test('there are the published lists of all sizes', () => assert.equal(stems.length, 6))
  for (const stem of stems) {
    test(`${stem}: the list in JSON and the one in CBOR are the same`, () => {
      const { bits, lst } = JSON.parse(after(`${stem}_json.md`))
      const cbor = decodeCbor(Buffer.from(after(`${stem}_cbor.md`), 'hex'))
      assert(isCborMap(cbor))
      const bytes = cbor.get('lst')
      assert(isBytes(bytes ?? null))
      assert.equal(cbor.get('bits'), bits)
      assert.deepEqual(inflateSync(Buffer.from(bytes as Uint8Array)), inflateSync(Buffer.from(lst, 'base64url')))
    })
  }

  test('the tokens are those of the published key', () => {
    const vectors = JSON.parse(read('token-status-list/vectors.json'))
    const { kty, crv, x, y } = vectors.signingKey
    const jws = parseCompact(raw('status_list_jwt_raw.md').replaceAll(/\s/g, ''))
    assert.equal(findJwsError(jws, readPublicJwk({ kty, crv, x, y }), { typ: 'statuslist+jwt' }), null)
    for (const [name, hex] of [
      ['status_list_cwt', vectors.statusListTokenCwtHex],
      ['referenced_token_cwt', vectors.referencedTokenCwtHex],
    ])
      assert.equal(raw(`${name}.md`).replaceAll(/\s/g, ''), hex)
  })

  test('the token in JSON is the one that is published as compact JWS', () => {
    const [header = '', payload = ''] = raw('status_list_jwt.md').split(/^\.$/m)
    const jws = parseCompact(raw('status_list_jwt_raw.md').replaceAll(/\s/g, ''))
    assert.deepEqual(jws.header, JSON.parse(header))
    assert.partialDeepStrictEqual(jws.payload, JSON.parse(payload))
  })

  for (const stem of ['status_list_cwt', 'referenced_token_cwt', 'status_list_encoding', 'status_list_encoding2_cbor'])
    test(`${stem}: the diagnostic notation has the bytes of the encoding`, () => {
      const name = stem.endsWith('encoding') ? `${stem}_cbor` : stem
      const bytes = raw(`${name}_diag.md`).replaceAll(/#.*$/gm, '').replaceAll(/\s/g, '')
      const encoded = stem.includes('encoding') ? after(`${name}.md`) : raw(`${name}.md`).replaceAll(/\s/g, '')
      assert.equal(bytes, encoded)
      assert(decodeCbor(Buffer.from(bytes, 'hex')))
    })
})
