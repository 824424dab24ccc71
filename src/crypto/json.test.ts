import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '../fault.ts'
import { memberOf, parseJson } from './json.ts'

test('whatever JSON.stringify writes is read back the same', () => {
  const value = fc.jsonValue({ maxDepth: 6 }).filter((one) => !JSON.stringify(one).includes('"__proto__"'))
  fc.assert(
    fc.property(value, (one) => assert.deepEqual(parseJson(JSON.stringify(one)), JSON.parse(JSON.stringify(one)))),
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

test('an inherited member is not in the JSON', () => {
  assert.equal(memberOf({}, 'constructor'), undefined)
})

test('a deep text is refused without exhausting the stack [SEC-41]', () => {
  assert.throws(() => parseJson('['.repeat(200_000) + ']'.repeat(200_000)), { code: 'json.malformed' })
  assert.throws(() => parseJson(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`), { code: 'json.malformed' })
})

test('a run of backslashes costs no more than its length', () => {
  const text = JSON.stringify({ a: '\\'.repeat(200_000), b: '"'.repeat(200_000) })
  const started = performance.now()
  parseJson(text)
  assert(performance.now() - started < 1000)
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
