import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { buildOffer, offerLink } from './build-offer.ts'
import { PRE_AUTHORIZED_GRANT, readOffer, readOfferInput } from './credential-offer.ts'

const published = new URL('../../../test/vectors/data/oid4vci/examples-1.0/', import.meta.url)
const production = { allowHttpLoopback: false }
const issuer = 'https://issuer.example/acme'
const offer = buildOffer({
  credentialIssuer: issuer,
  configurationIds: ['id'],
  issuerState: null,
  preAuthorizedCode: 'code',
  txCode: null,
})
const grants = (grant: unknown) => ({ ...offer, grants: { [PRE_AUTHORIZED_GRANT]: grant } })
const quoted = encodeURIComponent(JSON.stringify(offer))
const reference = 'https://issuer.example/offers/1'

for (const [name, expected] of [
  ['credential_offer_authz_code.txt', { preAuthorized: null }],
  [
    'credential_offer_by_reference.json',
    { preAuthorized: { txCode: { inputMode: 'numeric', length: null, description: null } } },
  ],
  [
    'credential_offer_multiple_credentials.json',
    { configurationIds: ['UniversityDegreeCredential', 'org.iso.18013.5.1.mDL'] },
  ],
  ['credential_offer_pre-authz_code.json', { preAuthorized: { code: 'adhjhdjajkdkhjhdj' } }],
] as const) {
  test(`the offer ${name} of the spec is read`, () => {
    const text = readFileSync(new URL(name, published), 'utf8').replace(/^HTTP[^{]*/, '')
    assert.partialDeepStrictEqual(readOffer(JSON.parse(text), production), expected)
  })
}

for (const [what, input] of [
  ['its own scheme', `openid-credential-offer://?credential_offer=${quoted}`],
  ['its own scheme without slashes', `openid-credential-offer:?credential_offer=${quoted}`],
  ['the scheme of HAIP', `haip-vci://?credential_offer=${quoted}`],
  ['the scheme of EUDI wallets', `eudi-openid4ci://credentialsOffer?credential_offer=${quoted}`],
  ['a scheme of another app', `eudi-openid4vci://?credential_offer=${quoted}`],
  ['the scheme of swiyu', `swiyu://?credential_offer=${quoted}`],
  ['an https URL with other members', `https://wallet.example/open?x=1&credential_offer=${quoted}`],
  ['a link with the other member without a value', `swiyu://?credential_offer=${quoted}&credential_offer_uri=`],
  ['JSON text', JSON.stringify(offer)],
  ['JSON', offer],
] as const) {
  test(`an offer is accepted as ${what} [W-O1] [HAIP-10]`, () => {
    const read = readOfferInput(input, production)
    assert('offer' in read && read.offer.preAuthorized?.code === 'code')
  })
}

for (const [what, input] of [
  ['link', offerLink(reference, 'openid-credential-offer')],
  ['link of another scheme', offerLink(reference, 'haip-vci')],
  ['https page', `https://issuer.example/qr?credential_offer_uri=${encodeURIComponent(reference)}`],
] as const) {
  test(`an offer by reference is accepted as ${what} [W-O1]`, () => {
    assert.deepEqual(readOfferInput(input, production), { offerUri: reference })
  })
}

for (const [what, input] of [
  ['nothing in the URI [W-O1]', 'openid-credential-offer://'],
  ['both members [W-O1]', `openid-credential-offer://?credential_offer=${quoted}&credential_offer_uri=${reference}`],
  ['one member twice [W-O1]', `openid-credential-offer://?credential_offer=${quoted}&credential_offer=${quoted}`],
  ['another scheme [W-O1]', `mailto:a?credential_offer=${quoted}`],
  ['a file with the member [W-O1]', `file:///a?credential_offer=${quoted}`],
  ['a reference over http [W-O2]', 'openid-credential-offer://?credential_offer_uri=http://issuer.example/1'],
  ['a reference to a file [W-O2]', 'openid-credential-offer://?credential_offer_uri=file:///etc/passwd'],
  [
    'a reference with credentials [W-O2]',
    'openid-credential-offer://?credential_offer_uri=https://a:b@issuer.example/1',
  ],
  ['no URI and no JSON', 'hello'],
  ['broken JSON', '{"credential_issuer":'],
  ['one member name twice', `{"grants":{},${JSON.stringify(offer).slice(1)}`],
  ['more than 64 KiB', `   {${' '.repeat(70_000)}}`],
  ['no object', [offer]],
  ['no issuer [W-O4]', { ...offer, credential_issuer: undefined }],
  ['an issuer over http [W-O4]', { ...offer, credential_issuer: 'http://localhost:8080/a' }],
  ['an issuer with a query [W-O4]', { ...offer, credential_issuer: `${issuer}?` }],
  ['an issuer with a fragment [W-O4]', { ...offer, credential_issuer: `${issuer}#a` }],
  ['no configuration [W-O4]', { ...offer, credential_configuration_ids: [] }],
  ['a configuration twice [W-O4]', { ...offer, credential_configuration_ids: ['a', 'a'] }],
  ['a configuration id that is no string [W-O4]', { ...offer, credential_configuration_ids: [1] }],
  ['unknown grants only [W-O4]', { ...offer, grants: { other: {} } }],
  ['grants that are no object', { ...offer, grants: [] }],
  ['no code [VCI-O2]', grants({})],
  ['a tx_code that is no object [VCI-O3]', grants({ 'pre-authorized_code': 'c', tx_code: '1234' })],
] as const) {
  test(`an offer is refused: ${what}`, () =>
    assert.throws(() => readOfferInput(input, production), { code: 'offer.malformed' }))
}

const anyCode = { inputMode: 'numeric', length: null, description: null }
for (const [what, txCode, expected] of [
  ['with members that are empty', { input_mode: '', length: 0, description: '' }, { ...anyCode, inputMode: 'text' }],
  ['with an unknown input mode', { input_mode: 'voice' }, { ...anyCode, inputMode: 'text' }],
  ['with a length that is no whole number of characters', { length: '4' }, anyCode],
  ['that is longer than any', { length: 256 }, anyCode],
  [
    'with a description of 301 characters',
    { description: 'x'.repeat(301) },
    { ...anyCode, description: `${'x'.repeat(299)}…` },
  ],
] as const) {
  test(`a tx_code ${what} is asked for all the same [VCI-O3]`, () => {
    const { preAuthorized } = readOffer(grants({ 'pre-authorized_code': 'c', tx_code: txCode }), production)
    assert.deepEqual(preAuthorized?.txCode, expected)
  })
}

test('an empty tx_code still means that a code is needed [W-O5]', () => {
  assert.notEqual(
    readOffer(grants({ 'pre-authorized_code': 'c', tx_code: {} }), production).preAuthorized?.txCode,
    null,
  )
})

test('no grant at all means the code flow (4.1.1)', () => {
  assert.notEqual(readOffer({ ...offer, grants: undefined }, production).authorizationCode, null)
})

test('an unknown grant beside a known one is skipped [W-O4]', () => {
  assert(readOffer({ ...offer, later: 1, grants: { ...offer.grants, other: {} } }, production).preAuthorized)
})

test('http on a loopback host is for development only', () => {
  const local = { ...offer, credential_issuer: 'http://localhost:8080/issuers/acme' }
  assert.equal(readOffer(local, { allowHttpLoopback: true }).credentialIssuer, local.credential_issuer)
  assert.throws(() => readOffer({ ...offer, credential_issuer: 'http://issuer.example' }, { allowHttpLoopback: true }))
})

test('a built offer with a transaction code reads back', () => {
  const txCode = { inputMode: 'text', length: 6, description: 'by post' } as const
  const built = buildOffer({
    credentialIssuer: issuer,
    configurationIds: ['id'],
    issuerState: null,
    preAuthorizedCode: 'c',
    txCode,
  })
  assert.deepEqual(readOffer(built, production).preAuthorized, { code: 'c', txCode, authorizationServer: null })
})

test('whatever comes as an offer, the answer is an offer, a reference or offer.malformed', () => {
  const uri = fc.string().map((text) => `openid-credential-offer://?credential_offer=${encodeURIComponent(text)}`)
  const shaped = fc.record({
    credential_issuer: fc.constant(issuer),
    credential_configuration_ids: fc.jsonValue(),
    grants: fc.jsonValue(),
  })
  const grant = fc.jsonValue().map((value) => grants(value))
  fc.assert(
    fc.property(fc.oneof(uri, fc.string(), fc.webUrl(), fc.jsonValue(), shaped, grant), (input) => {
      try {
        readOfferInput(input, production)
      } catch (error) {
        assert(error instanceof Fault && error.code === 'offer.malformed')
      }
    }),
    { numRuns: 300 },
  )
})
