import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTagOf, isSame, isUnchanged } from './entity-tag.ts'

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

for (const [name, header, expected] of [
  ['the tag', tag, true],
  ['a list with the tag', `"other", ${tag}`, true],
  ['an asterisk', '*', true],
  ['another tag', '"other"', false],
  ['the weak form of another tag', 'W/"other"', false],
] as const) {
  test(`If-Match with ${name} is ${expected ? '' : 'not '}the same`, () => {
    assert.equal(isSame(header, tag), expected)
  })
}

for (const altered of [`W/${tag}`, tag.slice(1, -1), tag.replace(/"$/, '-gzip"'), `W/${tag.replace(/"$/, '--br"')}`]) {
  test(`If-Match with ${altered} is refused as the right tag, altered`, () => {
    assert.throws(() => isSame(altered, tag), {
      code: 'resource.changed',
      detail: /^If-Match has the right tag, but altered/,
    })
  })
}
