import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuTimer } from '../../test/support/cpu-time.ts'
import { fc } from '../../test/support/fast-check.ts'
import { Fault } from '../fault.ts'
import { JSON_VALUES_MAX, memberOf, parseJson, parseJsonInPieces, sortedJson, sortedJsonInPieces } from './json.ts'

const value = fc.jsonValue({ maxDepth: 6 }).filter((one) => !JSON.stringify(one).includes('"__proto__"'))

test('whatever JSON.stringify writes is read back the same', () => {
  fc.assert(
    fc.property(value, (one) => assert.deepEqual(parseJson(JSON.stringify(one)), JSON.parse(JSON.stringify(one)))),
  )
})

test('a text is read the same in pieces, and refused for the same reason', async () => {
  const items = Array.from({ length: 25_000 }, (_, at) => ({ at, of: [{}, [], 'a'] }))
  const limits = { valuesMax: 1_000_000 }
  const text = JSON.stringify({ items, end: null })
  assert.deepEqual(await parseJsonInPieces(Buffer.from(text), limits), JSON.parse(text))
  for (const wrong of [`${text}]`, text.slice(0, -1), text.replace('"end"', '"items"'), text.replace('null', 'nul')]) {
    const refusal = { code: 'json.malformed' }
    assert.throws(() => parseJson(wrong, limits), refusal)
    await assert.rejects(parseJsonInPieces(Buffer.from(wrong), limits), refusal)
  }
  await assert.rejects(parseJsonInPieces(Buffer.from(text), { valuesMax: 99_999 }), { code: 'json.malformed' })
})

test('equal values are equal texts also in pieces, others are not', async () => {
  await fc.assert(
    fc.asyncProperty(value, value, async (one, other) => {
      const [first, second] = [parseJson(JSON.stringify(one)), parseJson(JSON.stringify(other))]
      const texts = [await sortedJsonInPieces(first), await sortedJsonInPieces(second)]
      assert.deepEqual(JSON.parse(texts[0] ?? ''), first)
      assert.equal(texts[0] === texts[1], sortedJson(first) === sortedJson(second))
    }),
  )
})

test('a name is found twice however it is spelt [SEC-24]', () => {
  const spelt = (name: string, escaped: boolean) =>
    escaped
      ? `"${[...name].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(name)
  const name = fc.string({ unit: 'grapheme-ascii' })
  fc.assert(
    fc.property(name, fc.boolean(), fc.boolean(), (text, one, other) => {
      assert.throws(() => parseJson(`{${spelt(text, one)}:1,${spelt(text, other)}:{}}`), { code: 'json.malformed' })
    }),
  )
})

for (const text of ['1e400', '[-1e400]', '{"a":{"b":1e400}}', `{"a":${'9'.repeat(400)}}`, '{"\\u0061":1e400}']) {
  test(`a number beyond the range of a double is refused instead of becoming infinite: ${text.slice(0, 20)}`, () => {
    assert.throws(() => parseJson(text), { code: 'json.malformed' })
  })
}

test('with exact integers, a number that is no integer and beyond the range of a double is refused', () => {
  assert.throws(() => parseJson('[1e400,9007199254740993]', { exactIntegers: true }), { code: 'json.malformed' })
})

test('an inherited member is not in the JSON', () => {
  assert.equal(memberOf({}, 'constructor'), undefined)
})

test('a deep text is refused without exhausting the stack [SEC-41]', () => {
  assert.throws(() => parseJson('['.repeat(200_000) + ']'.repeat(200_000)), { code: 'json.malformed' })
  assert.throws(() => parseJson(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`), { code: 'json.malformed' })
})

test('a run of backslashes costs no more than its length', () => {
  const text = JSON.stringify({ a: '\\'.repeat(200_000), b: '"'.repeat(200_000) })
  const spent = cpuTimer()
  parseJson(text)
  assert(spent() < 1000)
})

test('what the engine reads is read the same where no name is escaped', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1, '\t'), (one, indent) => {
      const text = JSON.stringify(one, null, indent)
      assert.deepEqual(parseJson(text), JSON.parse(text))
    }),
  )
})

const broken = fc
  .tuple(value, fc.nat(), fc.constantFrom(...'{}[]:,"\\0-.eu \n\u00a0', ''))
  .map(([one, place, piece]) => {
    const text = JSON.stringify(one)
    const at = place % (text.length + 1)
    return text.slice(0, at) + piece + text.slice(at + 1)
  })

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('what the engine refuses is refused', () => {
  fc.assert(
    fc.property(broken, (text) => {
      fc.pre(!isJson(text))
      assert.throws(() => parseJson(text))
    }),
    { numRuns: 2000 },
  )
})

for (const [what, piece] of [
  ['numbers', '1'],
  ['empty arrays', '[]'],
  ['empty objects', '{ }'],
  ['texts with brackets and commas', '"[,{"'],
] as const) {
  test(`${JSON_VALUES_MAX} values are read and one more is refused: ${what} [SEC-41]`, () => {
    const text = (count: number) => `[${Array(count).fill(piece).join(',')}]`
    parseJson(text(JSON_VALUES_MAX - 1))
    assert.throws(() => parseJson(text(JSON_VALUES_MAX)), { code: 'json.malformed' })
  })
}

test('members count as values; what one object may hold, many may not', () => {
  const members = (count: number) => Array.from({ length: count }, (_, i) => `"n${i}":0`).join(',')
  parseJson(`{${members(JSON_VALUES_MAX - 1)}}`)
  assert.throws(() => parseJson(`{${members(JSON_VALUES_MAX)}}`), { code: 'json.malformed' })
})

test('values are counted before anything is parsed', () => {
  const text = `[${'{},'.repeat(JSON_VALUES_MAX)} no JSON`
  assert.throws(() => parseJson(text), { detail: `The JSON holds more than ${JSON_VALUES_MAX} values.` })
})

test('garbage gives a Fault and never another error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.uint8Array()), (text) => {
      try {
        parseJson(text)
      } catch (error) {
        assert(error instanceof Fault)
      }
    }),
  )
})
