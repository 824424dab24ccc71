import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cborTags, tagged } from '../cbor/value.ts'
import { tdateOf } from './shape.ts'

const read = (text: string) => tdateOf(tagged(cborTags.dateTime, text), 'signed')

test('a time of an mdoc is read with fractions and offsets', () => {
  assert.equal(read('2024-02-29T23:59:59.5+01:00').toISOString(), '2024-02-29T22:59:59.500Z')
})

for (const text of [
  '2024-02-30T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '2024-04-31T12:00:00+02:00',
  '2024-13-01T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T23:59:60Z',
  '2024-01-01',
  '2024-01-01T00:00:00',
]) {
  test(`${text} is not on the calendar or no time`, () => assert.throws(() => read(text), { code: 'mdoc.malformed' }))
}
