import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { until } from '../../../test/support/until.ts'
import { answer } from '../routes/route.ts'
import { aServer, type Lines } from '../test-support/a-server.ts'
import { route } from '../test-support/route.ts'

const Body = Type.Object({ name: Type.String() }, { additionalProperties: false })
const create = route({
  group: 'creds',
  method: 'POST',
  path: '/things',
  summary: 'For tests.',
  scope: 'issuance:write',
  status: 201,
  faults: [],
  body: Body,
  reply: Body,
  handle: ({ body }) => answer(body),
})

const remove = route({
  group: 'creds',
  method: 'DELETE',
  path: '/things',
  summary: 'For tests.',
  scope: 'issuance:write',
  status: 204,
  faults: [],
  handle: async () => {
    await sleep(20)
    return answer(undefined)
  },
})

const lines: Lines = []
const server = aServer({ routes: [create, remove], lines })
let port = 0
before(async () => {
  port = Number(new URL(await server.listen()).port)
})
after(() => server.close(100))

const head = (...more: string[]) =>
  ['POST /creds/things HTTP/1.1', 'host: x', 'authorization: Bearer writer', 'content-type: application/json', ...more]
    .concat('', '')
    .join('\r\n')

test('a request with an unknown expectation is answered like any other, with a log line', async () => {
  const socket = connect(port, '127.0.0.1')
  const body = '{"name":"x"}'
  socket.end(head(`content-length: ${body.length}`, 'expect: 200-ok', 'connection: close') + body)
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.match(text, /^HTTP\/1\.1 201 /)
  assert.match(text, /\r\nx-request-id: /i)
  assert.match(text, /"data":\{"name":"x"\}/)
})

test('a client that disconnects while it sends its body is no error of the server', async () => {
  lines.length = 0
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`${head('content-length: 1000')}{"name":`)
  await sleep(50)
  socket.destroy()
  await until(() => lines.length > 0)
  await sleep(50)
  assert.deepEqual(
    lines.filter(([level]) => level === 'error' || level === 'warn'),
    [],
  )
  assert.deepEqual(
    lines.filter(([, , message]) => message === 'request').map(([, { fault }]) => fault),
    ['request.broken'],
  )
})

test('a request that is not HTTP is refused and logged also after another one on its connection, but not into a response', async () => {
  lines.length = 0
  const body = '{"name":"x"}'
  const valid = head(`content-length: ${body.length}`) + body
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  socket.write(valid)
  assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 201 /)
  socket.write('no HTTP at all\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.match(text, /^HTTP\/1\.1 400 /)
  assert.match(text, /"code":"MALFORMED_HTTP"/)
  assert.deepEqual(
    lines.filter(([, , message]) => message === 'request').map(([, { status }]) => status),
    [201, 400],
  )
  const pipelined = connect(port, '127.0.0.1').setEncoding('utf8')
  pipelined.write(`${valid}${valid}no HTTP at all\r\n\r\n`)
  let answers = ''
  for await (const chunk of pipelined) answers += chunk
  assert.equal(answers.split('HTTP/1.1 201').length, 3, 'both requests before it are answered')
  assert.equal(answers.split('HTTP/1.1 400').length, 1, 'a refusal would be read as the answer to a request before it')
})

test('a request whose body follows without a length is answered, and its connection closed then', async () => {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  // As Node's http.request sends a DELETE to which a text is written.
  socket.write('DELETE /creds/things HTTP/1.1\r\nhost: x\r\nauthorization: Bearer writer\r\n\r\n{"name":"x"}')
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.match(text, /^HTTP\/1\.1 204 /)
  assert.match(text, /\r\nconnection: close\r\n/i)
  assert.equal(text.split('HTTP/1.1 ').length, 2)
})

test('a request with two Host lines is refused', async () => {
  const socket = connect(port, '127.0.0.1')
  const body = '{"name":"x"}'
  socket.end(head('host: y', `content-length: ${body.length}`, 'connection: close') + body)
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.match(text, /^HTTP\/1\.1 400 /)
  assert.match(text, /"code":"MALFORMED_HTTP"/)
})
