import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTagAmong } from './entity-tag.ts'

for (const [header, isAmong] of [
  ['"a"', true],
  ['W/"a"', true],
  ['"b", W/"a"', true],
  [' * ', true],
  ['"b"', false],
  ['a', false],
  ['', false],
  [undefined, false],
] as const) {
  test(`If-None-Match ${header} ${isAmong ? 'names' : 'does not name'} the tag "a" (RFC 9110, 13.1.2)`, () => {
    assert.equal(isTagAmong(header, '"a"'), isAmong)
  })
}
