// Requests of clients that write what they mean in an odd way: read where it can mean one thing, else told what is odd.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { time } from '../../contract/shapes.ts'
import { answer } from '../routes/route.ts'
import { aServer } from '../test-support/a-server.ts'
import { route } from '../test-support/route.ts'

const Thing = Type.Object({ id: Type.String(), name: Type.String() })
const common = { group: 'creds', summary: 'For tests.', scope: 'issuance:write', reply: Thing, faults: [] } as const
const routes = [
  route({
    ...common,
    method: 'POST',
    path: '/things',
    status: 201,
    body: Type.Object({ name: Type.String() }),
    handle: ({ body }) => answer({ id: '1', name: body.name }),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/things/{id}',
    status: 200,
    params: Type.Object({ id: Type.String({ pattern: '^[0-9]+$' }) }),
    query: Type.Object({ since: Type.Optional(time) }, { additionalProperties: false }),
    handle: ({ params, query }) => answer({ id: params.id, name: query.since ?? '' }),
  }),
]

const server = aServer({ routes })
let at = ''
before(async () => {
  at = await server.listen()
})
after(() => server.close(100))

const bearer = { authorization: 'Bearer writer' }
async function fetchApi(path: string, init: RequestInit = {}) {
  const response = await fetch(`${at}/creds${path}`, { ...init, headers: { ...bearer, ...init.headers } })
  return { status: response.status, json: JSON.parse(await response.text()) }
}
const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  fetchApi('/things', {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers: { 'content-type': 'application/json', ...headers },
  })

test('an offset whose plus sign is written as it is in a query is read; another blank in a time is not', async () => {
  const seen = async (since: string) => (await fetchApi(`/things/7?since=${since}`)).json
  for (const since of ['2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00%2B02:00', '2026-01-01T00:00:00%2002:00'])
    assert.deepEqual((await seen(since)).data.name, '2026-01-01T00:00:00+02:00', since)
  for (const since of ['2026-01-01%2000:00:00Z', '2026-01-01T00:00:00%20', '%202026-01-01T00:00:00Z'])
    assert.match((await seen(since)).errors[0].detail, /^since must be a time such as /, since)
})

test('a body that is no JSON is told where it goes wrong, or that it is not UTF-8', async () => {
  const refused = async (body: string | Buffer) => (await post(body)).json.errors[0].detail
  assert.equal(await refused('{"name": "x",\n "size": 1,}'), 'The text is not well-formed JSON at line 2, column 12.')
  assert.equal(await refused('{"name": "x"'), 'The text is not well-formed JSON at line 1, column 13.')
  assert.equal(await refused("{'name': 1}"), 'The text is not well-formed JSON at line 1, column 2.')
  assert.equal(await refused('{"name": NaN}'), 'The text is not well-formed JSON at line 1, column 10.')
  assert.equal(await refused('{"name": "a\nb"}'), 'The text is not well-formed JSON at line 1, column 10.')
  for (const encoding of ['latin1', 'utf16le'] as const)
    assert.match(await refused(Buffer.from('{"name": "Zoë"}', encoding)), /^The text is not UTF-8/, encoding)
})

test('an empty Content-Encoding is none; two media types in Content-Type are none', async () => {
  assert.equal((await post('{"name": "x"}', { 'content-encoding': '' })).status, 201)
  const two = await post('{"name": "x"}', { 'content-type': 'application/json, application/json' })
  assert.equal(two.status, 415)
  assert.match(two.json.errors[0].detail, /not one media type/)
})

test('an Accept header that names JSON by another name, or any type by an asterisk alone, is answered', async () => {
  const answered = async (accept: string) => (await fetchApi('/things/7', { headers: { accept } })).status
  for (const accept of ['application/vnd.api+json', 'text/json', '*', 'application/hal+json;q=0.5, text/html'])
    assert.equal(await answered(accept), 200, accept)
  for (const accept of ['application/json;q=0', 'application/vnd.api+json;q=0', 'text/html', 'application/xml'])
    assert.equal(await answered(accept), 406, accept)
})

test('a path with a slash at its end, or with nothing between two, is refused with that reason', async () => {
  const refused = async (path: string, method = 'GET') => {
    const { status, json } = await fetchApi(path, { method })
    return [status, json.errors[0].detail]
  }
  const slash = 'It ends with a slash: without it, it is another path.'
  const unknown = `There is no resource at this path. ${slash} The paths are listed at /docs.`
  assert.deepEqual(await refused('/nothing/'), [404, unknown])
  assert.deepEqual(await refused('/things/', 'POST'), [404, unknown])
  assert.deepEqual(await refused('/things/'), [404, unknown])
  const empty = 'There is no resource at this path. There is nothing between two of its slashes.'
  assert.deepEqual(await refused('/things//'), [404, `${empty} The paths are listed at /docs.`])
})

test('what is not HTTP is told what the parser met', async () => {
  const { port } = new URL(at)
  const answered = (request: string) =>
    new Promise<string>((resolve, reject) => {
      let text = ''
      connect(Number(port), '127.0.0.1')
        .on('data', (chunk) => {
          text += chunk
        })
        .on('end', () => resolve(text))
        .on('error', reject)
        .end(request)
    })
  const twice = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}'
  assert.match(await answered(twice), /"detail":"The request is not valid HTTP: Duplicate Content-Length/)
  assert.match(await answered('GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'), /"The request is not valid HTTP: Expected HTTP/)
})
