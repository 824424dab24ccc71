import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validityOfForm } from './validity-fields.ts'
import { fieldOf } from './values-form.ts'

test('a finding of the API stands at the field of its attribute, whatever its name is', () => {
  assert.equal(fieldOf('/attributes/address/locality'), 'value-address.locality')
  assert.equal(fieldOf('/attributes/a~1b~0'), 'value-a/b~')
  assert.equal(fieldOf('/recipient/value'), 'recipient')
  assert.equal(fieldOf('/validUntil'), 'validUntil')
  assert.equal(fieldOf('/other'), null)
})

test('a card is valid from the start of its first day to the end of its last one, where the organisation is', () => {
  const me = { organisation: { timeZone: 'Europe/Berlin' } } as Parameters<typeof validityOfForm>[0]['me']
  const fields = new Map([
    ['validFrom', ['2026-10-25']],
    ['validUntil', ['2026-10-25']],
  ])
  // The clock is set back on this day.
  assert.deepEqual(validityOfForm({ fields, me }), {
    validFrom: '2026-10-24T22:00:00.000Z',
    validUntil: '2026-10-25T22:59:59.999Z',
  })
  assert.deepEqual(validityOfForm({ fields: new Map([['validFrom', ['']]]), me }), {})
})
