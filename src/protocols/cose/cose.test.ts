import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { toBase64url } from '../../crypto/base64url.ts'
import { type PublicJwk, thumbprint } from '../../crypto/jwk.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { decodeCbor } from '../cbor/decode.ts'
import { encodeCbor } from '../cbor/encode.ts'
import { type Cbor, type CborMap, isCborMap } from '../cbor/value.ts'
import { readCoseKey, toCoseKey } from './cose-key.ts'
import { findSign1Error, headerLabels, readSign1, type Sign1Draft, sign1 } from './sign1.ts'
import { toX5chain, x5chainOf } from './x5chain.ts'

const p256 = softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
const ed25519 = softwareKey(generateKeyPairSync('ed25519').privateKey)
const payload = Buffer.from('what was meant')
const keys = [
  ['ES256', p256, -7, -9],
  ['EdDSA', ed25519, -8, -19],
] as const

const sent = async (draft: Partial<Sign1Draft>, key = p256) =>
  readSign1(decodeCbor(encodeCbor(await sign1({ payload, ...draft }, key))))
const codeOf = (...ask: Parameters<typeof findSign1Error>) => findSign1Error(...ask)?.code

/** A COSE_Sign1 with any header, signed as if it were right. */
async function forged(protectedHeader: CborMap, key = p256, unprotectedHeader: CborMap = new Map()) {
  const bytes = encodeCbor(protectedHeader)
  const signature = await key.sign(encodeCbor(['Signature1', bytes, new Uint8Array(), payload]))
  return readSign1([bytes, unprotectedHeader, payload, signature])
}

describe('a COSE_Sign1', () => {
  for (const [name, key, alg, named] of keys) {
    test(`with ${name} is verified, attached and detached, tagged and not; the algorithm stands in the protected header [MD-4]`, async () => {
      for (const isTagged of [true, false]) {
        const attached = await sent({ isTagged }, key)
        assert.deepEqual([attached.isTagged, attached.protectedHeader.get(1)], [isTagged, alg])
        assert.equal(findSign1Error(attached, key.publicJwk), null)
        const detached = await sent({ isTagged, isDetached: true }, key)
        assert.deepEqual(
          [detached.payload, findSign1Error(detached, key.publicJwk, { detached: payload })],
          [null, null],
        )
      }
    })

    test(`with ${name} under the name of RFC 9864, ${named}, is verified`, async () => {
      assert.equal(findSign1Error(await forged(new Map([[1, named]]), key), key.publicJwk), null)
    })
  }

  test('is not verified by the key of another algorithm, whatever its header says [SEC-20]', async () => {
    for (const alg of [-7, -9])
      assert.equal(codeOf(await forged(new Map([[1, alg]]), ed25519), ed25519.publicJwk), 'key')
    for (const alg of [-8, -19]) assert.equal(codeOf(await forged(new Map([[1, alg]])), p256.publicJwk), 'key')
  })

  test('is not verified by a P-384 key, nor with an algorithm that this use does not allow', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    assert.equal(codeOf(await sent({}), publicKey), 'key')
    assert.equal(codeOf(await sent({}), p256.publicJwk, { algs: [-9] }), 'algorithm')
  })

  for (const [what, header] of [
    ['none', new Map()],
    ['a MAC', new Map([[1, 5]])],
    ['ES384', new Map([[1, -35]])],
    ['a text', new Map([[1, 'ES256']])],
    ['a float that equals -7', new Map([[1, { float: -7 }]])],
  ] as const) {
    test(`with ${what} for an algorithm is refused [SEC-20]`, async () => {
      assert.equal(codeOf(await forged(header), p256.publicJwk), 'algorithm')
    })
  }

  test('with its algorithm in the unprotected header is refused [MD-4]', async () => {
    assert.equal(codeOf(await forged(new Map(), p256, new Map([[1, -7]])), p256.publicJwk), 'algorithm')
  })
})

describe('a COSE_Sign1', () => {
  test('that demands an extension is refused, in either header (RFC 9052 3.1)', async () => {
    const crit = new Map<number, Cbor>([[headerLabels.crit, [1]]])
    assert.equal(codeOf(await sent({ protectedHeader: crit }), p256.publicJwk), 'crit')
    assert.equal(codeOf(await sent({ unprotectedHeader: crit }), p256.publicJwk), 'crit')
  })

  test('that carries a payload is not verified as a detached one, nor the other way round', async () => {
    assert.equal(codeOf(await sent({}), p256.publicJwk, { detached: payload }), 'payload')
    assert.equal(codeOf(await sent({ isDetached: true }), p256.publicJwk), 'payload')
  })

  test('over another payload, with another header, over external data or with a DER signature is refused [SEC-26] [MD-5]', async () => {
    const good = await sent({})
    assert.equal(codeOf({ ...good, payload: Buffer.from('other') }, p256.publicJwk), 'signature')
    assert.equal(codeOf({ ...good, protectedBytes: encodeCbor(new Map([[1, -9]])) }, p256.publicJwk), 'signature')
    assert.equal(codeOf({ ...good, signature: Buffer.alloc(71, 1) }, p256.publicJwk), 'signature')
    const external = encodeCbor(['Signature1', good.protectedBytes, Buffer.from('external'), payload])
    assert.equal(codeOf({ ...good, signature: await p256.sign(external) }, p256.publicJwk), 'signature')
    assert.equal(codeOf({ ...good, signature: Buffer.alloc(64) }, p256.publicJwk), 'signature')
  })

  const header = encodeCbor(new Map([[1, -7]]))
  for (const [what, item] of [
    ['a map', new Map()],
    ['three parts', [header, new Map(), payload]],
    ['a protected header that is no string', [new Map(), new Map(), payload, payload]],
    ['a protected header that holds no map', [encodeCbor([]), new Map(), payload, payload]],
    ['an unprotected header that is no map', [header, [], payload, payload]],
    ['a payload that is a text', [header, new Map(), 'text', payload]],
    ['no signature', [header, new Map(), payload, null]],
    ['a label in both headers (RFC 9052 3)', [header, new Map([[1, -7]]), payload, payload]],
  ] as readonly (readonly [string, Cbor])[]) {
    test(`made of ${what} is malformed`, () => assert.throws(() => readSign1(item), { code: 'cose.malformed' }))
  }

  test('with a protected header of two items is malformed', () => {
    const parts = [Buffer.concat([header, header]), new Map(), payload, payload]
    assert.throws(() => readSign1(parts), { code: 'cbor.malformed' })
  })
})

describe('x5chain', () => {
  const certificates = [Buffer.from('leaf'), Buffer.from('between')]

  test('is one string for one certificate and an array for several, and read from either header [MD-4]', async () => {
    for (const count of [1, 2]) {
      const chain = certificates.slice(0, count)
      const more = new Map([[headerLabels.x5chain, toX5chain(chain)]])
      for (const place of ['protectedHeader', 'unprotectedHeader'] as const) {
        assert.deepEqual(x5chainOf(await sent({ [place]: more })), chain)
        assert.equal(Buffer.isBuffer((await sent({ [place]: more }))[place].get(33)), count === 1)
      }
    }
    assert.deepEqual(x5chainOf(await sent({})), [])
  })

  for (const value of ['text', [], ['text'], new Array(6).fill(payload)] as readonly Cbor[]) {
    test(`of ${JSON.stringify(value).slice(0, 30)} is malformed [SEC-27]`, async () => {
      const read = await sent({ unprotectedHeader: new Map([[headerLabels.x5chain, value]]) })
      assert.throws(() => x5chainOf(read), { code: 'cose.malformed' })
    })
  }
})

describe('a COSE_Key', () => {
  const change = (jwk: PublicJwk, entries: readonly (readonly [number, Cbor])[]) =>
    new Map([...toCoseKey(jwk), ...entries])

  for (const [name, { publicJwk }] of keys) {
    test(`of ${name} says what its JWK says, and has no other members [MD-6]`, () => {
      const key = decodeCbor(encodeCbor(toCoseKey({ ...publicJwk, kid: 'k' })))
      assert(isCborMap(key))
      assert.deepEqual([...key.keys()].sort(), publicJwk.kty === 'EC' ? [-1, -2, -3, 1] : [-1, -2, 1])
      assert.equal(thumbprint(readCoseKey(key)), thumbprint(publicJwk))
    })
  }

  test('may have its y as one bit, may name its algorithm and may have members that we do not know', () => {
    const odd = p256.publicJwk.kty === 'EC' && (Buffer.from(p256.publicJwk.y, 'base64url').at(-1) ?? 0) % 2 === 1
    const key = readCoseKey(
      change(p256.publicJwk, [
        [-3, odd],
        [3, -9],
        [2, Buffer.from('kid')],
      ]),
    )
    assert.equal(thumbprint(key), thumbprint(p256.publicJwk))
  })

  const { publicJwk } = p256
  for (const [what, value] of [
    ['no map', []],
    ['a private part [SEC-30]', change(publicJwk, [[-4, Buffer.alloc(32, 1)]])],
    ['another algorithm', change(publicJwk, [[3, -8]])],
    ['operations without verify', change(publicJwk, [[4, [1]]])],
    ['operations that are no list', change(publicJwk, [[4, 2]])],
    ['another curve', change(publicJwk, [[-1, 2]])],
    ['another type', change(publicJwk, [[1, 3]])],
    ['a point that is on no curve', change(publicJwk, [[-3, Buffer.alloc(32, 1)]])],
    ['a coordinate that is too short', change(publicJwk, [[-2, Buffer.alloc(31, 1)]])],
    ['a coordinate that is a text', change(publicJwk, [[-2, toBase64url(Buffer.alloc(32))]])],
    ['no y', new Map([...toCoseKey(publicJwk)].filter(([label]) => label !== -3))],
    [
      'an x for which there is no y',
      change(publicJwk, [
        [-2, Buffer.alloc(32, 0xff)],
        [-3, true],
      ]),
    ],
  ] as readonly (readonly [string, Cbor])[]) {
    test(`with ${what} is refused`, () => assert.throws(() => readCoseKey(value), { code: 'key.unsupported' }))
  }
})
