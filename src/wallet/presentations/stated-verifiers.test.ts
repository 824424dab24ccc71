import assert from 'node:assert/strict'
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { compactDecrypt } from 'jose'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { fault } from '../test-support/fault.ts'
import { setTenant } from '../test-support/mdoc-holder.ts'
import { membership, receive } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { preparePresentation } from './prepare-presentation.ts'

const tool = openssl()
let bench: Bench
before(async () => {
  bench = await openBench()
})
after(async () => {
  await bench.close()
  tool.remove()
})

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, jwk: publicKey.export({ format: 'jwk' }) }
}
type Pair = ReturnType<typeof pair>
const [shop, other, attester, stranger] = [pair(), pair(), pair(), pair()]
const didOf = ({ jwk }: Pair) => `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`
const responseUri = 'https://shop.example/answers'
const seconds = () => Math.floor(Date.now() / 1000)

function signed(header: object, payload: object, key: KeyObject): string {
  const parts = [{ alg: 'ES256', ...header }, payload]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

type Change = { readonly object?: object; readonly header?: object; readonly key?: KeyObject }

function requestOf(clientId: string, { object = {}, header = {}, key = shop.privateKey }: Change): string {
  const payload = {
    client_id: clientId,
    response_type: 'vp_token',
    response_mode: 'direct_post',
    response_uri: responseUri,
    nonce: 'n-0S6_WzA2Mj.0123456789',
    state: 'st',
    dcql_query: { credentials: [membership] },
    ...object,
  }
  return signed({ typ: 'oauth-authz-req+jwt', ...header }, payload, key)
}

const linkTo = (clientId: string, change: Change = {}) =>
  `openid4vp://?client_id=${encodeURIComponent(clientId)}&request=${requestOf(clientId, change)}`

const registration = { clientId: 'shop', name: 'The Shop', keys: [other.jwk, shop.jwk], responseUris: [responseUri] }

test('a registered verifier is known by its name, with the metadata of its registration', async () => {
  const thandi = await bench.person()
  const metadata = { vp_formats_supported: { 'dc+sd-jwt': {} } }
  await setTenant(bench, thandi.tenantId, { registeredVerifiers: [{ ...registration, metadata }] })
  const { meta } = await preparePresentation(bench.platform, thandi, linkTo('shop'))
  assert.partialDeepStrictEqual(meta.verifier, {
    clientId: 'shop',
    name: 'The Shop',
    authenticated: true,
    trusted: true,
  })
})

for (const [what, code, clientId, change, more] of [
  ['that is not registered', 'client', 'shop2', {}, {}],
  ['that sends client_metadata (8.5)', 'client', 'shop', { object: { client_metadata: {} } }, {}],
  ['whose request another key signed', 'invalid', 'shop', { key: stranger.privateKey }, {}],
  ['that responds elsewhere [VP-S3]', 'invalid', 'shop', { object: { response_uri: `${responseUri}/x` } }, {}],
  ['whose object names another client [VP-R5]', 'invalid', 'shop', { object: { client_id: 'other' } }, {}],
  [
    'whose registration lists other formats',
    'formats',
    'shop',
    {},
    { metadata: { vp_formats_supported: { ldp_vc: {} } } },
  ],
] as const) {
  test(`a registered verifier ${what} is refused (5.9.2)`, async () => {
    const thandi = await bench.person()
    await setTenant(bench, thandi.tenantId, { registeredVerifiers: [{ ...registration, ...more }] })
    const refused = await fault(preparePresentation(bench.platform, thandi, linkTo(clientId, change)))
    assert.equal(refused.code, `presentation_request.${code}`)
  })
}

type Attestation = { readonly claims?: object; readonly header?: object; readonly by?: Pair; readonly name?: Pair }

function attestation({ claims = {}, header = {}, by = attester, name = by }: Attestation = {}): string {
  const payload = { iss: didOf(name), sub: 'shop.example', exp: seconds() + 600, cnf: { jwk: shop.jwk }, ...claims }
  return signed({ typ: 'verifier-attestation+jwt', kid: `${didOf(name)}#0`, ...header }, payload, by.privateKey)
}

async function attested(jwt: unknown, change: Change = {}) {
  const thandi = await bench.person()
  const entity = { name: 'Registrar', dids: [{ did: didOf(attester) }], purposes: ['attester' as const] }
  await createTrustedEntity(bench.platform, thandi, entity)
  const link = linkTo('verifier_attestation:shop.example', { header: { jwt }, ...change })
  return preparePresentation(bench.platform, thandi, link)
}

test('a verifier with an attestation of a trusted attester is known by its identifier', async () => {
  for (const claims of [{}, { redirect_uris: ['https://shop.example/x', responseUri] }]) {
    const { meta } = await attested(attestation({ claims }))
    assert.partialDeepStrictEqual(meta.verifier, {
      clientId: 'verifier_attestation:shop.example',
      name: 'shop.example',
      authenticated: true,
      trusted: true,
    })
  }
})

for (const [what, code, jwt, change] of [
  ['without an attestation', 'invalid', undefined, {}],
  ['with an attestation that is no JWT', 'invalid', 'x', {}],
  ['with an attestation of another type', 'invalid', attestation({ header: { typ: 'JWT' } }), {}],
  ['with an attestation about another verifier', 'invalid', attestation({ claims: { sub: 'other.example' } }), {}],
  ['with an expired attestation', 'invalid', attestation({ claims: { exp: 1_700_000_000 } }), {}],
  ['with an attestation without an end', 'invalid', attestation({ claims: { exp: undefined } }), {}],
  ['with an attestation that is not valid yet', 'invalid', attestation({ claims: { nbf: seconds() + 3600 } }), {}],
  ['with an attestation without a key', 'invalid', attestation({ claims: { cnf: undefined } }), {}],
  ['with an attestation without an issuer', 'invalid', attestation({ claims: { iss: undefined } }), {}],
  ['with an attestation of a stranger', 'client', attestation({ by: stranger }), {}],
  ['with an attestation that a stranger signed', 'client', attestation({ by: stranger, name: attester }), {}],
  ['with an attestation in the name of another', 'client', attestation({ claims: { iss: didOf(stranger) } }), {}],
  ['that did not sign with the attested key', 'invalid', attestation(), { key: other.privateKey }],
  [
    'that responds to an address that is not attested',
    'invalid',
    attestation({ claims: { redirect_uris: ['https://shop.example/x'] } }),
    {},
  ],
] as const) {
  test(`a verifier ${what} is refused (5.9.3)`, async () => {
    assert.equal((await fault(attested(jwt, change))).code, `presentation_request.${code}`)
  })
}

const years = { from: '200101000000Z', until: '491231235959Z' }
const make = (wish: object): Made =>
  tool.make({
    subject: '/C=ZA/CN=Reader',
    extensions: [...leafExtensions.slice(0, 3), 'subjectAltName = DNS:localhost'],
    ...years,
    ...wish,
  })
const root = make({ subject: '/C=ZA/CN=Readers', extensions: rootExtensions })
const reader = make({ issuer: root })
const alone = make({})
const hashOf = ({ certificate }: Made) =>
  `x509_hash:${createHash('sha256').update(certificate.der).digest('base64url')}`
const hash = hashOf(reader)
/** Differences from a request that a wallet under HAIP accepts. `chain`: in `x5c`. */
type CertifiedRequest = {
  readonly clientId?: string
  readonly object?: object
  readonly byValue?: boolean
  readonly signer?: Made
  readonly chain?: readonly Made[]
}
const encryption = { jwks: { keys: [{ ...other.jwk, use: 'enc', alg: 'ECDH-ES', kid: '1' }] } }

/**
 * A member of an organisation under HAIP, which trusts the readers. `pinned`: certificates that are trusted as
 * themselves.
 */
async function aMemberUnderHaip(pinned: readonly Made[] = []) {
  const thandi = await bench.person()
  await receive(bench, thandi)
  const certificates = [root, ...pinned].map(({ pem }) => pem)
  await createTrustedEntity(bench.platform, thandi, { name: 'R', certificates, purposes: ['verifier'] })
  await setTenant(bench, thandi.tenantId, { haip: true })
  return thandi
}

/** Serves the request object of a certified verifier. `posted`: the forms that it received. */
async function certifiedVerifier({
  clientId = hash,
  object = {},
  byValue = false,
  signer = reader,
  chain = [signer],
}: CertifiedRequest) {
  let jwt = ''
  const posted: URLSearchParams[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url === '/r') {
      response.writeHead(200, { 'content-type': 'application/oauth-authz-req+jwt' }).end(jwt)
      return
    }
    posted.push(new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const uri = { response_uri: `${base}/answers`, response_mode: 'direct_post.jwt', client_metadata: encryption }
  const key = createPrivateKey(readFileSync(signer.keyFile))
  const x5c = chain.map(({ certificate }) => certificate.der.toString('base64'))
  const header = x5c.length > 0 ? { x5c } : {}
  jwt = requestOf(clientId, { header, key, object: { ...uri, ...object } })
  const by = byValue ? `request=${jwt}` : `request_uri=${encodeURIComponent(`${base}/r`)}`
  const link = `haip-vp://?client_id=${encodeURIComponent(clientId)}&${by}`
  return { link, posted, close: () => server.close() }
}

/** Prepares the request of a certified verifier in a wallet of an organisation under HAIP. */
async function underHaip(wish: CertifiedRequest) {
  const thandi = await aMemberUnderHaip(wish.signer === undefined ? [] : [wish.signer])
  const { link, close } = await certifiedVerifier(wish)
  return preparePresentation(bench.platform, thandi, link).finally(close)
}

test('under HAIP the wallet takes a request by reference, under x509_hash, for an encrypted response [HAIP-21]', async () => {
  assert.partialDeepStrictEqual((await underHaip({})).meta.verifier, {
    clientId: hash,
    authenticated: true,
    trusted: true,
  })
})

test('under HAIP a presentation has its key binding also where the query waives it [HAIP-32, HAIP-22]', async () => {
  for (const [haip, isBound] of [
    [true, true],
    [false, false],
  ]) {
    const thandi = await aMemberUnderHaip()
    if (!haip) await setTenant(bench, thandi.tenantId, {})
    const query = { credentials: [{ ...membership, require_cryptographic_holder_binding: false }] }
    const { link, posted, close } = await certifiedVerifier({ object: { dcql_query: query } })
    const { data } = await preparePresentation(bench.platform, thandi, link)
    await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' }).finally(close)
    const { plaintext } = await compactDecrypt(posted[0]?.get('response') ?? '', other.privateKey)
    const { vp_token: token } = JSON.parse(new TextDecoder().decode(plaintext))
    assert.equal(token.m[0].endsWith('~'), !isBound)
  }
})

for (const [what, wish] of [
  ['by value', { byValue: true }],
  ['under another prefix', { clientId: 'x509_san_dns:localhost' }],
  ['by redirect_uri', { clientId: 'redirect_uri:http://localhost:1/answers' }],
  ['of a DID', { clientId: `decentralized_identifier:${didOf(shop)}` }],
  ['for a response in the clear', { object: { response_mode: 'direct_post' } }],
  ['with the trust anchor in x5c', { chain: [reader, root] }],
  ['with a self-signed certificate', { clientId: hashOf(alone), signer: alone }],
  ['without x5c', { chain: [] }],
] as const) {
  test(`under HAIP a request ${what} is refused [HAIP-20, HAIP-21, HAIP-22]`, async () => {
    const { code, detail } = await fault(underHaip(wish))
    assert.equal(code, 'presentation_request.invalid')
    if (what.includes('x5c')) assert.match(detail ?? '', /signed under x509_hash with x5c/)
  })
}
