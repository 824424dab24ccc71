// What generators of clients need of the document, so that each operation of a client is there and typed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enveloped, operations, reaches, resolved, type Shape, schemas } from './support/openapi-document.ts'

test('the members of a union that recurs have names', () => {
  const recurring = Object.entries(schemas).filter(([name, schema]) => 'anyOf' in schema && reaches(name, name))
  assert.ok(recurring.map(([name]) => name).includes('RequestedAttribute'))
  for (const [name, schema] of recurring) {
    for (const one of (schema as Shape).anyOf as Shape[]) assert.equal(typeof one.$ref, 'string', name)
  }
})

test('a secret that is told once is a member of the answer that tells it, and of no other', () => {
  const tellers = operations.flatMap(({ operation }) => {
    const { data } = Object(resolved(enveloped(operation) ?? {}).properties)
    const { properties = {}, required = [] } = resolved(Object(data)) as { properties?: Shape; required?: string[] }
    const secret = ['clientSecret', 'secret', 'token'].find((one) => one in properties)
    return secret === undefined ? [] : [[operation.operationId, secret, required.includes(secret)]]
  })
  assert.deepEqual(tellers, [
    ['createWebhookEndpoint', 'secret', true],
    ['rotateWebhookSecret', 'secret', true],
    ['createProvisioningToken', 'token', true],
    // A public client, and one with keys, has none.
    ['createClient', 'clientSecret', false],
    ['createClientSecret', 'clientSecret', true],
  ])
})
