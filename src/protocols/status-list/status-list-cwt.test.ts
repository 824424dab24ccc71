import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { fc } from '../../../test/support/fast-check.ts'
import { generateKeyPair, readPublicJwk } from '../../crypto/jwk.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { decodeCbor } from '../cbor/decode.ts'
import { encodeCbor } from '../cbor/encode.ts'
import { type Cbor, isBytes, isCborMap, tagged } from '../cbor/value.ts'
import { sign1 } from '../cose/sign1.ts'
import { emptyStatusList, inflateList, setStatus, statusOfEntry } from './packed-list.ts'
import { buildStatusListCwt, parseStatusListCwt, verifyStatusListCwt } from './status-list-cwt.ts'

const file = new URL('../../../test/vectors/data/token-status-list/vectors.json', import.meta.url)
const published = JSON.parse(readFileSync(file, 'utf8'))
const noon = new Date('2026-11-20T12:00:00Z')
const iat = noon.getTime() / 1000
const uri = 'https://issuer.example/status/1'
const key = softwareKey(generateKeyPair().privateKey)
const list = emptyStatusList(1, 1000)
setStatus(list, 7, 1)
const ask = { uri, list, ttlSeconds: 300, lifetimeSeconds: 86_400, header: { x5chain: [Buffer.from('leaf')] } }
const invalid = { code: 'status_list.invalid' }
const verify = (token: Uint8Array, more: object = {}) =>
  verifyStatusListCwt(parseStatusListCwt(token), key.publicJwk, { uri, ...more }, noon)

for (const { id, bits, cborHex, expected } of published.vectors) {
  test(`the published CBOR list ${id} decodes at every index that it states [TS-1]`, () => {
    const map = decodeCbor(Buffer.from(cborHex, 'hex'))
    assert(isCborMap(map))
    const lst = map.get('lst')
    assert(map.get('bits') === bits && isBytes(lst))
    const read = inflateList(bits, lst)
    for (const [index, status] of Object.entries(expected)) assert.equal(statusOfEntry(read, Number(index)), status)
  })
}

test('the published CWT is verified, and says what the published JWT says', () => {
  const { kty, crv, x, y } = published.signingKey
  const token = parseStatusListCwt(Buffer.from(published.statusListTokenCwtHex, 'hex'))
  const expected = { uri: 'https://example.com/statuslists/1' }
  const read = verifyStatusListCwt(token, readPublicJwk({ kty, crv, x, y }), expected, new Date(1_686_920_170_000))
  assert.equal(token.kid, '12')
  assert.deepEqual([read.bits, read.ttlSeconds, read.expiresAt?.getTime()], [1, 43_200, 2_291_720_170_000])
  assert.deepEqual(Buffer.from(read.packed).toString('hex'), 'b9a3')
})

describe('a CWT that we build', () => {
  test('is verified and read, also by the rules for mdocs [MD-10]', async () => {
    const read = verify(await buildStatusListCwt(ask, key, noon), { isForMdoc: true })
    assert.deepEqual([statusOfEntry(read, 7), statusOfEntry(read, 8), read.ttlSeconds], [1, 0, 300])
    assert.equal(read.expiresAt?.getTime(), noon.getTime() + 86_400_000)
  })

  test('is tagged 18, has its type and its chain in the protected header, and a kid in the other [TS-10]', async () => {
    const built = await buildStatusListCwt(ask, key, noon)
    const token = parseStatusListCwt(built)
    assert.equal(built[0], 0xd2)
    assert.deepEqual([...token.sign1.protectedHeader.keys()], [1, 16, 33])
    assert.deepEqual(token.x5chain, ask.header.x5chain)
    const named = parseStatusListCwt(await buildStatusListCwt({ ...ask, header: { kid: 'k-1' } }, key, noon))
    assert.deepEqual([named.kid, named.x5chain, [...named.sign1.protectedHeader.keys()]], ['k-1', [], [1, 16]])
  })

  test('with two bits is verified, but not for an mdoc [MD-10]', async () => {
    const wide = emptyStatusList(2, 100)
    setStatus(wide, 3, 2)
    const built = await buildStatusListCwt({ ...ask, list: wide }, key, noon)
    assert.equal(statusOfEntry(verify(built), 3), 2)
    assert.throws(() => verify(built, { isForMdoc: true }), invalid)
  })
})

const lst = deflateSync(Buffer.alloc(10))
const goodClaims: readonly (readonly [number, Cbor])[] = [
  [2, uri],
  [6, iat],
  [4, iat + 60],
  [65_534, 60],
  [65_533, new Map<string, Cbor>(Object.entries({ bits: 1, lst }))],
]
const typ: readonly (readonly [number, Cbor])[] = [[16, 'application/statuslist+cwt']]

async function forged(
  change: readonly (readonly [number, Cbor])[] = [],
  header = typ,
  isTagged = true,
): Promise<Buffer> {
  const claims = new Map([...new Map([...goodClaims, ...change])].filter(([, value]) => value !== undefined))
  return encodeCbor(await sign1({ payload: encodeCbor(claims), protectedHeader: new Map(header), isTagged }, key))
}

test('a CWT as it should be is verified, its type in any case', async () => {
  assert.equal(verify(await forged()).bits, 1)
  assert.equal(verify(await forged([], [[16, 'Application/StatusList+CWT']])).bits, 1)
})

const bitsAnd = (members: object): readonly (readonly [number, Cbor])[] => [[65_533, new Map(Object.entries(members))]]
for (const [what, token] of [
  ['for another URI', await forged([[2, `${uri}0`]])],
  ['without sub', await forged([[2, undefined]])],
  ['without iat', await forged([[6, undefined]])],
  ['from the future', await forged([[6, iat + 61]])],
  ['with an iat that is a float', await forged([[6, { float: iat }]])],
  ['that has expired', await forged([[4, iat - 60]])],
  ['with a ttl of 0', await forged([[65_534, 0]])],
  ['without a list', await forged([[65_533, undefined]])],
  ['with 3 bits', await forged(bitsAnd({ bits: 3, lst }))],
  ['with a list in base64url', await forged(bitsAnd({ bits: 1, lst: lst.toString('base64url') }))],
  ['with a list that does not inflate', await forged(bitsAnd({ bits: 1, lst: Buffer.from('no') }))],
  ['without a type [SEC-21]', await forged([], [])],
  ['of another type [SEC-21]', await forged([], [[16, 'application/cwt']])],
  ['without a tag (7.2)', await forged([], typ, false)],
  ['with the tag of a CWT (7.2)', encodeCbor(tagged(61, { encoded: await forged() }))],
  [
    'whose claims are a list',
    encodeCbor(await sign1({ payload: encodeCbor([]), protectedHeader: new Map(typ), isTagged: true }, key)),
  ],
  ['that is no CBOR', Buffer.from('token')],
] as const) {
  test(`a CWT ${what} is refused`, () => assert.throws(() => verify(token), invalid))
}

test('a CWT by another key, by an algorithm that is not allowed, or without an end for an mdoc, is refused', async () => {
  const other = generateKeyPair().publicJwk
  await assert.rejects(async () => verifyStatusListCwt(parseStatusListCwt(await forged()), other, { uri }, noon), {
    code: 'status_list.untrusted',
  })
  await assert.rejects(async () => verify(await forged(), { algs: [-8] }), invalid)
  await assert.rejects(async () => verify(await forged([[4, undefined]]), { isForMdoc: true }), invalid)
})

const refusals = ['status_list.invalid', 'status_list.untrusted']
test('whatever comes as a CWT, it is verified or refused', async () => {
  const built = await buildStatusListCwt(ask, key, noon)
  const spoilt = fc.tuple(fc.nat(built.length - 1), fc.nat(255)).map(([at, byte]) => {
    const bytes = Buffer.from(built)
    bytes[at] = byte
    return bytes
  })
  fc.assert(
    fc.property(fc.oneof(spoilt, fc.uint8Array()), (token) => {
      try {
        verify(token)
      } catch (error) {
        assert(error instanceof Fault && refusals.includes(error.code), String(error))
      }
    }),
    { numRuns: 500 },
  )
})
