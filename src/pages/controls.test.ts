import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkboxes } from './controls.ts'

const choices = [{ value: 'a', text: 'A' }]

for (const [what, more, ids] of [
  ['a hint', { hint: 'Why' }, ['roles-hint']],
  ['an error', { error: 'Wrong' }, ['roles-error']],
  ['a hint and an error', { hint: 'Why', error: 'Wrong' }, ['roles-hint', 'roles-error']],
] as const) {
  test(`a group of boxes with ${what} is described by it`, () => {
    const { text } = checkboxes('roles', 'Roles', choices, [], more)
    assert.match(text, new RegExp(`<fieldset[^>]* aria-describedby="${ids.join(' ')}"`))
    for (const id of ids) assert.match(text, new RegExp(`<p [^>]*id="${id}"`))
  })
}

test('a group of boxes with nothing beside it names no description', () => {
  assert.doesNotMatch(checkboxes('roles', 'Roles', choices, []).text, /aria-describedby/)
})
