import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { buildServerMetadata } from '../oauth2/server-metadata.ts'
import { buildIssuerMetadata } from './build-metadata.ts'
import { missingMandatoryClaims } from './claim-descriptions.ts'
import { readConfiguration } from './credential-configuration.ts'
import { PRE_AUTHORIZED_GRANT } from './credential-offer.ts'
import { authorizationServersFor, pickConfigurations, readIssuerMetadata } from './issuer-metadata.ts'
import { readServerMetadata } from './server-metadata.ts'

const published = new URL('../../../test/vectors/data/oid4vci/examples-1.0/', import.meta.url)
const json = (name: string) => JSON.parse(readFileSync(new URL(name, published), 'utf8'))
const production = { allowHttpLoopback: false }
const issuer = 'https://issuer.example/acme'
const built = buildIssuerMetadata({
  credentialIssuer: issuer,
  credentialEndpoint: `${issuer}/credential`,
  nonceEndpoint: `${issuer}/nonce`,
  batchSize: 3,
  configurations: {
    diploma: {
      type: { format: 'dc+sd-jwt', vct: `${issuer}/vct/diploma` },
      signingAlgs: ['ES256'],
      proofAlgs: ['ES256'],
    },
    licence: {
      type: { format: 'mso_mdoc', doctype: 'org.iso.18013.5.1.mDL' },
      signingAlgs: ['ES256'],
      proofAlgs: ['ES256'],
    },
  },
})
const server = buildServerMetadata({
  issuer,
  endpoints: { token: `${issuer}/token` },
  grantTypes: [PRE_AUTHORIZED_GRANT],
  clientAuthMethods: ['none'],
  extensions: { 'pre-authorized_grant_anonymous_access_supported': true },
})

test('the metadata of the spec is read', () => {
  const metadata = readIssuerMetadata(
    json('credential_issuer_metadata_sd_jwt_long.json'),
    'https://credential-issuer.example.com',
    production,
  )
  assert.partialDeepStrictEqual(metadata, {
    authorizationServers: ['https://server.example.com'],
    batchSizeMax: 10,
    encryption: { isRequired: true },
  })
  const { proofType, keyAttestation } = metadata.configurations.get('SD_JWT_VC_example_in_OpenID4VCI') ?? {}
  assert.equal(proofType, 'jwt')
  assert.deepEqual(keyAttestation, {
    keyStorage: ['iso_18045_moderate'],
    userAuthentication: ['iso_18045_moderate'],
  })
})

for (const name of ['sd_jwt_vc', 'mso_mdoc', 'ldp_vc', 'jwt_vc_json']) {
  test(`the configurations of the spec are read: ${name}`, () => {
    const { credential_configurations_supported } = json(`credential_metadata_${name}.json`)
    const { configurations } = readIssuerMetadata({ ...built, credential_configurations_supported }, issuer, production)
    assert.deepEqual([...configurations.keys()], Object.keys(credential_configurations_supported))
  })
}

test('what we publish reads back', () => {
  const metadata = readIssuerMetadata(JSON.parse(JSON.stringify(built)), issuer, production)
  assert.partialDeepStrictEqual(metadata, { batchSizeMax: 3, encryption: null, deferredEndpoint: null })
  assert.deepEqual(authorizationServersFor(metadata, null), [issuer])
  const [diploma] = pickConfigurations(metadata, ['diploma', 'licence'], ['dc+sd-jwt'])
  assert.partialDeepStrictEqual(diploma, {
    type: `${issuer}/vct/diploma`,
    proofAlgs: ['ES256'],
    proofUnsupported: false,
  })
  assert.partialDeepStrictEqual(readServerMetadata(JSON.parse(JSON.stringify(server)), issuer, production), {
    anonymousAccess: true,
    grantTypes: [PRE_AUTHORIZED_GRANT],
  })
})

test('images are read as the issuer states them, PNG and SVG, as data and as https addresses, beside unknown members [HAIP-7, W-M7]', () => {
  const uris = ['data:image/svg+xml,%3Csvg/%3E', 'https://a.example/a.svg', 'data:image/png;base64,iVBORw0KGgo=']
  const display = uris.map((uri, at) => ({ name: 'Card', locale: `en-${at}`, logo: { uri, alt_text: 'Logo' } }))
  const issuer = 'https://issuer.example'
  const known = {
    format: 'dc+sd-jwt',
    vct: 'https://issuer.example/vct',
    scope: 'card',
    credential_metadata: { display },
  }
  const document = {
    credential_issuer: issuer,
    credential_endpoint: `${issuer}/credential`,
    display,
    unknown: 1,
    credential_configurations_supported: { card: known },
  }
  const read = readIssuerMetadata(document, issuer, { allowHttpLoopback: false })
  assert.deepEqual([read.display, read.configurations.get('card')?.display], [display, display])
})

test('without batch issuance a request carries one proof (12.2.4)', () => {
  const alone = { ...built, batch_credential_issuance: undefined }
  assert.equal(readIssuerMetadata(alone, issuer, production).batchSizeMax, 1)
})

test('an mdoc lists COSE numbers, both names of ES256 [VCI-M10]', () => {
  assert.deepEqual(built.credential_configurations_supported.licence?.credential_signing_alg_values_supported, [-7, -9])
})

for (const [what, change] of [
  ['of another issuer [W-M2]', { credential_issuer: 'https://other.example' }],
  ['of an issuer that differs by a slash [W-M2]', { credential_issuer: `${issuer}/` }],
  ['without credential endpoint', { credential_endpoint: undefined }],
  ['with an http endpoint [W-M6]', { credential_endpoint: 'http://issuer.example/c' }],
  ['with an endpoint that is no URL [W-M6]', { nonce_endpoint: 7 }],
  ['with credentials in an endpoint [W-M6]', { notification_endpoint: 'https://a:b@issuer.example' }],
  ['with an empty list of authorization servers', { authorization_servers: [] }],
  ['with an authorization server over http', { authorization_servers: ['http://as.example'] }],
  ['with a batch size of 0', { batch_credential_issuance: { batch_size: 0 } }],
  [
    'with 501 configurations',
    { credential_configurations_supported: Object.fromEntries(Array.from({ length: 501 }, (_, i) => [i, {}])) },
  ],
  ['without configurations', { credential_configurations_supported: undefined }],
] as const) {
  test(`metadata ${what} is refused`, () => {
    assert.throws(() => readIssuerMetadata({ ...built, ...change }, issuer, production), {
      code: 'issuer_metadata.invalid',
    })
  })
}

for (const [what, ids, formats] of [
  ['an id that the metadata lacks', ['diploma', 'other'], ['dc+sd-jwt']],
  ['no supported format', ['licence'], ['dc+sd-jwt']],
] as const) {
  test(`an offer with ${what} is refused [W-M4]`, () => {
    const metadata = readIssuerMetadata(built, issuer, production)
    assert.throws(() => pickConfigurations(metadata, ids, formats), { code: 'issuer_metadata.invalid' })
  })
}

test('a configuration that breaks its format is left out, the others stay [W-M4]', () => {
  const configurations = {
    ...built.credential_configurations_supported,
    bad: { format: 'dc+sd-jwt' },
    worse: 7,
    odd: { format: 'dc+sd-jwt', vct: 'v', proof_types_supported: {} },
  }
  const metadata = readIssuerMetadata(
    { ...built, credential_configurations_supported: configurations },
    issuer,
    production,
  )
  assert.deepEqual([...metadata.configurations.keys()], ['diploma', 'licence'])
  const [picked, ...others] = pickConfigurations(metadata, ['bad', 'diploma'], ['dc+sd-jwt'])
  assert.deepEqual([picked?.id, others], ['diploma', []])
})

test('displays and claims are found in the configuration itself, where the drafts had them', () => {
  const known = { format: 'dc+sd-jwt', vct: 'v' }
  const about = { display: [{ name: 'Card' }], claims: [{ path: ['a'] }] }
  const old = readConfiguration('c', { ...known, ...about })
  assert.deepEqual(old, readConfiguration('c', { ...known, credential_metadata: about }))
  const object = { claims: { a: { mandatory: true } } }
  assert.deepEqual(readConfiguration('c', { ...known, ...object }), readConfiguration('c', known))
})

const es256 = { proof_signing_alg_values_supported: ['ES256'] }
for (const [wrong, change] of [
  ['format is missing', { format: undefined }],
  ['vct is missing', { vct: undefined }],
  ['doctype is missing', { format: 'mso_mdoc' }],
  ['proof_types_supported names no proof type', { proof_types_supported: {} }],
  [
    'proof_signing_alg_values_supported is not a non-empty array of strings',
    { proof_types_supported: { jwt: { proof_signing_alg_values_supported: [-7] } } },
  ],
  [
    'key_attestations_required is malformed',
    { proof_types_supported: { jwt: { ...es256, key_attestations_required: true } } },
  ],
  [
    'its claims descriptions contradict each other',
    { credential_metadata: { claims: [{ path: ['a'] }, { path: ['a'] }] } },
  ],
] as const) {
  test(`an offered configuration that cannot be read is refused with what is wrong: ${wrong} [W-M4]`, () => {
    const configurations = { c: { format: 'dc+sd-jwt', vct: 'v', ...change } }
    const document = { ...built, credential_configurations_supported: configurations }
    const metadata = readIssuerMetadata(document, issuer, production)
    assert.throws(() => pickConfigurations(metadata, ['c'], ['dc+sd-jwt', 'mso_mdoc']), {
      code: 'issuer_metadata.invalid',
      detail: `The metadata describes the offered credential in a way that cannot be used: ${wrong}.`,
    })
  })
}

for (const [what, paths, isRead] of [
  ['different claims', [['a'], ['b'], ['b', 'c']], true],
  ['an array and all its elements', [['a'], ['a', null], ['a', null, 'b']], true],
  ['a claim that is described twice', [['a'], ['a']], false],
  ['a claim inside that is described twice', [['a', null, 'b'], ['c'], ['a', null, 'b']], false],
  [
    'an array by null and by an index',
    [
      ['a', null],
      ['a', 0],
    ],
    false,
  ],
  [
    'a claim as array and as object',
    [
      ['a', null, 'b'],
      ['a', 'b'],
    ],
    false,
  ],
  [
    'a claim as object and as array',
    [
      ['a', 'b'],
      ['a', 0],
    ],
    false,
  ],
] as const) {
  test(`a configuration with ${what} is ${isRead ? 'read' : 'left out'} [VCI-M15]`, () => {
    const claims = paths.map((path) => ({ path }))
    const value = { format: 'dc+sd-jwt', vct: 'v', credential_metadata: { claims } }
    assert.equal(typeof readConfiguration('c', value) !== 'string', isRead)
  })
}

test('claims that the issuer calls mandatory and a credential lacks are named [W-R5]', () => {
  const described = [
    { path: ['given_name'], mandatory: true },
    { path: ['address', 'locality'], mandatory: true },
    { path: ['nickname'], mandatory: false },
    { path: ['degrees', null, 'name'], mandatory: true },
    { path: 'odd', mandatory: true },
  ]
  const claims = { given_name: 'T', address: {}, degrees: [{ name: 'BSc' }] }
  assert.deepEqual(missingMandatoryClaims(described, claims), [['address', 'locality']])
  assert.deepEqual(missingMandatoryClaims(described, {}), [
    ['given_name'],
    ['address', 'locality'],
    ['degrees', null, 'name'],
  ])
})

test('the hint of an offer must be one of the listed servers [W-M5]', () => {
  const servers = ['https://a.example', 'https://b.example']
  const metadata = readIssuerMetadata({ ...built, authorization_servers: servers }, issuer, production)
  assert.deepEqual(authorizationServersFor(metadata, 'https://b.example'), ['https://b.example'])
  assert.deepEqual(authorizationServersFor(metadata, null), servers)
  assert.throws(() => authorizationServersFor(metadata, 'https://c.example'), { code: 'issuer_metadata.invalid' })
})

for (const [what, change] of [
  ['another issuer (RFC 8414 3.3)', { issuer: 'https://other.example' }],
  ['no token endpoint', { token_endpoint: undefined }],
  ['a token endpoint over http [W-M6]', { token_endpoint: 'http://issuer.example/token' }],
] as const) {
  test(`server metadata with ${what} is refused`, () => {
    assert.throws(() => readServerMetadata({ ...server, ...change }, issuer, production), {
      code: 'issuer_metadata.invalid',
    })
  })
}

test('whatever comes as metadata, the answer is metadata or issuer_metadata.invalid', () => {
  const member = fc.constantFrom(...Object.keys(built), ...Object.keys(server))
  fc.assert(
    fc.property(fc.dictionary(member, fc.jsonValue()), fc.jsonValue(), (change, garbage) => {
      for (const value of [{ ...built, ...server, ...change, credential_issuer: issuer, issuer }, garbage]) {
        for (const read of [readIssuerMetadata, readServerMetadata]) {
          try {
            read(value, issuer, production)
          } catch (error) {
            assert(error instanceof Fault && error.code === 'issuer_metadata.invalid')
          }
        }
      }
    }),
  )
})
