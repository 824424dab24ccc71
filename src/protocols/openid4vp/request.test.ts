import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { Fault, faults } from '../../fault.ts'
import { authenticatePlain, authenticateSigned, parseRequestObject, type SignerKeys } from './authenticate-request.ts'
import { checkRequest, type WalletPolicy } from './check-request.ts'
import { parseClientId } from './client-id.ts'
import { buildRequestObject, signRequestObject, vpFormatsSupported } from './request-object.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const seconds = noon.getTime() / 1000
const production = { allowHttpLoopback: false }
const wallet: WalletPolicy = { formats: ['dc+sd-jwt'], holderAlg: 'ES256' }
const key = softwareKey(generateKeyPair().privateKey)
const other = softwareKey(generateKeyPair().privateKey)
const did = 'did:web:verifier.example'
const kid = `${did}#${key.kid}`
const responseUri = 'https://verifier.example/answer/1'
const leaf = Buffer.from('a certificate').toString('base64')
const dcqlQuery = { credentials: [{ id: 'q', format: 'dc+sd-jwt', meta: { vct_values: ['v'] } }] }
const unbound = { credentials: [{ ...dcqlQuery.credentials[0], require_cryptographic_holder_binding: false }] }
const claims = buildRequestObject(
  {
    clientId: `decentralized_identifier:${did}`,
    responseUri,
    nonce: 'n'.repeat(22),
    state: 's',
    dcqlQuery,
    lifetimeSeconds: 300,
  },
  { 'dc+sd-jwt': vpFormatsSupported['dc+sd-jwt'] },
  noon,
)

type Change = {
  readonly claims?: object
  readonly header?: object
  readonly clientId?: string
  readonly key?: typeof key
  readonly keys?: SignerKeys
}

/** The whole way of a wallet: link's client id, object, key, parameters. */
async function receive(change: Change = {}, policy: WalletPolicy = wallet) {
  const clientId = change.clientId ?? claims.client_id
  const header = { typ: 'oauth-authz-req+jwt', kid, ...change.header }
  const jwt = await signCompact(header, { ...claims, client_id: clientId, ...change.claims }, change.key ?? key)
  const opened = parseRequestObject(jwt, parseClientId(clientId))
  return checkRequest(authenticateSigned(opened, change.keys ?? { didKey: key.publicJwk }, production), policy, noon)
}

test('a request that we build is accepted by our wallet', async () => {
  const jwt = await signRequestObject(claims, { kid }, key)
  const opened = parseRequestObject(jwt, parseClientId(claims.client_id))
  assert.equal(opened.kid, kid)
  const request = checkRequest(authenticateSigned(opened, { didKey: key.publicJwk }, production), wallet, noon)
  assert.partialDeepStrictEqual(request, {
    responseUri,
    state: 's',
    formats: ['dc+sd-jwt'],
    expiresAt: new Date((seconds + 300) * 1000),
  })
  assert.equal(request.client.full, claims.client_id)
})

for (const [what, change] of [
  ['unknown parameters [VP-R7]', { claims: { later: {}, verifier_info: [{ format: 'new' }] } }],
  ['an iss of another issuer [VP-R5]', { claims: { iss: 'https://other.example' } }],
  ['no aud', { claims: { aud: undefined } }],
  ['a list of audiences with the one [VP-R6]', { claims: { aud: ['https://self-issued.me/v2'] } }],
  ['a nonce and a state of any length', { claims: { nonce: 'n'.repeat(4096), state: 's'.repeat(4096) } }],
  ['no formats', { claims: { client_metadata: { client_name: 'x' } } }],
  ['a kid that is a fragment', { header: { kid: `#${key.kid}` } }],
  ['no state where holder binding is asked for [VP-R3]', { claims: { state: undefined } }],
] as const) {
  test(`a request with ${what} is accepted`, async () => assert.equal((await receive(change)).responseUri, responseUri))
}

for (const [what, change, error] of [
  ['another type [VP-R4]', { header: { typ: 'JWT' } }, 'invalid_request'],
  ['no type [VP-R4]', { header: { typ: undefined } }, 'invalid_request'],
  [
    'another client_id inside [VP-R5]',
    { claims: { client_id: 'decentralized_identifier:did:web:other.example' } },
    'invalid_request',
  ],
  ['the client_id without its prefix inside [VP-R5]', { claims: { client_id: did } }, 'invalid_request'],
  ['the signature of another key', { key: other }, 'invalid_request'],
  ['alg none', { key: { ...key, alg: 'none' as 'ES256' } }, 'invalid_request'],
  ['a kid of another DID (5.9.3)', { header: { kid: 'did:web:other.example#1' } }, 'invalid_request'],
  ['no kid (5.9.3)', { header: { kid: undefined } }, 'invalid_request'],
  ['a DID that was not resolved', { keys: {} }, 'invalid_request'],
  ['a signature where the prefix forbids it (5.9.3)', { clientId: `redirect_uri:${responseUri}` }, 'invalid_request'],
  ['another audience [VP-R6]', { claims: { aud: 'https://other.example' } }, 'invalid_request'],
  ['a list of other audiences [VP-R6]', { claims: { aud: ['https://other.example', null] } }, 'invalid_request'],
  ['no audience in the list [VP-R6]', { claims: { aud: [] } }, 'invalid_request'],
  ['an exp in the past', { claims: { exp: seconds - 60 } }, 'invalid_request'],
  ['an exp that is no number', { claims: { exp: 'soon' } }, 'invalid_request'],
  ['an exp that no date can hold', { claims: { exp: 1e300 } }, 'invalid_request'],
  ['an nbf in the future', { claims: { nbf: seconds + 61 } }, 'invalid_request'],
  ['an iat in the future', { claims: { iat: seconds + 61 } }, 'invalid_request'],
  ['another response_type', { claims: { response_type: 'code' } }, 'invalid_request'],
  ['no response_mode [VP-S8]', { claims: { response_mode: undefined } }, 'invalid_request'],
  ['an unknown response_mode [VP-S8]', { claims: { response_mode: 'pigeon' } }, 'invalid_request'],
  ['no response_uri [VP-S2]', { claims: { response_uri: undefined } }, 'invalid_request'],
  ['a response_uri over http [VP-S3]', { claims: { response_uri: 'http://verifier.example/1' } }, 'invalid_request'],
  ['both response_uri and redirect_uri [VP-S2]', { claims: { redirect_uri: responseUri } }, 'invalid_request'],
  ['no nonce [VP-R1]', { claims: { nonce: undefined } }, 'invalid_request'],
  ['a nonce beyond all measure [VP-R1]', { claims: { nonce: 'x'.repeat(8193) } }, 'invalid_request'],
  ['an empty state [VP-R3]', { claims: { state: '' } }, 'invalid_request'],
  ['a nonce with a space [VP-R1]', { claims: { nonce: 'a b' } }, 'invalid_request'],
  ['a nonce that is not ASCII [VP-R1]', { claims: { nonce: 'ñññ' } }, 'invalid_request'],
  ['a state with a quote [VP-R3]', { claims: { state: '"' } }, 'invalid_request'],
  [
    'no state although a credential is unbound [VP-R3]',
    { claims: { state: undefined, dcql_query: unbound } },
    'invalid_request',
  ],
  ['neither query nor scope [VP-R2]', { claims: { dcql_query: undefined } }, 'invalid_request'],
  ['both query and scope [VP-R2]', { claims: { scope: 'pid' } }, 'invalid_request'],
  ['a query that is not valid', { claims: { dcql_query: {} } }, 'invalid_request'],
  ['a nested request (RFC 9101)', { claims: { request_uri: 'https://verifier.example/2' } }, 'invalid_request'],
  ['transaction data [VP-T6]', { claims: { transaction_data: [] } }, 'invalid_transaction_data'],
  [
    'no common format',
    { claims: { client_metadata: { vp_formats_supported: { mso_mdoc: {} } } } },
    'vp_formats_not_supported',
  ],
  [
    'no common algorithm',
    { claims: { client_metadata: { vp_formats_supported: { 'dc+sd-jwt': { 'kb-jwt_alg_values': ['ES384'] } } } } },
    'vp_formats_not_supported',
  ],
  ['formats that are no object', { claims: { client_metadata: { vp_formats_supported: [] } } }, 'invalid_request'],
  ['metadata that is no object', { claims: { client_metadata: 'x' } }, 'invalid_request'],
] as const) {
  test(`a request with ${what} is refused`, async () => {
    await assert.rejects(
      () => receive(change),
      (fault) => fault instanceof Fault && faults[fault.code].oauth[1] === error,
    )
  })
}

test('a request object must carry the nonce that the wallet posted [VP-U2]', async () => {
  const posted = { ...wallet, walletNonce: 'w' }
  assert(await receive({ claims: { wallet_nonce: 'w' } }, posted))
  for (const wallet_nonce of [undefined, 'x']) {
    await assert.rejects(() => receive({ claims: { wallet_nonce } }, posted), { code: 'presentation_request.invalid' })
  }
})

test('an mdoc wallet takes both numbers of ES256', async () => {
  const metadata = (algs: number[]) => ({
    claims: { client_metadata: { vp_formats_supported: { mso_mdoc: { deviceauth_alg_values: algs } } } },
  })
  const policy = { ...wallet, formats: ['dc+sd-jwt', 'mso_mdoc'] }
  for (const alg of [-7, -9]) assert.deepEqual((await receive(metadata([alg]), policy)).formats, ['mso_mdoc'])
  await assert.rejects(() => receive(metadata([-35]), policy), { code: 'presentation_request.formats' })
})

const trusted: SignerKeys = { trustChain: () => key.publicJwk }

for (const [prefix, clientId] of [
  ['x509_san_dns', 'x509_san_dns:verifier.example'],
  ['x509_hash', `x509_hash:${sha256Base64url('a certificate')}`],
] as const) {
  test(`${prefix}: accepted through a verifier of chains, refused without one`, async () => {
    assert.equal((await receive({ clientId, header: { x5c: [leaf] }, keys: trusted })).client.prefix, prefix)
    await assert.rejects(() => receive({ clientId, header: { x5c: [leaf] }, keys: {} }), {
      code: 'presentation_request.invalid',
    })
    await assert.rejects(() => receive({ clientId, keys: trusted }), { code: 'presentation_request.invalid' })
  })
}

test('x509_hash is the hash of the leaf, x509_san_dns the host of response_uri (5.9.3)', async () => {
  const hash = `x509_hash:${sha256Base64url('another certificate')}`
  for (const clientId of [hash, 'x509_san_dns:other.example']) {
    await assert.rejects(() => receive({ clientId, header: { x5c: [leaf] }, keys: trusted }), {
      code: 'presentation_request.invalid',
    })
  }
})

test('an unsigned request is accepted with redirect_uri only, and answers go nowhere else (5.9.3)', () => {
  const client = parseClientId(`redirect_uri:${responseUri}`)
  const parameters: JsonObject = { ...claims, client_id: client.full, dcql_query: dcqlQuery }
  assert.equal(checkRequest(authenticatePlain(parameters, client, production), wallet, noon).expiresAt, null)
  const elsewhere = { ...parameters, response_uri: 'https://verifier.example/answer/2' }
  assert.throws(() => authenticatePlain(elsewhere, client, production), { code: 'presentation_request.invalid' })
  const { response_uri: _, ...without } = parameters
  assert.equal(authenticatePlain(without, client, production).responseUri, responseUri)
  const plain = parseClientId('redirect_uri:http://verifier.example/1')
  assert.throws(() => authenticatePlain(without, plain, production), { code: 'presentation_request.invalid' })
  assert.throws(() => authenticatePlain(parameters, parseClientId(claims.client_id), production), {
    code: 'presentation_request.invalid',
  })
})

for (const [what, value, code] of [
  ['origin', 'origin:https://verifier.example', 'presentation_request.invalid'],
  ['a prefix of a draft (0.4)', did, 'presentation_request.invalid'],
  ['an unknown prefix', 'x509_san_uri:https://verifier.example', 'presentation_request.invalid'],
  ['an attestation without a subject', 'verifier_attestation:', 'presentation_request.invalid'],
  ['the name of a prefix that is none (5.9.2)', 'pre-registered:verifier', 'presentation_request.invalid'],
  ['nothing', '', 'presentation_request.invalid'],
  ['no string', 7, 'presentation_request.invalid'],
  ['a DID that is none', 'decentralized_identifier:https://verifier.example', 'presentation_request.invalid'],
  ['a DID with a fragment', `decentralized_identifier:${kid}`, 'presentation_request.invalid'],
  ['a name that is none', 'x509_san_dns:a_b', 'presentation_request.invalid'],
  ['a hash of another length', 'x509_hash:abc', 'presentation_request.invalid'],
  ['a redirect_uri that is no URL', 'redirect_uri:x', 'presentation_request.invalid'],
] as const) {
  test(`a client_id with ${what} is refused (5.9)`, () => assert.throws(() => parseClientId(value), { code }))
}

test('a client_id without a colon is a pre-registered client (5.9.2)', () => {
  assert.deepEqual(parseClientId('verifier'), { full: 'verifier', prefix: 'pre-registered', id: 'verifier' })
})

test('whatever a request says, it is accepted or refused', async () => {
  const change = fc.record({
    claims: fc.dictionary(fc.constantFrom(...Object.keys(claims), 'scope'), fc.jsonValue()),
    header: fc.dictionary(fc.constantFrom('kid', 'typ', 'x5c'), fc.jsonValue()),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        change,
        fc.record({ claims: fc.record({ dcql_query: fc.jsonValue(), client_metadata: fc.jsonValue() }) }),
      ),
      fc.string(),
      async (made, text) => {
        for (const run of [
          () => receive(made),
          () => parseRequestObject(text, parseClientId(claims.client_id)),
          () => parseClientId(text),
        ]) {
          try {
            await run()
          } catch (error) {
            assert(error instanceof Fault && /^(presentation_request|dcql)\./.test(error.code))
          }
        }
      },
    ),
    { numRuns: 150 },
  )
})
