import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTagOf, isUnchanged } from './entity-tag.ts'

const tag = entityTagOf('content')

test('the tag of a representation is quoted and changes with its content', () => {
  assert.match(tag, /^"[\w-]{22}"$/)
  assert.notEqual(entityTagOf('other'), tag)
})

for (const [name, header, expected] of [
  ['no header', undefined, false],
  ['the tag', tag, true],
  ['the weak form of the tag', `W/${tag}`, true],
  ['a list with the tag', `"other", W/${tag}`, true],
  ['another tag', '"other"', false],
  ['a tag without its quotes', tag.slice(1, -1), false],
  ['an asterisk', ' * ', true],
] as const) {
  test(`If-None-Match with ${name} is ${expected ? '' : 'not '}unchanged`, () => {
    assert.equal(isUnchanged(header, tag), expected)
  })
}
