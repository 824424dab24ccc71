import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { fromBase64url, isBase64url, toBase64url } from './base64url.ts'
import { fromCompressedPoint } from './compressed-point.ts'
import { generateKeyPair, importPublicJwk, privateKeyFromPkcs8, readPublicJwk, thumbprint } from './jwk.ts'
import { softwareKey } from './signing-key.ts'

const { publicJwk, pkcs8 } = generateKeyPair()

for (const [what, jwk] of [
  ['private members [SEC-30]', { ...publicJwk, d: publicJwk.x }],
  ['an empty private member [SEC-30]', { ...publicJwk, d: '' }],
  ['a symmetric key', { kty: 'oct', k: 'AAAA' }],
  ['an RSA key', generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })],
  ['another curve', { ...publicJwk, crv: 'secp256k1' }],
  ['a type that does not fit its curve', { ...publicJwk, kty: 'OKP' }],
  ['no y', { ...publicJwk, y: undefined }],
  ['a short coordinate', { ...publicJwk, x: publicJwk.x.slice(1) }],
  ['a padded coordinate [SEC-25]', { ...publicJwk, x: `${publicJwk.x}=` }],
  ['the use enc', { ...publicJwk, use: 'enc' }],
  ['other operations', { ...publicJwk, key_ops: ['deriveKey'] }],
  ['operations that are no list', { ...publicJwk, key_ops: 'verify' }],
  ['an algorithm that the key is not for', { ...publicJwk, alg: 'EdDSA' }],
  ['an algorithm for encryption', { ...publicJwk, alg: 'ECDH-ES' }],
  ['no object', 'key'],
  ['null', null],
] as const) {
  test(`a JWK is refused for ${what}`, () => assert.throws(() => readPublicJwk(jwk), { code: 'key.unsupported' }))
}

test('a JWK that says to be for signatures of its kind is read', () => {
  const said = { use: 'sig', key_ops: ['verify'], alg: 'ES256' }
  assert.deepEqual(readPublicJwk({ ...publicJwk, ...said }), publicJwk)
})

test('a point beside the curve is refused at import [SEC-26]', () => {
  const off = readPublicJwk({ ...publicJwk, y: publicJwk.x })
  assert.throws(() => importPublicJwk(off), { code: 'key.unsupported' })
})

test('members that we do not know are dropped, so that they are never repeated to others', () => {
  assert.deepEqual(readPublicJwk({ ...publicJwk, x5u: 'https://evil.example', kid: 'a' }), { ...publicJwk, kid: 'a' })
})

test('the thumbprint of RFC 8037, A.3', () => {
  const jwk = readPublicJwk({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' })
  assert.equal(thumbprint({ ...jwk, kid: 'any name' }), 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
})

test('a key comes back from PKCS #8 as the same key', () => {
  assert.equal(softwareKey(privateKeyFromPkcs8(pkcs8)).kid, thumbprint(publicJwk))
})

test('a compressed point is the same point', () => {
  for (let round = 0; round < 20; round++) {
    const one = generateKeyPair().publicJwk
    const [x, y] = [fromBase64url(one.x), fromBase64url(one.y)]
    assert.deepEqual(fromCompressedPoint(Buffer.concat([Buffer.of((y.at(-1) ?? 0) % 2 === 0 ? 2 : 3), x])), one)
  }
  assert.throws(() => fromCompressedPoint(Buffer.alloc(33, 2).fill(0xff, 1)), { code: 'key.unsupported' })
})

test('base64url is read only as it would be written [SEC-25]', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 6 }), fc.base64String({ maxLength: 8 })), (text) => {
      assert.equal(isBase64url(text), Buffer.from(text, 'base64url').toString('base64url') === text)
    }),
    { numRuns: 3000 },
  )
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => assert.deepEqual(new Uint8Array(fromBase64url(toBase64url(bytes))), bytes)),
  )
  assert.throws(() => fromBase64url('a'), { code: 'encoding.invalid' })
})
