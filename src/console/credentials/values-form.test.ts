import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf } from './values-form.ts'

test('a finding of the API stands at the field of its attribute, whatever its name is', () => {
  assert.equal(fieldOf('/attributes/address/locality'), 'value-address.locality')
  assert.equal(fieldOf('/attributes/a~1b~0'), 'value-a/b~')
  assert.equal(fieldOf('/recipient/value'), 'recipient')
  assert.equal(fieldOf('/other'), null)
})
