// The whole document, as a generator of clients reads it: from every route and endpoint of the product.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { routes } from '../src/contributions.ts'
import { webhookBody } from '../src/events/webhooks/send-delivery.ts'
import type { OpenApiOperation } from '../src/http/openapi/document.ts'
import { newId } from '../src/store/row-id.ts'
import {
  ajv,
  checkOf,
  document,
  enveloped,
  found,
  isOfApi,
  operations,
  rebased,
  resolved,
  type Shape,
  schemas,
  securitySchemes,
  success,
} from './support/openapi-document.ts'

const VERB_AND_NOUN = new RegExp(
  `^(${[
    'list',
    'get',
    'create',
    'replace',
    'update',
    'delete',
    'search',
    'request',
    'submit',
    'revoke',
    'suspend',
    'reinstate',
    'archive',
    'cancel',
    'renew',
    'approve',
    'deny',
    'import',
    'sign',
    'activate',
    'deactivate',
    'rotate',
    'test',
    'redeliver',
    'restore',
    'add',
    'remove',
    'invite',
    'accept',
    'answer',
    'resolve',
    'deliver',
    'export',
    'run',
    'push',
    'introspect',
    'authorize',
    'notify',
    'mail',
    'retry',
    'close',
    'open',
    'receive',
    'check',
  ].join('|')})[A-Z][A-Za-z0-9]+$`,
)
test('the head is that of OpenAPI 3.1', () => {
  assert.equal(document.openapi, '3.1.0')
  const { info, servers } = document as Shape
  for (const name of ['title', 'version', 'description']) assert.equal(typeof (info as Shape)[name], 'string')
  assert.deepEqual(
    (servers as Shape[]).map(({ url }) => url),
    ['/'],
  )
  const known = new Set(['openapi', 'info', 'servers', 'tags', 'paths', 'webhooks', 'components'])
  assert.deepEqual(
    Object.keys(document).filter((name) => !known.has(name)),
    [],
  )
})

test('every reference leads to a shape of the document', () => {
  const references = found(document, '$ref')
  assert(references.length > 0)
  for (const reference of references) {
    const [, kind = '', name = ''] =
      /^#\/components\/(schemas|responses|headers)\/([\w.-]+)$/.exec(String(reference)) ?? []
    assert.ok(name in Object(document.components[kind]), String(reference))
  }
})

test('every operation has a name of its own, verb and noun', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  assert(ids.length >= routes.length)
  assert.deepEqual([...new Set(ids)], ids)
  for (const id of ids) assert.match(id, VERB_AND_NOUN)
  for (const id of ['listIssuances', 'createIssuance', 'revokeCertificate']) assert.ok(ids.includes(id), id)
})

describe('each operation is described as a whole', () => {
  for (const { name, path, operation } of operations) {
    test(name, () => {
      assert.match(operation.summary, /^[A-Z].*\.$/)
      assert.ok(operation.tags.length > 0)
      for (const tag of operation.tags) assert.ok(tagNames().includes(tag), tag)
      assert.deepEqual(placeholders(path), pathParameters(operation))
      checkSecurity(operation)
      checkResponses(operation)
    })
  }
})

describe('each shape is a JSON Schema 2020-12, and its examples fit it', () => {
  const inline = operations.flatMap(({ name, operation }) =>
    found(operation, 'schema').map((one) => [name, one] as const),
  )
  const byName = Map.groupBy([...Object.entries(schemas), ...inline], ([name]) => name)
  for (const [name, found] of byName) {
    test(name, () => {
      for (const [, schema] of found) {
        const check = checkOf(schema)
        for (const example of ((schema as Shape).examples ?? []) as unknown[]) {
          assert.ok(check(example), ajv.errorsText(check.errors))
        }
      }
    })
  }
})

test('the members of every request body are described', () => {
  const bodies = operations.flatMap(({ name, operation }) =>
    found(operation.requestBody, 'schema').map((one) => [name, one]),
  )
  const shapes = bodies.map(([name, schema]) => [name, resolved(schema as Shape)] as const)
  const bare = shapes.filter(([, shape]) => !('properties' in shape) && shape.type !== 'string')
  assert.deepEqual(bare, [])
})

describe('the bodies that a newcomer writes have an example', () => {
  for (const { name, operation } of operations.filter(({ path }) => /^\/(creds|wallet|onboarding)\//.test(path))) {
    const body = (operation.requestBody as Shape | undefined)?.content as Record<string, { schema: Shape }> | undefined
    const schema = body?.['application/json']?.schema
    if (schema === undefined) continue
    test(name, () => assert.ok(Array.isArray(resolved(schema).examples)))
  }
})

/** The shapes of the contract, member by member; a `?` marks one that may be missing. Others may stand beside them. */
const contract: Readonly<Record<string, string>> = {
  Credential: 'id claims iat status format vct iss?',
  Presentation: 'id tenantId status createdAt updatedAt selectedCredentials',
  CurrentUser: 'id name email',
  User: 'id username email firstName lastName enabled',
  ExternalIdentifierResult: 'externalIdentifier',
  Issuance: 'id status error credentials createdAt updatedAt offerUri offerQrUri',
  IssuedCredential: 'id status credentialTemplateId exchange format revocable',
  PresentationTemplate: 'id name description createdAt updatedAt credentials',
}

describe('a shape of the contract has the members that were promised', () => {
  for (const [name, members] of Object.entries(contract)) {
    test(name, () => {
      const { properties, required } = schemas[name] as { properties: Shape; required: string[] }
      for (const member of members.split(' ')) {
        const plain = member.replace('?', '')
        assert.ok(plain in properties, plain)
        assert.equal(required.includes(plain), plain === member, plain)
      }
    })
  }

  test('the envelope and the error object', () => {
    const { properties: members } = schemas.Error as { properties: Shape }
    assert.deepEqual(Object.keys(members).sort(), ['code', 'detail', 'id', 'meta', 'source', 'status', 'title'])
    const inEnvelope = operations.filter(({ path }) => isOfApi(path))
    for (const { name, operation } of inEnvelope) {
      const schema = enveloped(operation)
      if (schema === undefined) continue
      const isBare = name === 'PATCH /wallet/credentials/{id}/status'
      assert.deepEqual(
        isBare ? schema : Object.keys(Object(resolved(schema).properties)),
        isBare ? bare : ['data', 'links', 'meta'],
      )
    }
  })
})
const bare = { $ref: '#/components/schemas/Credential' }

function tagNames(): unknown[] {
  return (document.tags as Shape[]).map(({ name }) => name)
}

function placeholders(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name).sort()
}

function pathParameters({ parameters = [] }: OpenApiOperation): unknown[] {
  const known = parameters as Shape[]
  for (const one of known)
    assert.ok(typeof one.schema === 'object' && ['path', 'query', 'header'].includes(String(one.in)))
  const own = known.filter((one) => one.in === 'path')
  assert.ok(own.every((one) => one.required === true))
  return own.map(({ name }) => name).sort()
}

function checkSecurity({ security }: OpenApiOperation): void {
  assert.ok(Array.isArray(security))
  const { token } = securitySchemes as { token: { flows: Record<string, { scopes: Shape }> } }
  for (const required of security as Record<string, string[]>[]) {
    for (const name of Object.keys(required)) assert.ok(name in Object(securitySchemes), name)
    for (const scope of required.token ?? []) assert.ok(scope in Object(token.flows.clientCredentials?.scopes), scope)
  }
}

function checkResponses(operation: OpenApiOperation): void {
  const entries = Object.entries(operation.responses)
  for (const [status, response] of entries) {
    assert.match(status, /^(default|[1-5](\d\d|XX))$/)
    assert.equal(typeof (response as Shape).description, 'string')
  }
  assert.equal(Object.keys(success(operation)).length > 0, true)
  const needed = 'default' in operation.responses ? ['default'] : ['400', '401', '406', '500']
  for (const status of needed) assert.ok(status in operation.responses, status)
  if ((operation.security as { token?: string[] }[])[0]?.token?.length) assert.ok('403' in operation.responses)
}

test('the reference says what is sent to webhooks, and how it is signed', () => {
  const { description = '', parameters = [], requestBody } = document.webhooks.event.post
  assert.match(description, /HMAC-SHA256/)
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  assert.deepEqual(
    parameters.map((one) => (one as { name: string }).name),
    names,
  )
  const { schema } = (requestBody as { content: Record<string, { schema: object }> }).content['application/json'] ?? {}
  assert(schema !== undefined)
  const body = webhookBody({
    id: newId(),
    type: 'credential.revoked',
    at: new Date(),
    subjectKind: 'credential',
    subjectId: newId(),
    detail: {},
    era: 1,
    xact: '1',
  })
  const check = ajv.compile(rebased(schema))
  assert(check(JSON.parse(body)), JSON.stringify(check.errors))
})

test('the members of meta have types, for each operation and in errors', () => {
  const { ErrorReply } = schemas
  for (const [name, members] of [
    ['GET /wallet/v2/credentials', ['page', 'credentials']],
    ['POST /wallet/v2/credentials', ['deferred', 'incomplete']],
    ['GET /wallet/v2/presentations/{id}', ['verifier', 'alternatives', 'redirectUri']],
    ['GET /creds/credentials', ['page']],
    ['GET /creds/stats', ['asOf']],
    ['GET /creds/certificates/{id}', []],
  ] as const) {
    const operation = operations.find((one) => one.name === name)?.operation
    assert(operation !== undefined, name)
    const { properties: envelope } = resolved(enveloped(operation) ?? {}) as { properties: { meta: Shape } }
    const { properties = {} } = resolved(envelope.meta)
    for (const member of members) assert.ok(member in Object(properties), `${name} ${member}`)
    if (members.length === 0) assert.deepEqual(properties, {})
  }
  const text = JSON.stringify([ErrorReply, schemas.ErrorMeta])
  for (const name of ['txCode', 'upstream', 'findings', 'retryAfterSeconds']) assert(text.includes(`"${name}"`), name)
  assert.doesNotMatch(JSON.stringify(document), /external provider/)
})

test('the operations that take If-Match are those that answer 412', () => {
  const takes = ({ parameters = [] }: OpenApiOperation) =>
    (parameters as Shape[]).some(({ name }) => name === 'If-Match')
  const named = operations.filter(({ operation }) => takes(operation)).map(({ operation }) => operation.operationId)
  const answers = operations.filter(({ operation }) => '412' in Object(operation.responses))
  assert.deepEqual(
    answers.map(({ operation }) => operation.operationId),
    named,
  )
  const versioned = ['CredentialTemplate', 'PresentationTemplate', 'TrustedEntity', 'ScimUser', 'ScimGroup']
  for (const noun of versioned) assert(named.includes(`replace${noun}`), noun)
  for (const id of ['updateOrganisation', 'updateVerificationPage', 'updateScimUser']) assert(named.includes(id), id)
})
