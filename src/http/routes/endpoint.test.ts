import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { Fault } from '../../fault.ts'
import { aServer } from '../test-support/a-server.ts'
import { endpoint } from './endpoint.ts'

const common = { tag: 'Tests', summary: 'For tests.' }
const endpoints = [
  endpoint({
    ...common,
    method: 'POST',
    path: '/issuers/{tenant}/token',
    accepts: 'form',
    body: Type.Object({ grant_type: Type.String() }),
    handle: ({ params, body }) => {
      if (body.grant_type === 'client') throw new Fault('token.invalid', { detail: 'Wörd "quoted" \\ done' })
      if (body.grant_type === 'defect') throw new Error('inner')
      return { status: 200, body: { tenant: params.tenant, ...body } }
    },
  }),
  endpoint({
    ...common,
    method: 'GET',
    path: '/.well-known/openid-credential-issuer/issuers/{tenant}',
    accepts: 'none',
    crossOrigin: true,
    handle: ({ params, query }) => {
      if (params.tenant === 'nobody') throw new Fault('resource.unknown')
      return {
        status: 200,
        type: 'application/json',
        body: { params, query },
        headers: { 'cache-control': 'max-age=60' },
      }
    },
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/issuers/{tenant}/credential',
    accepts: 'json-or-jwt',
    handle: ({ body }) => ({ status: 200, body: { got: body } }),
  }),
  endpoint({
    ...common,
    method: 'GET',
    path: '/offers/{id}',
    accepts: 'none',
    faultsAs: 'page',
    hidden: true,
    handle: ({ params }) => {
      throw new Fault('resource.unknown', { detail: `<b>${params.id}</b>` })
    },
  }),
  endpoint({
    ...common,
    method: 'GET',
    path: '/assets/{file*}',
    accepts: 'none',
    handle: ({ params }) => ({
      status: 200,
      type: 'text/plain',
      body: params.file,
      headers: { 'set-cookie': ['a=1', 'b=2'] },
    }),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/small',
    accepts: 'json',
    bodyBytesMax: 20,
    handle: () => ({ status: 303, headers: { location: '/x' } }),
  }),
]

const server = aServer({ endpoints })
let at = ''
before(async () => {
  at = await server.listen()
})
after(() => server.close(100))

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const token = (body: string, headers: Record<string, string> = FORM) =>
  fetch(`${at}/issuers/acme/token`, { method: 'POST', body, headers })

test('a form reaches the endpoint; unknown parameters are kept, the response is not cached', async () => {
  const response = await token('grant_type=x&other=%C3%BC+1')
  assert.deepEqual(await response.json(), { tenant: 'acme', grant_type: 'x', other: 'ü 1' })
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal(response.headers.get('content-type'), 'application/json')
})

for (const [what, body, headers, status, error] of [
  ['a missing parameter', 'x=1', FORM, 400, 'invalid_request'],
  ['a parameter that stands twice (RFC 6749 3.2)', 'grant_type=x&grant_type=x', FORM, 400, 'invalid_request'],
  ['another content type', '{}', { 'content-type': 'application/json' }, 415, 'invalid_request'],
  ['a defect behind it', 'grant_type=defect', FORM, 500, 'server_error'],
] as const) {
  test(`a form with ${what} is ${status} ${error}`, async () => {
    const response = await token(body, headers)
    assert.equal(response.status, status)
    const found = JSON.parse(await response.text())
    assert.equal(found.error, error)
    assert.ok(!JSON.stringify(found).includes('inner'))
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })
}

test('an error_description is printable ASCII without quotes, and a 401 carries a challenge', async () => {
  const response = await token('grant_type=client')
  assert.deepEqual(await response.json(), { error: 'invalid_token', error_description: 'W?rd ?quoted? ? done' })
  assert.equal(response.status, 401)
  assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="chirograph", error="invalid_token"')
})

test('any web page may read a public resource and its errors, and nothing else [SEC-75]', async () => {
  const metadata = `${at}/.well-known/openid-credential-issuer/issuers`
  const good = await fetch(`${metadata}/acme?x=1`)
  assert.deepEqual(await good.json(), { params: { tenant: 'acme' }, query: { x: '1' } })
  assert.equal(good.headers.get('access-control-allow-origin'), '*')
  assert.equal(good.headers.get('cache-control'), 'max-age=60')
  const bad = await fetch(`${metadata}/nobody`)
  assert.deepEqual([bad.status, bad.headers.get('access-control-allow-origin')], [404, '*'])
  const preflight = await fetch(`${metadata}/acme`, { method: 'OPTIONS' })
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*'])
  const other = await fetch(`${at}/issuers/acme/token`, { method: 'OPTIONS' })
  assert.deepEqual([other.status, other.headers.get('access-control-allow-origin')], [405, null])
  assert.equal((await token('grant_type=x')).headers.get('access-control-allow-origin'), null)
})

test('a credential request may be JSON or a compact JWT', async () => {
  const post = async (type: string, body: string) => {
    const url = `${at}/issuers/acme/credential`
    const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': type } })
    return { status: response.status, text: await response.text() }
  }
  assert.equal((await post('application/json', '{"a":1}')).text, '{"got":{"a":1}}')
  assert.equal((await post('application/jwt', 'a.b.c')).text, '{"got":"a.b.c"}')
  assert.equal((await post('text/plain', 'a.b.c')).status, 415)
  assert.equal((await post('application/json', '{')).status, 400)
})

test('a fault at an address that people open is a page, with everything escaped [SEC-77]', async () => {
  const response = await fetch(`${at}/offers/1`)
  const html = await response.text()
  assert.equal(response.status, 404)
  assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.ok(html.includes('&#60;b&#62;1&#60;/b&#62;') && !html.includes('<b>'))
})

test('the rest of a path is one parameter, and several cookies stay separate', async () => {
  const response = await fetch(`${at}/assets/js/a%20b.js`)
  assert.equal(await response.text(), 'js/a b.js')
  assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
})

test('an endpoint may accept less than 1 MiB', async () => {
  const post = (body: string) => {
    const headers = { 'content-type': 'application/json' }
    return fetch(`${at}/small`, { method: 'POST', body, headers, redirect: 'manual' })
  }
  assert.equal((await post('{}')).status, 303)
  assert.equal((await post(JSON.stringify('x'.repeat(30)))).status, 413)
})

test('unknown paths of the protocol surface answer as OAuth errors', async () => {
  const response = await fetch(`${at}/issuers/acme/nothing`)
  assert.equal(response.status, 404)
  assert.partialDeepStrictEqual(await response.json(), { error: 'not_found' })
})

test('the reference lists endpoints that are not hidden', async () => {
  const document = JSON.parse(await (await fetch(`${at}/openapi.json`)).text())
  assert.deepEqual(Object.keys(document.paths['/issuers/{tenant}/token'].post.requestBody.content), [
    FORM['content-type'],
  ])
  assert.equal(document.paths['/offers/{id}'], undefined)
})
