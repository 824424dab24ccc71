import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferFormat, readRequestedAttributes } from './attribute-grammar.ts'

const mdl = 'org.iso.18013.5.1.mDL'

test('claims nest by properties and keep their order', () => {
  const attributes = {
    given_name: {},
    address: { type: 'object', properties: { city: { type: 'string', value: 'x' } } },
  }
  assert.deepEqual(readRequestedAttributes(attributes, 'sd-jwt-vc', ''), {
    claims: [
      { path: ['given_name'], condition: {} },
      { path: ['address', 'city'], condition: { type: 'string', value: 'x' } },
    ],
    violations: [],
  })
})

test('elements of an mdoc are grouped by namespace, with their intentToRetain', () => {
  const attributes = { ns: { type: 'object', properties: { age: { intentToRetain: true }, name: {} } } }
  assert.deepEqual(readRequestedAttributes(attributes, 'mdoc', ''), {
    claims: [
      { path: ['ns', 'age'], condition: {}, intentToRetain: true },
      { path: ['ns', 'name'], condition: {} },
    ],
    violations: [],
  })
})

for (const [what, attributes, pointer] of [
  ['no object', { a: 'x' }, '/a'],
  ['an unknown type', { a: { type: 'text' } }, '/a/type'],
  ['an unknown member', { a: { required: true } }, '/a/required'],
  ['a value of another type', { a: { type: 'number', value: '1' } }, '/a/value'],
  ['a value that is an object', { a: { value: {} } }, '/a/value'],
  ['a minimum of a string', { a: { type: 'string', minimum: 1 } }, '/a/minimum'],
  ['a minimum that is no date', { a: { type: 'date', minimum: '2026-02-30' } }, '/a/minimum'],
  ['bounds of two kinds', { a: { minimum: 1, maximum: '2026-01-01' } }, '/a/maximum'],
  ['a condition beside properties', { a: { value: 1, properties: { b: {} } } }, '/a/value'],
  ['a type beside properties', { a: { type: 'string', properties: { b: {} } } }, '/a/type'],
  ['empty properties', { a: { properties: {} } }, '/a/properties'],
  ['an empty name', { '': {} }, '/'],
  [
    'a fault deep inside',
    { a: { properties: { 'b~c': { properties: { d: 1 } } } } },
    '/a/properties/b~0c/properties/d',
  ],
] as const) {
  test(`an attribute with ${what} is refused with a pointer to it`, () => {
    const { violations } = readRequestedAttributes(attributes, 'sd-jwt-vc', '')
    assert.deepEqual(
      violations.map((one) => one.pointer),
      [pointer],
    )
  })
}

for (const [what, attributes, pointer] of [
  ['no properties', { ns: {} }, '/ns'],
  ['a type beside them', { ns: { type: 'x', properties: {} } }, '/ns'],
  ['a condition on an element', { ns: { properties: { age: { minimum: 18 } } } }, '/ns/properties/age'],
  [
    'an intent that is no boolean',
    { ns: { properties: { a: { intentToRetain: 1 } } } },
    '/ns/properties/a/intentToRetain',
  ],
] as const) {
  test(`a namespace with ${what} is refused with a pointer to it`, () => {
    const { violations } = readRequestedAttributes(attributes, 'mdoc', '')
    assert.deepEqual(
      violations.map((one) => one.pointer),
      [pointer],
    )
  })
}

test('more than 128 attributes are refused [DCQL-9]', () => {
  const attributes = Object.fromEntries(Array.from({ length: 129 }, (_, i) => [`a${i}`, {}]))
  assert.equal(readRequestedAttributes(attributes, 'sd-jwt-vc', '/attributes').violations[0]?.pointer, '/attributes')
})

for (const [type, attributes, format] of [
  ['https://types.example/v', { a: {} }, 'sd-jwt-vc'],
  ['https://types.example/v', { address: { properties: { city: {} } } }, 'sd-jwt-vc'],
  ['urn:eudi:pid:1', { address: { properties: { city: {} } } }, 'sd-jwt-vc'],
  ['anything', { ns: { properties: { age: { intentToRetain: false } } } }, 'mdoc'],
  [mdl, { 'org.iso.18013.5.1': { properties: { age: {} } } }, 'mdoc'],
  [mdl, { a: {} }, 'sd-jwt-vc'],
] as const) {
  test(`attributes ${JSON.stringify(attributes)} of ${type} are ${format}`, () => {
    assert.equal(inferFormat(type, attributes), format)
  })
}
