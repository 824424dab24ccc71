// What generators of clients need of the document, so that each operation of a client is there and typed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pascal } from '../src/http/openapi/words.ts'
import {
  document,
  enveloped,
  found,
  isOfApi,
  operations,
  reaches,
  resolved,
  type Shape,
  schemas,
} from './support/openapi-document.ts'

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

test('what grows over time is a text with the values that are known today', () => {
  for (const [name, value] of [
    ['ErrorCode', 'RATE_LIMITED'],
    ['EventType', 'credential.revoked'],
    ['AuditAction', 'client.created'],
  ] as const) {
    const {
      type,
      enum: closed,
      'x-extensible-enum': known,
    } = schemas[name] as Shape & { 'x-extensible-enum': string[] }
    assert.deepEqual([type, closed, known.includes(value)], ['string', undefined, true], name)
  }
  // Nowhere is it closed again.
  const closed = found(document, 'enum').flat()
  for (const value of ['RATE_LIMITED', 'credential.revoked', 'client.created'])
    assert.ok(!closed.includes(value), value)
})

test('values by name are described where generators look for them', () => {
  assert.deepEqual(found(document, 'patternProperties'), [])
  const { detail } = (schemas.AuditEntry as { properties: Shape }).properties
  assert.deepEqual(Object(detail).additionalProperties, {})
})

test('a body or an answer that is JSON is described as JSON alone, and what else it may be beside that', () => {
  let several = 0
  for (const { name, path, operation } of operations) {
    for (const one of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      const { content = {}, 'x-other-content': others = {} } = one as Record<string, object>
      const types = Object.keys(content)
      if (types.includes('application/json')) assert.deepEqual(types, ['application/json'], name)
      several += Object.keys(others).length > 0 ? 1 : 0
      if (!isOfApi(path)) continue
      assert.ok(types.length <= 1, name)
      for (const type of Object.keys(others))
        assert.ok(operation.description?.includes(`\`${type}\``), `${name} ${type}`)
    }
  }
  assert.ok(several > 20, String(several))
})

// The Python client keeps the member and the shape in one variable, to which it adds the members that are not declared.
test('no shape that may have other members has one of its own name', () => {
  const open = Object.entries(schemas).filter(([, schema]) => Object(schema).additionalProperties !== false)
  const own = open.filter(([name, schema]) =>
    Object.keys(Object(Object(schema).properties))
      .map(pascal)
      .includes(name),
  )
  assert.deepEqual(
    own.map(([name]) => name),
    [],
  )
})

test('SCIM has bodies and answers by resource, and no operation that is always refused', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.ok(ids.includes('searchScimUsers') && !ids.includes('searchScim'))
  const bodyOf = (id: string) => {
    const found = operations.find(({ operation }) => operation.operationId === id)?.operation.requestBody
    return Object(Object(found).content)['application/json'].schema.$ref
  }
  for (const [id, name] of [
    ['createScimUser', 'ScimUserBody'],
    ['replaceScimGroup', 'ScimGroupBody'],
    ['updateScimGroup', 'ScimPatch'],
    ['searchScimUsers', 'ScimSearch'],
    ['runScimBulk', 'ScimBulk'],
  ] as const) {
    assert.equal(bodyOf(id), `#/components/schemas/${name}`, id)
  }
})
