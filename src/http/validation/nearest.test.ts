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

test('a name of any length is compared in bounded time', () => {
  assert.equal(nearestOf('n'.repeat(1_000_000), known), null)
})
