import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { decodeCbor, decodeEmbedded, splitCborMap } from './decode.ts'
import { embed, encodeCbor } from './encode.ts'
import { cborLimits, newBudget } from './reader.ts'
import { type Cbor, tagged } from './value.ts'

const malformed = { code: 'cbor.malformed' }
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const read = (text: string) => decodeCbor(hex(text))

/** RFC 8949, Appendix A, as far as its tags and simple values are ours. */
const published: readonly (readonly [string, Cbor])[] = [
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['1bffffffffffffffff', 18446744073709551615n],
  ['3bffffffffffffffff', -18446744073709551616n],
  ['20', -1],
  ['3903e7', -1000],
  ['fb3ff199999999999a', { float: 1.1 }],
  ['fb7e37e43c8800759c', { float: 1e300 }],
  ['fb7ff0000000000000', { float: Number.POSITIVE_INFINITY }],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['f7', undefined],
  ['40', hex('')],
  ['4401020304', hex('01020304')],
  ['60', ''],
  ['6449455446', 'IETF'],
  ['62225c', '"\\'],
  ['62c3bc', '\u00fc'],
  ['64f0908591', '\ud800\udd51'],
  ['80', []],
  ['8301820203820405', [1, [2, 3], [4, 5]]],
  ['a0', new Map()],
  [
    'a201020304',
    new Map([
      [1, 2],
      [3, 4],
    ]),
  ],
  [
    'a26161016162820203',
    new Map<string, Cbor>([
      ['a', 1],
      ['b', [2, 3]],
    ]),
  ],
]

describe('what RFC 8949 publishes', () => {
  for (const [text, value] of published) {
    test(`${text} is read, and written back as it was (Appendix A)`, () => {
      assert.deepEqual(read(text), value)
      assert.equal(encodeCbor(value).toString('hex'), text)
    })
  }

  for (const [text, value] of [
    ['f93c00', { float: 1 }],
    ['f90001', { float: 2 ** -24 }],
    ['f9fbff', { float: -65504 }],
    ['f9fc00', { float: Number.NEGATIVE_INFINITY }],
    ['f97e00', { float: Number.NaN }],
    ['fa47c35000', { float: 100000 }],
    ['1800', 0],
    ['1b0000000000000001', 1],
    ['380a', -11],
    ['5f42010243030405ff', hex('0102030405')],
    ['7f657374726561646d696e67ff', 'streaming'],
    ['9fff', []],
    ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
    [
      'bf61610161629f0203ffff',
      new Map<string, Cbor>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
    [
      'b8020304 0102',
      new Map([
        [3, 4],
        [1, 2],
      ]),
    ],
    ['63efbfbd', '\ufffd'],
    ['63efbbbf', '\ufeff'],
  ] as readonly (readonly [string, Cbor])[]) {
    test(`${text} is read: heads, lengths and orders that we would not write`, () =>
      assert.deepEqual(read(text), value))
  }
})

for (const [what, text] of [
  ['nothing', ''],
  ['two items', '0000'],
  ['a reserved head', '1c'],
  ['an integer of indefinite length', '1f'],
  ['an integer that ends early', '1a0000'],
  ['a string that ends early', '4301'],
  ['a string of 2^63 bytes', '5b8000000000000000'],
  ['an array that says it has 2^32 elements', '9affffffff'],
  ['a map that says it has more pairs than bytes', 'a20102'],
  ['an array without its break', '9f01'],
  ['a map that breaks after a key', 'bf01ff'],
  ['a break alone', 'ff'],
  ['a break in a definite array', '82 01 ff'],
  ['a chunk of another type', '5f6161ff'],
  ['a chunk that is indefinite itself', '5f5f4101ffff'],
  ['text that is not UTF-8', '61ff'],
  ['text with a surrogate', '63eda080'],
  ['text with a character cut into two chunks', '7f61c361bcff'],
  ['a duplicate text key', 'a2616101616102'],
  ['a duplicate integer key, spelled differently', 'a201011801 02'],
  ['an integer key and a text key that JSON spells alike', 'a20101613102'],
  ['a text key and an integer key that JSON spells alike', 'a26131010102'],
  ['a negative key and a text key that JSON spells alike', 'a22001622d3102'],
  ['a duplicate key of an indefinite map', 'bf01010102ff'],
  ['a key that is a byte string', 'a1410101'],
  ['a key that is a float', 'a1f93c0001'],
  ['a key that needs 64 bits', 'a11bffffffffffffffff01'],
  ['a key named __proto__ [SEC-23]', 'a1695f5f70726f746f5f5f01'],
  ['a tag that is not ours', 'c101'],
  ['a big number', 'c249010000000000000000'],
  ['a simple value that is not ours', 'f8ff'],
  ['a simple value in the long form', 'f814'],
  ['17 arrays inside each other', `${'81'.repeat(17)}00`],
  ['17 tags inside each other', `${'c0'.repeat(17)}00`],
  ['17 arrays of indefinite length', '9f'.repeat(17)],
] as const) {
  test(`${what} is refused [SEC-41]`, () => assert.throws(() => read(text), malformed))
}

test('16 levels are read, and 50 000 items', () => {
  assert.doesNotThrow(() => read(`${'81'.repeat(cborLimits.depth)}00`))
  assert.doesNotThrow(() => decodeCbor(encodeCbor(new Array(cborLimits.items - 1).fill(0))))
  assert.throws(() => decodeCbor(encodeCbor(new Array(cborLimits.items).fill(0))), malformed)
})

test('many chunks do not get around the limits on items and on string bytes', () => {
  const many = Buffer.concat([hex('5f'), Buffer.alloc(cborLimits.items, 0x40), hex('ff')])
  assert.throws(() => decodeCbor(many), malformed)
  const chunk = encodeCbor(Buffer.alloc(cborLimits.stringBytes / 2 + 1))
  assert.throws(() => decodeCbor(Buffer.concat([hex('5f'), chunk, chunk, hex('ff')])), malformed)
  assert.throws(() => decodeCbor(encodeCbor(Buffer.alloc(cborLimits.stringBytes + 1))), malformed)
  assert.doesNotThrow(() => decodeCbor(encodeCbor(Buffer.alloc(cborLimits.stringBytes))))
})

test('what is embedded draws on the budget of the message around it', () => {
  const budget = newBudget()
  const item = decodeCbor(encodeCbor(embed([1, 2, 3])), budget)
  assert.deepEqual(decodeEmbedded(item, budget), [1, 2, 3])
  assert.equal(budget.itemsLeft, cborLimits.items - 6)
  assert.throws(() => decodeEmbedded(tagged(24, 'text'), budget), malformed)
  assert.throws(() => decodeEmbedded(Buffer.from('00'), budget), malformed)
})

test('a tagged item keeps the bytes that it came in, and is written back as them [MD-1]', () => {
  // tag 24 with a head of 3 bytes, a byte string with a head of 5, an integer that takes 2
  const odd = 'd90018 5a00000002 1801'
  const item = read(`81${odd}`)
  assert.equal(encodeCbor(item).toString('hex'), `81${odd.replaceAll(' ', '')}`)
})

test('the members of a map can be had as the bytes that encode them', () => {
  const members = splitCborMap(hex('a2 6161 1801 02 9f00ff'))
  assert.deepEqual(
    [...members],
    [
      ['a', hex('1801')],
      [2, hex('9f00ff')],
    ],
  )
  for (const wrong of ['80', 'a2616101616102', 'a0 00']) assert.throws(() => splitCborMap(hex(wrong)), malformed)
})

test('maps are written with their keys in the order of their bytes', () => {
  const map = new Map<number | string, Cbor>([
    ['b', 1],
    [-1, 1],
    ['aa', 1],
    [100, 1],
    ['a', 1],
    [1, 1],
  ])
  assert.equal(encodeCbor(map).toString('hex'), 'a60101186401200161610161620162616101')
})

for (const value of [0.5, Number.NaN, 2 ** 53, 2n ** 64n, '\ud800']) {
  test(`${String(value)} is not written`, () => assert.throws(() => encodeCbor(value), malformed))
}

// The reader refuses a map with that key.
const keyText = fc.string().filter((text) => text !== '__proto__')
const anyCbor = fc.letrec<{ item: Cbor }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 4 },
    fc.maxSafeInteger(),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
    fc.bigInt({ min: -(2n ** 64n), max: -(2n ** 53n) }),
    fc.string({ unit: 'grapheme' }),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.double({ noNaN: true }).map((float) => ({ float })),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.array(tie('item'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.oneof(keyText, fc.integer()), tie('item')), { maxLength: 4 }).map((one) => new Map(one)),
  ),
})).item

test('whatever is written is read back', () => {
  fc.assert(fc.property(anyCbor, (value) => assert.deepEqual(decodeCbor(encodeCbor(value)), value)))
})

test('whatever comes, it is read or refused, and what is read can be written', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.tuple(anyCbor, fc.nat(), fc.nat(255)).map(([value, at, byte]) => {
      const written = encodeCbor(value)
      written[at % written.length] = byte
      return written
    }),
  )
  fc.assert(
    fc.property(bytes, (one) => {
      try {
        encodeCbor(decodeCbor(one))
      } catch (error) {
        assert(error instanceof Fault && error.code === 'cbor.malformed', String(error))
      }
    }),
    { numRuns: 2000 },
  )
})
