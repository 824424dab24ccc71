import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { readConfig } from '../../config.ts'
import { Fault } from '../../fault.ts'
import { answer, rawAnswer } from '../routes/route.ts'
import { aCaller, aPlatform, aServer, type Lines } from '../test-support/a-server.ts'
import { route } from '../test-support/route.ts'

const Thing = Type.Object({ id: Type.String(), name: Type.String() })
const Body = Type.Object(
  {
    name: Type.String({ minLength: 2 }),
    size: Type.Optional(Type.Integer({ minimum: 1 })),
    owner: Type.Optional(Type.Object({ 'a/b': Type.String() }, { additionalProperties: false })),
    choice: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])),
  },
  { additionalProperties: false },
)

const common = { group: 'creds', summary: 'For tests.', scope: 'issuance:write', status: 200, faults: [] } as const
const routes = [
  route({
    ...common,
    method: 'POST',
    path: '/things',
    body: Body,
    status: 201,
    reply: Thing,
    handle: ({ body }) => {
      if (body.name === 'defect') throw new Error('the password is hunter2')
      if (body.name === 'unsendable') return answer({ id: '1', name: 'x' }, { headers: { 'x-broken': 'a\nb' } })
      if (body.name === 'refused') throw new Fault('state.conflict', { detail: 'Taken.', meta: { by: 'x' } })
      return answer({ id: '1', name: body.name, secret: 'never leaves' }, { meta: { made: true } })
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/things/{id}',
    query: Type.Object({ deep: Type.Optional(Type.Enum(['true'])) }, { additionalProperties: false }),
    reply: Thing,
    produces: ['application/x-pem-file'],
    handle: ({ params, responseType }) =>
      responseType === 'application/json'
        ? answer({ id: params.id, name: 'n' })
        : rawAnswer(responseType, `-----${params.id}-----`),
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/things/{id}',
    scope: 'trust:write',
    noEnvelope: true,
    body: Type.Object({ status: Type.String() }, { additionalProperties: false }),
    reply: Thing,
    handle: ({ params }) => answer({ id: params.id, name: 'bare' }, { headers: { deprecation: '@1' } }),
  }),
  route({ ...common, method: 'DELETE', path: '/things/{id}', status: 204, handle: () => answer(undefined) }),
  route({
    ...common,
    method: 'GET',
    path: '/slow',
    reply: Thing,
    handle: async () => {
      await new Promise((done) => setTimeout(done, 150))
      return answer({ id: 'slow', name: 'but done' })
    },
  }),
]

const lines: Lines = []
const server = aServer({ routes, lines, counters: [{ name: 'things_total', help: 'For tests.', value: () => 7 }] })
let at = ''
before(async () => {
  at = await server.listen()
})
after(() => server.close(100))

const bearer = { authorization: 'Bearer writer' }
async function fetchApi(path: string, init: RequestInit = {}, headers: Record<string, string> = bearer) {
  const typed = init.body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${at}/creds${path}`, { ...init, headers: { ...typed, ...headers } })
  const text = await response.text()
  return { response, text, json: text.startsWith('{') ? JSON.parse(text) : null }
}
const post = (body: unknown, headers?: Record<string, string>) =>
  fetchApi('/things', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }, headers)

test('a reply is sent in the envelope, without members that its schema lacks', async () => {
  const { response, json } = await post({ name: 'thing' })
  assert.equal(response.status, 201)
  assert.deepEqual(json, { data: { id: '1', name: 'thing' }, meta: { made: true } })
  assert.equal(response.headers.get('content-type'), 'application/json')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
  assert.equal(response.headers.get('access-control-allow-origin'), null)
})

test('a route without envelope sends its reply and its own headers', async () => {
  const init = { method: 'PATCH', body: '{"status":"x"}' }
  const { response, json } = await fetchApi('/things/7', init, { authorization: 'Bearer admin' })
  assert.deepEqual(json, { id: '7', name: 'bare' })
  assert.equal(response.headers.get('deprecation'), '@1')
})

test('a route without a reply responds 204 without a body', async () => {
  const { response, text } = await fetchApi('/things/7', { method: 'DELETE' })
  assert.deepEqual([response.status, text], [204, ''])
})

test('every violation of a body is reported at once, each pointing at its member', async () => {
  const { response, json } = await post({ size: 0, colour: 'red', owner: { 'x~y': 1 }, choice: 'long one' })
  assert.equal(response.status, 400)
  const found = json.errors.map((one: { source: { pointer: string }; detail: string }) => [
    one.source.pointer,
    one.detail,
  ])
  assert.deepEqual(
    new Map(found),
    new Map([
      ['/name', 'name is missing.'],
      ['/colour', 'colour is not a member here.'],
      ['/size', 'size must be 1 or more.'],
      ['/owner/a~1b', 'a/b is missing.'],
      ['/owner/x~0y', 'x~y is not a member here.'],
      ['/choice', 'choice must have at most 3 characters.'],
    ]),
  )
  for (const one of json.errors) assert.deepEqual([one.code, one.status], ['VALIDATION_ERROR', '400'])
  assert.equal(new Set(json.errors.map((one: { id: string }) => one.id)).size, 6)
})

for (const [what, body, status, code] of [
  ['malformed JSON', '{"name":', 400, 'MALFORMED_JSON'],
  ['a member that stands twice', '{"name":"aa","name":"bb"}', 400, 'MALFORMED_JSON'],
  ['a prototype member [SEC-23]', '{"name":"aa","\\u005f_proto__":{}}', 400, 'MALFORMED_JSON'],
  ['no object', '[]', 400, 'VALIDATION_ERROR'],
  ['a number where a string belongs', '{"name":12}', 400, 'VALIDATION_ERROR'],
  ['nothing', '', 400, 'VALIDATION_ERROR'],
  ['more than 1 MiB', `{"name":"${'a'.repeat(1_048_576)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
] as const) {
  test(`a body with ${what} is ${status} ${code}`, async () => {
    const { response, json } = await post(body)
    assert.deepEqual([response.status, json.errors[0].code], [status, code])
  })
}

test('a large body with many violations gets the first one', async () => {
  const { json } = await post({
    name: 'aa',
    owner: Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`m${n}`, n])),
  })
  assert.equal(json.errors.length, 1)
})

test('another content type is 415', async () => {
  const { response, json } = await post('name=x', { ...bearer, 'content-type': 'application/x-www-form-urlencoded' })
  assert.deepEqual([response.status, json.errors[0].code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test('an unknown query member is refused by name', async () => {
  const { response, json } = await fetchApi('/things/7?deep=true&page%5Bx%5D=1')
  assert.equal(response.status, 400)
  assert.deepEqual(json.errors[0].source, { parameter: 'page[x]' })
})

test('a repeated query parameter is refused', async () => {
  const { json } = await fetchApi('/things/7?deep=true&deep=true')
  assert.deepEqual(json.errors[0].source, { parameter: 'deep' })
  assert.equal(json.errors[0].detail, 'deep is repeated.')
})

test('a method that the path does not have is 405 with Allow', async () => {
  const { response, json } = await fetchApi('/things/7', { method: 'PUT', body: '{}' })
  assert.deepEqual([response.status, json.errors[0].code], [405, 'METHOD_NOT_ALLOWED'])
  assert.equal(response.headers.get('allow'), 'DELETE, GET, HEAD, PATCH')
})

test('an unknown path is a 404 in the envelope', async () => {
  const { response, json } = await fetchApi('/nothing')
  assert.deepEqual([response.status, json.errors[0].code], [404, 'NOT_FOUND'])
})

test('an Accept header without JSON is 406; a media type of the route is sent', async () => {
  assert.equal((await fetchApi('/things/7', {}, { ...bearer, accept: 'text/html' })).response.status, 406)
  assert.equal(
    (await fetchApi('/things/7', {}, { ...bearer, accept: 'application/json;q=0, text/html' })).response.status,
    406,
  )
  const pem = await fetchApi('/things/7', {}, { ...bearer, accept: 'application/x-pem-file' })
  assert.deepEqual([pem.text, pem.response.headers.get('content-type')], ['-----7-----', 'application/x-pem-file'])
})

test('no token is 401 with a bare challenge, a bad one names the error', async () => {
  const none = await fetchApi('/things/7', {}, {})
  assert.deepEqual([none.response.status, none.json.errors[0].code], [401, 'UNAUTHORIZED'])
  assert.equal(none.response.headers.get('www-authenticate'), 'Bearer realm="chirograph"')
  const bad = await fetchApi('/things/7', {}, { authorization: 'Bearer nobody' })
  assert.equal(bad.response.headers.get('www-authenticate'), 'Bearer realm="chirograph", error="invalid_token"')
})

test('a missing scope is 403 and is named in the challenge and in meta', async () => {
  const { response, json } = await fetchApi('/things/7', { method: 'PATCH', body: '{"status":"x"}' })
  assert.equal(response.status, 403)
  assert.match(response.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="trust:write"/)
  assert.deepEqual(json.errors[0].meta, { requiredScope: 'trust:write' })
})

test('an unexpected error shows only its id; the log line with that id has the cause', async () => {
  const { response, text, json } = await post({ name: 'defect' })
  assert.equal(response.status, 500)
  assert.ok(!text.includes('hunter2'))
  const line = lines.find(([, fields, message]) => message === 'failed' && fields.requestId === json.errors[0].id)
  assert.match(String(line?.[1].cause), /hunter2/)
})

test('an answer that cannot be sent is a 500 in the envelope', async () => {
  const { response, json } = await post({ name: 'unsendable' }, { ...bearer, connection: 'close' })
  assert.deepEqual([response.status, json.errors[0].code], [500, 'INTERNAL_ERROR'])
})

test('every response has the common headers and a policy that executes and frames nothing', async () => {
  for (const path of ['/creds/things/7', '/nothing', '/healthz', '/readyz', '/openapi.json', '/metrics']) {
    const { headers } = await fetch(at + path, { headers: bearer })
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'", path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
  }
})

test('meta of a fault is shown', async () => {
  const { response, json } = await post({ name: 'refused' })
  assert.equal(response.status, 409)
  assert.partialDeepStrictEqual(json.errors[0], { code: 'CONFLICT', detail: 'Taken.', meta: { by: 'x' } })
})

test('a path parameter is percent-decoded once and may contain any character', async () => {
  for (const value of ['a/b', 'a+b', 'x@y.z', 'ü ñ', '50%25', '%2F', 'a?b#c']) {
    const { json } = await fetchApi(`/things/${encodeURIComponent(value)}`)
    assert.equal(json.data.id, value)
  }
})

test('a path that is not UTF-8 is an error in the envelope', async () => {
  const { response, json } = await fetchApi('/things/%ff')
  assert.ok([400, 404].includes(response.status))
  assert.equal(typeof json.errors[0].id, 'string')
})

test('a request is logged once: by pattern, without its values [SEC-73]', async () => {
  await fetchApi('/things/very-secret-value?deep=true')
  // The line is written when the answer has left, which the client may see first.
  await new Promise(setImmediate)
  const logged = lines.filter(([, , message]) => message === 'request').map(([, fields]) => fields)
  const last = logged.at(-1)
  const tenantId = aCaller('writer').tenantId
  assert.partialDeepStrictEqual(last, {
    method: 'GET',
    route: '/creds/things/{id}',
    status: 200,
    tenantId,
    callerId: 'writer',
  })
  assert.ok(!JSON.stringify(lines).includes('very-secret-value'))
  assert.ok(!JSON.stringify(lines).includes('Bearer'))
})

test('HEAD responds like GET without a body', async () => {
  const { response, text } = await fetchApi('/things/7', { method: 'HEAD' })
  assert.deepEqual([response.status, text], [200, ''])
})

test('healthz, readyz and metrics respond', async () => {
  assert.equal((await fetch(`${at}/healthz`)).status, 200)
  assert.equal((await fetch(`${at}/readyz`)).status, 200)
  const text = await (await fetch(`${at}/metrics`)).text()
  assert.match(text, /http_request_duration_seconds_count\{method="GET",route="\/creds\/things\/\{id\}",status="200"\}/)
  assert.match(text, /^things_total 7$/m)
  assert.match(text, /process_cpu_seconds_total/)
})

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://db/x',
  PUBLIC_URL: 'https://a.example',
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
}
const metricsToken = 'figures-0123456789'

for (const [name, env, authorization, status] of [
  ['no token is set in production', production, `Bearer ${metricsToken}`, 401],
  ['a token is set and not sent', { METRICS_TOKEN: metricsToken }, '', 401],
  ['another token is sent', { METRICS_TOKEN: metricsToken }, `Bearer ${metricsToken}x`, 401],
  ['the token is sent by another scheme', { METRICS_TOKEN: metricsToken }, `Basic ${metricsToken}`, 401],
  ['the token is sent', { ...production, METRICS_TOKEN: metricsToken }, `bearer ${metricsToken}`, 200],
] as const) {
  test(`metrics respond ${status} where ${name}`, async () => {
    const guarded = aServer({ routes: [], platform: aPlatform({ config: readConfig(env) }) })
    const answer = await guarded.dispatch({ method: 'GET', path: '/metrics', headers: { authorization } })
    const text = answer.body.toString()
    assert.equal(answer.status, status, text)
    assert.equal(text.includes('process_cpu_seconds_total'), status === 200)
    if (status === 401) assert.match(text, /METRICS_TOKEN/)
    await guarded.close()
  })
}

test('readyz names the failed checks, and nothing more', async () => {
  const check = () => Promise.reject(new Error('password wrong'))
  const unready = aServer({ routes: [], readiness: [{ name: 'database', check }] })
  const { status, body } = await unready.dispatch({ method: 'GET', path: '/readyz' })
  assert.deepEqual([status, JSON.parse(body.toString())], [503, { status: 'unavailable', failed: ['database'] }])
  await unready.close()
})

test('a group with another public address is served there too, and links contain that address', async () => {
  const config = readConfig({ CREDS_BASE_URL: 'https://creds.example.org/api' })
  const href = route({
    ...common,
    method: 'GET',
    path: '/x',
    reply: Thing,
    handle: ({ href }) => answer({ id: href, name: '' }),
  })
  const moved = aServer({ routes: [href], platform: aPlatform({ config }) })
  const headers = { ...bearer, host: 'creds.example.org' }
  const there = await moved.dispatch({ method: 'GET', path: '/api/x', headers })
  assert.equal(JSON.parse(there.body.toString()).data.id, 'https://creds.example.org/api/x')
  assert.equal((await moved.dispatch({ method: 'GET', path: '/creds/x', headers: bearer })).status, 200)
  assert.equal((await moved.dispatch({ method: 'GET', path: '/api/x', headers: bearer })).status, 404)
  await moved.close()
})

test('a stop finishes the accepted request, refuses new ones, and lets accepted work dispatch internal requests', async () => {
  const stopping = aServer({ routes })
  const url = await stopping.listen()
  const accepted = fetch(`${url}/creds/slow`, { headers: bearer })
  await new Promise((done) => setTimeout(done, 50))
  const closed = stopping.close(2000)
  const inside = await stopping.dispatch({ method: 'GET', path: '/creds/things/1', headers: bearer })
  assert.equal(inside.status, 200)
  await assert.rejects(fetch(`${url}/healthz`))
  const response = await accepted
  assert.deepEqual([response.status, response.headers.get('connection')], [200, 'close'])
  assert.equal(await response.text(), '{"data":{"id":"slow","name":"but done"}}')
  await closed
})

test('a stop ends event streams instead of waiting for them', async () => {
  const events = route({
    ...common,
    method: 'GET',
    path: '/events',
    reply: Thing,
    produces: ['text/event-stream'],
    handle: ({ responseType }) => {
      const stream = new Readable({ read: () => {} })
      stream.push('data: 1\n\n')
      return rawAnswer(responseType, stream)
    },
  })
  const stopping = aServer({ routes: [events] })
  const url = await stopping.listen()
  const response = await fetch(`${url}/creds/events`, { headers: { ...bearer, accept: 'text/event-stream' } })
  const from = Date.now()
  await Promise.all([stopping.close(5000), response.text().then((text) => assert.equal(text, 'data: 1\n\n'))])
  assert.ok(Date.now() - from < 2000)
})

test('a stop waits at most its time limit', async () => {
  const stopping = aServer({ routes })
  const url = new URL(await stopping.listen())
  const socket = connect(Number(url.port), url.hostname)
  socket.on('error', () => {})
  socket.write('POST /creds/things HTTP/1.1\r\nhost: x\r\nauthorization: Bearer writer\r\ncontent-length: 100\r\n\r\n')
  await new Promise((done) => setTimeout(done, 50))
  const from = Date.now()
  await stopping.close(100)
  assert.ok(Date.now() - from < 1000)
})

test('a request without a token is refused before its body is read', async () => {
  const url = new URL(`${at}/creds/things`)
  const status = await new Promise((done, failed) => {
    const headers = { 'content-type': 'application/json', 'content-length': '900000' }
    const open = httpRequest(url, { method: 'POST', headers }, (response) => {
      done(response.statusCode)
      open.destroy()
    })
    open.on('error', failed)
    open.write('{')
  })
  assert.equal(status, 401)
})
