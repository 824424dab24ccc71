// Values of cards on a page: whole, whatever they are, in time proportional to their length.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../crypto/json.ts'
import { linesOf, shownPath } from './claims.ts'
import { shownValue, valueText } from './values.ts'

/** What a person reads once everything is opened. */
const readable = (value: Json, showing?: 'folded' | 'open' | 'printed') =>
  shownValue(value, 'en', showing)
    .text.replaceAll(/<[^>]+>/g, '|')
    .replaceAll(/\|+/g, '|')

test('a long text is there to its end, folded away and opened without a script', () => {
  const text = `${'Lorem ipsum '.repeat(400)}the end`
  const shown = shownValue(text, 'en').text
  assert.match(shown, /<details><summary>All 4,807 characters<\/summary><p class="whole">Lorem[^<]+the end<\/p>/)
  assert.ok(!shownValue(text, 'en', 'open').text.includes('<details'))
  const data = 'A'.repeat(5000)
  assert.ok(readable(data).includes(`|Data of 5,000 characters|All 5,000 characters|${data}|`))
  assert.match(readable(data, 'printed'), /The beginning only. The file has all 5,000 characters/)
  assert.ok(!readable(data, 'printed').includes(data))
})

test('nested values keep their keys and all their entries', () => {
  const privileges = [
    { vehicle_category_code: 'B', codes: [{ code: '78', sign: '<=' }] },
    { vehicle_category_code: 'AM' },
  ]
  assert.equal(readable(privileges), '|Vehicle category code|B|Codes|Code|78|Sign|&#60;=|Vehicle category code|AM|')
  const labels = [{ path: '["a",null,"codes",null,"sign"]', name: 'Comparison' }]
  const named = shownValue(privileges, 'en', 'folded', { labels, path: '["a"]' })
  assert.match(named.text, /<dt>Code<\/dt><dd>78<\/dd><\/div><div><dt>Comparison<\/dt>/)
  const many = Array.from({ length: 57 }, (_, n) => ({ n }))
  const shown = shownValue(many, 'en').text
  assert.match(shown, /<summary>37 more<\/summary>/)
  assert.equal(shown.match(/<li>/g)?.length, 57)
  assert.equal(readable(['ZA', 'LS', true]), 'ZA, LS, Yes')
  assert.deepEqual(
    [[], {}, null, ''].map((one) => readable(one)),
    ['–', '–', '–', '–'],
  )
})

test('a text that nobody can see is said to be there; one that turns the text beside it does not', () => {
  assert.equal(readable('\u200b'.repeat(5000)), '5,000 characters that cannot be seen')
  assert.equal(readable('\u202eevil'), 'evil')
  assert.equal(readable('<b>bold</b>'), '&#60;b&#62;bold&#60;/b&#62;')
  assert.ok(readable(`${'\u200b'.repeat(5000)}hidden`).endsWith('|hidden|'))
})

test('a name that is too long for a name is there to its end', () => {
  const name = `${'secret '.repeat(30)}end`
  assert.ok(shownPath([], JSON.stringify(['a', name]), 'en').text.includes('secret end'))
  assert.match(shownPath([], JSON.stringify(['family_name']), 'en').text, /^Family name$/)
  assert.ok(readable([{ [name]: 1 }]).includes('secret end'))
})

test('the short text of a value says where it goes on', () => {
  assert.equal(valueText(Array(40).fill(1), 'en'), `${Array(20).fill(1).join(', ')} …`)
  const { lines, more } = linesOf({ a: 1, b: { c: [] }, d: {} }, [], 2)
  assert.deepEqual([lines.map(({ path }) => path), more], [['["a"]', '["b","c"]'], 1])
})

test('hostile values are shown in time that grows with their length', () => {
  const deep = (levels: number): Json => (levels === 0 ? 'x'.repeat(1000) : [deep(levels - 1)])
  const hostile: readonly Json[] = [
    'a'.repeat(200_000),
    '\u202e'.repeat(200_000),
    'a\u0301'.repeat(100_000),
    '<'.repeat(200_000),
    ' \u200d'.repeat(100_000),
    Array.from({ length: 20_000 }, (_, n) => n),
    Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`n${n}`, '\u202e'])),
    { ['k'.repeat(200_000)]: Array(1000).fill('v') },
    deep(31),
  ]
  for (const value of hostile) {
    const start = performance.now()
    const { text } = shownValue(value, 'en')
    const took = performance.now() - start
    assert.ok(took < 2000, `${JSON.stringify(value).slice(0, 30)}: ${took} ms`)
    assert.ok(text.length < 60 * JSON.stringify(value).length + 1000, JSON.stringify(value).slice(0, 30))
  }
})

test('a number has the decimal sign of the language and all its digits, and none between thousands', () => {
  const shown = [1.3, 2026, 1234567.25, -0.1, 1e-7].map((one) => valueText(one, 'de'))
  assert.deepEqual(shown, ['1,3', '2026', '1234567,25', '-0,1', '0,0000001'])
  assert.deepEqual([valueText(1.3, 'en'), valueText(1.3, 'fr')], ['1.3', '1,3'])
})
