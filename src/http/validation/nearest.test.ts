import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestOf } from './nearest.ts'

const known = ['name', 'code', 'attributes', 'page[size]', 'credentialTemplateId']

for (const [name, meant] of [
  ['nam', 'name'],
  ['Name', 'name'],
  ['attribute', 'attributes'],
  ['pagesize', 'page[size]'],
  ['credentialTemplateID', 'credentialTemplateId'],
  ['colour', null],
  ['x', null],
  ['', null],
] as const) {
  test(`of the known names ${meant ?? 'none'} is nearest to "${name}"`, () => {
    assert.equal(nearestOf(name, known), meant)
  })
}

test('a name of more than 64 characters is compared with no known name, however near', () => {
  assert.equal(nearestOf('n'.repeat(64), ['n'.repeat(63)]), 'n'.repeat(63))
  assert.equal(nearestOf('n'.repeat(65), ['n'.repeat(64)]), null)
})
