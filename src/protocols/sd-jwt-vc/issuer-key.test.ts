import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issuerKey as key } from '../../../test/support/sd-jwt.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { issuerKeySource, jwtVcIssuerUrl, pickKey, readJwtVcIssuer } from './issuer-key.ts'

const https = 'https://issuer.example'
const did = 'did:web:issuer.example'
const refused = { code: 'issuer.undiscoverable' }

describe('a credential asks for', () => {
  const rows: readonly (readonly [what: string, header: JsonObject, payload: JsonObject, source: object])[] = [
    ['its chain', { x5c: ['AAAA'] }, {}, { mechanism: 'x5c', chain: ['AAAA'], iss: null }],
    [
      'its chain, whatever else the header says [VC-22]',
      { x5c: ['AAAA'], jwk: {}, kid: 'k' },
      { iss: did },
      { mechanism: 'x5c', chain: ['AAAA'], iss: did },
    ],
    ['a DID', { kid: `${did}#1` }, { iss: did }, { mechanism: 'did', did, kid: `${did}#1` }],
    ['a DID by fragment', { kid: '#1' }, { iss: did }, { mechanism: 'did', did, kid: `${did}#1` }],
    ['the only key of a DID', {}, { iss: did }, { mechanism: 'did', did, kid: null }],
    [
      'issuer metadata',
      { kid: 'k' },
      { iss: https },
      { mechanism: 'jwt-vc-issuer', issuer: https, url: `${https}/.well-known/jwt-vc-issuer`, kid: 'k' },
    ],
  ]
  for (const [what, header, payload, source] of rows) {
    test(what, () => assert.deepEqual(issuerKeySource({ header, payload }), source))
  }
})

describe('no key is looked for with', () => {
  const rows: readonly (readonly [what: string, header: JsonObject, payload: JsonObject])[] = [
    ['neither issuer nor chain [VC-21]', { kid: 'k' }, {}],
    ['a key in the header [VC-22]', { jwk: { ...key.publicJwk } }, {}],
    ['an issuer that is no string', {}, { iss: [https] }],
    ['an issuer on http', {}, { iss: 'http://issuer.example' }],
    ['an issuer with a query', {}, { iss: `${https}/?a` }],
    ['an issuer with an empty fragment', {}, { iss: `${https}/#` }],
    ['an issuer with a user', {}, { iss: 'https://a@issuer.example' }],
    ['an issuer that is no URL', {}, { iss: 'issuer' }],
    ['the key of another DID', { kid: 'did:web:evil.example#1' }, { iss: did }],
    ['an empty chain', { x5c: [] }, {}],
    ['a chain in base64url', { x5c: ['A-_A'] }, {}],
    ['a chain of six', { x5c: Array<string>(6).fill('AAAA') }, {}],
    ['a kid that is no string', { kid: 1 }, { iss: https }],
  ]
  for (const [what, header, payload] of rows) {
    test(what, () => assert.throws(() => issuerKeySource({ header, payload }), refused))
  }

  test('a mechanism that policy does not permit for this issuer [VC-20]', () => {
    const attack = { header: { x5c: ['AAAA'] }, payload: { iss: https } }
    assert.throws(() => issuerKeySource(attack, { permitted: ['jwt-vc-issuer'] }), refused)
  })
})

test('the well-known part goes between host and path, and the last slash goes', () => {
  assert.equal(jwtVcIssuerUrl('https://a.example:8443/t/1/'), 'https://a.example:8443/.well-known/jwt-vc-issuer/t/1')
  assert.equal(jwtVcIssuerUrl('http://localhost:8080/t', true), 'http://localhost:8080/.well-known/jwt-vc-issuer/t')
  assert.throws(() => jwtVcIssuerUrl('http://localhost:8080/t'), refused)
})

describe('issuer metadata', () => {
  const jwks = { keys: [] }
  test('has its keys in it or elsewhere', () => {
    assert.deepEqual(readJwtVcIssuer({ issuer: https, jwks }, https), { jwks })
    assert.deepEqual(readJwtVcIssuer({ issuer: https, jwks_uri: 'u' }, https), { jwksUri: 'u' })
  })
  for (const [what, metadata] of [
    ['about another issuer', { issuer: `${https}/`, jwks }],
    ['with both', { issuer: https, jwks, jwks_uri: 'u' }],
    ['with neither', { issuer: https }],
    ['that is no object', [jwks]],
  ] as const) {
    test(`${what} is refused`, () => assert.throws(() => readJwtVcIssuer(metadata, https), refused))
  }
})

describe('out of a key set', () => {
  const named = { ...key.publicJwk, kid: 'a' }
  const foreign = { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'a' }
  test('the key of the name is picked, and keys of other kinds are passed over', () => {
    assert.deepEqual(pickKey({ keys: [foreign, named, { ...named, kid: 'b' }] }, 'a'), named)
    assert.deepEqual(pickKey({ keys: [foreign, named] }, null), named)
  })
  for (const [what, keys, kid] of [
    ['no key has the name', [named], 'b'],
    ['two keys have the name [SEC-30]', [named, named], 'a'],
    ['there are several and no name', [named, { ...named, kid: 'b' }], null],
    ['the key is for encryption', [{ ...named, use: 'enc' }], 'a'],
    ['the key is private [SEC-30]', [{ ...named, d: 'AA' }], 'a'],
  ] as const) {
    test(`none is picked if ${what}`, () => assert.throws(() => pickKey({ keys }, kid), refused))
  }
})
