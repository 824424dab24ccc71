import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { readConfig } from '../../config.ts'
import { listQuery } from '../../contract/list-query.ts'
import { answer } from '../routes/route.ts'
import { aServer } from '../test-support/a-server.ts'
import { route } from '../test-support/route.ts'
import { openApiOf } from './openapi.ts'

const Thing = Type.Object({ id: Type.String({ description: 'Its <id>.' }) }, { $id: 'Thing' })
const Body = Type.Object({ thing: Thing }, { $id: 'ThingBody', additionalProperties: false })
const routes = [
  route({
    group: 'creds',
    method: 'POST',
    path: '/things/{id}',
    summary: 'Makes a <thing>.',
    scope: 'issuance:write',
    body: Body,
    status: 201,
    reply: Thing,
    faults: ['state.conflict'],
    handle: ({ body }) => answer(body.thing),
  }),
  route({
    group: 'wallet',
    method: 'GET',
    path: '/things',
    summary: 'Lists things.',
    scope: null,
    query: listQuery(),
    status: 200,
    reply: Type.Array(Thing),
    faults: [],
    handle: () => answer([]),
  }),
]

test('the document describes scope, schemas and statuses of a route', () => {
  const document = openApiOf({ config: readConfig({}), routes, endpoints: [] })
  const post = document.paths['/creds/things/{id}']?.post
  assert.deepEqual(post?.security, [{ token: ['issuance:write'] }])
  assert.deepEqual(Object.keys(post?.responses ?? {}), [
    '201',
    '400',
    '401',
    '403',
    '404',
    '405',
    '406',
    '409',
    '413',
    '415',
    '431',
    '500',
    '503',
  ])
  assert.deepEqual(post?.requestBody, {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ThingBody' },
        example: { thing: { id: '01890000-0000-7000-8000-000000000000' } },
      },
    },
  })
  assert.deepEqual(document.components.schemas.ThingBody, {
    type: 'object',
    required: ['thing'],
    properties: { thing: { $ref: '#/components/schemas/Thing' } },
    additionalProperties: false,
  })
  const list = document.paths['/wallet/things']?.get
  const names = list?.parameters?.map((one) => ('name' in one ? one.name : ''))
  assert.deepEqual(names, ['page[size]', 'page[after]', 'page[before]', 'page[total]', 'sort'])
})

test('every reference in the document resolves', () => {
  const document = openApiOf({ config: readConfig({}), routes, endpoints: [] })
  for (const [, name = ''] of JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    assert.ok(name in document.components.schemas, name)
  }
})

test('two shapes of one name are refused, since a reader would get the wrong one', () => {
  const other = Type.Object({ other: Type.Boolean() }, { $id: 'Thing' })
  const [first] = routes
  assert.ok(first !== undefined)
  const parts = {
    config: readConfig({}),
    routes: [...routes, { ...first, path: '/others', reply: other }],
    endpoints: [],
  }
  assert.throws(() => openApiOf(parts), /two schemas are named Thing/)
})

test('an enumeration of a shape is a shape of its own, also in a filter of its name', () => {
  const Card = Type.Object({ status: Type.Enum(['open', 'closed']) }, { $id: 'Card' })
  const [, list] = routes
  assert.ok(list !== undefined)
  const query = listQuery({ filters: { status: Type.Enum(['open', 'closed'], { description: 'Its status.' }) } })
  const { paths, components } = openApiOf({
    config: readConfig({}),
    routes: [{ ...list, query, reply: Type.Array(Card) }],
    endpoints: [],
  })
  assert.deepEqual(components.schemas.CardStatus, { type: 'string', enum: ['open', 'closed'] })
  assert.deepEqual(components.schemas.Card, {
    type: 'object',
    required: ['status'],
    properties: { status: { $ref: '#/components/schemas/CardStatus' } },
  })
  const filter = paths['/wallet/things']?.get?.parameters?.find((one) => 'name' in one && one.name === 'filter[status]')
  assert.deepEqual(filter, {
    in: 'query',
    name: 'filter[status]',
    description: 'Its status.',
    example: 'open',
    schema: { $ref: '#/components/schemas/CardStatus' },
  })
})

test('a schema that several routes use validates and serializes in each', async () => {
  const server = aServer({ routes })
  const headers = { authorization: 'Bearer writer', 'content-type': 'application/json' }
  const path = '/creds/things/1'
  const { body } = await server.dispatch({ method: 'POST', path, headers, body: '{"thing":{"id":"1"}}' })
  assert.equal(body.toString(), '{"data":{"id":"1"}}')
  await server.close()
})

test('the reference page runs no script, fetches nothing from elsewhere and escapes what it shows', async () => {
  const server = aServer({ routes })
  const { status, headers, body } = await server.dispatch({ method: 'GET', path: '/docs' })
  const html = body.toString()
  assert.equal(status, 200)
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'self'/)
  assert.ok(!/<script|https?:\/\/(?!localhost)|<thing>|<id>/.test(html))
  assert.match(html, /Makes a &#60;thing&#62;/)
  const style = await server.dispatch({ method: 'GET', path: '/docs/style.css' })
  assert.match(style.headers['content-type'] ?? '', /^text\/css/)
  await server.close()
})
