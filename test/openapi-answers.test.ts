// What the document says about parameters, bodies and answers, over all operations.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { printOpenApi, printWholeOpenApi } from '../scripts/print-openapi.ts'
import {
  allContent,
  checkOf,
  document,
  enveloped,
  fits,
  found,
  isOfApi,
  operations,
  reaches,
  type Shape,
  schemas,
  securitySchemes,
  success,
} from './support/openapi-document.ts'

test('an independent validator finds the document valid, and each of those that are printed', async () => {
  for (const [path, text] of Object.entries({ ...printOpenApi(), everything: printWholeOpenApi() })) {
    const { valid, errors } = await new Validator().validate(JSON.parse(text))
    assert.ok(valid, `${path} ${JSON.stringify(errors)?.slice(0, 500)}`)
  }
})

test('the document with everything has the operations of the four others', () => {
  const others = printOpenApi()
  const idsOf = (text: string) => found(JSON.parse(text), 'operationId').toSorted()
  assert.equal(Object.keys(others).length, 4)
  assert.deepEqual(idsOf(printWholeOpenApi()), [...new Set(Object.values(others).flatMap(idsOf))].toSorted())
})

describe('each parameter says what it is for, by an example that fits', () => {
  for (const { name, operation } of operations) {
    test(name, () => {
      for (const one of (operation.parameters ?? []) as Shape[]) {
        const what = `${one.in} ${one.name}`
        assert.match(String(one.description), /^.{10,}\.$/, what)
        fits(one.example, one.schema, what)
      }
      const { 'page[size]': size } = Object.fromEntries(
        (operation.parameters ?? []).map((one) => [Object(one).name, one]),
      )
      if (size !== undefined)
        assert.deepEqual(Object(size).schema, { type: 'integer', minimum: 1, maximum: 100, default: 25 })
    })
  }
})

test('each table, list of lines and event stream of our API has an example', () => {
  let shown = 0
  for (const { name, path, operation } of operations.filter(({ path }) => isOfApi(path))) {
    const contents = [operation.requestBody ?? {}, ...Object.values(operation.responses)]
    for (const [type, { example }] of contents.flatMap((one) => Object.entries(allContent(one))) as [string, Shape][]) {
      if (!['text/csv', 'application/x-ndjson', 'text/event-stream', 'application/x-pem-file'].includes(type)) continue
      shown += 1
      const text = String(example)
      if (type === 'text/csv') assert.match(text, /^[\w.]+(,[\w.]+)*\r\n.+\r\n$/, `${name} ${path}`)
      else if (type === 'text/event-stream')
        assert.match(text, /^id: .+\nevent: .+\ndata: \{.+\}\n\n$/, `${name} ${path}`)
      else if (type === 'application/x-ndjson') assert.equal(typeof JSON.parse(text), 'object')
      else assert.match(text, /^-----BEGIN/)
    }
  }
  assert(shown > 40, String(shown))
})

describe('each body and each answer in JSON has a named shape, and an example that fits it', () => {
  for (const { name, path, operation } of operations) {
    test(name, () => {
      const ofApi = isOfApi(path)
      for (const [status, response] of [
        ['body', operation.requestBody ?? {}],
        ...Object.entries(operation.responses),
      ] as const) {
        const { content = {} } = response as { content?: Record<string, Shape> }
        for (const [type, { schema, example }] of Object.entries(content)) {
          if (!type.includes('json') || type.includes('ndjson')) continue
          const what = `${status} ${type}`
          fits(example, schema, what)
          if (ofApi) assert.match(String(Object(schema).$ref ?? Object(schema).anyOf), /components|object/, what)
        }
      }
    })
  }
})

describe('each answer says its headers', () => {
  for (const { name, path, operation } of operations.filter((one) => isOfApi(one.path))) {
    test(name, () => {
      const headers = (status: string) => Object.keys(Object(Object(operation.responses[status]).headers))
      for (const status of Object.keys(operation.responses)) assert.ok(headers(status).includes('X-Request-Id'), status)
      const parameters = (operation.parameters ?? []).map((one) => Object(one).name)
      const good = Object.keys(operation.responses).find((status) => status.startsWith('2')) ?? ''
      const needs = (header: string) => assert.ok(headers(good).includes(header), header)
      if (name.startsWith('POST')) needs('Idempotency-Replayed')
      // A POST leaves what the tag is of as it is.
      if (parameters.includes('If-Match') && !name.startsWith('POST')) needs('ETag')
      if (parameters.includes('Prefer')) for (const header of ['ETag', 'Preference-Applied']) needs(header)
      if ('429' in operation.responses) assert.ok(headers('429').includes('Retry-After'))
      assert.ok(headers('503').includes('Retry-After'))
      assert.ok(headers('405').includes('Allow'))
      assert.ok(headers('401').includes('WWW-Authenticate'))
      if (path.endsWith('/issuance/batch') && name.startsWith('POST')) needs('Location')
    })
  }
})

test('enumerations are named, codes of errors among them, and every envelope is', () => {
  const inline = Object.entries(schemas).flatMap(([name, schema]) =>
    'enum' in schema ? [] : inlineEnums(schema).map((values) => `${name} ${values}`),
  )
  assert.deepEqual(inline, [])
  const { 'x-extensible-enum': codes } = schemas.ErrorCode as { 'x-extensible-enum': string[] }
  for (const code of ['NOT_FOUND', 'VALIDATION_ERROR', 'RATE_LIMITED']) assert.ok(codes.includes(code), code)
  for (const { name, operation } of operations.filter((one) => isOfApi(one.path))) {
    const schema = enveloped(operation)
    if (schema !== undefined) assert.ok('$ref' in schema, name)
  }
})

test('an event stream has the shape of its events', () => {
  const streams = operations.flatMap(({ name, operation }) => {
    const stream = allContent(success(operation))['text/event-stream']
    return stream === undefined ? [] : [[name, Object(stream.schema)] as const]
  })
  assert.ok(streams.length >= 3)
  for (const [name, schema] of streams) {
    const { items } = Object(schema.contentSchema)
    assert.equal(typeof items.properties.data.contentSchema.$ref, 'string', name)
  }
})

test('the grammars of attributes are recursive shapes, which the examples of templates fit', () => {
  for (const name of ['CredentialAttribute', 'MdocAttribute', 'RequestedAttribute']) {
    assert.ok(reaches(name, name), name)
  }
  const nested = { address: { properties: { country: { value: 'DE' } } }, grades: { items: [null, { minimum: 2 }] } }
  const { properties } = schemas.PresentationTemplate as {
    properties: { credentials: { items: { properties: Shape } } }
  }
  const { attributes } = properties.credentials.items.properties
  fits(nested, attributes, 'nested')
  const check = checkOf(attributes)
  assert.equal(check({ address: { properties: { country: { unknown: 1 } } } }), false)
})

test('people sign in and clients authenticate at the server that the document is from', () => {
  const { token } = securitySchemes as { token: { flows: Record<string, Shape> } }
  const { authorizationCode, clientCredentials } = token.flows
  assert.deepEqual(
    [authorizationCode?.authorizationUrl, authorizationCode?.tokenUrl],
    ['/auth/authorize', '/auth/token'],
  )
  assert.equal(clientCredentials?.tokenUrl, '/auth/token')
  assert.doesNotMatch(JSON.stringify(document.components), /localhost:8080/)
})

/** Enumerations of texts that stand inside a shape. */
function inlineEnums(value: unknown): unknown[] {
  return found(value, 'enum').filter((one) => Array.isArray(one) && one.length > 1 && typeof one[0] === 'string')
}
