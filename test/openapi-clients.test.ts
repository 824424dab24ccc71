// What generators of clients need of the document, so that each operation of a client is there and typed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reaches, type Shape, schemas } from './support/openapi-document.ts'

test('the members of a union that recurs have names', () => {
  const recurring = Object.entries(schemas).filter(([name, schema]) => 'anyOf' in schema && reaches(name, name))
  assert.ok(recurring.map(([name]) => name).includes('RequestedAttribute'))
  for (const [name, schema] of recurring) {
    for (const one of (schema as Shape).anyOf as Shape[]) assert.equal(typeof one.$ref, 'string', name)
  }
})
