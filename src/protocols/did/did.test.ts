import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { generateKeyPair, publicJwkOf, thumbprint } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import { parseKeyUrl } from './did.ts'
import { keyFor, ownDidDocument, readDidDocument } from './did-document.ts'
import { didWebOf, didWebUrl } from './did-web.ts'
import { inlineDidDocument } from './inline-did.ts'
import { didJwkOf, didKeyOf } from './test-support/dids-with-keys.ts'

const { publicJwk } = generateKeyPair()
const ed25519 = publicJwkOf(generateKeyPairSync('ed25519').publicKey)
const did = 'did:web:issuer.example'

describe('did:web', () => {
  for (const [one, url] of [
    ['did:web:issuer.example', 'https://issuer.example/.well-known/did.json'],
    ['did:web:issuer.example:issuers:acme', 'https://issuer.example/issuers/acme/did.json'],
    ['did:web:issuer.example%3A8443:a', 'https://issuer.example:8443/a/did.json'],
    ['did:web:issuer.example:%C3%A4', 'https://issuer.example/%C3%A4/did.json'],
  ] as const) {
    test(`${one} is at ${url}`, () => assert.equal(didWebUrl(one), url))
  }

  test('is asked over http in development only, and on loopback only', () => {
    assert.equal(didWebUrl('did:web:localhost%3A8080:a', true), 'http://localhost:8080/a/did.json')
    assert.equal(didWebUrl('did:web:localhost%3A8080:a'), 'https://localhost:8080/a/did.json')
    assert.equal(didWebUrl('did:web:localhost.evil.example:a', true), 'https://localhost.evil.example/a/did.json')
  })

  test('of an address leads back to it', () => {
    const one = didWebOf('http://localhost:8080/issuers/acme')
    assert.equal(one, 'did:web:localhost%3A8080:issuers:acme')
    assert.equal(didWebUrl(one, true), 'http://localhost:8080/issuers/acme/did.json')
    assert.equal(didWebOf('https://issuer.example'), 'did:web:issuer.example')
  })

  for (const [what, one] of [
    ['a user', 'did:web:a%40issuer.example'],
    ['a slash', 'did:web:issuer.example%2Fa'],
    ['a way up', 'did:web:issuer.example:..'],
    ['a way up, encoded', 'did:web:issuer.example:%2e%2E'],
    ['a slash in a segment', 'did:web:issuer.example:a%2fb'],
    ['a query', 'did:web:issuer.example:a%3Fb'],
    ['an encoding within an encoding', 'did:web:issuer.example:%252e%252e'],
    ['an empty segment', 'did:web:issuer.example::a'],
    ['a broken encoding', 'did:web:issuer.example:%FF'],
    ['no host', 'did:web:'],
    ['a fragment', 'did:web:issuer.example#a'],
    ['another method', 'did:key:issuer.example'],
  ] as const) {
    test(`is refused with ${what}`, () => assert.throws(() => didWebUrl(one), { code: 'did.unsupported' }))
  }
})

describe('a DID that carries its key', () => {
  for (const jwk of [publicJwk, ed25519]) {
    test(`did:jwk and did:key give the ${jwk.crv} key back`, () => {
      for (const [one, fragment] of [
        [didJwkOf(jwk), '0'],
        [didKeyOf(jwk), didKeyOf(jwk).slice('did:key:'.length)],
      ] as const) {
        const document = inlineDidDocument(one)
        assert(document !== null)
        assert.deepEqual(
          keyFor(document, `${one}#${fragment}`, 'assertionMethod'),
          keyFor(document, null, 'authentication'),
        )
        assert.equal(thumbprint(keyFor(document, null, 'assertionMethod')), thumbprint(jwk))
      }
    })
  }

  test('is read as in the specification of did:key (Ed25519, P-256)', () => {
    const known = [
      ['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK', 'Ed25519'],
      ['did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169', 'P-256'],
    ] as const
    for (const [one, crv] of known) {
      const document = inlineDidDocument(one)
      assert(document !== null)
      const key = keyFor(document, null, 'assertionMethod')
      assert.deepEqual([key.crv, didKeyOf(key)], [crv, one])
    }
  })

  test('is read as in the specification of did:jwk', () => {
    const one =
      'did:jwk:eyJjcnYiOiJQLTI1NiIsImt0eSI6IkVDIiwieCI6ImFjYklRaXVNczNpOF91c3pFakoydHBUdFJNNEVVM3l6OTFQSDZDZEgyVjAiLCJ5IjoiX0tjeUxqOXZXTXB0bm1LdG00NkdxRHo4d2Y3NEk1TEtncmwyR3pIM25TRSJ9'
    const document = inlineDidDocument(one)
    assert(document !== null)
    assert.equal(keyFor(document, `${one}#0`, 'assertionMethod').x, 'acbIQiuMs3i8_uszEjJ2tpTtRM4EU3yz91PH6CdH2V0')
  })

  test('is refused if the key is private, for encryption, or of another kind', () => {
    const encoded = (jwk: object) => `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`
    for (const one of [
      encoded({ ...publicJwk, d: publicJwk.x }),
      encoded({ ...publicJwk, use: 'enc' }),
      'did:jwk:AAAA',
      'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme',
      'did:key:abc',
      'did:key:z0OIl',
    ]) {
      assert.throws(() => inlineDidDocument(one), { code: 'did.unsupported' })
    }
  })

  test('is not one that needs a fetch', () => assert.equal(inlineDidDocument(did), null))
})

describe('out of a DID document', () => {
  const method = { id: `${did}#1`, type: 'JsonWebKey2020', controller: did, publicKeyJwk: publicJwk }
  const read = (more: object) => readDidDocument({ id: did, verificationMethod: [method], ...more }, did)

  test('a key is picked by name for its purpose, by reference or embedded, absolute or by fragment', () => {
    for (const assertionMethod of [[`${did}#1`], ['#1'], [method], [{ ...method, id: '#1' }]]) {
      const document = read({ assertionMethod, verificationMethod: [method, { ...method, id: '#2' }] })
      for (const kid of [`${did}#1`, '#1', null]) assert.deepEqual(keyFor(document, kid, 'assertionMethod'), publicJwk)
    }
  })

  test('a key in Multikey form is read', () => {
    const multikey = { id: '#1', type: 'Multikey', publicKeyMultibase: didKeyOf(ed25519).slice('did:key:'.length) }
    assert.deepEqual(keyFor(read({ assertionMethod: [multikey] }), '#1', 'assertionMethod'), ed25519)
  })

  for (const [what, more, kid] of [
    ['a key that is there for another purpose', { authentication: ['#1'] }, '#1'],
    ['a key that is not there', { assertionMethod: ['#1'] }, '#2'],
    ['a reference that leads nowhere', { assertionMethod: ['#9'] }, '#9'],
    [
      'the key of another DID',
      { assertionMethod: [{ ...method, id: 'did:web:evil.example#1' }] },
      'did:web:evil.example#1',
    ],
    ['the only key, if there are two', { assertionMethod: ['#1', { ...method, id: '#2' }] }, null],
    [
      'a key with private members [SEC-30]',
      { assertionMethod: [{ ...method, publicKeyJwk: { ...publicJwk, d: 'AA' } }] },
      '#1',
    ],
    ['a key without a value', { assertionMethod: [{ id: '#1' }] }, '#1'],
    ['anything, if there are 65', { assertionMethod: Array<string>(65).fill('#1') }, '#1'],
    ['anything, if the list is none', { assertionMethod: '#1' }, '#1'],
  ] as const) {
    test(`${what} is not taken`, () => {
      assert.throws(() => keyFor(read(more), kid, 'assertionMethod'), { code: 'did.unresolvable' })
    })
  }

  test('nothing is read if it is about another DID', () => {
    assert.throws(() => readDidDocument({ id: 'did:web:evil.example' }, did), { code: 'did.unresolvable' })
  })

  test('[SEC-72] our own one offers each of our keys for its purpose only, and names nothing private', () => {
    const keys = [publicJwk, ed25519].map((jwk, at) => ({
      kid: thumbprint(jwk),
      publicJwk: { ...jwk, use: 'sig' },
      purpose: (['assertionMethod', 'authentication'] as const)[at] ?? 'authentication',
    }))
    const document = readDidDocument(JSON.parse(JSON.stringify(ownDidDocument(did, keys))), did)
    assert.deepEqual(keyFor(document, null, 'assertionMethod'), publicJwk)
    assert.deepEqual(keyFor(document, null, 'authentication'), ed25519)
    const other = `${did}#${thumbprint(ed25519)}`
    assert.throws(() => keyFor(document, other, 'assertionMethod'), { code: 'did.unresolvable' })
  })
})

test('garbage gives a Fault and never another error', () => {
  const piece = fc.constantFrom('did:', 'web:', 'key:z', 'jwk:', 'e30', '%3A', '#', ':', 'a', '.', '%', '1')
  const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 8 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (one) => {
      for (const read of [inlineDidDocument, didWebUrl, parseKeyUrl]) {
        try {
          read(one)
        } catch (error) {
          assert(error instanceof Fault, String(error))
        }
      }
    }),
    { numRuns: 2000 },
  )
})
